"""A connected socket.

Waits for a reply end by the kernel's own receive timeout (SO_RCVTIMEO): Python's ``settimeout`` would add a poll to
every call.
"""

from __future__ import annotations

import errno
import math
import select
import socket
import struct
import time
from array import array
from collections.abc import Sequence
from typing import Any

from .channel import HUNG_UP, Piece, RequestCutOff
from .deadline import remaining
from .endpoint import parse_url
from .errors import ConnectionLost, EngineTimeout

_JOIN_BYTES = 1 << 14  # up to here a copy is cheaper than telling the kernel of several pieces
_TIMEVAL = struct.Struct("@ll")
_SEND_FLAGS = int(socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
_CUT_OFF = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN, errno.ESHUTDOWN)
# What came with a message as open files must not be inherited by the programs that this one starts.
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class SocketChannel:
    """A stream socket; see :class:`onekernel.channel.Channel` for what it does."""

    def __init__(self, url: str, timeout: float) -> None:
        self.socket = _connect(url, timeout)
        self._send_now = self.socket.send
        self._receive_now = self.socket.recv_into
        self._poll = select.poll()
        self._poll.register(self.socket, select.POLLOUT)
        self._receive_timeout = -1.0  # what SO_RCVTIMEO is set to; not set yet

    def exchange(self, pieces: Sequence[Piece], n_bytes: int, reply: memoryview, deadline: float) -> int:
        """Send a request, receive the first part of its reply. RequestCutOff if the peer hangs up while it is sent."""
        if n_bytes > _JOIN_BYTES:
            self.send(pieces, n_bytes, deadline)
        else:
            joined = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            try:
                sent = self._send_now(joined, _SEND_FLAGS)
            except OSError:
                sent = 0  # tried again, the long way
            if sent != n_bytes:
                self.send((memoryview(joined)[sent:],), n_bytes - sent, deadline)
        return self.receive(reply, deadline)

    def send(self, pieces: Sequence[Piece], n_bytes: int, deadline: float, descriptors: Sequence[int] = ()) -> None:
        """Send the pieces one after the other; open files go along with the first byte (Unix sockets only)."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))] if descriptors else ()
        sent = self._send_some(pieces, rights)
        while sent == 0:  # the descriptors have not gone yet either
            self._wait_for_room(deadline)
            sent = self._send_some(pieces, rights)
        if sent < n_bytes:
            self._send_rest(pieces, sent, deadline)

    def receive(self, buffer: memoryview, deadline: float, flags: int = 0) -> int:
        """Receive what is there, at least one byte. ConnectionLost at the end of the stream."""
        seconds = deadline - time.monotonic()
        if not seconds <= self._receive_timeout <= 1.001 * seconds:
            self._limit_receive(seconds)
        try:
            got = self._receive_now(buffer, 0, flags)
        except BlockingIOError:
            raise TimeoutError from None
        if got == 0:
            raise ConnectionLost(HUNG_UP)
        return got

    def receive_all(self, buffer: memoryview, deadline: float) -> None:
        """Fill the buffer."""
        got = 0
        while got < len(buffer):
            got += self.receive(buffer[got:], deadline, socket.MSG_WAITALL)

    def receive_with_descriptors(self, buffer: memoryview, limit: int, deadline: float) -> tuple[int, list[int]]:
        """Receive as `receive` does, and the open files (at most `limit`) that came along."""
        self._limit_receive(remaining(deadline))
        descriptors = array("i")
        room = socket.CMSG_SPACE(limit * descriptors.itemsize)
        try:
            got, messages, _, _ = self.socket.recvmsg_into([buffer], room, _CLOSE_ON_EXEC)
        except BlockingIOError:
            raise TimeoutError from None
        for level, kind, content in messages:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
        if got == 0:
            raise ConnectionLost(HUNG_UP)
        return got, list(descriptors)

    def hang_up(self) -> None:
        """End the connection, also where others hold a copy of the descriptor (a forked child does)."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # not connected any more: nobody is left to be woken

    def close(self) -> None:
        """Close the descriptor."""
        self.socket.close()

    def _send_some(self, pieces: Sequence[Piece], rights: Sequence[tuple[int, int, array[int]]] = ()) -> int:
        try:
            return self.socket.sendmsg(pieces, rights, _SEND_FLAGS)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno in _CUT_OFF:
                raise RequestCutOff(error.errno, error.strerror) from error
            raise

    def _send_rest(self, pieces: Sequence[Piece], sent: int, deadline: float) -> None:
        rest = [memoryview(piece).cast("B") for piece in pieces if memoryview(piece).nbytes]
        while True:
            while rest and sent >= len(rest[0]):
                sent -= len(rest.pop(0))
            if not rest:
                return
            rest[0] = rest[0][sent:]
            self._wait_for_room(deadline)
            sent = self._send_some(rest)

    def _wait_for_room(self, deadline: float) -> None:
        # The kernel's buffer is full. A blocking send would start its timeout anew for every part it takes.
        self._poll.poll(math.ceil(1000 * remaining(deadline)))

    def _limit_receive(self, seconds: float) -> None:
        """Set the receive timeout, a little longer than asked for: it then also fits most of the calls that follow."""
        if seconds <= 0.0:
            raise TimeoutError
        self._receive_timeout = 1.0005 * seconds
        fraction, whole = math.modf(self._receive_timeout)
        timeval = _TIMEVAL.pack(int(whole), max(1, int(1e6 * fraction)))  # 0 would mean: wait for ever
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)


def _connect_before(connection: socket.socket, address: Any, deadline: float) -> None:
    """Connect. TimeoutError at the deadline."""
    while True:
        left = deadline - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        connection.settimeout(left)
        try:
            connection.connect(address)
        except BlockingIOError:  # a Unix socket whose queue of waiting clients is full: there is nothing to wait on
            time.sleep(min(0.005, left))
        else:
            return


def _connect(url: str, timeout: float) -> socket.socket:
    family, address = parse_url(url)
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        _connect_before(connection, address, time.monotonic() + timeout)
        connection.settimeout(None)
        if family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except TimeoutError:
        connection.close()
        raise EngineTimeout(f"{url}: no connection within {timeout:g} s") from None
    except OSError as error:
        connection.close()
        raise ConnectionLost(f"{url}: cannot connect ({error.strerror or error}); is the engine running?") from error
    except BaseException:
        connection.close()
        raise
    return connection
