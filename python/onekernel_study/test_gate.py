"""The gate sees what it must see: real sweeps by an implementation with planted faults, and altered answers."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onekernel_study.gate import Answer, Fingerprint, Gate, largest_difference
from onekernel_study.runner import trial
from onekernel_study.workload import Workload, probe

Sweep = Callable[..., Answer]
COMBOS = np.arange(1, 19, dtype=np.int64).reshape(3, 6)
REFERENCE = Answer(np.array([1.5, -2.25, 0.1]), np.array([10, 20, 30], np.int64))
GATE = Gate(REFERENCE, COMBOS)


def test_the_same_arithmetic_passes_on_both_series(workload: Workload, sweep_with_fault: Sweep) -> None:
    for each in (workload, probe(workload.combos, workload.fee)):
        comparison = trial(each).gate.check(sweep_with_fault(each.close, each.combos, each.fee))
        assert comparison.complaint is None
        assert comparison.bitwise
        assert comparison.trades_equal
        assert comparison.published_gate
        assert comparison.max_abs_pnl_diff == 0.0


@pytest.mark.parametrize(
    "fault",
    [
        "fee taken before the percent conversion",
        "window one bar late",
        "window one bar too long",
        "NaN branch turned round",
    ],
)
def test_a_planted_fault_is_caught_on_the_published_series(
    workload: Workload, sweep_with_fault: Sweep, fault: str
) -> None:
    comparison = trial(workload).gate.check(sweep_with_fault(workload.close, workload.combos, workload.fee, fault))
    assert not comparison.bitwise
    assert not comparison.published_gate
    assert comparison.complaint is not None
    assert comparison.complaint.startswith("combo 0 (3, 6, 2, 1, 2, 3): pnl ")
    assert comparison.max_abs_pnl_diff is not None
    assert comparison.max_abs_pnl_diff > 1e-6


def test_a_fault_of_the_last_bits_passes_the_published_gate_and_not_ours(
    workload: Workload, sweep_with_fault: Sweep
) -> None:
    answer = sweep_with_fault(workload.close, workload.combos, workload.fee, "fee converted to a fraction and back")
    comparison = trial(workload).gate.check(answer)
    assert comparison.published_gate
    assert comparison.trades_equal
    assert not comparison.bitwise
    assert comparison.complaint is not None


def test_a_tie_counted_as_long_is_caught_by_the_probe_only(workload: Workload, sweep_with_fault: Sweep) -> None:
    fault = "tie counted as long"
    unseen = trial(workload).gate.check(sweep_with_fault(workload.close, workload.combos, workload.fee, fault))
    assert unseen.complaint is None, "the published series has no tie here, which is why there is a probe"
    ties = probe(workload.combos, workload.fee)
    seen = trial(ties).gate.check(sweep_with_fault(ties.close, ties.combos, ties.fee, fault))
    assert not seen.trades_equal
    assert seen.complaint is not None
    assert "combo 0" in seen.complaint


def test_one_unit_in_the_last_place_is_caught_and_named() -> None:
    pnl = REFERENCE.pnl.copy()
    pnl[1] = np.nextafter(pnl[1], 0.0)
    comparison = GATE.check(Answer(pnl, REFERENCE.trades))
    assert not comparison.bitwise
    assert comparison.trades_equal
    assert comparison.published_gate
    assert comparison.max_abs_pnl_diff == pytest.approx(4.44e-16, rel=1e-2)
    assert comparison.complaint is not None
    assert comparison.complaint.startswith("combo 1 (7, 8, 9, 10, 11, 12): pnl -2.2499999999999996 where the reference")
    assert "differs by 4.44e-16" in comparison.complaint


def test_a_trade_count_off_by_one_is_caught() -> None:
    comparison = GATE.check(Answer(REFERENCE.pnl, REFERENCE.trades + np.array([0, 0, 1])))
    assert comparison.bitwise
    assert not comparison.trades_equal
    assert not comparison.published_gate
    assert comparison.complaint is not None
    assert "combo 2" in comparison.complaint
    assert "trades 31 where it has 30" in comparison.complaint


def test_swapped_combos_are_caught() -> None:
    swapped = [1, 0, 2]
    comparison = GATE.check(Answer(REFERENCE.pnl[swapped], REFERENCE.trades[swapped]))
    assert not comparison.bitwise
    assert not comparison.trades_equal
    assert comparison.complaint is not None
    assert "1 more of 3 combos differ" in comparison.complaint


def test_nan_is_caught_and_has_no_difference() -> None:
    comparison = GATE.check(Answer(np.array([1.5, np.nan, 0.1]), REFERENCE.trades))
    assert not comparison.bitwise
    assert not comparison.published_gate
    assert comparison.max_abs_pnl_diff is None
    assert comparison.complaint is not None


def test_negative_zero_is_not_zero() -> None:
    gate = Gate(Answer(np.zeros(3), REFERENCE.trades), COMBOS)
    comparison = gate.check(Answer(np.array([0.0, -0.0, 0.0]), REFERENCE.trades))
    assert not comparison.bitwise
    assert comparison.max_abs_pnl_diff == 0.0
    assert comparison.complaint is not None


def test_the_same_nan_is_equal() -> None:
    reference = Answer(np.array([np.nan, 1.0, 2.0]), REFERENCE.trades)
    comparison = Gate(reference, COMBOS).check(Answer(reference.pnl.copy(), REFERENCE.trades))
    assert comparison.bitwise
    assert comparison.complaint is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(REFERENCE.pnl[:2], REFERENCE.trades), r"pnl is float64 of shape \(2,\)"),
        (Answer(REFERENCE.pnl.reshape(3, 1), REFERENCE.trades), r"shape \(3, 1\)"),
        (Answer(REFERENCE.pnl.astype(np.float32), REFERENCE.trades), "pnl is float32"),  # type: ignore[arg-type]
        (Answer(REFERENCE.pnl, REFERENCE.trades[:0]), r"trades is int64 of shape \(0,\)"),
        (Answer(REFERENCE.pnl, REFERENCE.trades.astype(np.float64)), "trades is float64"),  # type: ignore[arg-type]
    ],
)
def test_another_form_is_caught(answer: Answer, words: str) -> None:
    comparison = GATE.check(answer)
    assert not comparison.bitwise
    assert comparison.complaint is not None
    assert re.search(words, comparison.complaint)


@pytest.mark.parametrize(
    ("expected", "passes"),
    [
        (Fingerprint(1.5, 10), True),
        (Fingerprint(1.504, 10), True),
        (Fingerprint(1.506, 10), False),
        (Fingerprint(1.5, 11), False),
    ],
)
def test_a_reference_without_the_fingerprint_lets_nothing_pass(expected: Fingerprint, passes: bool) -> None:
    comparison = Gate(REFERENCE, COMBOS, expected).check(REFERENCE)
    assert (comparison.complaint is None) == passes
    if not passes:
        assert "not the published fingerprint" in str(comparison.complaint)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.data())
def test_any_single_changed_bit_is_caught(values: list[float], data: st.DataObject) -> None:
    pnl = np.array(values)
    trades = np.zeros(len(values), np.int64)
    gate = Gate(Answer(pnl, trades), np.ones((len(values), 6), np.int64))
    changed = pnl.copy()
    i, bit = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(0, 63))
    changed.view(np.uint64)[i] ^= np.uint64(1) << np.uint64(bit)
    comparison = gate.check(Answer(changed, trades))
    assert not comparison.bitwise
    assert f"combo {i} " in str(comparison.complaint)
    assert gate.check(Answer(pnl.copy(), trades)).complaint is None


def test_the_largest_difference_is_over_all_combos() -> None:
    assert largest_difference(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.5, 3.25])) == 0.5
    assert largest_difference(np.array([np.inf]), np.array([np.inf])) == 0.0
    assert largest_difference(np.array([np.inf]), np.array([1.0])) is None
