"""A live session against the sweep and the reference; and what a caller may rely on."""

import asyncio
import pickle
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import onekernel as ok
from onekernel import records, reference
from onekernel.live_in_process import LiveInProcess
from onekernel.live_session import LiveSession

CLOSE = 100 * np.exp(np.cumsum(np.random.default_rng(31).normal(0, 0.002, 3000)))
GRID = ok.hma_grid(2, 120, 30)
FEE = 0.09
TICKS = hnp.arrays(np.float64, st.integers(1, 200), elements=st.integers(1, 12).map(lambda ticks: ticks / 8))
PRICES = TICKS | hnp.arrays(np.float64, st.integers(1, 120), elements=st.floats(1e-8, 1e8))
COMBOS = st.lists(st.tuples(*[st.integers(1, 40)] * 6), min_size=1, max_size=4)


def assert_same_bits(result, expected):
    np.testing.assert_array_equal(result.trades, expected.trades)
    np.testing.assert_array_equal(result.pnl.view(np.int64), expected.pnl.view(np.int64))


def opened(history=None):
    return ok.live(GRID, fee=FEE, history=history)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(close=PRICES, combos=COMBOS, fee=st.floats(-1, 10), data=st.data())
def test_after_any_bars_it_is_the_reference(close, combos, fee, data):
    at = data.draw(st.integers(0, len(close)))
    with ok.live(combos, fee=fee, history=close[:at]) as live:
        for changes in live.follow(close[at:].tolist()):
            assert all(change.bar == live.next_bar - 1 for change in changes)
        assert_same_bits(live.result(), reference.sweep(close, combos, fee=fee))


def test_at_random_prefixes_it_is_the_sweep():
    stops = set(np.random.default_rng(32).integers(0, len(CLOSE), 60).tolist())
    with opened() as live:
        for bar, price in enumerate(CLOSE.tolist()):
            live.bar(price, index=bar)
            if bar in stops:
                assert_same_bits(live.result(), ok.sweep(CLOSE[: bar + 1], GRID, fee=FEE))


def test_chunks_history_and_snapshots_do_not_show():
    random = np.random.default_rng(33)
    with opened() as live:
        one_by_one = records.from_changes(change for changes in live.follow(CLOSE) for change in changes)
        end = live.snapshot()
    for history in (0, 1, 700, 2999):
        live, parts = opened(CLOSE[:history]), []
        while live.next_bar < len(CLOSE):
            first = live.next_bar
            parts.append(live.bars(CLOSE[first : first + random.integers(1, 400)]))
            live = ok.restore(live.snapshot())
        assert live.snapshot() == end
        assert np.concatenate(parts).tobytes() == one_by_one[one_by_one["bar"] >= history].tobytes()


def test_what_it_tells_of_itself():
    with opened(CLOSE) as live:
        assert repr(live) == "<onekernel.LiveSession 30 combos, bar 3000 is due>"
        assert live.fee == FEE
        assert live.combos.tolist() == GRID.tolist()
        assert live.n_bytes > 1000
        states = live.states()
        assert states.dtype == records.LIVE_STATE
        for field, values in (("position", live.positions), ("pnl", live.pnl), ("trades", live.trades)):
            assert values.tobytes() == states[field].tobytes()
        assert set(live.positions.tolist()) <= {-1, 1}
        still_open = ok.trades(CLOSE, GRID, fee=FEE).open
        assert states["entry_bar"].tolist() == still_open["entry_bar"].tolist()
    assert repr(live) == "<onekernel.LiveSession closed>"


def test_a_change_is_a_named_tuple():
    with opened() as live:
        change = next(changes[0] for changes in live.follow(CLOSE) if changes and changes[0].trades == 1)
    assert isinstance(change, ok.Change)
    assert change.bar > change.entry_bar >= 0
    assert change.price == CLOSE[change.bar]
    assert change.entry == CLOSE[change.entry_bar]
    assert change.pnl == change.trade_pnl
    assert tuple(change) == (
        change.bar, change.combo, change.position, change.price, change.entry_bar, change.entry, change.trade_pnl,
        change.pnl, change.trades,
    )  # fmt: skip
    assert pickle.loads(pickle.dumps(change)) == change
    assert repr(change).startswith(f"onekernel.Change(bar={change.bar}, combo=")


