"""What a sweep returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(slots=True, eq=False)
class SweepResult:
    """One value per combo, in the order of the combos; and how it was computed, where that is told.

    ``pnl``: float64 (n_combos,), sum over the closed trades in percentage points, net of fees.
    ``trades``: int64 (n_combos,), how many trades were closed; a position open at the end is not booked.
    ``compute_ns``: the engine's own time in nanoseconds, without what crossing to it cost.
    ``kernel``, ``threads``, ``target``: which kernel ran, on how many threads, with which instruction set.

    Session frames tell these four as the engine knows them, classic frames none of them.
    """

    pnl: npt.NDArray[np.float64]
    trades: npt.NDArray[np.int64]
    compute_ns: int | None = None
    kernel: str | None = None
    threads: int | None = None
    target: str | None = None
