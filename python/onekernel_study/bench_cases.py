"""The workloads beside the published one: scaling, worst cases, and real prices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onekernel as ok
from onekernel import readers
from onekernel.workload import PUBLISHED_FEE

from onekernel_study.bench_schema import NotMeasured
from onekernel_study.crossings import Close, Combos
from onekernel_study.workload import probe

SYMBOLS = ("AAPL", "GOOG")


@dataclass(frozen=True)
class Case:
    """close float64 (n_bars,), any doubles; combos int64 (n_combos, 6)."""

    group: str
    name: str
    close: Close
    combos: Combos
    exact: bool = True  # whether exact is measured too; otherwise it only checks some combos
    fee: float = PUBLISHED_FEE
    judged_by_numba: bool = False


def walk(n_bars: int, seed: int = 42) -> Close:
    """A walk like the published series, of any length."""
    return np.asarray(100 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 0.0008, n_bars))))


def scaling_bars(quick: bool) -> list[Case]:
    """80 combos over ever longer series; exact would take half a minute per sweep over the longest."""
    sizes = (10_000, 50_000, 150_000, 1_000_000) + (() if quick else (10_000_000,))
    longest, grid = walk(sizes[-1]), ok.hma_grid(6, 200, 80)
    return [
        Case("bars", f"{n:,} bars", longest[:n].copy(), grid, n <= (150_000 if quick else 1_000_000)) for n in sizes
    ]


def scaling_combos(quick: bool) -> list[Case]:
    """Ever more combos over one series, all between 6 and 200 long."""
    close = walk(20_000)
    sizes = (1, 10, 100, 1_000) if quick else (1, 10, 100, 1_000, 10_000)
    return [Case("combos", f"{n:,} combos", close, ok.hma_grid(6 if n > 1 else 100, 200, n)) for n in sizes]


def scaling_lengths(quick: bool) -> list[Case]:
    """Four combos each, of about one length."""
    close = walk(30_000 if quick else 150_000)
    lengths = (6, 12, 25, 50, 100, 200, 500, 1_000, 2_000, 5_000)
    return [Case("lengths", f"length {n:,}", close, ok.hma_combos(range(n, n + 4))) for n in lengths]


def worst(quick: bool) -> list[Case]:
    """Series on which certified can prove little, on the published grid."""
    n_bars, grid = 30_000 if quick else 150_000, ok.hma_grid(6, 200, 80)
    steps = np.random.default_rng(11).choice([-1, 0, 1], n_bars, p=[0.1, 0.8, 0.1])
    with_nan = walk(n_bars)
    with_nan[100::256] = np.nan
    series = {
        "constant": np.full(n_bars, 100.0),
        "two alternating prices": np.where(np.arange(n_bars) % 2 == 0, 100.0, 100.01),
        "ticks, 80 % unchanged": 1e4 + 0.25 * np.cumsum(steps),
        "half flat, exact ties": probe(grid, PUBLISHED_FEE, n_bars).close,
        "NaN in every block": with_nan,
    }
    return [Case("worst", name, close, grid, judged_by_numba=True) for name, close in series.items()]


def real(files: Sequence[Path]) -> tuple[list[Case], list[NotMeasured]]:
    """Market prices: those that a sample package ships, where it is installed, and the files that were given.

    Raises onekernel.ReadError for a file that holds no prices.
    """
    grid = ok.hma_grid(6, 200, 80)
    cases = [Case("real", path.name, readers.read_prices(path).close, grid, judged_by_numba=True) for path in files]
    try:
        from bokeh_sampledata import stocks
    except ImportError:
        return cases, [NotMeasured("the daily prices of bokeh_sampledata", "the package is not installed")]
    for symbol in SYMBOLS:
        close = np.ascontiguousarray(getattr(stocks, symbol)["close"], np.float64)
        cases.append(Case("real", f"{symbol}, daily", close, grid, judged_by_numba=True))
    return cases, []


GROUPS: tuple[Callable[[bool], list[Case]], ...] = (scaling_bars, scaling_combos, scaling_lengths, worst)
