"""No boundary at all: the native kernel and the numba reference as function calls. What crossings are compared with."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept


class Native:
    """The service itself."""

    def __init__(self) -> None:
        self._service = Service()

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """The kernel."""
        return self._service.sweep(close, combos, fee)

    def bar(self, close: float) -> Stepped:
        """The step."""
        return self._service.bar(close)

    def server_cpu_ns(self) -> None:
        """Nobody serves."""
        return


class Numba(Native):
    """The reference arithmetic, compiled by numba; it has no step of its own."""

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """The reference, naive as published."""
        from onekernel import reference

        start = time.perf_counter_ns()
        result = reference.sweep(close, combos, fee=fee)
        return Swept(result.pnl, result.trades, time.perf_counter_ns() - start)


@contextmanager
def native(folder: Path) -> Iterator[Native]:
    """The native kernel in this process."""
    yield Native()


@contextmanager
def numba(folder: Path) -> Iterator[Numba]:
    """The numba reference in this process."""
    yield Numba()
