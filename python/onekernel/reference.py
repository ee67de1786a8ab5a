"""The reference arithmetic in numba: one thread, line by line, written apart from the C++.

It is the "in process" row of the study and the judge of every other implementation: same pnl to the bit, same trades.
The functions compile when they are first called; the machine code is cached on disk where there is a place to write.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .result import SweepResult
from .series import as_close, as_combos, as_fee

try:
    from numba import njit
except ImportError as error:
    raise ImportError("onekernel.reference needs numba: pip install 'onekernel[reference]'") from error

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _compiled(function: _Function) -> _Function:
    # No fastmath: every operation is rounded, in the order written. error_model "numpy" is IEEE division.
    try:
        return njit(function, cache=True, error_model="numpy")  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no directory to which it may write its cache
        return njit(function, error_model="numpy")  # type: ignore[no-any-return]


def sweep(close: object, combos: object, *, fee: float) -> SweepResult:
    """Run every combo over one series; arguments, units and errors as for :func:`onekernel.sweep`."""
    return run(as_close(close), as_combos(combos), as_fee(fee))


def run(close: Floats, combos: Ints, fee: float) -> SweepResult:
    """Do the same on float64 (n_bars,) and int64 (n_combos, 6) without a check: NaN and zeros give what IEEE gives."""
    pnl = np.empty(len(combos), np.float64)
    trades = np.empty(len(combos), np.int64)
    _sweep(close, combos, fee, pnl, trades)
    return SweepResult(pnl, trades)


def wma(x: Floats, length: int) -> Floats:
    """Return the weighted moving average of x, newest value weighted most: float64 (len(x),), NaN before it is full."""
    out = np.empty_like(x)
    _wma(x, length, out)
    return out


def hma(close: Floats, combo: Ints) -> Floats:
    """Return the Hull moving average wma(2*wma(close, half) - wma(close, full), smooth) of one combo, int64 (6,)."""
    scratch = np.empty((3, len(close)))
    out = np.empty_like(close)
    _hma(close, combo, scratch, out)
    return out


def hma3(close: Floats, combo: Ints) -> Floats:
    """Return wma(3*wma(close, third) - wma(close, half3) - wma(close, full3), full3) of one combo, int64 (6,)."""
    scratch = np.empty((3, len(close)))
    out = np.empty_like(close)
    _hma3(close, combo, scratch, out)
    return out


@_compiled
def _wma(x: Floats, length: int, out: Floats) -> None:
    n_bars = len(x)
    out[: min(length - 1, n_bars)] = math.nan
    if length > n_bars:
        return
    weights = float(length * (length + 1) // 2)
    for i in range(length - 1, n_bars):
        window = x[i - length + 1 : i + 1]
        total = 0.0
        weight = 0.0  # k + 1, exact; converting the integer in every step would cost a fifth of the time
        for k in range(length):
            weight += 1.0
            total += weight * window[k]
        out[i] = total / weights


@_compiled
def _hma(close: Floats, combo: Ints, scratch: Floats, out: Floats) -> None:
    half, full, smooth = combo[0], combo[1], combo[2]
    _wma(close, half, scratch[0])
    _wma(close, full, scratch[1])
    for i in range(len(close)):
        scratch[2, i] = 2.0 * scratch[0, i] - scratch[1, i]
    _wma(scratch[2], smooth, out)


@_compiled
def _hma3(close: Floats, combo: Ints, scratch: Floats, out: Floats) -> None:
    third, half3, full3 = combo[3], combo[4], combo[5]
    _wma(close, third, scratch[0])
    _wma(close, half3, scratch[1])
    _wma(close, full3, scratch[2])
    for i in range(len(close)):
        scratch[0, i] = 3.0 * scratch[0, i] - scratch[1, i] - scratch[2, i]
    _wma(scratch[0], full3, out)


@_compiled
def _trade(close: Floats, hma: Floats, hma3: Floats, fee: float) -> tuple[float, int]:
    pnl = 0.0
    trades = 0
    position = 0
    entry = 0.0
    for i in range(len(close)):
        if math.isnan(hma[i]) or math.isnan(hma3[i]):
            continue
        want = 1 if hma3[i] > hma[i] else -1
        if want != position:
            if position != 0:
                pnl += position * (close[i] - entry) / entry * 100.0 - fee
                trades += 1
            position = want
            entry = close[i]
    return pnl, trades


@_compiled
def _sweep(close: Floats, combos: Ints, fee: float, pnl: Floats, trades: Ints) -> None:
    scratch = np.empty((3, len(close)))
    hma = np.empty(len(close))
    hma3 = np.empty(len(close))
    for c in range(len(combos)):
        _hma(close, combos[c], scratch, hma)
        _hma3(close, combos[c], scratch, hma3)
        pnl[c], trades[c] = _trade(close, hma, hma3, fee)
