"""Measures the rows against one another: interleaved runs, and the gate on the answer of every one of them.

Each round runs every row once, and each round starts one row later, so that a slow minute of the machine or a
neighbour's after-effect falls on no row alone. A time is kept only after its own answer passed the gate.
"""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from onekernel import reference
from onekernel.errors import OneKernelError

from onekernel_study.crossings import Crossing
from onekernel_study.gate import Answer, Comparison, Gate
from onekernel_study.progress import Progress
from onekernel_study.rows import Row
from onekernel_study.stopwatch import collector_off, timed
from onekernel_study.timings import Account
from onekernel_study.workload import Workload, probe

T = TypeVar("T")
WARM_UP_COMBOS = 4
ROW_FAILURES = (OneKernelError, OSError, RuntimeError, ValueError)


@dataclass(frozen=True)
class Run:
    """One timed sweep that passed the gate."""

    wall_s: float
    client_cpu_s: float
    account: Account

    @property
    def compute_s(self) -> float:
        """The engine's own time, or the call itself where there is no engine."""
        return self.wall_s if self.account.compute_s is None else self.account.compute_s


@dataclass
class Measured:
    """All that one row has shown so far. A complaint ends its measuring and withholds its runs."""

    row: Row
    runs: list[Run] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    complaint: str | None = None


@dataclass(frozen=True)
class Trial:
    """A workload together with its gate."""

    workload: Workload
    gate: Gate


def trial(workload: Workload) -> Trial:
    """Runs the numba reference over the workload, once, for all rows to be held to."""
    result = reference.sweep(workload.close, workload.combos, fee=workload.fee)
    return Trial(workload, Gate(Answer(result.pnl, result.trades), workload.combos, workload.fingerprint))


def warm_up_trials(main: Trial) -> tuple[Trial, ...]:
    """What each row answers before its first time is taken: the tie probe, then a few combos of the whole series."""
    whole, n = main.workload, WARM_UP_COMBOS
    few = Workload(f"the first {n} combos", whole.close, whole.combos[:n], whole.fee, whole.fingerprint)
    answer = Answer(main.gate.reference.pnl[:n], main.gate.reference.trades[:n])
    return trial(probe(whole.combos, whole.fee)), Trial(few, Gate(answer, few.combos, few.fingerprint))


def measure_rows(
    rows: Sequence[Row], main: Trial, rounds: int, boxed_rounds: int, progress: Progress
) -> list[Measured]:
    """Measures every row `rounds` times, time-boxed rows `boxed_rounds` times."""
    measured = [Measured(row) for row in rows]
    warm_up = warm_up_trials(main)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="onekernel-study-")))
        opened: dict[str, Crossing] = {}
        for one in measured:
            progress.show(f"warming up {one.row.name}")
            _open(one, opened, stack, scratch, main.workload.fee)
            for each in warm_up:
                _sweep(one, opened, each, "warm-up")
        for number in range(rounds):
            for one in rotated(measured, number):
                if number < boxed_rounds or not one.row.time_boxed:
                    progress.show(f"round {number + 1} of {rounds}: {one.row.name}")
                    run = _sweep(one, opened, main, f"run {number + 1}")
                    one.runs.extend([run] if run else [])
    return measured


def rotated(items: Sequence[T], n: int) -> list[T]:
    """The items in the same cyclic order, starting n places later."""
    start = n % len(items) if items else 0
    return [*items[start:], *items[:start]]


def _open(one: Measured, opened: dict[str, Crossing], stack: ExitStack, scratch: Path, fee: float) -> None:
    folder = scratch / one.row.name
    folder.mkdir()
    try:
        opened[one.row.name] = stack.enter_context(one.row.opener(folder, fee))
    except ROW_FAILURES as error:
        one.complaint = f"could not be started: {error}"


def _sweep(one: Measured, opened: dict[str, Crossing], on: Trial, when: str) -> Run | None:
    """One sweep, gated; None where it failed or an earlier one did."""
    if one.complaint:
        return None
    crossing, workload = opened[one.row.name], on.workload
    _touch(workload)
    try:
        with collector_off():
            cpu_ns = time.process_time_ns()
            wall_ns, answer = timed(lambda: crossing.sweep(workload.close, workload.combos, workload.fee))
            cpu_ns = time.process_time_ns() - cpu_ns
        account = crossing.account()
    except ROW_FAILURES as error:
        one.complaint = f"{when} over {workload.description} failed: {type(error).__name__}: {error}"
        return None
    comparison = on.gate.check(answer)
    one.comparisons.append(comparison)
    if comparison.complaint:
        one.complaint = f"{when} over {workload.description}: {comparison.complaint}"
        return None
    return Run(wall_ns / 1e9, cpu_ns / 1e9, account)


def _touch(workload: Workload) -> None:
    """Reads the inputs, so that every row starts with them equally warm."""
    np.add.reduce(workload.close)
    np.add.reduce(workload.combos, axis=None)
