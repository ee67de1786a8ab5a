"""The reference against the definition in plain Python, and against TA-Lib on real prices."""

import math
import subprocess
import sys

import numpy as np
import pytest
import talib
from bokeh_sampledata import stocks

import onekernel as ok
from onekernel import reference

CLOSE = 100 * np.exp(np.cumsum(np.random.default_rng(7).normal(0, 0.01, 1200)))
FIELDS = ("half", "full", "smooth", "third", "half3", "full3")


def plain_wma(x, n):
    out = [math.nan] * len(x)
    for i in range(n - 1, len(x)):
        total = 0.0
        for k in range(1, n + 1):
            total = total + float(k) * x[i - n + k]
        out[i] = total / float(n * (n + 1) // 2)
    return out


def plain_sweep_one(close, combo, fee):
    half, full, smooth, third, half3, full3 = (int(window) for window in combo)
    pairs = zip(plain_wma(close, half), plain_wma(close, full), strict=True)
    hma = plain_wma([2.0 * a - b for a, b in pairs], smooth)
    triples = zip(plain_wma(close, third), plain_wma(close, half3), plain_wma(close, full3), strict=True)
    hma3 = plain_wma([3.0 * a - b - c for a, b, c in triples], full3)
    pnl, trades, position, entry = 0.0, 0, 0, 0.0
    for price, slow, fast in zip(close, hma, hma3, strict=True):
        want = position if math.isnan(slow) or math.isnan(fast) else 1 if fast > slow else -1
        if want != position:
            if position != 0:
                pnl += position * (price - entry) / entry * 100.0 - fee
                trades += 1
            position, entry = want, price
    return pnl, trades


@pytest.mark.parametrize("length", [2, 3, 6, 17, 50, 200, 1199, 1200, 1500])
def test_the_reference_is_the_definition_to_the_bit(length):
    combos = ok.hma_combos([length])
    result = reference.sweep(CLOSE, combos, fee=0.09)
    pnl, trades = plain_sweep_one(CLOSE.tolist(), combos[0], 0.09)
    assert result.pnl[0].hex() == pnl.hex()
    assert result.trades[0] == trades
    assert trades > 0 or length > 1000


def test_windows_that_no_rule_makes():
    combos = [[1, 1, 1, 1, 1, 1], [9, 4, 7, 8, 3, 2], [1, 1500, 1, 1, 1, 1], [5, 5, 5, 5, 5, 5]]
    result = reference.sweep(CLOSE, combos, fee=0.25)
    expected = [plain_sweep_one(CLOSE.tolist(), combo, 0.25) for combo in combos]
    assert [value.hex() for value in result.pnl.tolist()] == [pnl.hex() for pnl, _ in expected]
    assert result.trades.tolist() == [trades for _, trades in expected]


def test_nan_and_zero_prices_give_what_ieee_gives():
    close = CLOSE.copy()
    close[[50, 51, 120]] = 0.0, 0.0, math.nan
    with np.errstate(all="ignore"):
        result = reference.run(close, np.array([[1, 2, 1, 1, 1, 1]]), 0.09)
    assert result.trades[0] > 10
    assert not math.isfinite(result.pnl[0])


@pytest.mark.parametrize("length", [1, 2, 7, 60, 200])
def test_wma_agrees_with_talib_on_real_prices(length):
    close = np.array(stocks.AAPL["close"])
    theirs = talib.WMA(close, length) if length > 1 else close  # TA-Lib has no window of 1
    np.testing.assert_allclose(reference.wma(close, length), theirs, rtol=1e-9, atol=0, equal_nan=True)


@pytest.mark.parametrize("ticker", ["AAPL", "GOOG", "IBM"])
@pytest.mark.parametrize("length", [4, 16, 36, 64, 100, 144])
def test_hma_agrees_with_talib_where_its_rounding_is_the_same(ticker, length):
    # n/2 and sqrt(n) are whole for these lengths, so there is nothing to round.
    close = np.array(getattr(stocks, ticker)["close"])
    ours = reference.hma(close, ok.hma_combos([length])[0])
    np.testing.assert_allclose(ours, talib.HMA(close, length), rtol=1e-9, atol=0, equal_nan=True)


@pytest.mark.parametrize("length", [4, 16, 36, 100])
def test_hma3_agrees_with_talibs_wma(length):
    close = np.array(stocks.AAPL["close"])
    combo = ok.hma_combos([length])[0]
    third, half3, full3 = (close if window == 1 else talib.WMA(close, window) for window in combo[3:].tolist())
    inner = 3 * third - half3 - full3
    start = int(combo[5]) - 1
    theirs = np.full(len(close), np.nan)
    theirs[start:] = talib.WMA(np.ascontiguousarray(inner[start:]), int(combo[5]))
    np.testing.assert_allclose(reference.hma3(close, combo), theirs, rtol=1e-9, atol=0, equal_nan=True)


def test_arguments_are_checked_as_by_the_sweep():
    with pytest.raises(ValueError, match=r"close\[1\] is 0.0"):
        reference.sweep([1.0, 0.0], ok.hma_combos([6]), fee=0.09)
    with pytest.raises(TypeError):
        reference.sweep([1.0], ok.hma_combos([6]))


def test_without_numba_the_error_says_what_to_install():
    code = "import sys; sys.modules['numba'] = None; import onekernel.reference"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'onekernel[reference]'" in done.stderr


def test_it_works_where_numba_may_not_write_a_cache(tmp_path):
    # A cache directory below a file can be made by nobody, not even root.
    (tmp_path / "file").write_text("")
    code = (
        "import numba.core.caching as c; c.CacheImpl._locator_classes = [];"
        "import onekernel as ok; print(ok.reference.sweep([2.0, 1.0, 1.0], [[1, 2, 1, 1, 1, 1]], fee=0.5).pnl[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "-0.5\n", done.stderr
