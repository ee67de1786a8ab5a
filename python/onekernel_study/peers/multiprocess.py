"""The standard library's own: a multiprocessing Pool of one worker, and a Pipe to a Process; both pickle."""

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from onekernel_study.peers.process import cpu_ns
from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

# A forked child of a process with threads may deadlock, so a fresh interpreter, which is also what other systems do.
CONTEXT = multiprocessing.get_context("spawn")
TIMEOUT_S = 60.0
_worker: list[Service] = []  # the one service of a worker process


def _start_worker() -> None:
    _worker.append(Service())


def _sweep(close: Floats, combos: Ints, fee: float) -> Swept:
    return _worker[0].sweep(close, combos, fee)


def _bar(close: float) -> Stepped:
    return _worker[0].bar(close)


class PoolClient:
    """apply(): one task, one result."""

    def __init__(self, pool: Pool, pid: int) -> None:
        self._pool = pool
        self._pid = pid

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """One task."""
        return self._pool.apply(_sweep, (close, combos, fee))

    def bar(self, close: float) -> Stepped:
        """One task."""
        return self._pool.apply(_bar, (close,))

    def server_cpu_ns(self) -> int:
        """Of the worker."""
        return cpu_ns(self._pid)


@contextmanager
def pool(folder: Path) -> Iterator[PoolClient]:
    """A pool of one worker."""
    with CONTEXT.Pool(1, _start_worker) as workers:
        yield PoolClient(workers, workers.apply_async(os.getpid).get(TIMEOUT_S))
        workers.close()
        workers.join()


def _serve(connection: "Connection[Any, Any]") -> None:
    service = Service()
    with connection:
        while (request := connection.recv()) is not None:
            connection.send(service.bar(request) if isinstance(request, float) else service.sweep(*request))


class PipeClient:
    """send() and recv()."""

    def __init__(self, connection: "Connection[Any, Any]", pid: int) -> None:
        self._connection = connection
        self._pid = pid

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """A tuple there, a tuple back."""
        swept: Swept = self._ask((close, combos, fee))
        return swept

    def bar(self, close: float) -> Stepped:
        """A float there, a tuple back."""
        stepped: Stepped = self._ask(close)
        return stepped

    def server_cpu_ns(self) -> int:
        """Of the process at the other end."""
        return cpu_ns(self._pid)

    def _ask(self, request: object) -> Any:
        self._connection.send(request)
        if not self._connection.poll(TIMEOUT_S):
            raise TimeoutError(f"no answer through the pipe within {TIMEOUT_S:g} s")
        return self._connection.recv()


@contextmanager
def pipe(folder: Path) -> Iterator[PipeClient]:
    """A process at the other end of a pipe."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    try:
        assert process.pid is not None
        yield PipeClient(ours, process.pid)
        ours.send(None)
    finally:
        ours.close()
        process.join(TIMEOUT_S)
