"""A connection: a request out, its reply in, never out of step.

Threads take turns. A call that fails half-way closes the connection, because whatever comes next on it would be the
rest of that call.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import NoReturn

from . import classic
from ._native import Link
from .channel import RequestCutOff
from .deadline import check_timeout, remaining
from .errors import ConnectionLost, EngineError, EngineTimeout, ForkError, ProtocolError

_LAST_WORDS_SECONDS = 2.0  # for what an engine that hung up may have said before

_this_process = os.getpid()  # asked for once: a call should need no system call but its own


def _note_fork() -> None:
    global _this_process
    _this_process = os.getpid()


os.register_at_fork(after_in_child=_note_fork)


class Connection:
    """A link that carries one request at a time."""

    def __init__(self, url: str, timeout: float, link: Link) -> None:
        self.url = url
        self.timeout = check_timeout(timeout)
        self._link = link
        self._turn = threading.Lock()
        self._pid = _this_process
        self._closed_because: str | None = None
        self.obituary: Callable[[], str] = str  # how the engine's process ended, where that is known

    def _take_turn(self, timeout: float | None) -> float:
        """Wait for other threads' calls; return the seconds that are left. The caller releases `_turn`."""
        if _this_process != self._pid:
            raise ForkError(f"{self.url} was connected in process {self._pid}; connect again in the forked child")
        seconds = self.timeout if timeout is None else check_timeout(timeout)
        if not self._turn.acquire(False):
            began = time.monotonic()
            if not self._turn.acquire(timeout=seconds):
                raise EngineTimeout(f"{self.url}: another thread's call did not end within {seconds:g} s")
            seconds = max(0.0, seconds - (time.monotonic() - began))
        if self._closed_because is not None:
            self._turn.release()
            raise ConnectionLost(f"{self.url}: the connection is closed ({self._closed_because})")
        return seconds

    def close(self) -> None:
        """Close the connection; a call that another thread has under way ends with ConnectionLost."""
        if _this_process != self._pid:
            self._link.close()  # the child's copy only: a hang-up would reach the parent's connection
        elif self._turn.acquire(False):
            try:
                self._shut("close() was called")
            finally:
                self._turn.release()
        else:
            # Closing a descriptor that a thread waits on is unsafe; this wakes it, and it closes the channel itself.
            self._closed_because = "close() was called"
            self._link.hang_up()

    def _give_up(self, error: BaseException, timeout: float | None) -> NoReturn:
        """Raise what the caller shall see of a failure in a call; close the connection unless it is only a refusal.

        EngineError if the engine refuses, EngineTimeout when the deadline passes, ConnectionLost, ProtocolError.
        """
        seconds = self.timeout if timeout is None else timeout
        try:
            raise error
        except EngineError:
            raise
        except TimeoutError:
            self._shut(f"a call took longer than {seconds:g} s")
            raise EngineTimeout(f"{self.url}: no reply within {seconds:g} s; the connection is closed") from None
        except ConnectionLost:
            self._shut(self._closed_because or str(error))
            raise ConnectionLost(f"{self.url}: {error}{self.obituary()}") from None
        except RequestCutOff:
            if refusal := self._refusal():
                self._shut("the engine refused a request and hung up")
                raise refusal from None
            self._shut(str(error))
            raise ConnectionLost(f"{self.url}: {error}{self.obituary()}") from error
        except OSError:
            self._shut(str(error))
            raise ConnectionLost(f"{self.url}: {error}{self.obituary()}") from error
        except BaseException:
            # Also KeyboardInterrupt: the rest of this reply must never be taken for the next one.
            self._shut(f"a call was broken off by {type(error).__name__}: {error}".rstrip(": "))
            raise

    def _refusal(self) -> EngineError | None:
        """Return what the engine said before it hung up in the middle of a request, if it said anything."""
        start = bytearray(classic.PREFIX.size)
        deadline = time.monotonic() + _LAST_WORDS_SECONDS
        try:
            self._link.receive(start, len(start), _LAST_WORDS_SECONDS)
            (body_bytes,) = classic.PREFIX.unpack(start)
            return self._receive_classic_error(body_bytes, b"", deadline) if classic.is_error(body_bytes) else None
        except (OSError, ProtocolError):
            return None

    def _receive_classic_error(self, body_bytes: int, start: bytes, deadline: float) -> EngineError:
        """Return the error in a classic error reply's body, whose first bytes may have been received already."""
        if len(start) > body_bytes:
            raise ProtocolError(f"{self.url}: {len(start) - body_bytes} bytes too many came after an error reply")
        body = bytearray(body_bytes)
        body[: len(start)] = start
        rest = memoryview(body)[len(start) :]
        self._link.receive(rest, len(rest), remaining(deadline))
        return classic.decode_error(bytes(body))

    def _shut(self, reason: str) -> None:
        if self._closed_because is None:
            self._closed_because = reason
        self._link.hang_up()
        self._link.close()
