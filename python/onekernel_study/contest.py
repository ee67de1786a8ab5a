"""A contest: several ways to compute sweeps, timed in turns, every answer held to a gate before its time counts.

Each round calls every contender, and each round starts one contender later, as in the study's rows. A fast contender
is called several times in a row per round, so that its median rests on enough sweeps.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from onekernel import _native, reference
from onekernel.result import LevelCounts

from onekernel_study.crossings import Close, Combos
from onekernel_study.gate import Answer, Gate
from onekernel_study.progress import Progress
from onekernel_study.runner import rotated
from onekernel_study.stopwatch import collector_off, timed

ROUND_S = 0.15  # about how long the sweeps of one contender take together in one round, where one is not longer
MOST_SWEEPS = 20


@dataclass(frozen=True)
class Told:
    """An answer, and what its maker tells about how it was made."""

    answer: Answer
    target: str
    threads: int
    levels: LevelCounts | None = None


@dataclass
class Contender:
    """What is called, and what has been seen of it; a complaint ends its measuring."""

    name: str
    call: Callable[[], Told]
    gate: Gate
    runs_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    told: Told | None = None
    complaint: str | None = None
    sweeps: int = 1


def contest(contenders: Sequence[Contender], rounds: int, progress: Progress) -> None:
    """Warms every contender up once, which also says how many sweeps fit in a round, then measures `rounds` rounds."""
    for one in contenders:
        progress.show(f"warming up {one.name}")
        _run(one)
        if one.runs_s:
            one.sweeps = max(1, min(MOST_SWEEPS, int(ROUND_S / max(one.runs_s[0], 1e-6))))
        one.runs_s.clear()
        one.cpu_s.clear()
    for number in range(rounds):
        for one in rotated(contenders, number):
            progress.show(f"round {number + 1} of {rounds}: {one.name}")
            for _ in range(one.sweeps):
                _run(one)


def _run(one: Contender) -> None:
    if one.complaint:
        return
    with collector_off():
        cpu_ns = time.process_time_ns()
        wall_ns, told = timed(one.call)
        cpu_ns = time.process_time_ns() - cpu_ns
    one.complaint = one.gate.check(told.answer).complaint
    if one.complaint:
        one.runs_s.clear()
        one.cpu_s.clear()
        return
    one.told = told
    one.runs_s.append(wall_ns / 1e9)
    one.cpu_s.append(cpu_ns / 1e9)


def native(close: Close, combos: Combos, fee: float, kernel: str, threads: int) -> Callable[[], Told]:
    """The native module itself, which computes on any doubles; `onekernel.sweep` would refuse NaN before it."""

    def call() -> Told:
        pnl, trades, _, used, target, levels = _native.sweep(close, combos, fee, kernel, threads)
        return Told(Answer(pnl, trades), target, used, LevelCounts(*levels))

    return call


def numba(close: Close, combos: Combos, fee: float) -> Callable[[], Told]:
    """The numba reference, unchecked like the native call."""

    def call() -> Told:
        return Told(numba_answer(close, combos, fee), "llvm", 1)

    return call


def numba_answer(close: Close, combos: Combos, fee: float) -> Answer:
    """What the gates hold everybody to."""
    result = reference.run(close, combos, fee)
    return Answer(result.pnl, result.trades)
