"""What a sweep returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class SweepResult:
    """One value per combo, in the order of the combos.

    ``pnl``: float64 (n_combos,), sum over the closed trades in percentage points, net of fees.
    ``trades``: int64 (n_combos,), how many trades were closed; a position open at the end is not booked.
    """

    pnl: npt.NDArray[np.float64]
    trades: npt.NDArray[np.int64]
