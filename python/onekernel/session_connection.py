"""A connection that speaks session frames, over a socket or in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from . import classic, session
from .channel import Piece
from .connection import Connection
from .endpoint import is_shared_memory
from .errors import EngineError, ErrorCode, ProtocolError, engine_error
from .hello import Hello
from .ring_channel import DescriptorTaker, RingChannel
from .session import LEAD, REPLY, Frame, Opcode
from .socket_channel import SocketChannel

# Of one direction. Large enough that both sides work at the same time on a long frame, small enough for a cache.
RING_BYTES = 1 << 20
SPIN_US = 50.0

_SMALL = 1 << 16  # up to here a zeroed bytearray is cheaper than an array of NumPy's
_ANY_REPLY = 4096  # room for a reply whose length is not known before

# opcode, request id, pieces, their bytes, bytes of the reply with its prefix (None: not known), descriptors to send
_Request = tuple[int, int, Sequence[Piece], int, int | None, Sequence[int]]
Answer = tuple[Frame, int, int]  # LEAD unused bytes and the reply's frame, bytes of the frame, compute_ns


class SessionConnection(Connection[_Request, Answer]):
    """A connection that has said hello; with a ``shm:`` URL it has moved into shared memory too."""

    def __init__(self, url: str, timeout: float, spin_us: float = SPIN_US) -> None:
        self._socket = SocketChannel(url, timeout)
        super().__init__(url, timeout, self._socket)
        self._ids = count(1)
        self.epoch = 0
        try:
            self.hello = self._say_hello()
            if is_shared_memory(url):
                self._attach(spin_us)
        except BaseException:
            self.close()
            raise
        self._max_bytes = min(self.hello.limits.max_frame_bytes, session.MAX_BODY_BYTES) + classic.PREFIX.size

    def next_id(self) -> int:
        """Return a request id that was not used before on this connection."""
        return next(self._ids)

    def request(
        self,
        opcode: int,
        request_id: int,
        pieces: Sequence[Piece],
        n_bytes: int,
        reply_bytes: int | None,
        timeout: float | None = None,
        descriptors: Sequence[int] = (),
    ) -> Answer:
        """Send a request of n_bytes (its pieces together) and return the reply's frame.

        reply_bytes: what the reply has, with its length prefix; None where that is not known before. Errors as of
        `call`; EngineError also, before anything is sent, for a request that is over the engine's limit.
        """
        if n_bytes > self._max_bytes:
            raise EngineError(
                ErrorCode.LIMIT_EXCEEDED,
                f"a frame of {n_bytes - classic.PREFIX.size} bytes is over the engine's limit of "
                f"{self._max_bytes - classic.PREFIX.size} bytes (--max-frame-bytes)",
            )
        return self.call((opcode, request_id, pieces, n_bytes, reply_bytes, descriptors), timeout)

    def _exchange(self, request: _Request, deadline: float) -> Answer:
        opcode, request_id, pieces, n_bytes, reply_bytes, descriptors = request
        room = reply_bytes or _ANY_REPLY
        frame: Frame = bytearray(LEAD + room) if room <= _SMALL else np.empty(LEAD + room, np.uint8).data
        buffer = memoryview(frame)[LEAD:]
        if descriptors:
            self._socket.send(pieces, n_bytes, deadline, descriptors)
            got = self._socket.receive(buffer, deadline)
        else:
            got = self._channel.exchange(pieces, n_bytes, buffer, deadline)
        if got < REPLY.size:
            got = self._receive_head(buffer, got, deadline)
        total, compute_ns = self._check_head(opcode, request_id, buffer, got, deadline)
        if reply_bytes is not None and total != reply_bytes:
            raise ProtocolError(f"{self.url}: a reply of {total} bytes came where {reply_bytes} were due")
        if got < total:
            frame = self._receive_rest(frame, got, total, deadline)
        return frame, total, compute_ns

    def _receive_head(self, buffer: memoryview, got: int, deadline: float) -> int:
        """Receive until the reply's header is there, or the whole of a shorter frame."""
        while got < REPLY.size:
            if got >= classic.PREFIX.size and got >= classic.PREFIX.size + classic.PREFIX.unpack_from(buffer)[0]:
                break
            got += self._channel.receive(buffer[got:], deadline)
        return got

    def _check_head(
        self, opcode: int, request_id: int, buffer: memoryview, got: int, deadline: float
    ) -> tuple[int, int]:
        """Return (bytes of the reply's frame, compute_ns) if it is the reply to this request, and no error."""
        body_bytes, told_opcode, version, status, _, told_id, epoch, compute_ns = REPLY.unpack_from(buffer)
        total = classic.PREFIX.size + body_bytes
        if told_id == request_id and told_opcode == opcode and version == session.VERSION and total >= REPLY.size:
            if got > total:
                raise ProtocolError(f"{self.url}: {got - total} bytes too many came after a reply of {total} bytes")
            if status != 0:
                raise self._receive_error(status, buffer, got, total, deadline)
            if epoch == self.epoch != 0:
                return total, compute_ns
            if opcode == Opcode.HELLO and epoch != 0:
                self.epoch = epoch
                return total, compute_ns
            raise ProtocolError(f"{self.url}: a reply names run {epoch:#x} of the engine, not {self.epoch:#x}")
        if classic.is_error(body_bytes) and body_bytes <= classic.MAX_ERROR_BYTES:
            raise self._receive_classic_error(body_bytes, bytes(buffer[classic.PREFIX.size : got]), deadline)
        if total < REPLY.size:
            raise ProtocolError(f"{self.url}: a reply of {total} bytes came, but its header alone has {REPLY.size}")
        raise ProtocolError(
            f"{self.url}: a reply to request {told_id} (opcode {told_opcode:#x}, version {version}) came "
            f"where one to request {request_id} (opcode {opcode:#x}, version {session.VERSION}) was due"
        )

    def _receive_error(self, status: int, buffer: memoryview, got: int, total: int, deadline: float) -> EngineError:
        if total - REPLY.size > session.MAX_ERROR_BYTES:
            raise ProtocolError(f"{self.url}: an error message of {total - REPLY.size} bytes is none")
        message = bytearray(total - REPLY.size)
        message[: got - REPLY.size] = buffer[REPLY.size : got]
        self._channel.receive_all(memoryview(message)[got - REPLY.size :], deadline)
        return engine_error(status, session.decode_message(bytes(message)))

    def _receive_rest(self, frame: Frame, got: int, total: int, deadline: float) -> Frame:
        """Receive what is still due of a frame, in a larger one where it does not fit."""
        if LEAD + total > len(frame):
            if total > session.MAX_LIST_BYTES:
                raise ProtocolError(f"{self.url}: a reply of {total} bytes came where a short one was due")
            larger = bytearray(LEAD + total)
            larger[: LEAD + got] = memoryview(frame)[: LEAD + got]
            frame = larger
        self._channel.receive_all(memoryview(frame)[LEAD + got : LEAD + total], deadline)
        return frame

    def _say_hello(self) -> Hello:
        request_id = self.next_id()
        head = session.encode_plain(Opcode.HELLO, request_id, 0)
        frame, n_bytes, _ = self.call((Opcode.HELLO, request_id, [head], len(head), None, ()))
        return session.decode_hello(frame, n_bytes)

    def _attach(self, spin_us: float) -> None:
        """Move into shared memory. From here on the socket only tells when the other side has gone."""
        taker = DescriptorTaker(self._socket)
        self._channel = taker
        try:
            request_id = self.next_id()
            head = session.encode_attach(request_id, self.epoch, RING_BYTES)
            request = (Opcode.ATTACH, request_id, [head], len(head), session.ATTACH_BYTES, ())
            frame, n_bytes, _ = self.call(request)
            self._channel = RingChannel(self._socket, taker.take(), session.decode_attach(frame, n_bytes), spin_us)
            self.hello = replace(self.hello, passes_descriptors=False)  # nothing goes over the socket any more
        finally:
            taker.close_taken()
