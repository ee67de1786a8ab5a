"""A connection: a request out, its reply in, never out of step.

Threads take turns. A call that fails half-way closes the connection, because whatever comes next on it would be the
rest of that call.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from . import classic
from .channel import Channel, RequestCutOff
from .deadline import check_timeout
from .errors import ConnectionLost, EngineError, EngineTimeout, ForkError, ProtocolError

_Request = TypeVar("_Request")
_Reply = TypeVar("_Reply")

_this_process = os.getpid()  # asked for once: a call should need no system call but its own


def _note_fork() -> None:
    global _this_process
    _this_process = os.getpid()


os.register_at_fork(after_in_child=_note_fork)


class Connection(ABC, Generic[_Request, _Reply]):
    """A channel that carries one request at a time."""

    def __init__(self, url: str, timeout: float, channel: Channel) -> None:
        self.url = url
        self.timeout = check_timeout(timeout)
        self._channel = channel
        self._turn = threading.Lock()
        self._pid = _this_process
        self._closed_because: str | None = None
        self.obituary: Callable[[], str] = str  # how the engine's process ended, where that is known

    def call(self, request: _Request, timeout: float | None = None) -> _Reply:
        """Send a request and return its reply.

        EngineError if the engine refuses, EngineTimeout when the deadline passes, ConnectionLost, ProtocolError,
        ForkError.
        """
        if _this_process != self._pid:
            raise ForkError(f"{self.url} was connected in process {self._pid}; connect again in the forked child")
        seconds = self.timeout if timeout is None else check_timeout(timeout)
        deadline = time.monotonic() + seconds
        if not self._turn.acquire(False) and not self._turn.acquire(timeout=seconds):
            raise EngineTimeout(f"{self.url}: another thread's call did not end within {seconds:g} s")
        try:
            if self._closed_because is not None:
                raise ConnectionLost(f"{self.url}: the connection is closed ({self._closed_because})")
            return self._exchange_or_shut(request, deadline, seconds)
        finally:
            self._turn.release()

    def close(self) -> None:
        """Close the connection; a call that another thread has under way ends with ConnectionLost."""
        if _this_process != self._pid:
            self._channel.close()  # the child's copy only: a hang-up would reach the parent's connection
        elif self._turn.acquire(False):
            try:
                self._shut("close() was called")
            finally:
                self._turn.release()
        else:
            # Closing a descriptor that a thread waits on is unsafe; this wakes it, and it closes the channel itself.
            self._closed_because = "close() was called"
            self._channel.hang_up()

    @abstractmethod
    def _exchange(self, request: _Request, deadline: float) -> _Reply:
        """Send the request and return its reply; EngineError for a reply that is an error."""

    def _exchange_or_shut(self, request: _Request, deadline: float, seconds: float) -> _Reply:
        try:
            return self._exchange(request, deadline)
        except EngineError:
            raise
        except TimeoutError:
            self._shut(f"a call took longer than {seconds:g} s")
            raise EngineTimeout(f"{self.url}: no reply within {seconds:g} s; the connection is closed") from None
        except ConnectionLost as error:
            self._shut(self._closed_because or str(error))
            raise ConnectionLost(f"{self.url}: {error}{self.obituary()}") from None
        except RequestCutOff as error:
            if refusal := self._refusal(deadline):
                self._shut("the engine refused a request and hung up")
                raise refusal from None
            self._shut(str(error))
            raise ConnectionLost(f"{self.url}: {error}{self.obituary()}") from error
        except OSError as error:
            self._shut(str(error))
            raise ConnectionLost(f"{self.url}: {error}{self.obituary()}") from error
        except BaseException as error:
            # Also KeyboardInterrupt: the rest of this reply must never be taken for the next one.
            self._shut(f"a call was broken off by {type(error).__name__}: {error}".rstrip(": "))
            raise

    def _refusal(self, deadline: float) -> EngineError | None:
        """Return what the engine said before it hung up in the middle of a request, if it said anything."""
        start = bytearray(classic.PREFIX.size)
        try:
            self._channel.receive_all(memoryview(start), deadline)
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
        self._channel.receive_all(memoryview(body)[len(start) :], deadline)
        return classic.decode_error(bytes(body))

    def _shut(self, reason: str) -> None:
        if self._closed_because is None:
            self._closed_because = reason
        self._channel.hang_up()
        self._channel.close()
