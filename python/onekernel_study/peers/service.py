"""What every peer computes, so that peers differ in nothing but the crossing: a sweep, and one step of a live loop.

The sweep is the native kernel on one thread. The step takes one close and returns the decision value hma3 - hma of one
combo at that bar: the two Hull averages are linear, so their difference is one weighted sum over the last closes, a
few microseconds in NumPy. It is the least that a live strategy computes per bar, and it has a state as live loops have.
"""

import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onekernel as ok

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

KERNEL = "certified"
THREADS = 1
LIVE_LENGTH = 50  # of the combo whose decision value the step computes


class Swept(NamedTuple):
    """The answer to a sweep: pnl float64 (n_combos,), trades int64 (n_combos,), and the kernel's time."""

    pnl: Floats
    trades: Ints
    compute_ns: int


class Stepped(NamedTuple):
    """The answer to one bar."""

    value: float
    compute_ns: int


class Service:
    """The sweep, and the state of one live loop. Not thread-safe: one loop, one thread."""

    def __init__(self) -> None:
        self._weights = decision_weights(LIVE_LENGTH)
        # Every close is written twice, so that the last ones always lie in one piece, oldest first.
        self._closes: Floats | None = None
        self._at = 0

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """All combos over the series; fee in percent per closed trade."""
        start = time.perf_counter_ns()
        result = ok.sweep(close, combos, fee=fee, kernel=KERNEL, threads=THREADS)
        return Swept(result.pnl, result.trades, time.perf_counter_ns() - start)

    def bar(self, close: float) -> Stepped:
        """Takes the next close and returns hma3 - hma there; before the first close, prices stood where it stands."""
        start = time.perf_counter_ns()
        n = len(self._weights)
        if self._closes is None:
            self._closes = np.full(2 * n, close)
        self._closes[self._at] = self._closes[self._at + n] = close
        self._at = (self._at + 1) % n
        value = decision_value(self._weights, self._closes[self._at : self._at + n])
        return Stepped(value, time.perf_counter_ns() - start)


def decision_value(weights: Floats, window: Floats) -> float:
    """The weighted sum over the last closes, oldest first; NumPy sums in an order that depends on the length alone."""
    return float(np.add.reduce(weights * window))


def decision_weights(length: int) -> Floats:
    """The weights of hma3 - hma over the last closes, oldest first, for the combo of a window length; they sum to 0."""
    half, full, smooth, third, half3, full3 = (int(n) for n in ok.hma_combos([length])[0])
    slow = np.convolve(_sum((2.0, half), (-1.0, full)), _wma(smooth))
    fast = np.convolve(_sum((3.0, third), (-1.0, half3), (-1.0, full3)), _wma(full3))
    return _padded(fast, slow)[0][::-1] - _padded(slow, fast)[0][::-1]


def _wma(n: int) -> Floats:
    """The weights of a weighted moving average by age, the newest first."""
    return np.arange(n, 0, -1) / (n * (n + 1) / 2)


def _sum(*terms: tuple[float, int]) -> Floats:
    total = np.zeros(max(n for _, n in terms))
    for factor, n in terms:
        total[:n] += factor * _wma(n)
    return total


def _padded(*filters: Floats) -> list[Floats]:
    longest = max(map(len, filters))
    return [np.pad(each, (0, longest - len(each))) for each in filters]
