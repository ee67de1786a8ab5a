"""Live sessions and trade lists in an engine: the same bits, the same errors, whatever the way there."""

import asyncio
import os
import signal
import threading

import numpy as np
import onekernel as ok
import pytest
from onekernel import records

FEE = 0.09
GRID = ok.hma_grid(2, 90, 12)
CLOSE = 100 * np.exp(np.cumsum(np.random.default_rng(71).normal(0, 0.002, 2500)))
WAYS = ["unix", "tcp", "shm"]


@pytest.fixture(scope="module", params=WAYS)
def engine(request):
    with ok.spawn(transport=request.param) as engine:
        yield engine


def swept(close):
    return ok.sweep(close, GRID, fee=FEE)


def test_every_bar_tells_what_a_session_here_tells(engine, assert_same_bits):
    with engine.live(GRID, fee=FEE) as there, ok.live(GRID, fee=FEE) as here:
        for bar, price in enumerate(CLOSE.tolist()):
            assert there.bar(price) == here.bar(price)
            assert there.next_bar == bar + 1
        assert there.states().tobytes() == here.states().tobytes()
        assert there.positions.tolist() == here.positions.tolist()
        assert_same_bits(there.result(), swept(CLOSE))
        assert there.combos.tolist() == GRID.tolist()
        assert (there.fee, there.n_bytes) == (FEE, here.n_bytes)


@pytest.mark.parametrize("stored", [False, True])
def test_history_chunks_and_snapshots_do_not_show(engine, stored, assert_same_bits):
    with ok.live(GRID, fee=FEE) as here:
        told = here.bars(CLOSE)
    history = engine.put("history", CLOSE[:900]) if stored else CLOSE[:900]
    live, parts = engine.live(GRID, fee=FEE, history=history), []
    random = np.random.default_rng(72)
    while live.next_bar < len(CLOSE):
        parts.append(live.bars(CLOSE[live.next_bar : live.next_bar + random.integers(1, 300)]))
        snapshot = live.snapshot()
        live.close()
        live = (engine if random.random() < 0.5 else ok).restore(snapshot)
        assert live.combos.tolist() == GRID.tolist()
    assert np.concatenate(parts).tobytes() == told[told["bar"] >= 900].tobytes()
    assert_same_bits(live.result(), swept(CLOSE))
    live.close()


def test_more_than_a_frame_crosses_in_parts(assert_same_bits):
    with (
        ok.spawn(arguments=("--max-frame-bytes", "6000")) as engine,
        engine.live(GRID, fee=FEE) as there,
        ok.live(GRID, fee=FEE) as here,
    ):
        assert there.bars(CLOSE).tobytes() == here.bars(CLOSE).tobytes()
        assert_same_bits(there.result(), swept(CLOSE))


@pytest.mark.parametrize("index", [0, 899, 901, -1, 2**70, -(2**70)])
def test_a_bar_out_of_order_changes_nothing(engine, index):
    with engine.live(GRID, fee=FEE, history=CLOSE[:900]) as live:
        before = live.states().tobytes()
        for call in (lambda: live.bar(1.0, index=index), lambda: live.bar(float("nan"), index=index)):
            with pytest.raises(ok.OutOfOrder, match="bar 900 is due"):
                call()
        if abs(index) < 2**63:
            with pytest.raises(ok.OutOfOrder, match="bar 900 is due"):
                live.bars([1.0, -1.0], first=index)
        assert live.states().tobytes() == before
        assert live.next_bar == 900
        live.bar(1.0, index=900)


@pytest.mark.parametrize("price", [float("nan"), float("inf"), 0.0, -1.0, 0])
def test_what_is_no_price_changes_nothing_and_says_the_same_everywhere(engine, price):
    with engine.live(GRID, fee=FEE, history=CLOSE[:9]) as there, ok.live(GRID, fee=FEE, history=CLOSE[:9]) as here:
        said = []
        for live in (there, here):
            with pytest.raises(ValueError, match="bar 9: the price is") as one:
                live.bar(price)
            with pytest.raises(ValueError, match="bar 10: the price is") as several:
                live.bars([1.0, price, 2.0])
            said.append((str(one.value), str(several.value)))
            assert live.next_bar == 9
        assert said[0] == said[1]
        assert there.bar(1.0) == here.bar(1.0)


@pytest.mark.parametrize("price", ["12.5", None, [1.0], 1j])
def test_what_is_no_number_is_a_type_error(engine, price):
    with engine.live(GRID, fee=FEE) as live:
        with pytest.raises(TypeError, match="it must be a number"):
            live.bar(price)
        with pytest.raises(TypeError, match="whole number"):
            live.bar(1.0, index="0")
        assert live.bar(np.float32(1.5)) == ()


def test_trades_are_the_list_of_this_process(engine):
    here = ok.trades(CLOSE, GRID, fee=FEE)
    for there in (
        engine.trades(CLOSE, GRID, fee=FEE, threads=1),
        engine.trades(engine.put("close", CLOSE), GRID, fee=FEE),
    ):
        assert there.closed.tobytes() == here.closed.tobytes()
        assert there.open.tobytes() == here.open.tobytes()
        assert there.pnl.tobytes() == here.pnl.tobytes()
        assert there.n_bars == len(CLOSE)
        assert there.equity(3)[-1] == here.pnl[3]


