"""The part of the verdict about the kernels: C++ against numba, and what the bounds checks cost."""

import math

from onekernel_study.names import BASELINE
from onekernel_study.reading import Rows
from onekernel_study.schema import Architecture, Study
from onekernel_study.wording import percent, seconds

CHANCE = 0.05


def kernel_against_numba(study: Study, rows: Rows) -> str | None:
    """The naive C++ kernel against numba, both in process, whichever is faster."""
    numba, native = rows.get(BASELINE), rows.get("cpp_in_process")
    if numba is None or native is None or not numba.median_s or not native.median_s:
        return None
    cpu = native.client_cpu_s / numba.client_cpu_s if native.client_cpu_s and numba.client_cpu_s else None
    return (
        f"Naive C++ against numba, both in process: {native.median_s / numba.median_s:.2f} of its wall time "
        f"({seconds(native.median_s)} against {seconds(numba.median_s)}), {in_rounds(native, numba)}"
        f"{'' if cpu is None else f'; {cpu:.2f} of its CPU time'}."
    )


def bounds_checks(study: Study, rows: Rows) -> str | None:
    """Are the bounds checks what separates the two languages?"""
    checked, unchecked, numba = (rows.get(name) for name in ("cpp_batch_unix", "cpp_batch_unchecked", BASELINE))
    if checked is None or unchecked is None or numba is None:
        return None
    if not checked.compute_s or not unchecked.compute_s or not numba.compute_s:
        return None
    cost, gap = checked.compute_s - unchecked.compute_s, checked.compute_s - numba.compute_s
    said = (
        f"Bounds checks: without them the engine computes for {seconds(unchecked.compute_s)} instead of "
        f"{seconds(checked.compute_s)} ({unchecked.compute_s / checked.compute_s:.2f} of it); "
        f"{in_rounds(unchecked, checked)}"
    )
    if gap <= 0:
        return f"{said}. There is no gap to numba for them to explain: numba takes {seconds(numba.compute_s)}."
    if cost <= 0:
        return f"{said}. They explain nothing of the {seconds(gap)} that numba is ahead."
    return f"{said}. Of the {seconds(gap)} that numba is ahead they explain {percent(min(1.0, cost / gap))}."


def in_rounds(one: Architecture, other: Architecture) -> str:
    """How often the one was faster than the other in the same round, and whether chance could do that too."""
    pairs = list(zip(one.runs_s, other.runs_s, strict=False))
    faster = sum(a < b for a, b in pairs)
    p = sign_test(faster, len(pairs))
    doubt = "" if p < CHANCE else ", so the difference is not certain"
    return f"faster in {faster} of {len(pairs)} rounds (sign test: p = {p:.2g}){doubt}"


def sign_test(successes: int, n: int) -> float:
    """The two-sided probability of a split at least this uneven in n tosses of a fair coin."""
    tail = sum(math.comb(n, k) for k in range(min(successes, n - successes) + 1))
    return min(1.0, tail / 2.0 ** (n - 1))
