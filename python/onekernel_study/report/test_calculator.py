"""The calculator's arithmetic by hand, and where its curves come from."""

from dataclasses import replace

import pytest

from onekernel_study import advice
from onekernel_study import curves as measured
from onekernel_study.advice import advise
from onekernel_study.report.calculator import Workload, answer, presets, slider
from onekernel_study.report.curves import Curve, Encoding, alternatives, curves, encodings
from onekernel_study.schema import Study

UNIX = Curve("unix", "Unix socket", 20.0, 200.0, 0.0, "plain", "")
SHM = Curve("shm", "shared memory", 2.0, 200.0, 0.0, "plain", "")
RAW = Encoding("raw", "", 0.0, 1.0)
JSON = Encoding("json", "", 1_000.0, 2.0)


def test_a_crossing_is_floor_bytes_and_encoding() -> None:
    result = answer(Workload(compute_us=600.0, calls=10.0, n_bytes=100_000.0), UNIX, JSON, (UNIX,))
    assert result.transfer_us == 0.2 * 200.0  # twice the bytes
    assert result.encoding_us == 100.0
    assert result.crossing_us == 160.0
    assert result.boundary_us == 1_600.0
    assert result.compute_us == 6_000.0
    assert result.share == 1_600 / 7_600
    assert result.granularity == 30.0


def test_the_break_even_is_where_the_share_is_reached() -> None:
    work = Workload(600.0, 10.0, 100_000.0)
    result = answer(work, UNIX, RAW, (UNIX,))
    for share, compute, calls in zip((0.01, 0.1, 0.5), result.break_even_us, result.split_into, strict=True):
        assert answer(replace(work, compute_us=compute), UNIX, RAW, (UNIX,)).share == pytest.approx(share)
        split = replace(work, compute_us=result.compute_us / calls, calls=calls)
        assert answer(split, UNIX, RAW, (UNIX,)).share == pytest.approx(share)


def test_changes_are_listed_by_what_they_save() -> None:
    result = answer(Workload(600.0, 10.0, 100_000.0), UNIX, JSON, (UNIX, SHM))
    assert [(change.name, change.saves_us) for change in result.changes] == [
        ("batch", 9 * 160.0),
        ("preload", 9 * 140.0),
        ("binary", 10 * 120.0),
        ("transport", 10 * 18.0),
    ]
    assert result.changes[0].share == (1_600 - 1_440) / (1_600 - 1_440 + 6_000)


def test_one_empty_call_over_the_best_transport_has_nothing_to_change() -> None:
    assert answer(Workload(600.0, 1.0, 0.0), SHM, RAW, (UNIX, SHM)).changes == ()


def test_a_peer_has_its_own_encoding_in_it() -> None:
    peer = Curve("x", "x", 20.0, 1_000.0, 800.0, "peer", "")
    result = answer(Workload(600.0, 10.0, 100_000.0), peer, JSON, (peer,))
    assert (result.transfer_us, result.encoding_us, result.crossing_us) == (20.0, 80.0, 120.0)
    assert [(change.name, change.saves_us) for change in result.changes] == [
        ("batch", 9 * 120.0),
        ("preload", 9 * 100.0),
        ("binary", 10 * 80.0),
    ]


def test_the_curves_are_the_studys(whole: Study) -> None:
    found = {curve.name: curve for curve in curves(whole)}
    assert list(found) == ["unix", "tcp", "shm", "zeromq", "http_json", "unix_after_compute"]
    assert (found["tcp"].floor_us, found["tcp"].us_per_mb) == pytest.approx((23.6, 160.0))
    after = found["unix_after_compute"]
    assert after.floor_us + 16 * 149_999 * after.us_per_mb / 1e6 == pytest.approx(804.453)
    peer = found["zeromq"]
    assert peer.floor_us == pytest.approx(61.7)
    assert peer.floor_us + 1.2 * peer.us_per_mb == pytest.approx(61.7 + 177.3)
    assert alternatives(after, list(found.values())) == ()
    assert after not in alternatives(found["unix"], list(found.values()))


@pytest.mark.parametrize(("calls", "n_bytes"), [(80, 1_200_000), (1, 8), (150_000, 800)])
def test_it_agrees_with_the_verdict_on_the_same_workload(whole: Study, calls: int, n_bytes: int) -> None:
    found = curves(whole)
    told = advise(measured.curves(whole), advice.Workload(3e-4, calls, n_bytes), "unix")
    for cost in told.crossings:
        if cost.name in ("in_process", "unix_json"):
            continue
        (curve,) = [each for each in found if each.name == cost.name]
        result = answer(Workload(300.0, float(calls), float(n_bytes)), curve, RAW, found)
        assert result.share == pytest.approx(cost.share, rel=1e-12)
        assert result.crossing_us == pytest.approx(1e6 * cost.call_s, rel=1e-12)
        assert result.break_even_us[1] == pytest.approx(1e6 * cost.break_even_compute_s, rel=1e-12)
        assert result.split_into[1] == pytest.approx(cost.break_even_calls, rel=1e-12)


def test_a_format_costs_what_it_cost_for_the_series(whole: Study) -> None:
    raw, *others = encodings(whole)
    assert (raw.us_per_mb, raw.size) == (0.0, 1.0)
    (json,) = [each for each in others if each.name == "json"]
    assert json.us_per_mb * 1.2 == pytest.approx(107_733.9 + 71_400.2)
    assert json.size == 2_859_107 / 1_200_000


def test_without_echoes_there_is_no_curve(gaps: Study) -> None:
    assert curves(gaps) == ()
    assert len(encodings(gaps)) == 1
    assert presets(gaps) == ()


def test_sliders_have_ten_round_values_a_decade() -> None:
    assert slider(0, 2) == [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100]
