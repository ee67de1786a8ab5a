import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import numpy as np
import numpy.typing as npt
import onekernel as ok
import pytest

from onekernel_study.derived import CallCounts, measure_calls
from onekernel_study.echo import BrokenEchoError, echo_complaint, fit_echo, measure_echo
from onekernel_study.progress import Progress
from onekernel_study.schema import EchoPoint
from onekernel_study.workload import Workload

QUIET = Progress(io.StringIO())
COUNTS = CallCounts(per_sweep=4, sweeps=2, after_compute=2, per_bar=30, per_bar_full=300)


@contextmanager
def engines() -> Iterator[dict[str, ok.Engine]]:
    with ok.spawn(transport="unix", protocol="classic") as unix, ok.spawn(transport="tcp", protocol="classic") as tcp:
        yield {"unix": unix, "tcp": tcp}


class Corrupting:
    """Echoes through a real engine and flips one bit of call number `at`."""

    def __init__(self, engine: ok.Engine, at: int) -> None:
        self.engine, self.left = engine, at

    def echo(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        self.left -= 1
        reply = self.engine.echo(values).copy()
        if self.left == 0:
            reply.view(np.uint64)[-1] ^= np.uint64(1)
        return reply


def test_every_size_and_transport_has_its_percentiles() -> None:
    points = measure_echo(engines, {1: 50, 1_000: 33}, QUIET)
    assert [(p.transport, p.floats, p.bytes, p.n) for p in points] == [
        ("unix", 1, 8, 50),
        ("unix", 1_000, 8_000, 33),
        ("tcp", 1, 8, 50),
        ("tcp", 1_000, 8_000, 33),
    ]
    for p in points:
        assert p.withheld is None
        assert p.p50_us is not None
        assert p.p90_us is not None
        assert p.p99_us is not None
        assert 0 < p.p50_us <= p.p90_us <= p.p99_us


def test_one_flipped_bit_withholds_its_point_only() -> None:
    @contextmanager
    def one_corrupting() -> Iterator[dict[str, ok.Engine]]:
        with engines() as both:
            yield {**both, "tcp": cast(ok.Engine, Corrupting(both["tcp"], at=7))}

    points = measure_echo(one_corrupting, {10: 40}, QUIET)
    right, wrong = points
    assert right.withheld is None
    assert wrong.withheld is not None
    assert "float 9 of 10 came back as" in wrong.withheld
    assert (wrong.p50_us, wrong.p90_us, wrong.p99_us) == (None, None, None)
    assert [fit.transport for fit in fit_echo((*points, EchoPoint("unix", 20, 160, 1, 9e6, 9e6, 9e6, None)))] == [
        "unix"
    ]


def test_echo_complaint_compares_bits_and_form() -> None:
    sent = np.array([1.0, np.nan, -0.0])
    assert echo_complaint(sent, sent.copy()) is None
    assert "float 2 of 3" in str(echo_complaint(sent, np.array([1.0, np.nan, 0.0])))
    assert "shape (2,)" in str(echo_complaint(sent, sent[:2]))
    assert "float32" in str(echo_complaint(sent, sent.astype(np.float32)))


def test_the_fit_counts_bytes_both_ways() -> None:
    # 10 us and 1 GB/s over what crosses in both directions: 16,000 bytes take 16 us.
    points = [EchoPoint("unix", n, 8 * n, 5, 10.0 + 16 * n / 1e3, 0.0, 0.0, None) for n in (1, 1_000, 150_000)]
    (fit,) = fit_echo(points)
    assert fit.floor_us == pytest.approx(10.0)
    assert fit.bandwidth_gb_s == pytest.approx(1.0)
    assert fit.p50_one_float_us == pytest.approx(10.016)
    assert fit.worst_residual_percent < 1e-6


def test_small_calls_are_measured_or_say_that_they_were_scaled(workload: Workload) -> None:
    with ok.spawn(fee=workload.fee, protocol="classic") as engine:
        figures = {each.name: each for each in measure_calls(engine, workload, COUNTS, QUIET)}
    assert figures["params_only_call"].value * 4 / 1e3 == pytest.approx(figures["params_only_sweep"].value)
    assert figures["params_only_call"].basis == "measured"
    assert figures["per_bar_series"].basis == "derived from 30 calls"
    assert all(each.value > 0 for each in figures.values())


def test_a_corrupted_small_call_gives_no_figure(workload: Workload) -> None:
    with ok.spawn(fee=workload.fee, protocol="classic") as engine:
        corrupting = cast(ok.Engine, Corrupting(engine, at=20))
        with pytest.raises(BrokenEchoError, match="came back as"):
            measure_calls(corrupting, workload, COUNTS, QUIET)


def test_echoes_that_show_no_bandwidth_have_no_fit() -> None:
    points = [EchoPoint("unix", floats, 8 * floats, 1, us, us, us, None) for floats, us in ((1, 9.0), (1_000, 8.0))]
    assert fit_echo(points) == ()
