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
from .session import LEAD, OPCODE_TO_EPOCH, REPLY, Frame
from .socket_channel import SocketChannel

SPIN_US = 50.0
# Of one direction. Large enough that both sides work at the same time on a long frame, small enough for a cache.
RING_BYTES = 1 << 20

_PREFIX_BYTES = classic.PREFIX.size
_SMALL = 1 << 16  # up to here a zeroed bytearray is cheaper than an array of NumPy's
_ANY_REPLY = 4096  # room for a reply whose length is not known before

# Pieces (the first is the request's head), their bytes, bytes of the reply with its prefix (0: not known), descriptors.
Request = tuple[Sequence[Piece], int, int, Sequence[int]]


class SessionConnection(Connection[Request, Frame]):
    """A connection that has said hello; with a ``shm:`` URL it has moved into shared memory too.

    A reply is LEAD unused bytes and its frame.
    """

    def __init__(self, url: str, timeout: float, spin_us: float = SPIN_US) -> None:
        self._socket = SocketChannel(url, timeout)
        super().__init__(url, timeout, self._socket)
        self.next_id = count(1).__next__  # a request id that was not used before on this connection
        self.epoch = 0
        self._max_bytes = session.MAX_BODY_BYTES
        try:
            self.hello = self._say_hello()
            self._max_bytes = min(self.hello.limits.max_frame_bytes, session.MAX_BODY_BYTES) + _PREFIX_BYTES
            if is_shared_memory(url):
                self._attach(spin_us)
        except BaseException:
            self.close()
            raise

    def _exchange(self, request: Request, deadline: float) -> Frame:
        pieces, n_bytes, reply_bytes, descriptors = request
        if n_bytes > self._max_bytes:
            raise self._over_limit(n_bytes)
        room = LEAD + (reply_bytes or _ANY_REPLY)
        frame: Frame = bytearray(room) if room <= _SMALL else np.empty(room, np.uint8).data
        buffer = memoryview(frame)[LEAD:]
        if descriptors:
            self._socket.send(pieces, n_bytes, deadline, descriptors)
            got = self._socket.receive(buffer, deadline)
        else:
            got = self._channel.exchange(pieces, n_bytes, buffer, deadline)
        # A reply that is no error repeats what its request says between length and epoch.
        if got == reply_bytes:
            due = classic.PREFIX.pack(got - _PREFIX_BYTES) + bytes(pieces[0][OPCODE_TO_EPOCH])
            if buffer[: len(due)] == due:
                return frame
        return self._take_apart(request, frame, buffer, got, deadline)

    def _take_apart(self, request: Request, frame: Frame, buffer: memoryview, got: int, deadline: float) -> Frame:
        """Receive the rest of a reply and check it, or raise what came in its place."""
        pieces, _, reply_bytes, _ = request
        while got < REPLY.size:
            if got >= _PREFIX_BYTES and got >= _PREFIX_BYTES + classic.PREFIX.unpack_from(buffer)[0]:
                break  # a shorter frame, and it is complete
            got += self._channel.receive(buffer[got:], deadline)
        body_bytes, opcode, version, status, _, request_id, epoch, _ = REPLY.unpack_from(buffer)
        total = _PREFIX_BYTES + body_bytes
        if got > total:
            raise ProtocolError(f"{self.url}: {got - total} bytes too many came after a reply of {total} bytes")
        if classic.is_error(body_bytes) and body_bytes <= classic.MAX_ERROR_BYTES:
            raise self._receive_classic_error(body_bytes, bytes(buffer[_PREFIX_BYTES:got]), deadline)
        if total < REPLY.size:
            raise ProtocolError(f"{self.url}: a reply of {total} bytes came, but its header alone has {REPLY.size}")
        due_opcode, due_id = session.opcode_and_id(pieces[0])
        if (opcode, version, request_id) != (due_opcode, session.VERSION, due_id):
            raise ProtocolError(
                f"{self.url}: a reply to request {request_id} (opcode {opcode:#x}, version {version}) came "
                f"where one to request {due_id} (opcode {due_opcode:#x}, version {session.VERSION}) was due"
            )
        if status != 0:
            raise self._receive_error(status, buffer, got, total, deadline)
        self._check_epoch(opcode, epoch)
        if reply_bytes and total != reply_bytes:
            raise ProtocolError(f"{self.url}: a reply of {total} bytes came where {reply_bytes} were due")
        return self._receive_rest(frame, got, total, deadline)

    def _over_limit(self, n_bytes: int) -> EngineError:
        body_bytes, limit = n_bytes - _PREFIX_BYTES, self._max_bytes - _PREFIX_BYTES
        return EngineError(
            ErrorCode.LIMIT_EXCEEDED,
            f"a frame of {body_bytes} bytes is over the engine's limit of {limit} bytes (--max-frame-bytes)",
        )

    def _check_epoch(self, opcode: int, epoch: int) -> None:
        """Learn the epoch from hello; afterwards it must stay what it is, because a connection is to one process."""
        if opcode == session.HELLO and self.epoch == 0:
            self.epoch = epoch
        if epoch != self.epoch or epoch == 0:
            raise ProtocolError(f"{self.url}: a reply names run {epoch:#x} of the engine, not {self.epoch:#x}")

    def _receive_error(self, status: int, buffer: memoryview, got: int, total: int, deadline: float) -> EngineError:
        if total - REPLY.size > session.MAX_ERROR_BYTES:
            raise ProtocolError(f"{self.url}: an error message of {total - REPLY.size} bytes is none")
        message = bytearray(total - REPLY.size)
        message[: got - REPLY.size] = buffer[REPLY.size : got]
        self._channel.receive_all(memoryview(message)[got - REPLY.size :], deadline)
        return engine_error(status, session.decode_message(bytes(message)))

    def _receive_rest(self, frame: Frame, got: int, total: int, deadline: float) -> Frame:
        """Receive what is still due of a frame; in another buffer where this one has not its size."""
        if len(frame) != LEAD + total:
            if total > session.MAX_LIST_BYTES:
                raise ProtocolError(f"{self.url}: a reply of {total} bytes came where a short one was due")
            fitting = bytearray(LEAD + total)
            fitting[: LEAD + got] = memoryview(frame)[: LEAD + got]
            frame = fitting
        self._channel.receive_all(memoryview(frame)[LEAD + got :], deadline)
        return frame

    def _say_hello(self) -> Hello:
        head = session.encode_plain(session.HELLO, self.next_id(), 0)
        return session.decode_hello(self.call(([head], len(head), 0, ())))

    def _attach(self, spin_us: float) -> None:
        """Move into shared memory. From here on the socket only tells when the other side has gone."""
        taker = DescriptorTaker(self._socket)
        self._channel = taker
        try:
            head = session.encode_attach(self.next_id(), self.epoch, RING_BYTES)
            frame = self.call(([head], len(head), session.ATTACH_BYTES, ()))
            self._channel = RingChannel(self._socket, taker.take(), session.decode_attach(frame), spin_us)
            self.hello = replace(self.hello, passes_descriptors=False)  # nothing goes over the socket any more
        finally:
            taker.close_taken()
