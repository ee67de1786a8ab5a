"""What a sweep returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class LevelCounts(NamedTuple):
    """How the decisions of a sweep (one per bar and combo once both averages exist) were made, from cheap to dear.

    by_bound: the sign of the running-sum filter was proved. by_dot: that of the filter as a dot product was.
    by_reference: the reference arithmetic for that bar. by_exact: the exact kernel for the whole block.
    flips: changes of position, the first entry included. blocks: blocks of bars, once per combo; blocks_exact of them
    went to exact. Only certified fills all of them; docs/certified-kernel.md tells more.
    """

    by_bound: int
    by_dot: int
    by_reference: int
    by_exact: int
    flips: int
    blocks: int
    blocks_exact: int


@dataclass(slots=True, eq=False)
class SweepResult:
    """One value per combo, in the order of the combos; and how it was computed, where that is told.

    ``pnl``: float64 (n_combos,), sum over the closed trades in percentage points, net of fees.
    ``trades``: int64 (n_combos,), how many trades were closed; a position open at the end is not booked.
    ``compute_ns``: the engine's own time in nanoseconds, without what crossing to it cost.
    ``kernel``, ``threads``, ``target``: which kernel ran, on how many threads, with which instruction set.
    ``levels``: how the decisions were made.

    Session frames tell these five as the engine knows them, classic frames none of them.
    """

    pnl: npt.NDArray[np.float64]
    trades: npt.NDArray[np.int64]
    compute_ns: int | None = None
    kernel: str | None = None
    threads: int | None = None
    target: str | None = None
    levels: LevelCounts | None = None
