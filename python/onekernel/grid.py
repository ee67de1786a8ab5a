"""Parameter sets from window lengths, by the rule of the published experiment."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

_MOST = 10_000_000  # lengths in a grid
_LONGEST = 2**53  # beyond it a float64 no longer tells two lengths apart


def hma_combos(lengths: Iterable[int]) -> npt.NDArray[np.int64]:
    """Return one combo per length: int64 (n, 6), rows (half, full, smooth, third, half3, full3).

    From a length n: half = round(n/2), full = n, smooth = round(sqrt(n)), full3 = half,
    third = max(1, round(full3/3)), half3 = max(1, round(full3/2)), where round is Python's (half to even). Libraries
    differ in this rule; to use another, give the six windows themselves to :func:`onekernel.sweep`.

    ValueError if a length is not a whole number or is below 2 (length 1 would give a window of 0); its index is named.
    """
    rows = [_combo(index, length) for index, length in enumerate(lengths)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 6)


def hma_grid(start: float, stop: float, count: int) -> npt.NDArray[np.int64]:
    """Return the combos of ``count`` lengths spread evenly from ``start`` to ``stop``: int64 (count, 6).

    The lengths are round(linspace(start, stop, count)), both ends included. See :func:`hma_combos` for the rule.
    """
    if count < 1:
        raise ValueError(f"count is {count}; a grid has at least one length")
    if count > _MOST:
        raise ValueError(f"count is {count}; a grid has at most {_MOST} lengths")
    return hma_combos(round(float(length)) for length in np.linspace(start, stop, count))


def _combo(index: int, length: int) -> tuple[int, int, int, int, int, int]:
    full = int(length)
    if full != length:
        raise ValueError(f"lengths[{index}] is {length}, which is not a whole number of bars")
    if full < 2:
        raise ValueError(f"lengths[{index}] is {length}; a length is at least 2 bars")
    if full > _LONGEST:
        raise ValueError(f"lengths[{index}] is {length}; a length is at most {_LONGEST} bars")
    half = round(full / 2)
    return half, full, round(math.sqrt(full)), max(1, round(half / 3)), max(1, round(half / 2)), half
