"""The compiled sweep against the reference, for every kernel; and what a caller may rely on."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import onekernel as ok
from onekernel import _native, reference

CLOSE = 100 * np.exp(np.cumsum(np.random.default_rng(11).normal(0, 0.002, 3000)))
GRID = ok.hma_grid(2, 120, 30)
WINDOWS = st.integers(1, 40) | st.integers(41, 400)
COMBOS = st.lists(st.tuples(*[WINDOWS] * 6), min_size=1, max_size=4)
# Prices on ticks tie often; prices of any size find what depends on rounding.
TICKS = hnp.arrays(np.float64, st.integers(1, 200), elements=st.integers(1, 12).map(lambda ticks: ticks / 8))
ANY_PRICE = st.floats(1e-8, 1e8) | st.floats(0.0, exclude_min=True, allow_infinity=False)
PRICES = TICKS | hnp.arrays(np.float64, st.integers(1, 120), elements=ANY_PRICE)
FEES = st.floats(-1, 10) | st.just(0.0)


def assert_same_bits(result, expected):
    np.testing.assert_array_equal(result.trades, expected.trades)
    np.testing.assert_array_equal(result.pnl.view(np.int64), expected.pnl.view(np.int64))


@pytest.mark.parametrize("kernel", ok.KERNELS)
@settings(derandomize=True, deadline=None, max_examples=300)
@given(close=PRICES, combos=COMBOS, fee=FEES)
def test_every_kernel_returns_the_references_bits(kernel, close, combos, fee):
    assert_same_bits(ok.sweep(close, combos, fee=fee, kernel=kernel), reference.sweep(close, combos, fee=fee))


@pytest.mark.parametrize("kernel", ok.KERNELS)
def test_a_grid_over_a_walk(kernel):
    result = ok.sweep(CLOSE, GRID, fee=0.09, kernel=kernel)
    assert result.trades.min() > 10
    assert_same_bits(result, reference.sweep(CLOSE, GRID, fee=0.09))


def test_the_default_kernel_is_one_of_the_kernels():
    assert ok.DEFAULT_KERNEL in ok.KERNELS
    assert {"checked", "unchecked"} <= set(ok.KERNELS)
    assert_same_bits(ok.sweep(CLOSE, GRID, fee=0.09), ok.sweep(CLOSE, GRID, fee=0.09, kernel=ok.DEFAULT_KERNEL))


def test_the_result_belongs_to_the_caller():
    result = ok.sweep(CLOSE, GRID, fee=0.09)
    for values, dtype in ((result.pnl, np.float64), (result.trades, np.int64)):
        assert values.dtype == dtype
        assert values.shape == (30,)
        assert values.flags.writeable
        assert values.flags.c_contiguous
        values[:] = 0


def test_no_combos_give_no_results():
    assert ok.sweep(CLOSE, np.empty((0, 6), np.int64), fee=0.09).pnl.shape == (0,)


def test_the_fee_must_be_named():
    with pytest.raises(TypeError):
        ok.sweep(CLOSE, GRID)
    with pytest.raises(TypeError):
        ok.sweep(CLOSE, GRID, 0.09)


def test_bad_arguments_are_value_errors():
    with pytest.raises(ValueError, match=r"close\[0\] is nan"):
        ok.sweep([np.nan], GRID, fee=0.09)
    with pytest.raises(ValueError, match="combo 0: window 'half' is 0"):
        ok.sweep(CLOSE, [[0, 1, 1, 1, 1, 1]], fee=0.09)
    with pytest.raises(ValueError, match="unknown kernel 'fast'; there are: checked, unchecked"):
        ok.sweep(CLOSE, GRID, fee=0.09, kernel="fast")
    with pytest.raises(ValueError, match="fee is inf"):
        ok.sweep(CLOSE, GRID, fee=np.inf)


def test_the_engine_itself_refuses_what_the_package_would_have_caught():
    with pytest.raises(ValueError, match="combo 0: window 'full3' is 0"):
        _native.sweep(CLOSE, np.array([[1, 1, 1, 1, 1, 0]]), 0.09, "checked")
    with pytest.raises(ValueError, match="fee"):
        _native.sweep(CLOSE, GRID, np.nan, "checked")


@pytest.mark.parametrize("close", [CLOSE[::2], CLOSE.astype(np.float32), CLOSE.reshape(2, -1), [1.0]])
def test_the_native_module_converts_nothing(close):
    with pytest.raises(TypeError):
        _native.sweep(close, GRID, 0.09, "checked")


@pytest.mark.usefixtures("no_forced_switches")
def test_another_thread_runs_while_a_sweep_runs():
    # No thread is made to give up the GIL here, so the count can move during the sweep only if the sweep releases it.
    counts = 0
    moved = []

    def worker():
        before = counts
        _native.sweep(CLOSE, np.tile(GRID, (40, 1)), 0.09, "checked")
        moved.append(counts - before)

    thread = threading.Thread(target=worker)
    thread.start()
    while not moved:
        counts += 1
        time.sleep(0)
    thread.join()
    assert moved[0] > 0
