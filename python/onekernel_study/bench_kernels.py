"""The ladder: every kernel on the published sweep, against numba in the same run."""

import os
from collections.abc import Sequence

from onekernel.result import LevelCounts

from onekernel_study.bench_schema import KernelRow
from onekernel_study.contest import Contender, contest, native, numba, numba_answer
from onekernel_study.gate import Gate
from onekernel_study.names import NUMBA
from onekernel_study.percentiles import median, percentile
from onekernel_study.progress import Progress
from onekernel_study.schema import Levels
from onekernel_study.workload import Workload


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def measure_kernels(workload: Workload, rounds: int, progress: Progress) -> tuple[KernelRow, ...]:
    """Every kernel on one thread, and those that can share their work on all cores as well."""
    close, combos, fee = workload.close, workload.combos, workload.fee
    progress.show("the reference's own sweep")
    gate = Gate(numba_answer(close, combos, fee), combos, workload.fingerprint)
    contenders = [Contender(NUMBA, numba(close, combos, fee), gate)]
    for kernel in ("checked", "unchecked", "exact", "certified"):
        contenders.append(Contender(kernel, native(close, combos, fee, kernel, 1), gate))
    if cores() > 1:
        for kernel in ("exact", "certified"):
            contenders.append(Contender(kernel, native(close, combos, fee, kernel, cores()), gate))
    contest(contenders, rounds, progress)
    return tuple(_row(one, contenders[0]) for one in contenders)


def levels(counts: LevelCounts | None) -> Levels | None:
    """The counts as the document has them."""
    return None if counts is None else Levels(*counts)


def _row(one: Contender, baseline: Contender) -> KernelRow:
    told, runs = one.told, one.runs_s
    return KernelRow(
        name=one.name,
        target=told.target if told else "unknown",
        threads=told.threads if told else 0,
        n=len(runs),
        median_s=median(runs) if runs else None,
        p10_s=percentile(runs, 10) if runs else None,
        p90_s=percentile(runs, 90) if runs else None,
        smallest_s=min(runs, default=None),
        largest_s=max(runs, default=None),
        cpu_s=median(one.cpu_s) if runs else None,
        ratio_to_numba=quotient(baseline.runs_s, runs),
        cpu_ratio_to_numba=quotient(baseline.cpu_s, one.cpu_s),
        bitwise=one.complaint is None and bool(runs),
        levels=levels(told.levels) if told and one.name == "certified" else None,
        complaint=one.complaint,
    )


def quotient(above: Sequence[float], below: Sequence[float]) -> float | None:
    """The median of one sample over that of another; None where there is none, or the clock saw nothing pass."""
    if not above or not below or median(below) <= 0.0:
        return None
    return median(above) / median(below)
