"""Live sessions: the sweep's strategies, fed one bar at a time.

    with ok.live(combos, fee=0.09, history=close) as live:
        for changes in live.follow(prices):
            for change in changes: ...          # the combos whose position changed at this bar

After every bar the session stands where a sweep over all closes so far would end, to the bit (docs/live.md).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from .live_backend import ClosedBackend, LiveBackend
from .records import CHANGE, Records
from .result import SweepResult
from .series import as_close, as_combos, as_fee, as_float64, check_threads

if TYPE_CHECKING:
    from ._native import Change


def live(combos: object, *, fee: float, history: object = None, threads: int | None = None) -> LiveSession:
    """Open a live session in this process.

    combos: (n_combos, 6) whole numbers, as from :func:`onekernel.hma_grid`; a window is at most 2**20 bars long.
    fee: round-trip fee per closed trade, in percent (0.09 means 0.09 %).
    history: the closes before the first live bar, oldest first, as :func:`onekernel.sweep` takes them; they are swept,
        and the session stands after the last of them. None: there are none.
    threads: for the history, as in :func:`onekernel.sweep`.

    ValueError and TypeError as :func:`onekernel.sweep`; EngineError for a window that is too long or a session that
    would take more than 4 GiB.
    """
    from ._native import LiveCore
    from .live_in_process import LiveInProcess

    rows, closes = as_combos(combos), as_history(history)
    most_threads = 0 if threads is None else check_threads(threads)
    return LiveSession(LiveInProcess(LiveCore.open(rows, as_fee(fee), most_threads, closes)))


def restore(snapshot: bytes) -> LiveSession:
    """Return a session that stands where the one stood that `snapshot` was taken of. ValueError for other bytes."""
    from ._native import LiveCore
    from .live_in_process import LiveInProcess

    return LiveSession(LiveInProcess(LiveCore.restore(snapshot)))


def as_history(history: object) -> npt.NDArray[np.float64] | None:
    """Return checked closes, or None where there are none."""
    if history is None:
        return None
    closes = as_float64(history, "history")
    return as_close(closes, "history") if closes.size else None


class LiveSession:
    """An open session, made by :func:`onekernel.live`, :func:`onekernel.restore` or ``Engine.live``. A context manager.

    One thread at a time (SessionInUse, or OutOfOrder where two feed the same bar). A call that fails has taken no bar.
    After `close` every call raises SessionClosed. timeout: seconds for a call to an engine; means nothing in process.
    """

    __slots__ = ("_backend", "_worker", "_worker_pid")

    def __init__(self, backend: LiveBackend) -> None:
        self._backend = backend
        self._worker: ThreadPoolExecutor | None = None
        self._worker_pid = 0

    def bar(self, price: float, *, index: int | None = None, timeout: float | None = None) -> tuple[Change, ...]:
        """Take the close of the bar that is due and return the changes it makes, by combo; nearly always none: ().

        index: which bar the caller takes it for; None: the one that is due.

        OutOfOrder for another index than `next_bar`; ValueError for a price that is NaN, infinite, zero or negative;
        TypeError for what is no number.
        """
        backend = self._backend
        return backend.bar(backend.next_bar if index is None else index, price, timeout)

    def bars(self, prices: object, *, first: int | None = None, timeout: float | None = None) -> Records:
        """Take several closes and return all changes as ``records.CHANGE`` (n,), by bar and within one by combo.

        prices: (n_bars,), oldest first, as :func:`onekernel.sweep` takes them; all are checked before one is taken.
        first: the index of the first of them; None: the bar that is due.

        In this process all are taken or none. In an engine a long run crosses in several parts, each with this timeout:
        after an error `next_bar` says how many were taken.
        """
        backend, closes = self._backend, as_float64(prices, "prices")
        start = backend.next_bar if first is None else first
        taken, parts = 0, list[Records]()
        while taken < len(closes) or not parts:
            next_bar, changes = backend.bars(start + taken, closes[taken:], timeout)
            taken = next_bar - start
            parts.append(changes)
        return parts[0] if len(parts) == 1 else np.concatenate(parts, dtype=CHANGE)

    def follow(self, prices: Iterable[float], *, timeout: float | None = None) -> Iterator[tuple[Change, ...]]:
        """Take each price as it comes and yield its changes, also where there are none: one step per bar."""
        for price in prices:
            yield self.bar(price, timeout=timeout)

    async def bar_async(
        self, price: float, *, index: int | None = None, timeout: float | None = None
    ) -> tuple[Change, ...]:
        """Do what `bar` does without holding up the event loop.

        Where an engine is asked, the bar is sent by a thread of the session's own, one after another. A task that is
        cancelled meanwhile does not call it back: `next_bar` says whether it was taken.
        """
        if not self._backend.may_wait:
            return self.bar(price, index=index, timeout=timeout)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread(), lambda: self.bar(price, index=index, timeout=timeout))

    def _thread(self) -> ThreadPoolExecutor:
        if self._worker is None or self._worker_pid != os.getpid():  # a forked child has not inherited the thread
            self._worker, self._worker_pid = ThreadPoolExecutor(1, "onekernel-live"), os.getpid()
        return self._worker

    async def follow_async(
        self, prices: AsyncIterable[float], *, timeout: float | None = None
    ) -> AsyncIterator[tuple[Change, ...]]:
        """Do what `follow` does for an asynchronous source."""
        async for price in prices:
            yield await self.bar_async(price, timeout=timeout)

    def states(self, timeout: float | None = None) -> Records:
        """Return where each combo stands: ``records.LIVE_STATE`` (n_combos,). Each property below asks for it."""
        return self._backend.states(timeout)

    def result(self, timeout: float | None = None) -> SweepResult:
        """Return what a sweep over all closes so far would: pnl and trades of each combo."""
        states = self.states(timeout)
        return SweepResult(states["pnl"].copy(), states["trades"].copy())

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """+1 long, -1 short, 0 before the first decision: int64 (n_combos,)."""
        return np.array(self.states()["position"], np.int64)

    @property
    def pnl(self) -> npt.NDArray[np.float64]:
        """Sum over the closed trades in percentage points, net of fees: float64 (n_combos,)."""
        return np.array(self.states()["pnl"], np.float64)

    @property
    def trades(self) -> npt.NDArray[np.int64]:
        """How many trades were closed: int64 (n_combos,)."""
        return np.array(self.states()["trades"], np.int64)

    def snapshot(self, timeout: float | None = None) -> bytes:
        """Return all that :func:`onekernel.restore` needs to go on from here, in any process."""
        return self._backend.snapshot(timeout)

    @property
    def next_bar(self) -> int:
        """Index of the bar that is due: so many were taken, the history's included."""
        return self._backend.next_bar

    @property
    def combos(self) -> npt.NDArray[np.int64]:
        """The parameter sets: int64 (n_combos, 6)."""
        return self._backend.combos

    @property
    def fee(self) -> float:
        """Percent per closed trade, round trip."""
        return self._backend.fee

    @property
    def n_bytes(self) -> int:
        """The memory that the session takes."""
        return self._backend.n_bytes

    def close(self) -> None:
        """Give the session up; a snapshot taken before can be restored. Closing twice does nothing."""
        backend, self._backend = self._backend, cast(LiveBackend, ClosedBackend())
        if self._worker is not None:
            self._worker.shutdown(wait=False)
        backend.close()

    def __enter__(self) -> LiveSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if isinstance(self._backend, ClosedBackend):
            return "<onekernel.LiveSession closed>"
        return f"<onekernel.LiveSession {len(self.combos)} combos, bar {self.next_bar} is due>"
