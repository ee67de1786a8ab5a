import numpy as np
import pytest

from onekernel import hma_combos, hma_grid


def test_lengths_are_rounded_half_to_even():
    # Worked out by hand: 5/2 = 2.5 goes to 2, 7/2 = 3.5 to 4; sqrt(12) = 3.46 to 3, sqrt(13) = 3.61 to 4.
    assert hma_combos([2, 5, 7, 12, 13, 200]).tolist() == [
        [1, 2, 1, 1, 1, 1],
        [2, 5, 2, 1, 1, 2],
        [4, 7, 3, 1, 2, 4],
        [6, 12, 3, 2, 3, 6],
        [6, 13, 4, 2, 3, 6],
        [100, 200, 14, 33, 50, 100],
    ]


def test_the_published_grid():
    grid = hma_grid(6, 200, 80)
    assert grid.shape == (80, 6)
    assert grid.dtype == np.int64
    assert grid[:4, 1].tolist() == [6, 8, 11, 13]
    assert grid[-1].tolist() == [100, 200, 14, 33, 50, 100]


def test_one_length_is_the_start():
    assert hma_grid(50, 200, 1)[:, 1].tolist() == [50]


def test_no_lengths_give_no_combos():
    assert hma_combos([]).shape == (0, 6)


@pytest.mark.parametrize(
    ("length", "reason"), [(1, "at least 2"), (0, "at least 2"), (-5, "at least 2"), (6.5, "whole"), (2**64, "at most")]
)
def test_a_bad_length_is_named(length, reason):
    with pytest.raises(ValueError, match=rf"lengths\[1\] is {length}.*{reason}"):
        hma_combos([6, length])


def test_a_grid_without_lengths_is_refused():
    with pytest.raises(ValueError, match="count is 0"):
        hma_grid(6, 200, 0)


def test_a_grid_beyond_all_memory_is_refused():
    with pytest.raises(ValueError, match="count is 99999999999999"):
        hma_grid(6, 200, 99999999999999)
