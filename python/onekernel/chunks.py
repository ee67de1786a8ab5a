"""Long sweeps in parts, so that a bar can move and Ctrl-C is heard; the results are those of one sweep."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .result import SweepResult

_PART_SECONDS = 0.2


def sweep_in_parts(
    sweep: Callable[[npt.NDArray[np.int64]], SweepResult],
    combos: npt.NDArray[np.int64],
    advance: Callable[[int], None],
) -> SweepResult:
    """Call `sweep` on slices of `combos`, each about a fifth of a second long, and join the results.

    `advance` is told how many combos each part had.
    """
    pnl = np.empty(len(combos), np.float64)
    trades = np.empty(len(combos), np.int64)
    kernel: str | None = None
    start, size = 0, 1
    while start < len(combos):
        part = slice(start, min(start + size, len(combos)))
        began = time.monotonic()
        result = sweep(combos[part])
        if time.monotonic() - began < _PART_SECONDS / 2:
            size *= 2
        pnl[part], trades[part] = result.pnl, result.trades
        kernel = result.kernel
        advance(part.stop - part.start)
        start = part.stop
    return SweepResult(pnl, trades, kernel=kernel)
