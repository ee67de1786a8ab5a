"""Prices that are written where the engine will read them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _native
from .series import as_close


class SharedSeries:
    """A series of n_bars prices in a memory file: fill ``values``, then put it, and nothing is ever copied.

        prices = ok.SharedSeries(len(frame))
        prices.values[:] = ...                      # read, computed or received straight into it
        series = engine.put("btc-1m", prices)

    The first put seals the file, so that neither side can change the prices any more: ``values`` is read-only from then
    on, and what older views of it write stays in this process. It can be put again, into other engines too. Over
    transports that cannot pass a file the prices are sent as those of any other array.

    ValueError below 1 bar; MemoryError if there is no room.
    """

    def __init__(self, n_bars: int) -> None:
        if n_bars < 1:
            raise ValueError(f"n_bars is {n_bars}; a series has at least one bar")
        self._memory = _native.SeriesMemory(n_bars)
        self._values = self._memory.values()

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The prices, float64 (n_bars,), zeros at first; writable until the series is put."""
        return self._values

    def __len__(self) -> int:
        return len(self._values)

    def seal(self) -> int:
        """Check the prices and make them unchangeable; return the memory file's descriptor, which stays this object's.

        ValueError as for any prices; they can be mended and sealed again then. A put does this where it was not done.
        """
        if not self._memory.sealed():
            as_close(self._values)
            self._values.flags.writeable = False
            self._memory.seal()
        return self._memory.descriptor()
