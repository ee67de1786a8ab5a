"""A live session whose state is in this process."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._native import Change, LiveCore
from .records import CHANGE, LIVE_STATE, Records


class LiveInProcess:
    """A :class:`.live_backend.LiveBackend` over the native module; a timeout means nothing here."""

    may_wait = False

    def __init__(self, core: LiveCore) -> None:
        self._core = core

    @property
    def next_bar(self) -> int:
        """Index of the bar that is due."""
        return self._core.next_bar

    @property
    def combos(self) -> npt.NDArray[np.int64]:
        """A copy, (n_combos, 6)."""
        return self._core.combos.reshape(-1, 6)

    @property
    def fee(self) -> float:
        """Percent per closed trade, round trip."""
        return self._core.fee

    @property
    def n_bytes(self) -> int:
        """The memory that the session takes."""
        return self._core.n_bytes

    def bar(self, index: int, price: float, timeout: float | None) -> tuple[Change, ...]:
        """Take one close."""
        return self._core.bar(index, price)

    def bars(self, first: int, closes: npt.NDArray[np.float64], timeout: float | None) -> tuple[int, Records]:
        """Take all closes, without the GIL."""
        next_bar, changes = self._core.bars(first, closes)
        return next_bar, changes.view(CHANGE)

    def states(self, timeout: float | None) -> Records:
        """Return LIVE_STATE (n_combos,)."""
        return self._core.states().view(LIVE_STATE)

    def snapshot(self, timeout: float | None) -> bytes:
        """Return all that a restored session needs."""
        return self._core.snapshot()

    def close(self) -> None:
        """Do nothing: the memory goes with this object."""
