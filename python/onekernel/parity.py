"""Whether live and batch agree, position by position and bit by bit; and if not, where they first differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .records import CHANGE, Records, changes_of, from_changes
from .result import SweepResult

if TYPE_CHECKING:
    from .live_session import LiveSession
    from .trade_list import TradeList


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference. bar is None for a sum over all bars; a value is None where that side has no such change."""

    bar: int | None
    combo: int
    field: str
    batch: float | int | None
    live: float | int | None

    def __str__(self) -> str:
        where = f"combo {self.combo}" if self.bar is None else f"bar {self.bar}, combo {self.combo}"
        return f"{where}: {self.field} is {_told(self.batch)} in batch and {_told(self.live)} live"


def replay(live: LiveSession, close: npt.NDArray[np.float64], chunk: int = 1) -> Records:
    """Feed closes to a session, `chunk` bars a call (1: by `bar`, as live trading does), and return all changes."""
    if chunk == 1:
        return from_changes(change for changes in live.follow(close.tolist()) for change in changes)
    parts = [live.bars(close[start : start + chunk]) for start in range(0, len(close), chunk)]
    return np.concatenate([np.empty(0, CHANGE), *parts], dtype=CHANGE)


def first_difference(batch: TradeList, swept: SweepResult, changes: Records, states: SweepResult) -> Difference | None:
    """Compare a list of trades and a sweep with the changes and final sums of a live session over the same closes.

    The changes that the trades imply are compared with the live ones as bytes: with them every position of every combo
    at every bar is. Then both sides' pnl, as 64-bit patterns, and trades.
    """
    return (
        _between_changes(changes_of(batch.closed, batch.open), changes)
        or _between_sums("pnl (trades of the list)", swept.pnl, batch.pnl)
        or _between_sums("pnl", swept.pnl, states.pnl)
        or _between_sums("trades", swept.trades, states.trades)
    )


def _between_changes(batch: Records, live: Records) -> Difference | None:
    if batch.tobytes() == live.tobytes():
        return None
    common = min(len(batch), len(live))
    unequal = np.flatnonzero(_bytes(batch[:common]) != _bytes(live[:common]))
    at = int(unequal[0]) if len(unequal) else common
    if at == len(live) or (at < len(batch) and _key(batch[at]) < _key(live[at])):
        return Difference(*_key(batch[at]), "change of position", int(batch[at]["position"]), None)
    if at == len(batch) or _key(live[at]) < _key(batch[at]):
        return Difference(*_key(live[at]), "change of position", None, int(live[at]["position"]))
    ours, theirs = batch[at], live[at]
    field = next(name for name in CHANGE.names or () if ours[name].tobytes() != theirs[name].tobytes())
    return Difference(*_key(ours), field, ours[field].item(), theirs[field].item())


def _between_sums(field: str, batch: npt.NDArray[Any], live: npt.NDArray[Any]) -> Difference | None:
    unequal = np.flatnonzero(batch.view(np.int64) != live.view(np.int64))
    if not len(unequal):
        return None
    combo = int(unequal[0])
    return Difference(None, combo, field, batch[combo].item(), live[combo].item())


def _bytes(records: Records) -> npt.NDArray[np.void]:
    return np.ascontiguousarray(records).view(np.dtype((np.void, CHANGE.itemsize)))


def _key(change: Any) -> tuple[int, int]:
    return int(change["bar"]), int(change["combo"])


def _told(value: float | int | None) -> str:
    if value is None:
        return "not there"
    return f"{value!r} ({value.hex()})" if isinstance(value, float) else str(value)
