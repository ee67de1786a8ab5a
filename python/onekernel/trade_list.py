"""The closed trades of chosen combos, one record each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import _native
from .records import OPEN_TRADE, TRADE, Records, running_sum
from .series import as_close, as_combos, as_fee, check_threads

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def trades(
    close: object, combos: object, *, fee: float, threads: int | None = None, most_trades: int | None = None
) -> TradeList:
    """Run every combo over one price series in this process and keep every trade, at 48 bytes each.

    close, combos, fee, threads: as for :func:`onekernel.sweep`, with the same errors.
    most_trades: EngineError (limit exceeded) where there are more in all; None: as many as there is memory for.
    """
    if most_trades is not None and most_trades < 0:
        raise ValueError(f"most_trades is {most_trades}; it must be at least 0, or None for no limit")
    prices, rows = as_close(close), as_combos(combos)
    closed, still_open, pnl = _native.list_trades(
        prices, rows, as_fee(fee), 0 if threads is None else check_threads(threads), most_trades
    )
    return TradeList(closed.view(TRADE), still_open.view(OPEN_TRADE), pnl, len(prices))


@dataclass(slots=True, eq=False)
class TradeList:
    """What :func:`onekernel.trades` returns.

    ``closed``: ``records.TRADE`` (n_trades,), by combo and within one by time.
    ``open``: ``records.OPEN_TRADE`` (at most one per combo), the positions open after the last bar; in no sum.
    ``pnl``: float64 (n_combos,), percentage points net of fees, the bits of :func:`onekernel.sweep`.
    ``n_bars``: how many closes there were.
    """

    closed: Records
    open: Records
    pnl: npt.NDArray[np.float64]
    n_bars: int

    def of(self, combo: int) -> Records:
        """Return the closed trades of one combo, a view of `closed`. IndexError if there is no such combo."""
        if not 0 <= combo < len(self.pnl):
            raise IndexError(f"there is no combo {combo}; there are {len(self.pnl)}, counted from 0")
        combos = self.closed["combo"]
        return self.closed[np.searchsorted(combos, combo) : np.searchsorted(combos, combo, side="right")]

    def equity(self, combo: int) -> npt.NDArray[np.float64]:
        """Return a combo's pnl over its trades closed so far, after each bar: float64 (n_bars,), percentage points.

        It is 0.0 until the first exit and moves at exits only; the last value has the bits of ``pnl[combo]``.
        """
        of_combo = self.of(combo)
        closed_by_bar = np.searchsorted(of_combo["exit_bar"], np.arange(self.n_bars), side="right")
        return running_sum(of_combo["pnl"])[closed_by_bar]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the closed trades as a pandas DataFrame, a column per field."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> polars.DataFrame:
        """Return the closed trades as a polars DataFrame, a column per field."""
        import polars

        return polars.DataFrame(self._columns())

    def to_arrow(self) -> pyarrow.Table:
        """Return the closed trades as an Arrow Table, a column per field."""
        import pyarrow

        return pyarrow.table(self._columns())

    def _columns(self) -> dict[str, npt.NDArray[np.generic]]:
        return {name: np.ascontiguousarray(self.closed[name]) for name in TRADE.names or ()}
