"""The architectures that need nothing but the package: in process, and over an engine's socket."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
import onekernel as ok
from onekernel import reference

from onekernel_study.gate import Answer
from onekernel_study.timings import Account, TimingsLog

Close = npt.NDArray[np.float64]
Combos = npt.NDArray[np.int64]
Transport = Literal["unix", "tcp"]


class Crossing(Protocol):
    """One architecture, opened and ready. `sweep` is what is timed; `account` is asked after each sweep, untimed."""

    def sweep(self, close: Close, combos: Combos, fee: float) -> Answer:
        """All combos over the series, by whichever crossings this architecture makes."""

    def account(self) -> Account:
        """What the last sweep cost beside its wall time."""


Opener = Callable[[Path, float], AbstractContextManager[Crossing]]
"""Starts what an architecture needs, given an empty folder for its files and the fee, and stops it afterwards."""


class InProcess:
    """A function call: no crossing, the call is the compute."""

    def __init__(self, function: Callable[[Close, Combos, float], Answer]) -> None:
        self._function = function

    def sweep(self, close: Close, combos: Combos, fee: float) -> Answer:
        """Calls the function."""
        return self._function(close, combos, fee)

    def account(self) -> Account:
        """No crossing, no bytes."""
        return Account(compute_s=None, crossings=0, bytes_out=0, bytes_in=0)


class OverSocket:
    """An engine process of its own, `combos_per_call` combos in each call (None: all), each call ships the series."""

    def __init__(self, engine: ok.Engine, timings: TimingsLog, combos_per_call: int | None) -> None:
        self._engine = engine
        self._timings = timings
        self._combos_per_call = combos_per_call
        self._calls = 0

    def sweep(self, close: Close, combos: Combos, fee: float) -> Answer:
        """One call after another."""
        step = self._combos_per_call or len(combos)
        answers = [self._engine.sweep(close, combos[i : i + step], fee=fee) for i in range(0, len(combos), step)]
        self._calls = len(answers)
        return joined([Answer(answer.pnl, answer.trades) for answer in answers])

    def account(self) -> Account:
        """What the engine wrote about these calls."""
        return self._timings.take(self._calls)


def joined(answers: list[Answer]) -> Answer:
    """The answers of consecutive calls as one."""
    if len(answers) == 1:
        return answers[0]
    return Answer(np.concatenate([a.pnl for a in answers]), np.concatenate([a.trades for a in answers]))


def numba_in_process() -> Opener:
    """The numba reference, one thread."""

    def function(close: Close, combos: Combos, fee: float) -> Answer:
        result = reference.sweep(close, combos, fee=fee)
        return Answer(result.pnl, result.trades)

    return _in_process(function)


def native_in_process(kernel: str) -> Opener:
    """The C++ kernel through the native module."""

    def function(close: Close, combos: Combos, fee: float) -> Answer:
        result = ok.sweep(close, combos, fee=fee, kernel=kernel)
        return Answer(result.pnl, result.trades)

    return _in_process(function)


def over_socket(transport: Transport, kernel: str, combos_per_call: int | None = None) -> Opener:
    """The C++ kernel in an engine process behind `transport`."""

    @contextmanager
    def opened(scratch: Path, fee: float) -> Iterator[Crossing]:
        timings = scratch / "timings.jsonl"
        with ok.spawn(transport=transport, kernel=kernel, fee=fee, timings=timings, protocol="classic") as engine:
            yield OverSocket(engine, TimingsLog(timings), combos_per_call)

    return opened


def _in_process(function: Callable[[Close, Combos, float], Answer]) -> Opener:
    @contextmanager
    def opened(scratch: Path, fee: float) -> Iterator[Crossing]:
        yield InProcess(function)

    return opened
