"""Changes, trades and states as NumPy records, byte for byte the structs of ``live.h`` and ``trades.h``.

Prices are in the unit of the closes, every pnl in percentage points net of fees, every bar an index from 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._native import Change

Records = npt.NDArray[np.void]

CHANGE = np.dtype(
    [
        ("bar", "<i8"),
        ("combo", "<u4"),
        ("position", "<i4"),  # the new one: +1 long, -1 short
        ("price", "<f8"),
        ("entry_bar", "<i8"),  # of the position that was closed; -1: there was none
        ("entry", "<f8"),
        ("trade_pnl", "<f8"),
        ("pnl", "<f8"),  # the combo's, this trade included
        ("trades", "<i8"),
    ]
)
TRADE = np.dtype(
    [
        ("combo", "<u4"),
        ("position", "<i4"),  # +1 long, -1 short
        ("entry_bar", "<i8"),
        ("exit_bar", "<i8"),
        ("entry", "<f8"),
        ("exit", "<f8"),
        ("pnl", "<f8"),
    ]
)
OPEN_TRADE = np.dtype([("combo", "<u4"), ("position", "<i4"), ("entry_bar", "<i8"), ("entry", "<f8")])
LIVE_STATE = np.dtype(
    [
        ("position", "<i8"),  # +1 long, -1 short, 0 before the first decision
        ("entry_bar", "<i8"),  # -1: no open position
        ("entry", "<f8"),
        ("pnl", "<f8"),
        ("trades", "<i8"),
    ]
)


def from_changes(changes: Iterable[Change]) -> Records:
    """Return changes that came bar by bar as CHANGE records (n,), in their order."""
    return np.array([tuple(change) for change in changes], CHANGE)


def closed_trades(changes: Records) -> Records:
    """Return the trades that changes closed: TRADE (n,), by combo and within one by time.

    changes: CHANGE, by bar as a live session tells them. All changes of a session that was opened without a history
        give the very bytes of ``onekernel.trades(...).closed``.
    """
    closing = changes[changes["entry_bar"] >= 0]
    closing = closing[np.argsort(closing["combo"], kind="stable")]
    made = np.empty(len(closing), TRADE)
    made["combo"], made["position"] = closing["combo"], -closing["position"]
    made["entry_bar"], made["exit_bar"] = closing["entry_bar"], closing["bar"]
    made["entry"], made["exit"], made["pnl"] = closing["entry"], closing["price"], closing["trade_pnl"]
    return made


def changes_of(closed: Records, still_open: Records) -> Records:
    """Return the changes that lead to these trades: CHANGE (n,), by bar, then by combo.

    closed: TRADE, by combo and within one by time; still_open: OPEN_TRADE. Both as ``onekernel.trades`` gives them.
    """
    made = np.zeros(len(closed), CHANGE)
    made["bar"], made["combo"], made["position"] = closed["exit_bar"], closed["combo"], -closed["position"]
    made["price"], made["entry_bar"], made["entry"] = closed["exit"], closed["entry_bar"], closed["entry"]
    made["trade_pnl"] = closed["pnl"]
    for start, stop in _runs(closed["combo"]):
        made["pnl"][start:stop] = running_sum(closed["pnl"][start:stop])[1:]
        made["trades"][start:stop] = np.arange(1, stop - start + 1)
    both = np.concatenate([_first_entries(closed, still_open), made])
    return both[np.lexsort((both["combo"], both["bar"]))]


def running_sum(pnl: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return 0.0 and the sums of the first 1, 2, ... values, added one after the other: float64 (n + 1,)."""
    return np.add.accumulate(np.concatenate([[0.0], pnl]))


def _first_entries(closed: Records, still_open: Records) -> Records:
    traded = closed[[start for start, _ in _runs(closed["combo"])]]
    never_closed = still_open[~np.isin(still_open["combo"], traded["combo"])]
    made = np.zeros(len(traded) + len(never_closed), CHANGE)
    for field, source in (("bar", "entry_bar"), ("combo", "combo"), ("position", "position"), ("price", "entry")):
        made[field] = np.concatenate([traded[source], never_closed[source]])
    made["entry_bar"] = -1
    return made


def _runs(combos: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """Return where runs of equal values begin and end."""
    edges = np.flatnonzero(np.diff(combos)) + 1
    bounds = [0, *edges.tolist(), len(combos)]
    return list(pairwise(bounds)) if len(combos) else []
