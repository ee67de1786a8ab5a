"""Loops: what a stall does to a closed and to an open one, and rows of real engines."""

import io
import time

import numpy as np
import numpy.typing as npt
import onekernel as ok
import pytest

from onekernel_study.latencies import LatencyCounts, measure_latencies
from onekernel_study.latency import histogram, latency
from onekernel_study.loops import closed_loop, open_loop
from onekernel_study.placement import core_pairs
from onekernel_study.progress import Progress

STALL_S = 0.1
RATE = 1_000.0


class Stalling:
    """A real engine that one call finds asleep."""

    def __init__(self, engine: ok.Engine, at: int) -> None:
        self.engine, self.left = engine, at

    def echo(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        self.left -= 1
        if self.left == 0:
            time.sleep(STALL_S)
        return self.engine.echo(values)


def test_a_stall_counts_once_in_a_closed_loop_and_for_all_whom_it_delays_in_an_open_one() -> None:
    payloads = list(np.arange(400.0).reshape(-1, 1))
    with ok.spawn() as engine:
        closed, _ = closed_loop(Stalling(engine, 200).echo, payloads)
        opened, _ = open_loop(Stalling(engine, 200).echo, payloads, RATE)
    late_ns = STALL_S * 1e9 / 2
    # Due in the first half of the stall: each of them waits for at least the other half.
    delayed = STALL_S * RATE / 2
    assert sum(ns >= late_ns for ns in opened) >= 0.9 * delayed
    assert sum(ns >= late_ns for ns in closed) < 0.5 * delayed
    assert latency(opened).p90_us >= late_ns / 1e3
    assert latency(opened).p90_us > latency(closed).p90_us


def test_calls_are_not_sent_before_they_are_due() -> None:
    sent: list[int] = []

    def echo(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        sent.append(time.perf_counter_ns())
        return values

    samples, replies = open_loop(echo, list(np.arange(20.0).reshape(-1, 1)), 2_000.0)
    assert min(samples) >= 0
    assert sent[-1] - sent[0] >= 0.9 * 19 * 1e9 / 2_000.0 - max(samples)
    assert [float(reply[0]) for reply in replies] == list(np.arange(20.0))


def test_every_transport_loop_and_placement_has_its_row() -> None:
    rows = measure_latencies(LatencyCounts(60, (2_000.0,), 0.03), Progress(io.StringIO()))
    assert {row.name for row in rows} == {
        *(f"{each}_closed_free" for each in ("unix", "tcp", "shm")),
        *(f"{each}_closed_{name.replace(' ', '_')}" for each in ("unix", "tcp", "shm") for name in core_pairs()),
        *(f"{each}_open_2000" for each in ("unix", "tcp", "shm")),
    }
    for row in rows:
        assert row.withheld is None
        assert row.latency is not None
        assert row.histogram is not None
        assert sum(row.histogram.counts) == row.latency.n == 60
        assert row.p50_low_us is not None
        assert row.p50_high_us is not None
        assert row.p50_low_us <= row.p50_high_us
        assert row.client_cpu_us_per_call is not None
        assert row.client_cpu_us_per_call > 0
        assert row.server_cpu_us_per_call is not None
        assert row.server_cpu_us_per_call > 0


def test_an_engine_that_is_not_there_is_told_in_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_ENGINE", "/nowhere")
    rows = measure_latencies(LatencyCounts(6, (), 0.1), Progress(io.StringIO()))
    assert all(row.withheld and row.latency is None for row in rows)


def test_histograms_count_every_call() -> None:
    found = histogram([1_000, 2_000, 4_000, 8_000_000], bins=60)
    assert len(found.edges_us) == 61
    assert (found.edges_us[0], found.edges_us[-1]) == (1.0, 8_000.0)
    assert sum(found.counts) == 4
    assert found.counts[0] == found.counts[-1] == 1
    assert sum(histogram([5_000] * 3).counts) == 3


def test_percentiles_are_samples() -> None:
    facts = latency([1_000 * n for n in range(1, 1_001)])
    assert (facts.n, facts.p50_us, facts.p90_us, facts.p99_us, facts.p999_us, facts.max_us) == (
        1_000,
        500.0,
        900.0,
        990.0,
        999.0,
        1_000.0,
    )
