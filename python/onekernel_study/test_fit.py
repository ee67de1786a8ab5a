import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onekernel_study.fit import Line, fit_line

SIZES = [16.0 * n for n in (1, 10, 100, 1_000, 10_000, 100_000, 150_000)]


@settings(derandomize=True, deadline=None)
@given(st.floats(1e-6, 1e-3), st.floats(1e8, 1e11))
def test_an_exact_line_is_found_again(floor: float, bandwidth: float) -> None:
    line = fit_line(SIZES, [floor + size / bandwidth for size in SIZES])
    assert line.floor_s == pytest.approx(floor, rel=1e-6)
    assert line.seconds(SIZES[-1]) == pytest.approx(floor + SIZES[-1] / bandwidth, rel=1e-9)
    assert max(map(abs, line.residuals)) < 1e-6


def test_it_minimises_the_relative_error() -> None:
    times = [14.05e-6, 14.3e-6, 15.0e-6, 18.1e-6, 90e-6, 1300e-6, 2043.4e-6]

    def error(floor: float, slope: float) -> float:
        return float(sum(((floor + slope * x) / t - 1.0) ** 2 for x, t in zip(SIZES, times, strict=True)))

    line = fit_line(SIZES, times)
    best = error(line.floor_s, 1.0 / line.bandwidth)
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, b = rng.normal(1.0, 0.05, 2)
        assert error(line.floor_s * a, b / line.bandwidth) >= best


def test_seconds_is_floor_plus_bytes_over_bandwidth() -> None:
    assert Line(1e-5, 1e9, ()).seconds(2e6) == pytest.approx(2.01e-3)


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="2 sizes but 1 times"):
        fit_line([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="two different sizes"):
        fit_line([8.0, 8.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="above zero"):
        fit_line([8.0, 16.0], [1.0, 0.0])
