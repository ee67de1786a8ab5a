"""One classic connection: a request out, its reply in, never out of step.

A reply is read by one recv into the array that the caller gets. Waits for it end by the kernel's own receive timeout
(SO_RCVTIMEO): Python's ``settimeout`` would add a poll to every call. A call that fails half-way closes the connection,
because whatever comes next on it would be the rest of that call.
"""

from __future__ import annotations

import errno
import math
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import classic
from .endpoint import parse_url
from .errors import ConnectionLost, EngineError, EngineTimeout, ForkError, ProtocolError

_TIMEVAL = struct.Struct("@ll")
_IOV_MAX = 1024
_LONGEST_WAIT = 2_000_000.0  # seconds, 23 days: what poll's int of milliseconds can hold
_SEND_FLAGS = int(socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
_HUNG_UP = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN, errno.ESHUTDOWN)
_PREFIX_BYTES = classic.PREFIX.size


class Connection:
    """A connected socket that carries one request at a time; threads take turns."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url
        self.timeout = check_timeout(timeout)
        self._socket = _connect(url, self.timeout)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLOUT)
        self._receive_timeout = 0.0  # what SO_RCVTIMEO is set to
        self._turn = threading.Lock()
        self._pid = os.getpid()
        self._closed_because: str | None = None

    def call(
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
        if os.getpid() != self._pid:
            raise ForkError(f"{self.url} was connected in process {self._pid}; connect again in the forked child")
        request = classic.encode_request(opcode, close, combos)
        seconds = self.timeout if timeout is None else check_timeout(timeout)
        deadline = time.monotonic() + seconds
        if not self._turn.acquire(timeout=seconds):
            raise EngineTimeout(f"{self.url}: another thread's call did not end within {seconds:g} s")
        try:
            if self._closed_because is not None:
                raise ConnectionLost(f"{self.url}: the connection is closed ({self._closed_because})")
            return self._exchange(request, classic.reply_bytes(opcode, len(close), len(combos)), seconds, deadline)
        finally:
            self._turn.release()

    def close(self) -> None:
        """Close the connection; a call that another thread has under way ends with ConnectionLost."""
        if os.getpid() != self._pid:
            self._socket.close()  # the child's copy only: a shutdown would reach the parent's connection
        elif self._turn.acquire(blocking=False):
            try:
                self._shut("close() was called")
            finally:
                self._turn.release()
        else:
            # Closing a descriptor that a thread waits on is unsafe; this wakes it, and it closes the socket itself.
            self._closed_because = "close() was called"
            _shutdown(self._socket)

    def _exchange(
        self, request: tuple[bytes, memoryview, memoryview], body_bytes: int, seconds: float, deadline: float
    ) -> npt.NDArray[np.float64]:
        # The prefix fills the second half of element 0, so the body starts on element 1: aligned, and without a copy.
        reply = np.empty(1 + body_bytes // 8)
        try:
            self._send(request, deadline)
            self._receive(reply.view(np.uint8).data[8 - _PREFIX_BYTES :], deadline)
        except EngineError:
            raise
        except TimeoutError:
            self._shut(f"a call took longer than {seconds:g} s")
            raise EngineTimeout(f"{self.url}: no reply within {seconds:g} s; the connection is closed") from None
        except ConnectionLost as error:
            self._shut(self._closed_because or str(error))
            raise ConnectionLost(f"{self.url}: {error}") from None
        except OSError as error:
            self._shut(str(error))
            raise ConnectionLost(f"{self.url}: {error}") from error
        except BaseException as error:
            # Also KeyboardInterrupt: the rest of this reply must never be taken for the next one.
            self._shut(f"a call was broken off by {type(error).__name__}: {error}".rstrip(": "))
            raise
        return reply[1:]

    def _send(self, request: Sequence[bytes | memoryview], deadline: float) -> None:
        pieces = [memoryview(piece) for piece in request if len(piece)]
        while pieces:
            sent = self._send_some(pieces[:_IOV_MAX], deadline)
            while pieces and sent >= len(pieces[0]):
                sent -= len(pieces.pop(0))
            if pieces:
                # The kernel's buffer is full. A blocking send would start its timeout anew for every part it takes.
                pieces[0] = pieces[0][sent:]
                self._poll.poll(math.ceil(1000 * _remaining(deadline)))

    def _send_some(self, pieces: list[memoryview], deadline: float) -> int:
        try:
            return self._socket.sendmsg(pieces, (), _SEND_FLAGS)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno in _HUNG_UP:
                self._raise_pending_error(deadline)
            raise

    def _receive(self, reply: memoryview, deadline: float) -> None:
        """Fill `reply` (prefix and body), unless the length in the prefix is not the one that the request allows."""
        got = self._receive_some(reply, deadline)
        while got < _PREFIX_BYTES:
            got += self._receive_some(reply[got:], deadline)
        (body_bytes,) = classic.PREFIX.unpack_from(reply)
        if body_bytes != len(reply) - _PREFIX_BYTES:
            self._refuse(body_bytes, bytes(reply[_PREFIX_BYTES:got]), len(reply) - _PREFIX_BYTES, deadline)
        while got < len(reply):
            got += self._receive_some(reply[got:], deadline, socket.MSG_WAITALL)

    def _receive_some(self, buffer: memoryview, deadline: float, flags: int = 0) -> int:
        self._limit_receive(_remaining(deadline))
        try:
            got = self._socket.recv_into(buffer, 0, flags)
        except BlockingIOError:
            raise TimeoutError from None
        if got == 0:
            raise ConnectionLost("the engine hung up before it replied")
        return got

    def _limit_receive(self, seconds: float) -> None:
        # A timeout that is up to a thousandth too long is left as it is: most calls then need no setsockopt.
        if not seconds <= self._receive_timeout <= 1.001 * seconds:
            fraction, whole = math.modf(seconds)
            timeval = _TIMEVAL.pack(int(whole), max(1, int(1e6 * fraction)))  # 0 would mean: wait for ever
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)
            self._receive_timeout = seconds

    def _refuse(self, body_bytes: int, start: bytes, expected: int, deadline: float) -> None:
        """Raise what a reply of another length than expected means."""
        if not classic.is_error(body_bytes) or body_bytes > classic.MAX_ERROR_BYTES:
            raise ProtocolError(f"{self.url}: a reply of {body_bytes} bytes came where {expected} were due")
        if len(start) > body_bytes:
            raise ProtocolError(f"{self.url}: {len(start) - body_bytes} bytes too many came after an error reply")
        body = bytearray(body_bytes)
        body[: len(start)] = start
        got = len(start)
        while got < body_bytes:
            got += self._receive_some(memoryview(body)[got:], deadline, socket.MSG_WAITALL)
        raise classic.decode_error(bytes(body))

    def _raise_pending_error(self, deadline: float) -> None:
        """The engine hung up while a request was sent: if it said why before, that is what the user must see."""
        prefix = memoryview(bytearray(_PREFIX_BYTES))
        try:
            got = 0
            while got < _PREFIX_BYTES:
                got += self._receive_some(prefix[got:], deadline)
            self._refuse(classic.PREFIX.unpack(prefix)[0], b"", 0, deadline)
        except EngineError:
            self._shut("the engine refused a request and hung up")
            raise
        except (OSError, ProtocolError):
            return  # no reason given: the error of the send stands

    def _shut(self, reason: str) -> None:
        if self._closed_because is None:
            self._closed_because = reason
        _shutdown(self._socket)  # a forked child may hold a copy of the descriptor; the engine must see the end anyway
        self._socket.close()


def check_timeout(timeout: float) -> float:
    """Return the timeout in seconds as a float. ValueError unless it is a finite number above zero."""
    seconds = float(timeout)
    if not 0.0 < seconds < math.inf:
        raise ValueError(f"timeout is {timeout}; it must be a finite number of seconds above zero")
    return min(seconds, _LONGEST_WAIT)


def _remaining(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0.0:
        raise TimeoutError
    return seconds


def _connect(url: str, timeout: float) -> socket.socket:
    family, address = parse_url(url)
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect(address)
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


def _shutdown(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # not connected any more: nobody is left to be woken