def test_a_closed_session_and_a_closed_engine(engine):
    live = engine.live(GRID, fee=FEE)
    assert engine.statistics().live_sessions >= 1
    live.close()
    live.close()
    assert engine.statistics().live_sessions == 0
    for call in (lambda: live.bar(1.0), live.states, live.snapshot, lambda: live.next_bar):
        with pytest.raises(ok.SessionClosed):
            call()
    with ok.connect(engine.url) as other:
        orphan = other.live(GRID, fee=FEE)
    with pytest.raises(ok.ConnectionLost):
        orphan.bar(1.0)
    orphan.close()


def test_a_killed_engine_costs_nothing(tmp_path, assert_same_bits):
    engine = ok.spawn()
    live = engine.live(GRID, fee=FEE, history=CLOSE[:500])
    live.bars(CLOSE[500:800])
    snapshot = live.snapshot()
    live.bars(CLOSE[800:1200])
    os.kill(engine.pid, signal.SIGKILL)
    with pytest.raises(ok.ConnectionLost):
        live.bar(CLOSE[1200])
    assert live.next_bar == 1200
    live.close()
    engine.close()
    with ok.spawn() as fresh:
        for again in (fresh.live(GRID, fee=FEE, history=CLOSE[:1200]), fresh.restore(snapshot)):
            again.bars(CLOSE[again.next_bar :])
            assert_same_bits(again.result(), swept(CLOSE))
            again.close()


def test_limits_are_named():
    with ok.spawn(arguments=("--max-live-sessions", "1", "--max-live-bytes", "100000")) as engine:
        assert engine.limits.max_live_sessions == 1
        with pytest.raises(ok.EngineError, match="--max-live-bytes"):
            engine.live(ok.hma_grid(2, 5000, 100), fee=FEE)
        with engine.live(GRID[:2], fee=FEE), pytest.raises(ok.EngineError, match="--max-live-sessions"):
            engine.live(GRID[:2], fee=FEE)
        with pytest.raises(ok.EngineError, match="snapshot"):
            engine.restore(b"no snapshot at all")
        with engine.live(GRID[:2], fee=FEE) as live:
            live.bar(1.0)


def test_the_event_loop_runs_while_an_engine_is_asked(engine):
    async def follow():
        async def source():
            for price in CLOSE[:300].tolist():
                yield price

        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        told = []
        with engine.live(GRID, fee=FEE) as live:
            async for changes in live.follow_async(source()):
                told.extend(changes)
        ticking.cancel()
        return told, ticks

    told, ticks = asyncio.run(follow())
    with ok.live(GRID, fee=FEE) as here:
        assert records.from_changes(told).tobytes() == here.bars(CLOSE[:300]).tobytes()
    assert ticks > 300


def test_sessions_of_threads_share_one_connection(engine, assert_same_bits):
    results = {}

    def run(number):
        with engine.live(GRID, fee=FEE) as live:
            for price in CLOSE[: 400 + number].tolist():
                live.bar(price)
            results[number] = live.result()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert_same_bits(results[number], swept(CLOSE[: 400 + number]))


class Price:
    def __init__(self, convert):
        self.convert = convert

    def __float__(self):
        return self.convert()


def test_a_price_whose_conversion_fails_leaves_the_connection_open(engine):
    def fail():
        raise RuntimeError("no price today")

    with engine.live(GRID, fee=FEE) as live:
        with pytest.raises(RuntimeError, match="no price today"):
            live.bar(Price(fail))
        with pytest.raises(ValueError, match="bar 0: the price is inf"):
            live.bar(10**400)
        assert live.bar(100.0) == ()
        assert live.next_bar == 1


def test_a_price_whose_conversion_uses_or_closes_the_session_does_not_wait_for_itself(engine):
    with engine.live(GRID, fee=FEE) as live:
        assert live.bar(Price(lambda: 100.0 + float(live.states(timeout=5.0)["trades"].sum()))) == ()
        with pytest.raises(ok.SeriesNotFound):
            live.bar(Price(lambda: live.close() or 100.0))
    with engine.live(GRID, fee=FEE) as another:
        assert another.bar(100.0) == ()


def test_a_first_bar_that_cannot_be_is_told_as_in_this_process(engine):
    with engine.live(GRID, fee=FEE) as live:
        with pytest.raises(TypeError, match="the index is 0.0; it must be a whole number"):
            live.bars([100.0], first=0.0)
        for first in (2**70, -(2**70)):
            with pytest.raises(ok.OutOfOrder):
                live.bars([100.0], first=first)
        assert live.next_bar == 0


def test_classic_frames_have_none_of_it():
    with ok.spawn(protocol="classic") as engine:
        for call in (
            lambda: engine.live(GRID, fee=FEE),
            lambda: engine.restore(b""),
            lambda: engine.trades(CLOSE, GRID, fee=FEE),
        ):
            with pytest.raises(ValueError, match="protocol='session'"):
                call()