def test_nothing_changed_is_the_empty_tuple():
    with ok.live(ok.hma_combos([50]), fee=FEE) as live:
        changes = live.bar(1.0)
        assert changes == ()
        assert changes is live.bar(1.0)  # the one empty tuple: most bars make no object
        nothing = live.bars([])
        assert (nothing.dtype, nothing.shape, live.next_bar) == (records.CHANGE, (0,), 2)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (99, "bar 99 was taken already; bar 100 is due"),
        (101, "bar 101 would leave bars out; bar 100 is due"),
        (-1, "bar -1 was taken already"),
        (2**70, "would leave bars out"),
        (-(2**70), "was taken already"),
    ],
)
def test_another_bar_than_the_one_that_is_due(index, message):
    with opened(CLOSE[:100]) as live:
        before = live.snapshot()
        for price in (1.0, np.nan):  # of two errors the index is told
            with pytest.raises(ok.OutOfOrder, match=message) as refused:
                live.bar(price, index=index)
            assert refused.value.code == ok.errors.ErrorCode.OUT_OF_ORDER
            with pytest.raises(ok.EngineError, match=message):
                live.bars([price], first=index)
        assert live.snapshot() == before


@pytest.mark.parametrize("price", [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 0])
def test_what_is_no_price_changes_nothing(price):
    with opened(CLOSE[:100]) as live:
        before = live.snapshot()
        with pytest.raises(ValueError, match=f"bar 100: the price is {float(price)!r}; it must be finite and above z"):
            live.bar(price)
        with pytest.raises(ValueError, match=f"bar 102: the price is {float(price)!r}"):
            live.bars([1.0, 2.0, price, 3.0])
        assert live.snapshot() == before


@pytest.mark.parametrize("price", ["1.5", b"1.5", None, [1.0], 1j, object()])
def test_what_is_no_number_is_a_type_error(price):
    with opened() as live:
        with pytest.raises(TypeError, match="the price is .*; it must be a number"):
            live.bar(price)
        with pytest.raises(TypeError, match="the index is .*; it must be a whole number"):
            live.bar(1.0, index="3")
        with pytest.raises(TypeError, match="prices holds .* it must hold real numbers"):
            live.bars(["1.5"])
        assert live.next_bar == 0


@pytest.mark.parametrize(
    "price", [3, np.float32(3), np.int8(3), np.float64(3), Decimal(3), Fraction(3), True + True + 1]
)
def test_every_real_number_is_taken(price):
    with ok.live([[1] * 6], fee=0.0) as live:
        (change,) = live.bar(price, index=np.int64(0))
        assert change.price == 3.0
        assert live.next_bar == 1


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"history\[2\] is nan"):
        opened([1.0, 2.0, np.nan])
    with pytest.raises(TypeError, match="history holds"):
        opened(["a"])
    with pytest.raises(ValueError, match="combo 0: window 'half' is 0"):
        ok.live([[0, 1, 1, 1, 1, 1]], fee=FEE)
    with pytest.raises(ValueError, match="fee is nan"):
        ok.live(GRID, fee=np.nan)
    with pytest.raises(ValueError, match="threads is 0"):
        ok.live(GRID, fee=FEE, threads=0)
    with pytest.raises(ok.EngineError, match="limit exceeded") as refused:
        ok.live([[2**21] * 6], fee=FEE)
    assert refused.value.code == ok.errors.ErrorCode.LIMIT_EXCEEDED
    with pytest.raises(TypeError):
        ok.live(GRID)


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:20] + b"\x55" + b[21:]])
def test_a_damaged_snapshot_is_refused(damage):
    with pytest.raises(ValueError, match="snapshot"):
        ok.restore(damage(opened(CLOSE).snapshot()))


def test_a_closed_session_refuses():
    live = opened()
    live.close()
    live.close()
    calls = (lambda: live.bar(1.0), lambda: live.bars([1.0]), live.states, live.snapshot, live.result)
    properties = (lambda: live.next_bar, lambda: live.pnl, lambda: live.combos, lambda: list(live.follow([1.0])))
    for use in calls + properties:
        with pytest.raises(ok.SessionClosed, match="was closed"):
            use()
    with pytest.raises(ok.SessionClosed):
        asyncio.run(live.bar_async(1.0))


