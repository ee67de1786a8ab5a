"""How window lengths are written on a command line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .grid import hma_combos, hma_grid


def parse_lengths(text: str) -> npt.NDArray[np.int64]:
    """Return the combos of ``start:stop:count`` (as :func:`onekernel.hma_grid`) or of a list ``20,50,100``.

    ValueError for anything else, with what would be understood.
    """
    try:
        if ":" in text:
            start, stop, count = text.split(":")
            bounds = float(start), float(stop), int(count)
        else:
            lengths = [int(length) for length in text.split(",")]
    except ValueError:
        raise ValueError(f"'{text}' is not understood; use start:stop:count (6:200:80) or a list (20,50,100)") from None
    return hma_grid(*bounds) if ":" in text else hma_combos(lengths)
