"""A connection that speaks classic frames."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import classic
from .channel import Piece
from .connection import Connection
from .errors import ProtocolError
from .socket_channel import SocketChannel

_PREFIX_BYTES = classic.PREFIX.size

_Request = tuple[tuple[Piece, ...], int, int]  # pieces, their bytes, bytes of the reply's body


class ClassicConnection(Connection[_Request, npt.NDArray[np.float64]]):
    """A socket to an engine; a reply is received into the array that the caller gets."""

    def __init__(self, url: str, timeout: float) -> None:
        super().__init__(url, timeout, SocketChannel(url, timeout))

    def request(
        self,
        opcode: int,
        close: npt.NDArray[np.float64],
        combos: npt.NDArray[np.int64],
        timeout: float | None = None,
    ) -> npt.NDArray[np.float64]:
        """Send a request and return its reply's body as float64, shape (reply bytes / 8,). Errors: see `call`."""
        pieces = classic.encode_request(opcode, close, combos)
        body_bytes = classic.reply_bytes(opcode, len(close), len(combos))
        return self.call((pieces, sum(map(len, pieces)), body_bytes), timeout)

    def _exchange(self, request: _Request, deadline: float) -> npt.NDArray[np.float64]:
        pieces, n_bytes, body_bytes = request
        # The prefix fills the second half of element 0, so the body starts on element 1: aligned, and without a copy.
        reply = np.empty(1 + body_bytes // 8)
        buffer = reply.view(np.uint8).data[8 - _PREFIX_BYTES :]
        got = self._channel.exchange(pieces, n_bytes, buffer, deadline)
        while got < _PREFIX_BYTES:
            got += self._channel.receive(buffer[got:], deadline)
        (length,) = classic.PREFIX.unpack_from(buffer)
        if length != body_bytes:
            if not classic.is_error(length) or length > classic.MAX_ERROR_BYTES:
                raise ProtocolError(f"{self.url}: a reply of {length} bytes came where {body_bytes} were due")
            raise self._receive_classic_error(length, bytes(buffer[_PREFIX_BYTES:got]), deadline)
        if got < len(buffer):
            self._channel.receive_all(buffer[got:], deadline)
        return reply[1:]
