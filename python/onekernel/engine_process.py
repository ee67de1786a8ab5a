"""An engine process that belongs to this one: started here, stopped here, gone when this process is gone."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Literal

from .endpoint import MAX_UNIX_PATH_BYTES, SHARED_MEMORY
from .errors import ConnectionLost, EngineTimeout
from .locate import engine_path

Transport = Literal["unix", "tcp", "shm"]

_STOP_SECONDS = 5.0  # for each of: end of input, SIGTERM
_DYING_SECONDS = 0.5  # between the end of a connection and the end of the process
_LAST_LINES = 20
_SOCKET_NAME = "engine.sock"


class EngineProcess:
    """`onekernel-engine serve --stop-on-eof` on a private endpoint.

    The engine stops when its standard input ends, so it cannot outlive this process, whatever ends it.
    """

    def __init__(
        self,
        *,
        transport: Transport,
        kernel: str | None,
        fee: float,
        timeout: float,
        timings: str | os.PathLike[str] | None,
        engine: str | os.PathLike[str] | None,
        arguments: Sequence[str] = (),
    ) -> None:
        if transport not in ("unix", "tcp", "shm"):
            raise ValueError(f"transport is {transport!r}; it must be 'unix', 'tcp' or 'shm'")
        program = engine_path() if engine is None else Path(engine)
        directory = None if transport == "tcp" else _private_directory()
        log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the engine
        command = [str(program), "serve", "--stop-on-eof", "--fee", repr(fee)]
        command += ["--tcp", "127.0.0.1:0"] if directory is None else ["--unix", str(directory / _SOCKET_NAME)]
        command += [] if kernel is None else ["--kernel", kernel]
        command += [] if timings is None else ["--timings", os.fspath(timings)]
        command += arguments
        try:
            # A session of its own: Ctrl-C in a terminal is for the program that asks, not for its engine.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                env=_environment(),
            )
        except OSError as error:
            log.close()
            _remove(directory)
            raise ConnectionLost(f"cannot start {program}: {error.strerror or error}") from error
        self._log = log
        self.pid = self._process.pid
        self.stop = weakref.finalize(self, _stop, self._process, log, directory, os.getpid())
        _running.add(self)
        try:
            url = self._read_url(timeout)
            self.url = SHARED_MEMORY + url.removeprefix("unix:") if transport == "shm" else url
        except BaseException:
            self.stop()
            raise

    def obituary(self) -> str:
        """Return how the engine ended and its last lines; an empty text if it is alive or was stopped on purpose."""
        if not self.stop.alive:
            return ""
        try:
            status = self._process.wait(_DYING_SECONDS)
        except subprocess.TimeoutExpired:
            return ""
        return f"; the engine ended with exit status {status}{self._log_tail()}"

    def _last_words(self) -> str:
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), 8192, max(0, size - 8192)).decode("utf-8", "replace")
        return "\n".join(tail.splitlines()[-_LAST_LINES:])

    def forget(self) -> None:
        """In a forked child: let go of the pipe, so that the engine sees its end when the parent is gone."""
        self.stop.detach()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                pipe.close()

    def _read_url(self, timeout: float) -> str:
        assert self._process.stdout is not None
        stdout = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        deadline = time.monotonic() + timeout
        line = b""
        while b"\n" not in line:
            remaining = deadline - time.monotonic()
            if remaining <= 0 or not poll.poll(1000 * remaining):
                raise EngineTimeout(f"the engine was not ready within {timeout:g} s{self._log_tail()}")
            read = os.read(stdout, 4096)
            if not read:
                raise ConnectionLost(f"no endpoint was told{self.obituary()}")
            line += read
        return line.partition(b"\n")[0].decode()

    def _log_tail(self) -> str:
        words = self._last_words()
        return f"; its last words:\n{words}" if words else ""


_running: weakref.WeakSet[EngineProcess] = weakref.WeakSet()


def _forget_all() -> None:
    for process in list(_running):
        process.forget()


os.register_at_fork(after_in_child=_forget_all)


def _environment() -> dict[str, str]:
    """Return this process's environment without a token: a spawned engine is for this machine, and wants none."""
    return {name: value for name, value in os.environ.items() if name != "ONEKERNEL_TOKEN"}


def _stop(process: subprocess.Popen[bytes], log: IO[bytes], directory: Path | None, owner: int) -> None:
    """End the engine: by the end of its input, then by SIGTERM, then by SIGKILL."""
    if os.getpid() != owner:
        return
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    for harder in (process.terminate, process.kill):
        try:
            process.wait(_STOP_SECONDS)
            break
        except subprocess.TimeoutExpired:
            harder()
    process.wait()
    process.stdout.close()
    log.close()
    _remove(directory)


def _private_directory() -> Path:
    """Make a directory that only this user can enter (0700), with room for a socket path."""
    path = Path(tempfile.mkdtemp(prefix="onekernel-"))
    if len(os.fsencode(path / _SOCKET_NAME)) <= MAX_UNIX_PATH_BYTES:
        return path
    path.rmdir()
    return Path(tempfile.mkdtemp(prefix="onekernel-", dir="/tmp"))


def _remove(directory: Path | None) -> None:
    if directory is not None:
        shutil.rmtree(directory, ignore_errors=True)
