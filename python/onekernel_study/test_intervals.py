"""Intervals: they hold what they should, narrow with agreement, and pair what was measured together."""

import numpy as np
import pytest

from onekernel_study.intervals import burst_interval, median_interval, ratio_interval


def test_a_slow_minute_that_hits_both_rows_is_no_uncertainty_of_their_ratio() -> None:
    weather = np.array([1.0, 1.4, 2.0, 1.1, 1.7, 1.0, 1.3, 1.9])
    paired = ratio_interval(list(3.0 * weather), list(weather))
    assert paired == pytest.approx((3.0, 3.0), abs=0.8)
    low, high = paired or (0.0, 0.0)
    shuffled = ratio_interval(list(3.0 * weather), list(weather[::-1])) or (0.0, 0.0)
    assert high - low < shuffled[1] - shuffled[0]


def test_equal_rounds_leave_no_doubt() -> None:
    assert ratio_interval([2.0] * 5, [1.0] * 5) == (2.0, 2.0)
    assert median_interval([7.0, 7.0, 7.0]) == (7.0, 7.0)


def test_the_interval_holds_the_true_ratio_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        low, high = ratio_interval(list(rng.normal(2.0, 0.1, 20)), list(rng.normal(1.0, 0.05, 20))) or (0.0, 0.0)
        held += low <= 2.0 <= high
    assert held >= 180


def test_one_round_has_no_interval() -> None:
    assert ratio_interval([1.0], [1.0, 2.0]) is None
    assert median_interval([1.0]) is None
    assert burst_interval([[1.0, 2.0]]) is None


def test_a_longer_row_is_paired_by_its_first_rounds() -> None:
    assert ratio_interval([2.0, 2.0], [1.0, 1.0, 50.0, 50.0]) == (2.0, 2.0)


def test_bursts_are_drawn_whole() -> None:
    bursts = [[10.0] * 1000, [20.0] * 1000, [10.0] * 1000]
    assert burst_interval(bursts) == (10.0, 20.0)
