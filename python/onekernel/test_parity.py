"""The comparison of batch and live says "same" of what is the same; and finds and names every difference."""

import numpy as np
import pytest

import onekernel as ok
from onekernel.parity import first_difference, replay

CLOSE = 100 * np.exp(np.cumsum(np.random.default_rng(51).normal(0, 0.002, 1500)))
GRID = ok.hma_grid(6, 90, 10)
FEE = 0.09


@pytest.fixture
def sides():
    """The arguments of first_difference, all alike."""
    with ok.live(GRID, fee=FEE) as live:
        changes = replay(live, CLOSE)
        return ok.trades(CLOSE, GRID, fee=FEE), ok.sweep(CLOSE, GRID, fee=FEE), changes, live.result()


def next_bits(values, at):
    values.view(np.int64)[at] += 1


@pytest.mark.parametrize("chunk", [1, 2, 77, 1500, 9999])
def test_what_is_the_same(chunk):
    with ok.live(GRID, fee=FEE) as live:
        changes = replay(live, CLOSE, chunk)
        batch, swept = ok.trades(CLOSE, GRID, fee=FEE), ok.sweep(CLOSE, GRID, fee=FEE)
        assert len(changes) > 1000
        assert first_difference(batch, swept, changes, live.result()) is None


@pytest.mark.parametrize("at", [0, 600, -1])
def test_a_flipped_position(sides, at):
    changes = sides[2]
    changes["position"][at] *= -1
    found = first_difference(*sides)
    position = int(changes["position"][at])
    assert (found.bar, found.combo) == (changes["bar"][at], changes["combo"][at])
    assert (found.field, found.batch, found.live) == ("position", -position, position)
    assert str(found).endswith(f"position is {-position} in batch and {position} live")


@pytest.mark.parametrize("field", ["price", "entry", "trade_pnl", "pnl"])
def test_a_last_bit_of_a_change(sides, field):
    column = sides[2][field].copy()
    next_bits(column, 700)
    sides[2][field] = column
    found = first_difference(*sides)
    assert (found.bar, found.field) == (sides[2]["bar"][700], field)
    assert found.batch != found.live
    assert found.batch.hex() in str(found)


@pytest.mark.parametrize("at", [0, 500, -1])
def test_a_change_that_is_left_out(sides, at):
    batch, swept, changes, states = sides
    left_out = changes[at].copy()
    found = first_difference(batch, swept, np.delete(changes, at), states)
    assert (found.bar, found.combo) == (left_out["bar"], left_out["combo"])
    assert (found.field, found.batch, found.live) == ("change of position", left_out["position"], None)
    assert "and not there live" in str(found)


@pytest.mark.parametrize("at", [0, 500, -1])
def test_a_change_that_is_one_too_many(sides, at):
    batch, swept, changes, states = sides
    more = changes[at].copy()
    more["bar"] += 10_000 if at == -1 else -1
    found = first_difference(batch, swept, np.sort(np.append(changes, more), order=["bar", "combo"]), states)
    assert (found.bar, found.combo) == (more["bar"], more["combo"])
    assert (found.field, found.batch, found.live) == ("change of position", None, more["position"])


def test_the_sums(sides):
    next_bits(sides[3].pnl, 4)
    found = first_difference(*sides)
    assert (found.bar, found.combo, found.field) == (None, 4, "pnl")
    assert str(found).startswith("combo 4: pnl is ")
    next_bits(sides[1].pnl, 2)
    assert first_difference(*sides).field == "pnl (trades of the list)"


def test_the_number_of_trades(sides):
    sides[3].trades[9] += 1
    found = first_difference(*sides)
    assert (found.combo, found.field, found.live - found.batch) == (9, "trades", 1)
