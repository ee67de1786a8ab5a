"""Lists of trades against the sweep, the reference and live sessions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import onekernel as ok
from onekernel import records, reference

CLOSE = 100 * np.exp(np.cumsum(np.random.default_rng(41).normal(0, 0.002, 3000)))
GRID = ok.hma_grid(2, 120, 30)
FEE = 0.09
TICKS = hnp.arrays(np.float64, st.integers(1, 150), elements=st.integers(1, 12).map(lambda ticks: ticks / 8))
COMBOS = st.lists(st.tuples(*[st.integers(1, 30)] * 6), min_size=1, max_size=4)


def trades_of(close, combo, fee):
    """The rule of trading, written down once more in plain Python."""
    hma, hma3 = reference.hma(close, np.array(combo)), reference.hma3(close, np.array(combo))
    closed, position, entry = [], 0, 0
    for bar, price in enumerate(close):
        if np.isnan(hma[bar]) or np.isnan(hma3[bar]):
            continue
        want = 1 if hma3[bar] > hma[bar] else -1
        if want != position:
            if position != 0:
                pnl = position * (price - close[entry]) / close[entry] * 100.0 - fee
                closed.append((position, entry, bar, close[entry], price, pnl))
            position, entry = want, bar
    return closed, [(position, entry, close[entry])] if position else []


@settings(derandomize=True, deadline=None, max_examples=100)
@given(close=TICKS, combos=COMBOS, fee=st.floats(-1, 10))
def test_every_trade_is_the_one_of_plain_python(close, combos, fee):
    made = ok.trades(close, combos, fee=fee)
    for index, combo in enumerate(combos):
        closed, still_open = trades_of(close, combo, fee)
        assert [row[1:] for row in made.of(index).tolist()] == closed
        assert [row[1:] for row in made.open.tolist() if row[0] == index] == still_open


def test_pnl_and_counts_are_the_sweeps():
    made, swept = ok.trades(CLOSE, GRID, fee=FEE), ok.sweep(CLOSE, GRID, fee=FEE)
    assert made.pnl.tobytes() == swept.pnl.tobytes()
    assert [len(made.of(combo)) for combo in range(len(GRID))] == swept.trades.tolist()
    assert (made.closed.dtype, made.open.dtype) == (records.TRADE, records.OPEN_TRADE)


def test_live_changes_give_the_same_records():
    made = ok.trades(CLOSE, GRID, fee=FEE)
    with ok.live(GRID, fee=FEE) as live:
        changes = live.bars(CLOSE)
    assert records.closed_trades(changes).tobytes() == made.closed.tobytes()
    assert records.changes_of(made.closed, made.open).tobytes() == changes.tobytes()


def test_the_layouts_are_those_of_the_headers():
    sizes = {"CHANGE": 64, "TRADE": 48, "OPEN_TRADE": 24, "LIVE_STATE": 40}
    assert {name: getattr(records, name).itemsize for name in sizes} == sizes


@pytest.mark.parametrize("combo", range(0, 30, 7))
def test_the_equity_curve_ends_at_the_pnl(combo):
    made = ok.trades(CLOSE, GRID, fee=FEE)
    curve = made.equity(combo)
    assert curve.shape == CLOSE.shape
    assert curve[-1:].tobytes() == made.pnl[combo : combo + 1].tobytes()
    for stop in (1, 500, 1777):
        assert curve[stop - 1] == ok.sweep(CLOSE[:stop], GRID[combo : combo + 1], fee=FEE).pnl[0]


def test_no_trades():
    made = ok.trades([1.0, 2.0], GRID, fee=FEE)
    assert made.closed.shape == made.of(29).shape == (0,)
    assert made.equity(0).tolist() == [0.0, 0.0]
    assert records.changes_of(made.closed, made.open[:0]).shape == (0,)
    assert ok.trades(CLOSE, np.empty((0, 6), np.int64), fee=FEE).pnl.shape == (0,)
    assert made.to_pandas().shape == (0, 7)


@pytest.mark.parametrize("combo", [-1, 30])
def test_a_combo_that_is_not_there(combo):
    with pytest.raises(IndexError, match=f"there is no combo {combo}; there are 30"):
        ok.trades(CLOSE, GRID, fee=FEE).of(combo)


def test_as_tables_of_other_libraries():
    made = ok.trades(CLOSE, GRID, fee=FEE)
    pandas, polars, arrow = made.to_pandas(), made.to_polars(), made.to_arrow()
    assert list(pandas.columns) == polars.columns == arrow.column_names == list(records.TRADE.names)
    for name in records.TRADE.names:
        for values in (pandas[name].to_numpy(), polars[name].to_numpy(), arrow[name].to_numpy()):
            assert values.dtype == records.TRADE[name]
            assert values.tobytes() == made.closed[name].tobytes()


def test_the_limit_on_trades():
    count = len(ok.trades(CLOSE, GRID, fee=FEE).closed)
    assert len(ok.trades(CLOSE, GRID, fee=FEE, most_trades=count, threads=1).closed) == count
    with pytest.raises(ok.EngineError, match="limit exceeded"):
        ok.trades(CLOSE, GRID, fee=FEE, most_trades=count - 1)
    with pytest.raises(ValueError, match="most_trades is -1"):
        ok.trades(CLOSE, GRID, fee=FEE, most_trades=-1)


def test_bad_arguments_are_the_sweeps():
    with pytest.raises(ValueError, match=r"close\[0\] is nan"):
        ok.trades([np.nan], GRID, fee=FEE)
    with pytest.raises(ValueError, match="fee is inf"):
        ok.trades(CLOSE, GRID, fee=np.inf)
    with pytest.raises(ValueError, match="close is empty"):
        ok.trades([], GRID, fee=FEE)
