"""Shared by the study's tests: a small real study, and an implementation with faults that can be planted."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from onekernel.workload import PUBLISHED_FEE

from onekernel_study import study
from onekernel_study.crossings import Close, Combos, Crossing, InProcess, Opener
from onekernel_study.derived import CallCounts
from onekernel_study.gate import Answer
from onekernel_study.latencies import LatencyCounts
from onekernel_study.live import LiveCounts
from onekernel_study.peers.measure import PeerCounts
from onekernel_study.plan import FastCounts, Plan
from onekernel_study.progress import Progress
from onekernel_study.schema import Study
from onekernel_study.workload import Workload, shortened

TINY = Plan(
    quick=False,
    rounds=3,
    boxed_rounds=2,
    echo_calls={1: 100, 100: 100, 10_000: 40},
    serialization_repeats=3,
    spawns=2,
    calls=CallCounts(per_sweep=8, sweeps=3, after_compute=3, per_bar=50, per_bar_full=2_000),
    placement_calls=100,
    fast=FastCounts(sweeps=3, puts=3, calls=100),
    live=LiveCounts(fast=200, socket=50, socket_grid=20),
    peers=PeerCounts(rounds=2, box_s=0.02),
    latencies=LatencyCounts(closed=60, rates_per_s=(2_000.0,), open_s=0.03),
    cold_starts=1,
)


@pytest.fixture(scope="session")
def workload() -> Workload:
    """2,000 bars of the published series and six combos."""
    return shortened(2_000, 6)


@pytest.fixture(scope="session")
def plan() -> Plan:
    return TINY


@pytest.fixture(scope="session")
def real_study(workload: Workload, plan: Plan) -> Study:
    """All rows of the study, with real engines, over the small workload."""
    return study.run(workload, plan, Progress())


FAULTS = (
    "fee taken before the percent conversion",
    "fee converted to a fraction and back",
    "window one bar late",
    "window one bar too long",
    "NaN branch turned round",
    "tie counted as long",
)


def plain_sweep(close: Close, combos: Combos, fee: float = PUBLISHED_FEE, fault: str | None = None) -> Answer:
    """The reference arithmetic in plain Python, with one fault if asked for."""
    assert fault is None or fault in FAULTS
    booked = [_book(close.tolist(), [int(n) for n in combo], fee, fault) for combo in combos]
    return Answer(np.array([pnl for pnl, _ in booked]), np.array([trades for _, trades in booked], np.int64))


@pytest.fixture(scope="session")
def sweep_with_fault() -> Callable[..., Answer]:
    """The reference arithmetic in plain Python: (close, combos, fee=0.09, fault=None) -> Answer."""
    return plain_sweep


@pytest.fixture(scope="session")
def planted() -> Callable[[Callable[[Close, Combos, float], Answer]], Opener]:
    """Makes an architecture for the study's rows out of any function (close, combos, fee) -> Answer."""

    def opener(function: Callable[[Close, Combos, float], Answer]) -> Opener:
        @contextmanager
        def opened(scratch: Path, fee: float) -> Iterator[Crossing]:
            yield InProcess(function)

        return opened

    return opener


def _book(close: list[float], combo: list[int], fee: float, fault: str | None) -> tuple[float, int]:
    half, full, smooth, third, half3, full3 = combo
    hma = _hull([(2.0, half), (-1.0, full)], close, smooth, fault)
    hma3 = _hull([(3.0, third), (-1.0, half3), (-1.0, full3)], close, full3, fault)
    pnl, trades, position, entry = 0.0, 0, 0, 0.0
    for price, fast, slow in zip(close, hma3, hma, strict=True):
        if (math.isnan(fast) or math.isnan(slow)) and fault != "NaN branch turned round":
            continue
        long = fast >= slow if fault == "tie counted as long" else fast > slow
        want = 1 if long else -1
        if want != position:
            if position:
                pnl += _trade(position, price, entry, fee, fault)
                trades += 1
            position, entry = want, price
    return pnl, trades


def _trade(position: int, price: float, entry: float, fee: float, fault: str | None) -> float:
    if fault == "fee taken before the percent conversion":
        return (position * (price - entry) / entry - fee) * 100.0
    if fault == "fee converted to a fraction and back":
        return (position * (price - entry) / entry - fee / 100.0) * 100.0
    return position * (price - entry) / entry * 100.0 - fee


def _hull(terms: list[tuple[float, int]], close: list[float], smooth: int, fault: str | None) -> list[float]:
    averages = [(factor, _wma(close, n, fault)) for factor, n in terms]
    mixed = []
    for i in range(len(close)):
        total = averages[0][0] * averages[0][1][i]
        for factor, average in averages[1:]:
            total += factor * average[i]
        mixed.append(total)
    return _wma(mixed, smooth, fault)


def _wma(x: list[float], n: int, fault: str | None) -> list[float]:
    n += fault == "window one bar too long"
    shift = int(fault == "window one bar late")
    out = [math.nan] * len(x)
    for i in range(n - 1 + shift, len(x)):
        total = 0.0
        for k in range(n):
            total += (k + 1) * x[i - shift - n + 1 + k]
        out[i] = total / (n * (n + 1) / 2)
    return out
