"""Prices that are passed to an engine where they lie."""

import fcntl
import os

import numpy as np
import onekernel as ok
import pytest

GRID = ok.hma_grid(6, 60, 5)


def filled(n_bars=5000, seed=3):
    series = ok.SharedSeries(n_bars)
    series.values[:] = 100.0 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 1e-3, n_bars)))
    return series


@pytest.mark.parametrize("transport", ["unix", "tcp", "shm"])
def test_a_shared_series_is_put_over_every_transport(transport, assert_same_bits):
    prices = filled()
    expected = ok.sweep(prices.values, GRID, fee=0.09)
    with ok.spawn(transport=transport) as engine:
        stored = engine.put("x", prices)
        assert (stored.n_bars, len(prices)) == (5000, 5000)
        assert_same_bits(engine.sweep(stored, GRID, fee=0.09), expected)
        assert engine.put("y", prices.values).id == stored.id, "the same content"
        assert prices.values.flags.writeable == (transport != "unix")


def test_what_is_written_later_reaches_nobody(assert_same_bits):
    prices = filled()
    older = prices.values[10:]
    expected = ok.sweep(prices.values, GRID, fee=0.09)
    with ok.spawn() as engine, ok.spawn() as other:
        stored = engine.put("x", prices)
        with pytest.raises(ValueError, match="read-only"):
            prices.values[0] = 1.0
        older[:] = 7.0
        assert_same_bits(engine.sweep(stored, GRID, fee=0.09), expected)
        descriptor = prices.seal()
        seals = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
        assert seals & fcntl.F_SEAL_WRITE
        assert seals & fcntl.F_SEAL_SHRINK
        with pytest.raises(PermissionError):
            os.pwrite(descriptor, b"x", 0)
        assert_same_bits(other.sweep(other.put("x", prices), GRID, fee=0.09), expected)


def test_the_array_outlives_its_series():
    before = len(os.listdir("/proc/self/fd"))
    values = filled().values
    assert values.sum() > 0.0
    del values
    assert len(os.listdir("/proc/self/fd")) == before


def test_prices_are_checked_as_always():
    with ok.spawn() as engine, pytest.raises(ValueError, match=r"close\[0\] is 0.0"):
        engine.put("x", ok.SharedSeries(3))
    for n_bars in (0, -1):
        with pytest.raises(ValueError, match="at least one bar"):
            ok.SharedSeries(n_bars)
    for n_bars in (2**50, 2**61):
        with pytest.raises(MemoryError, match="longer than this machine's memory"):
            ok.SharedSeries(n_bars)
