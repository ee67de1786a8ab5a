"""What a file of prices gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """One checked series.

    ``close``: float64 (n_bars,), oldest first, every price finite and above zero. ``timestamp_column``: the column
    whose order was checked, or None. ``notes``: what the user should know though it is no error, one line each.
    """

    close: npt.NDArray[np.float64]
    path: Path
    column: str
    timestamp_column: str | None
    notes: tuple[str, ...] = ()
