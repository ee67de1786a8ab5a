"""Every peer with its real library over a tiny workload; wrong answers, missing libraries, the arithmetic of a step."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onekernel as ok
import pytest
from onekernel import reference

from onekernel_study.peers.contract import BAR, COMBO, SWEEP, Spec
from onekernel_study.peers.in_process import Native
from onekernel_study.peers.measure import PeerCounts, Row, measure_peers
from onekernel_study.peers.process import served
from onekernel_study.peers.registry import PEERS
from onekernel_study.peers.service import LIVE_LENGTH, Floats, Ints, Service, Stepped, Swept, decision_weights
from onekernel_study.peers.summary import complaints, peers
from onekernel_study.progress import Progress
from onekernel_study.runner import trial
from onekernel_study.workload import Workload, shortened

COUNTS = PeerCounts(rounds=2, box_s=0.02)
NATIVE = PEERS[0]


@pytest.fixture(scope="module")
def workload() -> Workload:
    return shortened(500, 3)


@pytest.fixture(scope="module")
def rows(workload: Workload) -> list[Row]:
    return measure_peers(PEERS, trial(workload), COUNTS, Progress(io.StringIO()))


def test_every_peer_answers_with_the_same_bits(rows: list[Row]) -> None:
    found = peers(rows, checked_s=1.0)
    assert [(row.name, row.granularity) for row in found if not row.measured] == []
    assert {(row.name, row.granularity) for row in found} == {
        (spec.name, granularity) for spec in PEERS for granularity in spec.granularities
    }
    assert complaints(rows) == ()
    for row in found:
        assert row.bitwise
        assert row.latency is not None
        assert row.latency.n == row.n * row.calls_made
        assert row.sweep_derived == (row.calls_made < row.calls_planned) == bool(row.reason and "of" in row.reason)
        assert row.library_version
        assert row.boundary_share is not None
        assert 0 <= row.boundary_share < 1
        assert (row.server_cpu_us_per_call is None) == (row.transport == "in process")
    assert {row.calls_planned for row in found if row.granularity == BAR} == {500}


def test_the_native_row_is_what_ratios_are_to(rows: list[Row]) -> None:
    for row in peers(rows, checked_s=None):
        assert row.boundary_share_checked is None
        if row.name == "native":
            assert (row.ratio_to_in_process, row.ratio_low, row.ratio_high) == (1.0, 1.0, 1.0)


class Wrong(Native):
    """The native service with one bit of one answer turned."""

    def __init__(self, granularity: str) -> None:
        super().__init__()
        self._granularity = granularity

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        pnl, trades, compute_ns = super().sweep(close, combos, fee)
        if self._granularity == (SWEEP if len(combos) > 1 else COMBO):
            pnl = pnl.copy()
            pnl.view(np.uint64)[-1] ^= np.uint64(1)
        return Swept(pnl, trades, compute_ns)

    def bar(self, close: float) -> Stepped:
        value, compute_ns = super().bar(close)
        return Stepped(float(np.nextafter(value, 9.0)) if self._granularity == BAR else value, compute_ns)


@pytest.mark.parametrize("granularity", [SWEEP, COMBO, BAR])
def test_one_wrong_bit_withholds_the_row_and_no_other(granularity: str, workload: Workload) -> None:
    @contextmanager
    def opened(folder: Path) -> Iterator[Wrong]:
        yield Wrong(granularity)

    spec = Spec("wrong", "wrong", "onekernel", "in process", "none", opened)
    measured = measure_peers([NATIVE, spec], trial(workload), COUNTS, Progress(io.StringIO()))
    found = {(row.name, row.granularity): row for row in peers(measured, None)}
    withheld = found.pop(("wrong", granularity))
    assert withheld.withheld
    assert not withheld.measured
    assert withheld.sweep_s is None
    assert all(row.measured for row in found.values())
    assert [text.split(":")[0] for text in complaints(measured)] == [f"peer wrong, {granularity}"]


def test_what_is_not_installed_or_does_not_start_is_shown_so(workload: Workload) -> None:
    def absent(folder: Path) -> None:
        raise ModuleNotFoundError("No module named 'zmq'")

    def broken(folder: Path) -> None:
        raise RuntimeError("no port is free")

    specs = [
        Spec(name, name, "no-such-library", "unix", "none", opener)  # type: ignore[arg-type]
        for name, opener in (("absent", absent), ("broken", broken))
    ]
    measured = measure_peers(specs, trial(workload), COUNTS, Progress(io.StringIO()))
    found = peers(measured, None)
    assert len(found) == 6
    for row in found:
        assert not row.measured
        assert row.latency is None
        assert row.library_version is None
    assert found[0].reason == "not installed: No module named 'zmq'; pip install 'onekernel[peers]'"
    assert found[3].reason == "did not start: RuntimeError: no port is free"
    assert complaints(measured) == (), "an absent library is no failed gate"


def test_a_peer_that_dies_before_it_is_ready_tells_its_last_words() -> None:
    words = "the no_such_peer peer did not start: ModuleNotFoundError"
    with pytest.raises(RuntimeError, match=words), served("no_such_peer", "nowhere"):
        pass


def test_the_step_is_the_difference_of_the_two_averages() -> None:
    close = 100.0 + np.cumsum(np.random.default_rng(3).normal(0.0, 0.1, 400))
    combo = ok.hma_combos([LIVE_LENGTH])[0]
    due = reference.hma3(close, combo) - reference.hma(close, combo)
    service = Service()
    values = np.array([service.bar(float(price)).value for price in close])
    full = ~np.isnan(due)
    assert full.sum() > 300
    np.testing.assert_allclose(values[full], due[full], rtol=0, atol=1e-10)
    assert abs(decision_weights(LIVE_LENGTH).sum()) < 1e-12