@pytest.mark.usefixtures("no_forced_switches")
def test_a_second_thread_is_refused_and_does_no_harm():
    # The other thread gives up the GIL only where bars() lets go of it.
    many = np.tile(GRID, (100, 1))
    with ok.live(many, fee=FEE) as live:
        done = threading.Event()

        def feed():
            live.bars(CLOSE)
            done.set()

        thread = threading.Thread(target=feed)
        refusals = 0
        thread.start()
        while not done.is_set():
            for use in (lambda: live.bar(1.0, index=0), lambda: live.bars([1.0], first=0), live.snapshot):
                try:
                    use()
                except ok.SessionInUse:
                    refusals += 1
                except ok.OutOfOrder:
                    pass
            done.wait(0.001)
        thread.join()
        assert refusals > 0
        assert_same_bits(live.result(), ok.sweep(CLOSE, many, fee=FEE))


class Prefixes(LiveInProcess):
    """Takes no more than 7 bars a call, as an engine may."""

    def bars(self, first, closes, timeout):
        return super().bars(first, closes[:7], timeout)


def test_a_backend_that_takes_a_part_is_asked_again():
    core = opened()._backend._core
    with LiveSession(Prefixes(core)) as live, opened() as whole:
        assert live.bars(CLOSE[:100]).tobytes() == whole.bars(CLOSE[:100]).tobytes()
        assert live.next_bar == 100
        assert live.bars([]).shape == (0,)


async def ticking(prices):
    for price in prices:
        await asyncio.sleep(0)
        yield price


class Waiting(LiveInProcess):
    """Answers only after the event loop has run."""

    may_wait = True
    loop_ran = threading.Event()

    def bar(self, index, price, timeout):
        assert self.loop_ran.wait(timeout=60)
        return super().bar(index, price, timeout)


def test_the_asynchronous_form_is_the_other_one():
    async def follow(live):
        return [change async for changes in live.follow_async(ticking(CLOSE[:500])) for change in changes]

    with opened() as live, opened() as plain:
        expected = [change for changes in plain.follow(CLOSE[:500]) for change in changes]
        assert asyncio.run(follow(live)) == expected


def test_a_backend_that_waits_does_not_hold_up_the_event_loop():
    async def three_bars(live):
        task = asyncio.gather(*(live.bar_async(price) for price in (1.0, 2.0, 3.0)))
        await asyncio.sleep(0)
        Waiting.loop_ran.set()
        return await task

    with LiveSession(Waiting(ok.live([[1] * 6], fee=0.0)._backend._core)) as live:
        first, *_ = asyncio.run(three_bars(live))
        assert first[0].price == 1.0
        assert live.next_bar == 3


CONTINUE = """
import sys, numpy as np, onekernel as ok
live = ok.restore(open(sys.argv[1], "rb").read())
live.bars(np.load(sys.argv[2])[live.next_bar:])
sys.stdout.buffer.write(live.snapshot())
"""
FORK = """
import os, sys, numpy as np, onekernel as ok
close = np.load(sys.argv[1])
live = ok.live(ok.hma_grid(2, 120, 30), fee=0.09, history=close[:1000])
child = os.fork()
if child == 0:
    live.bars(close[1000:2000])
live.bars(close[live.next_bar:])
if child == 0:
    open(sys.argv[2], "wb").write(live.snapshot())
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
sys.stdout.buffer.write(live.snapshot())
"""
FORK_AFTER_A_WAIT = """
import asyncio, os, onekernel as ok
from onekernel.live_in_process import LiveInProcess
live = ok.live([[1] * 6], fee=0.0)
LiveInProcess.may_wait = True
asyncio.run(live.bar_async(1.0))
child = os.fork()
asyncio.run(live.bar_async(2.0))
assert live.next_bar == 2
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_another_process_goes_on_from_a_snapshot(tmp_path):
    np.save(tmp_path / "close.npy", CLOSE)
    (tmp_path / "snapshot").write_bytes(opened(CLOSE[:1234]).snapshot())
    command = [sys.executable, "-c", CONTINUE, tmp_path / "snapshot", tmp_path / "close.npy"]
    assert subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout == opened(CLOSE).snapshot()


def test_both_sides_of_a_fork_have_a_session_of_their_own(tmp_path):
    np.save(tmp_path / "close.npy", CLOSE)
    command = [sys.executable, "-c", FORK, tmp_path / "close.npy", tmp_path / "child"]
    parent = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    assert parent == (tmp_path / "child").read_bytes() == opened(CLOSE).snapshot()


def test_a_forked_child_has_a_thread_of_its_own_to_wait_in():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK_AFTER_A_WAIT], check=True, timeout=60)
