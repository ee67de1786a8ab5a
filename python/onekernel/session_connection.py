"""A connection that speaks session frames, over a socket or in shared memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from . import session
from ._native import bar_arguments
from .channel import Piece
from .connecting import open_link
from .connection import Connection
from .endpoint import is_shared_memory
from .hello import Hello
from .result import SweepResult
from .stored_series import Series

if TYPE_CHECKING:
    from ._native import Change

SPIN_US = 50.0  # in shared memory
# Of one direction. Large enough that both sides work at the same time on a long frame, small enough for a cache.
RING_BYTES = 1 << 20


class SessionConnection(Connection):
    """A connection that has said hello; with a ``shm:`` URL it has moved into shared memory too.

    spin_us: for how many microseconds a wait looks again and again before it sleeps; None: not on a socket, SPIN_US in
    shared memory.
    """

    def __init__(self, url: str, timeout: float, spin_us: float | None = None, token: str = "") -> None:
        super().__init__(url, timeout, open_link(url, timeout, spin_us or 0.0))
        self.next_id = count(1).__next__  # a request id that was not used before on this connection
        self.epoch = 0
        try:
            self.hello = self._say_hello(token.encode())
            self._link.limit_bodies(min(self.hello.limits.max_frame_bytes, session.MAX_BODY_BYTES))
            if is_shared_memory(url):
                self._attach(SPIN_US if spin_us is None else spin_us)
        except BaseException:
            self.close()
            raise

    def exchange(
        self,
        pieces: tuple[Piece, ...] | list[Piece],
        due_bytes: int = -1,
        timeout: float | None = None,
        descriptors: Sequence[int] | None = None,
    ) -> tuple[int, bytearray]:
        """Send a request and return what its reply says: (the engine's own compute time in ns, payload).

        pieces: up to 8, a tuple or a list; the first begins with the request's whole head (see :mod:`.session`).
        due_bytes: the length that the payload must have; -1 where only the engine knows it.
        timeout: seconds for the whole of it; None takes the connection's.
        descriptors: open files to go along, over a Unix socket.

        EngineError if the engine refuses, EngineTimeout when the deadline passes, ConnectionLost, ProtocolError,
        ForkError.
        """
        seconds = self._take_turn(timeout)
        try:
            return self._link.exchange(pieces, due_bytes, seconds, descriptors)
        except BaseException as error:
            self._give_up(error, timeout)
        finally:
            self._turn.release()

    def sweep_stored(
        self, series: Series, combos: object, fee: float, kernel: int, threads: int, timeout: float | None
    ) -> SweepResult | None:
        """Sweep over a stored series in one native call; the arguments of `session.encode_sweep`, errors as `exchange`.

        None, and nothing is sent, unless combos are an int64 array (n, 6) that can be used as it is.
        """
        seconds = self._take_turn(timeout)
        try:
            told = self._link.sweep(self.next_id(), series.epoch, series.id, combos, fee, kernel, threads, seconds)
        except BaseException as error:
            self._give_up(error, timeout)
        finally:
            self._turn.release()
        return None if told is None else session.sweep_result(*told, self.hello.kernels)

    def live_bar(self, live_id: int, due: int, index: int, price: float, timeout: float | None) -> tuple[Change, ...]:
        """Feed one bar to a live session that awaits bar `due`, in one native call; errors as `exchange`.

        OutOfOrder where the engine awaits another bar; TypeError and ValueError, before anything is sent, for what is
        no number or no price.
        """
        if type(index) is not int or type(price) is not float:
            # May run Python code of the caller's, which may fail, close the session or use it: not during a turn.
            index, price = bar_arguments(index, price)
        seconds = self._take_turn(timeout)
        try:
            return self._link.live_bar(self.next_id(), self.epoch, live_id, due, index, price, seconds)
        except (TypeError, ValueError):
            raise
        except BaseException as error:
            self._give_up(error, timeout)
        finally:
            self._turn.release()

    def __del__(self) -> None:
        if getattr(self, "_closed_because", "") is None:
            warnings.warn(f"unclosed {self.url}", ResourceWarning, source=self, stacklevel=2)

    def _say_hello(self, token: bytes) -> Hello:
        _, payload = self.exchange((session.encode_hello(self.next_id(), token),))
        self.epoch = self._link.epoch()
        return session.decode_hello(payload)

    def _attach(self, spin_us: float) -> None:
        """Move into shared memory. From here on the socket only tells when the other side has gone."""
        request = session.encode_attach(self.next_id(), self.epoch, RING_BYTES)
        _, payload = self.exchange((request,), session.ATTACH_BYTES)
        self._link.attach(session.decode_attach(payload), round(1000 * spin_us))
        self.hello = replace(self.hello, passes_descriptors=False)  # nothing goes over the socket any more
