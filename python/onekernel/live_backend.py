"""What a live session needs, wherever its state is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from .records import Records

if TYPE_CHECKING:
    from ._native import Change


class LiveBackend(Protocol):
    """The state of a session: in this process (:mod:`.live_in_process`), or in an engine.

    timeout: seconds for the call; None takes the backend's own. In this process there is nothing to wait for.

    Every call that fails leaves the state as it was.
    """

    @property
    def may_wait(self) -> bool:
        """Whether a call may wait for somebody else: an event loop then makes it from another thread."""

    @property
    def next_bar(self) -> int:
        """Index of the bar that is due: so many were taken."""

    @property
    def combos(self) -> npt.NDArray[np.int64]:
        """(n_combos, 6)."""

    @property
    def fee(self) -> float:
        """Percent per closed trade, round trip."""

    @property
    def n_bytes(self) -> int:
        """The memory that the session takes."""

    def bar(self, index: int, price: float, timeout: float | None) -> tuple[Change, ...]:
        """Take one close: the changes, by combo. OutOfOrder before ValueError (no price), TypeError (no number)."""

    def bars(self, first: int, closes: npt.NDArray[np.float64], timeout: float | None) -> tuple[int, Records]:
        """Take a prefix of float64 closes, at least one of them if there is one: next_bar, and CHANGE records.

        All closes are checked before one is taken; ValueError names the bar. OutOfOrder comes before that.
        """

    def states(self, timeout: float | None) -> Records:
        """Return LIVE_STATE (n_combos,)."""

    def snapshot(self, timeout: float | None) -> bytes:
        """Return all that a restored session needs."""

    def close(self) -> None:
        """Give the session up. Closing twice does nothing."""


class ClosedBackend:
    """Takes the place of a backend that was closed: everything but closing again raises SessionClosed."""

    def close(self) -> None:
        """Do nothing."""

    def __getattr__(self, name: str) -> object:
        from .errors import SessionClosed

        raise SessionClosed("this live session was closed; open another, or restore a snapshot")
