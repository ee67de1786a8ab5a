"""What can go wrong between a program and an engine, as exceptions that can be told apart.

Invalid arguments are plain ``ValueError`` and ``TypeError``; these are for the rest.
"""

from __future__ import annotations

from enum import IntEnum


class OneKernelError(Exception):
    """Base of every error that is this package's own."""


class ErrorCode(IntEnum):
    """The code of an error reply; the same numbers as in ``include/onekernel/status.h``."""

    MALFORMED_FRAME = 1
    UNKNOWN_OPCODE = 2
    INVALID_ARGUMENT = 3
    LIMIT_EXCEEDED = 4
    INTERNAL = 5
    UNAVAILABLE = 6
    IO = 7
    CONNECTION_CLOSED = 8
    DEADLINE_EXCEEDED = 9
    STALE_EPOCH = 10
    NOT_FOUND = 11
    ALREADY_EXISTS = 12
    PERMISSION_DENIED = 13
    OUT_OF_ORDER = 14


class EngineError(OneKernelError):
    """The engine refused the request and said why; the connection stays usable unless the engine closed it.

    ``code`` is the number of the error reply (see :class:`ErrorCode`), ``message`` the engine's own words.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        known = self.code in ErrorCode.__members__.values()
        name = ErrorCode(self.code).name.lower().replace("_", " ") if known else f"error code {self.code}"
        return f"{name}: {self.message}"


class StaleEpoch(EngineError):
    """A series was put into another run of the engine (it was restarted) or into another engine: put it again."""


class SeriesNotFound(EngineError):
    """The engine has no such series, or not for this client: dropped, or put privately over another connection."""


class SeriesExists(EngineError):
    """A shared series of this name has another content; ``put(..., replace=True)`` replaces it."""


class AccessDenied(EngineError):
    """The engine belongs to another user, or it wants a token and this was not it: ``connect(url, token=...)``."""


class OutOfOrder(EngineError):
    """A live session awaits another bar: this one was taken already, or some before it were not. Nothing changed."""


_OWN_CLASS: dict[int, type[EngineError]] = {
    ErrorCode.STALE_EPOCH: StaleEpoch,
    ErrorCode.NOT_FOUND: SeriesNotFound,
    ErrorCode.ALREADY_EXISTS: SeriesExists,
    ErrorCode.PERMISSION_DENIED: AccessDenied,
    ErrorCode.OUT_OF_ORDER: OutOfOrder,
}


def engine_error(code: int, message: str) -> EngineError:
    """Return the error for a code that an engine sent, as the class that is meant for it."""
    return _OWN_CLASS.get(code, EngineError)(code, message)


class ProtocolError(OneKernelError):
    """The peer sent bytes that are no reply to the request. The connection is closed."""


class EngineTimeout(OneKernelError, TimeoutError):
    """The deadline of a call passed. The connection is closed if the request was already under way."""


class ConnectionLost(OneKernelError, ConnectionError):
    """The engine hung up, died, was never there, or this end of the connection was closed before."""


class ForkError(OneKernelError):
    """The connection was made in another process; a forked child opens its own."""


class SessionClosed(OneKernelError):
    """The live session was closed before."""


class SessionInUse(OneKernelError):
    """Another thread is in a call on this live session, which takes one at a time. Nothing changed."""


class EngineNotFound(OneKernelError, FileNotFoundError):
    """There is no engine program where it was looked for."""


class ReadError(OneKernelError, ValueError):
    """A price file cannot be used; the message is one line that names the file, the row and the reason."""
