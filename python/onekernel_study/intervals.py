"""95 % intervals by the bootstrap: what a figure might have been, had the rounds fallen otherwise.

Rounds that were measured together stay together when they are drawn: what slowed one row in a round slowed the other
too, and a ratio should not call that uncertainty. The draws are seeded, so the same rounds give the same interval.
"""

from collections.abc import Sequence

import numpy as np

DRAWS = 2_000
LOW, HIGH = 2.5, 97.5
SEED = 20_240
Interval = tuple[float, float]


def ratio_interval(over: Sequence[float], under: Sequence[float]) -> Interval | None:
    """Interval of median(over) / median(under), where over[i] and under[i] are of the same round.

    Where one has more rounds, the first ones are of the same rounds and the others are left out. None for fewer than
    two rounds: one round says nothing about how it might have been.
    """
    n = min(len(over), len(under))
    if n < 2:
        return None
    drawn = _draws(n)
    a, b = np.asarray(over[:n], np.float64), np.asarray(under[:n], np.float64)
    return _bounds(np.median(a[drawn], axis=1) / np.median(b[drawn], axis=1))


def median_interval(samples: Sequence[float]) -> Interval | None:
    """Interval of the median of independent rounds; None for fewer than two."""
    if len(samples) < 2:
        return None
    return _bounds(np.median(np.asarray(samples, np.float64)[_draws(len(samples))], axis=1))


def burst_interval(bursts: Sequence[Sequence[float]]) -> Interval | None:
    """Interval of the median of all samples, drawing whole bursts: samples within one resemble one another.

    Each burst stands for itself by its own median, so this is the interval of a median of medians.
    """
    return median_interval([float(np.median(burst)) for burst in bursts if len(burst)])


def _draws(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.random.default_rng(SEED).integers(0, n, (DRAWS, n))


def _bounds(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Interval:
    low, high = np.percentile(values, (LOW, HIGH))
    return float(low), float(high)
