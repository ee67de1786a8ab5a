from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onekernel_study.breakeven import break_even, calls_at
from onekernel_study.schema import Architecture, EchoFit

POSITIVE = st.floats(1e-3, 1e9)
FIT = EchoFit("unix", 20.0, 2.0, 20.0, 0.0, "")


def row(name: str, kernel: str, compute_s: float | None) -> Architecture:
    return Architecture(name, "", kernel, False, None, (1.0,), 1.0, 1.0, None, None, compute_s, 0.0, 0.0, 0, 0, 0, None)


@settings(derandomize=True, deadline=None)
@given(st.sampled_from([0.01, 0.1, 0.5]), POSITIVE, POSITIVE)
def test_that_many_crossings_take_that_share(share: float, compute: float, crossing: float) -> None:
    boundary = calls_at(share, compute, crossing) * crossing
    assert boundary / (boundary + compute) == pytest.approx(share)


def test_it_is_computed_from_the_rows_and_the_fit() -> None:
    rows = [
        row("in_process", "numba", 3.2),
        row("cpp_in_process", "checked", 1.6),
        row("cpp_batch_unix", "checked", 9.9),
    ]
    facts = break_even(rows, [EchoFit("tcp", 1.0, 1.0, 1.0, 0.0, ""), FIT], n_bars=1_000, n_combos=80)
    assert facts.floor_us == 20.0
    assert facts.series_crossing_us == pytest.approx(20.0 + 8_000 / 2_000)
    assert facts.series_crossing_basis == "derived from the echo fit"
    found = {(each.kernel, each.unit): each for each in facts.granularity}
    assert list(found) == [("numba", "combo"), ("numba", "sweep"), ("checked", "combo"), ("checked", "sweep")]
    assert found["numba", "combo"].g == pytest.approx(40_000 / 20)
    assert found["checked", "sweep"].compute_us == pytest.approx(1.6e6), "the first row that shows a kernel"
    assert found["numba", "sweep"].calls_at_50_percent == pytest.approx(160_000)
    assert found["numba", "sweep"].shipping_calls_at_50_percent == pytest.approx(3.2e6 / 24)


def test_a_crossing_with_the_series_is_the_one_that_chatty_measured() -> None:
    chatty = replace(row("cpp_chatty_unix", "checked", 1.6), boundary_s=0.08, crossings=80)
    facts = break_even([row("in_process", "numba", 3.2), chatty], [FIT], n_bars=1_000, n_combos=80)
    assert facts.series_crossing_us == pytest.approx(1_000.0)
    assert facts.series_crossing_basis == "measured by cpp_chatty_unix"
    assert facts.granularity[1].shipping_calls_at_50_percent == pytest.approx(3_200)
    assert break_even([chatty], [], 1_000, 80).series_crossing_us is None


def test_without_an_echo_curve_there_is_none() -> None:
    facts = break_even([row("in_process", "numba", 1.0)], [], 1, 1)
    assert (facts.floor_us, facts.granularity) == (None, ())


def test_a_withheld_row_gives_no_granularity() -> None:
    assert break_even([row("in_process", "numba", None)], [FIT], 1, 1).granularity == ()
