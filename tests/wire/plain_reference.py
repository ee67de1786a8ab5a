"""The reference arithmetic in plain Python floats: a third implementation, as slow as it is short."""

from __future__ import annotations

import math
from collections.abc import Sequence


def wma(x: Sequence[float], length: int) -> list[float]:
    weights = length * (length + 1) / 2
    averages = [math.nan] * min(length - 1, len(x))
    for i in range(length - 1, len(x)):
        total = 0.0
        for k in range(length):
            total += (k + 1) * x[i - length + 1 + k]
        averages.append(total / weights)
    return averages


def positions(close: Sequence[float], combo: Sequence[int]) -> list[int]:
    """Return the position after each bar: +1 long, -1 short, 0 before the first decision."""
    half, full, smooth, third, half3, full3 = combo
    hma = wma([2.0 * a - b for a, b in zip(wma(close, half), wma(close, full), strict=True)], smooth)
    triple = zip(wma(close, third), wma(close, half3), wma(close, full3), strict=True)
    hma3 = wma([3.0 * a - b - c for a, b, c in triple], full3)
    held, position = [], 0
    for slow, fast in zip(hma, hma3, strict=True):
        if not (math.isnan(slow) or math.isnan(fast)):
            position = 1 if fast > slow else -1
        held.append(position)
    return held


def sweep_one(close: Sequence[float], combo: Sequence[int], fee: float) -> tuple[float, int]:
    position, entry, pnl, trades = 0, 0.0, 0.0, 0
    for price, want in zip(close, positions(close, combo), strict=True):
        if want == position:
            continue
        if position != 0:
            pnl += position * (price - entry) / entry * 100.0 - fee
            trades += 1
        position, entry = want, price
    return pnl, trades


def walk(bars: int, seed: int = 12345) -> list[float]:
    """Prices that are integers over 1024, so that they are the same doubles everywhere."""
    state, level, prices = seed, 1 << 20, []
    for _ in range(bars):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        level += (state >> 16) % 2001 - 1000
        prices.append(level / 1024.0)
    return prices
