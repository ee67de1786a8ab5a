"""The sweep inside this process: no boundary to cross."""

from __future__ import annotations

from . import _native
from .result import LevelCounts, SweepResult
from .series import as_close, as_combos, as_fee, check_threads


def sweep(
    close: object, combos: object, *, fee: float, kernel: str | None = None, threads: int | None = None
) -> SweepResult:
    """Run every combo over one price series in this process.

    close: prices, oldest first, (n_bars,): NumPy array of any real dtype or stride, pandas or polars Series, Arrow
        array, or a list of numbers. A C-contiguous float64 array is used without a copy. It is never changed.
    combos: (n_combos, 6) whole numbers, as from :func:`onekernel.hma_grid`.
    fee: round-trip fee per closed trade, in percent (0.09 means 0.09 %).
    kernel: one of ``onekernel.KERNELS``; None takes ``onekernel.DEFAULT_KERNEL``. All return the same bits and differ
        in speed only. The result names the one that ran.
    threads: how many threads at most; None takes ONEKERNEL_THREADS, or else all cores. Results do not depend on it.

    The GIL is released while the sweep runs. ValueError for a price that is NaN, infinite, zero or negative, an empty
    series, a window below 1, or a fee that is not finite; TypeError for values that are not real numbers.
    """
    prices, rows = as_close(close), as_combos(combos)
    chosen = _native.DEFAULT_KERNEL if kernel is None else kernel
    pnl, trades, compute_ns, used, target, levels = _native.sweep(
        prices, rows, as_fee(fee), chosen, 0 if threads is None else check_threads(threads)
    )
    return SweepResult(pnl, trades, compute_ns, chosen, used, target, LevelCounts(*levels))
