"""A connection that speaks classic frames."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from . import classic
from .connecting import open_link
from .connection import Connection
from .deadline import remaining
from .errors import ProtocolError

_PREFIX_BYTES = classic.PREFIX.size


class ClassicConnection(Connection):
    """A socket to an engine; a reply is received into the array that the caller gets."""

    def __init__(self, url: str, timeout: float, spin_us: float = 0.0) -> None:
        super().__init__(url, timeout, open_link(url, timeout, spin_us))

    def request(
        self,
        opcode: int,
        close: npt.NDArray[np.float64],
        combos: npt.NDArray[np.int64],
        timeout: float | None = None,
    ) -> npt.NDArray[np.float64]:
        """Send a request and return its reply's body as float64, shape (reply bytes / 8,).

        EngineError if the engine refuses, EngineTimeout when the deadline passes, ConnectionLost, ProtocolError,
        ForkError.
        """
        pieces = classic.encode_request(opcode, close, combos)
        body_bytes = classic.reply_bytes(opcode, len(close), len(combos))
        seconds = self._take_turn(timeout)
        try:
            return self._exchange(pieces, body_bytes, time.monotonic() + seconds)
        except BaseException as error:
            self._give_up(error, timeout)
        finally:
            self._turn.release()

    def _exchange(
        self, pieces: tuple[bytes, memoryview, memoryview], body_bytes: int, deadline: float
    ) -> npt.NDArray[np.float64]:
        # The prefix fills the second half of element 0, so the body starts on element 1: aligned, and without a copy.
        reply = np.empty(1 + body_bytes // 8)
        buffer = reply.view(np.uint8).data[8 - _PREFIX_BYTES :]
        got = self._link.request(pieces, buffer, _PREFIX_BYTES, remaining(deadline))
        (length,) = classic.PREFIX.unpack_from(buffer)
        if length != body_bytes:
            if not classic.is_error(length) or length > classic.MAX_ERROR_BYTES:
                raise ProtocolError(f"{self.url}: a reply of {length} bytes came where {body_bytes} were due")
            raise self._receive_classic_error(length, bytes(buffer[_PREFIX_BYTES:got]), deadline)
        if got < len(buffer):
            self._link.receive(buffer[got:], len(buffer) - got, remaining(deadline))
        return reply[1:]
