"""Percentiles and medians of raw samples.

Percentiles are nearest-rank: the smallest sample that at least q percent of the samples do not exceed. So a
percentile is always a time that was really measured, never a value between two of them. The median of an even number
of runs is the mean of the two in the middle, as usual.
"""

import statistics
from collections.abc import Sequence


def percentile(samples: Sequence[float], q: int) -> float:
    """The nearest-rank percentile of unsorted samples, q a whole number from 1 to 100.

    Raises ValueError where there are no samples or q is outside its range.
    """
    if not 1 <= q <= 100:
        raise ValueError(f"a percentile lies between 1 and 100, got {q}")
    return permille(samples, 10 * q)


def permille(samples: Sequence[float], q: int) -> float:
    """The same in thousandths: 999 is the p99.9. Raises ValueError likewise."""
    if not samples:
        raise ValueError("a percentile needs at least one sample, got none")
    if not 1 <= q <= 1000:
        raise ValueError(f"thousandths lie between 1 and 1000, got {q}")
    # Whole-number arithmetic: q / 1000 * n in floating point can land just above a whole rank and skip to the next.
    rank = -(-q * len(samples) // 1000)
    return sorted(samples)[rank - 1]


def median(samples: Sequence[float]) -> float:
    """The median; raises ValueError where there are no samples."""
    if not samples:
        raise ValueError("a median needs at least one sample, got none")
    return float(statistics.median(samples))
