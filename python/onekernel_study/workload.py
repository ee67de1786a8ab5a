"""What the study sweeps: the published workload, and a small series full of ties that shows what it cannot.

Exact ties between the two averages hardly ever happen on the published series, so an implementation that counts a tie
as long would pass there. The probe has long flat stretches, hence ties by the hundred; every row answers it before
its first time is taken.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onekernel as ok
from onekernel.workload import published as published_series

from onekernel_study.gate import Fingerprint

PUBLISHED_FINGERPRINT = Fingerprint(pnl_pct=-5165.58, trades=57_029)


@dataclass(frozen=True)
class Workload:
    """close float64 (n_bars,), combos int64 (n_combos, 6), fee in percent per closed trade (round trip)."""

    description: str
    close: npt.NDArray[np.float64]
    combos: npt.NDArray[np.int64]
    fee: float
    fingerprint: Fingerprint | None = None


def published() -> Workload:
    """The published workload: 150,000 bars, 80 combos, fee 0.09, with its fingerprint."""
    close, combos, fee = published_series()
    said = "100 * exp(cumsum(normal(0, 0.0008))), seed 42; lengths round(linspace(6, 200, 80))"
    return Workload(said, close, combos, fee, PUBLISHED_FINGERPRINT)


def shortened(n_bars: int, n_combos: int, longest: int = 40) -> Workload:
    """A smaller workload of the same kind: the first n_bars of the published series, lengths 6 to `longest`."""
    close, _, fee = published_series()
    said = f"the first {n_bars} bars of the published series, {n_combos} lengths from 6 to {longest}"
    return Workload(said, close[:n_bars].copy(), ok.hma_grid(6, longest, n_combos), fee)


def probe(combos: npt.NDArray[np.int64], fee: float, n_bars: int = 4096) -> Workload:
    """A series of exact binary fractions, half of it flat in stretches of 256 bars, for the same combos.

    Sums of such prices round nowhere, so equal prices give exact ties; the prices stay above zero.
    """
    rng = np.random.default_rng(7)
    steps = rng.integers(-3, 4, n_bars)
    steps[rng.random(n_bars) < 0.2] = 0
    steps[np.arange(n_bars) // 256 % 2 == 1] = 0
    path = np.cumsum(steps)
    close = (path - path.min() + 4096) / 64.0
    return Workload("exact binary fractions, half of the bars flat", close, combos, fee)
