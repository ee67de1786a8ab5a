"""How one gets an engine: connect to one that runs, or start one's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from .classic_connection import ClassicConnection
from .classic_engine import ClassicEngine
from .deadline import check_timeout
from .endpoint import is_shared_memory
from .engine import Engine
from .engine_process import EngineProcess, Transport
from .series import as_fee
from .session import MAX_TOKEN_BYTES
from .session_connection import SessionConnection
from .session_engine import SessionEngine

Protocol = Literal["session", "classic"]


def connect(
    url: str,
    *,
    timeout: float = 300.0,
    protocol: Protocol = "session",
    spin_us: float | None = None,
    token: str | None = None,
) -> Engine:
    """Connect to a running engine: ``unix:/path/to.sock``, ``tcp://host:port`` or ``shm:/path/to.sock``.

    ``shm:`` names a Unix socket like ``unix:``, and moves into memory that is shared with the engine.

    timeout: seconds for connecting, and for each call that names no other.
    protocol: "session", or "classic" for the frames of the published experiment, which know neither stored series nor
        shared memory.
    spin_us: for how many microseconds a wait for the engine keeps a core busy before it sleeps. More saves the time of
        waking up; 0 saves the processor's. None: 50 in shared memory, 0 on a socket.
    token: the secret that an engine wants which can be reached from other machines. It crosses as it is: where others
        may listen it needs a tunnel. Classic frames cannot carry it (ValueError).

    ValueError for a URL that is not understood, ConnectionLost if nobody listens there, EngineTimeout if nobody
    answers, ProtocolError if something else answers than an engine, EngineError if it refuses:
    AccessDenied if it belongs to another user or wants another token.
    """
    return _open(url, timeout, protocol, spin_us, None, None, token or "")


def spawn(
    *,
    transport: Transport = "unix",
    kernel: str | None = None,
    fee: float = 0.09,
    timeout: float = 300.0,
    timings: str | os.PathLike[str] | None = None,
    engine: str | os.PathLike[str] | None = None,
    protocol: Protocol = "session",
    spin_us: float | None = None,
    arguments: Sequence[str] = (),
) -> Engine:
    """Start an engine of one's own and connect to it; closing it stops the engine.

    transport: "unix" (a socket in a private directory), "tcp" (a free port of 127.0.0.1) or "shm" (shared memory, asked
        for over such a Unix socket).
    kernel: one of ``onekernel.KERNELS``, for sweeps that name none; None takes the engine's default.
    fee: percent per closed trade that this engine charges in classic frames; session frames name their own.
    timeout: seconds for the engine to be ready, and for each call that names no other.
    timings: a file to which the engine appends one JSON line per request (compute time and bytes).
    engine: path of the engine program; None takes :func:`onekernel.engine_path`.
    protocol, spin_us: as for :func:`connect`.
    arguments: further arguments of ``onekernel-engine serve``, such as its limits.

    EngineNotFound if there is no engine program; ConnectionLost with its last words if it ends before it is ready.
    """
    charged, seconds = as_fee(fee), check_timeout(timeout)
    _check_protocol(protocol, transport == "shm")
    process = EngineProcess(
        transport=transport,
        kernel=kernel,
        fee=charged,
        timeout=seconds,
        timings=timings,
        engine=engine,
        arguments=arguments,
    )
    try:
        return _open(process.url, seconds, protocol, spin_us, charged, process)
    except BaseException:
        process.stop()
        raise


def _open(
    url: str,
    timeout: float,
    protocol: Protocol,
    spin_us: float | None,
    fee: float | None,
    process: EngineProcess | None,
    token: str = "",
) -> Engine:
    _check_protocol(protocol, is_shared_memory(url))
    if spin_us is not None and not 0.0 <= spin_us <= 1e9:
        raise ValueError(f"spin_us is {spin_us}; it must be a number of microseconds, at least 0")
    if len(token.encode()) > MAX_TOKEN_BYTES:
        raise ValueError(f"a token has at most {MAX_TOKEN_BYTES} bytes")
    if protocol == "classic":
        if token:
            raise ValueError("classic frames cannot carry a token; use protocol='session'")
        return ClassicEngine(ClassicConnection(url, timeout, spin_us or 0.0), fee, process)
    return SessionEngine(SessionConnection(url, timeout, spin_us, token), process)


def _check_protocol(protocol: str, shared_memory: bool) -> None:
    if protocol not in ("session", "classic"):
        raise ValueError(f"protocol is {protocol!r}; it must be 'session' or 'classic'")
    if protocol == "classic" and shared_memory:
        raise ValueError("classic frames are spoken over sockets only; shared memory needs protocol='session'")
