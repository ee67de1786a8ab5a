import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from onekernel_study.percentiles import median, percentile

SAMPLES = st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=300)


@settings(derandomize=True, deadline=None)
@given(SAMPLES, st.integers(1, 100))
def test_percentile_is_numpys_inverted_cdf(samples: list[float], q: int) -> None:
    # Where q percent of n is a whole rank, NumPy's q / 100 may round to the far side of it, unless it is exact.
    assume(q * len(samples) % 100 != 0 or q in (25, 50, 75, 100))
    assert percentile(samples, q) == np.percentile(samples, q, method="inverted_cdf")


@settings(derandomize=True, deadline=None)
@given(SAMPLES, st.integers(1, 100))
def test_at_least_q_percent_lie_at_or_below(samples: list[float], q: int) -> None:
    value = percentile(samples, q)
    assert 100 * sum(sample <= value for sample in samples) >= q * len(samples)
    assert 100 * sum(sample < value for sample in samples) < q * len(samples)


@settings(derandomize=True, deadline=None)
@given(SAMPLES)
def test_median_is_numpys(samples: list[float]) -> None:
    assert median(samples) == pytest.approx(float(np.median(samples)), rel=1e-15, abs=1e-300)


def test_p99_of_a_hundred_is_the_second_largest() -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], 99) == 99.0


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        percentile([], 50)
    with pytest.raises(ValueError, match="at least one sample"):
        median([])
    with pytest.raises(ValueError, match="between 1 and 100, got 0"):
        percentile([1.0], 0)
