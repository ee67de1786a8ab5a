"""Live sessions by a client that knows nothing but the tables of docs/protocol.md, against plain Python arithmetic."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pytest
from classic_by_hand import RunningEngine
from plain_reference import positions, sweep_one, walk
from session_by_hand import (
    LIVE_BARS,
    LIVE_CLOSE,
    LIVE_OPEN,
    LIVE_RESTORE,
    LIVE_SNAPSHOT,
    LIVE_STATES,
    TRADES,
    Session,
    live_bars_payload,
    live_payload,
)

OK, MALFORMED, INVALID, NOT_FOUND, OUT_OF_ORDER = 0, 1, 3, 11, 14
CLOSE = walk(300)
COMBOS = [(3, 6, 2, 1, 2, 3), (12, 25, 5, 4, 6, 12)]
FEE = 0.3
INFO = struct.Struct("<QqQQd")
CHANGE = struct.Struct("<qIidqdddq")
STATE = struct.Struct("<qqddq")
TRADE = struct.Struct("<Iiqqddd")
OPEN_TRADE = struct.Struct("<Iiqd")


@dataclass
class Change:
    bar: int
    combo: int
    position: int
    price: float
    entry_bar: int
    entry: float
    trade_pnl: float
    pnl: float
    trades: int


@pytest.fixture
def session(engine: RunningEngine) -> Session:
    return Session(engine.connect())


def open_live(session: Session, history: list[float]) -> int:
    reply = session.call(LIVE_OPEN, live_payload(0, history, COMBOS, FEE))
    assert reply.status == OK, reply.message
    live_id, next_bar, n_combos, n_bytes, fee = INFO.unpack(reply.payload)
    assert (next_bar, n_combos, fee) == (len(history), len(COMBOS), FEE)
    assert n_bytes > 0
    return int(live_id)


def feed(session: Session, live_id: int, first: int, close: list[float]) -> list[Change]:
    reply = session.call(LIVE_BARS, live_bars_payload(live_id, first, close))
    assert reply.status == OK, reply.message
    next_bar, n_changes = struct.unpack_from("<qQ", reply.payload)
    assert next_bar == first + len(close)
    assert len(reply.payload) == 16 + 64 * n_changes
    return [Change(*fields) for fields in CHANGE.iter_unpack(reply.payload[16:])]


def states(session: Session, live_id: int) -> list[tuple[int, int, float, float, int]]:
    reply = session.call(LIVE_STATES, struct.pack("<Q", live_id))
    assert reply.status == OK, reply.message
    assert INFO.unpack_from(reply.payload)[0] == live_id
    return list(STATE.iter_unpack(reply.payload[INFO.size :]))


def test_a_session_goes_where_plain_arithmetic_goes(session: Session) -> None:
    live_id = open_live(session, [])
    expected = [positions(CLOSE, combo) for combo in COMBOS]
    held = [0] * len(COMBOS)
    for bar, price in enumerate(CLOSE):
        for change in feed(session, live_id, bar, [price]):
            assert (change.bar, change.price) == (bar, price)
            assert change.position == -held[change.combo] or held[change.combo] == 0
            held[change.combo] = change.position
            pnl, trades = sweep_one(CLOSE[: bar + 1], COMBOS[change.combo], FEE)
            assert (change.pnl, change.trades) == (pnl, trades)
        assert held == [of_combo[bar] for of_combo in expected], f"bar {bar}"
    assert [(pnl, trades) for *_, pnl, trades in states(session, live_id)] == [
        sweep_one(CLOSE, combo, FEE) for combo in COMBOS
    ]


def test_history_chunks_and_snapshots_come_to_the_same(session: Session) -> None:
    straight, halved = open_live(session, CLOSE), open_live(session, CLOSE[:100])
    feed(session, halved, 100, CLOSE[100:200])
    snapshot = session.call(LIVE_SNAPSHOT, struct.pack("<Q", halved))
    assert snapshot.status == OK, snapshot.message
    restored = session.call(LIVE_RESTORE, snapshot.payload)
    assert restored.status == OK, restored.message
    again, next_bar, *_ = INFO.unpack(restored.payload)
    assert next_bar == 200
    assert feed(session, halved, 200, CLOSE[200:]) == feed(session, again, 200, CLOSE[200:])
    assert states(session, straight) == states(session, halved) == states(session, again)
    assert session.call(LIVE_CLOSE, struct.pack("<Q", again)).status == OK
    assert session.call(LIVE_STATES, struct.pack("<Q", again)).status == NOT_FOUND


def test_bars_out_of_order_change_nothing(session: Session) -> None:
    live_id = open_live(session, CLOSE[:50])
    before = states(session, live_id)
    for index in (49, 51, -1, 2**63 - 1, -(2**63)):
        reply = session.call(LIVE_BARS, live_bars_payload(live_id, index, [1.0]))
        assert reply.status == OUT_OF_ORDER
        assert "bar 50 is due" in reply.message
    assert states(session, live_id) == before
    feed(session, live_id, 50, CLOSE[50:60])


def test_trades_add_up_to_the_sweep(session: Session) -> None:
    reply = session.call(TRADES, live_payload(0, CLOSE, COMBOS, FEE))
    assert reply.status == OK, reply.message
    n_combos, n_closed, n_open = struct.unpack_from("<3Q", reply.payload)
    pnl = struct.unpack_from(f"<{n_combos}d", reply.payload, 24)
    at = 24 + 8 * n_combos
    closed = list(TRADE.iter_unpack(reply.payload[at : at + TRADE.size * n_closed]))
    still_open = list(OPEN_TRADE.iter_unpack(reply.payload[at + TRADE.size * n_closed :]))
    assert len(still_open) == n_open == len(COMBOS)
    for number, combo in enumerate(COMBOS):
        total, count = 0.0, 0
        for of_combo, position, entry_bar, exit_bar, entry, exit_price, trade_pnl in closed:
            if of_combo != number:
                continue
            assert (entry, exit_price) == (CLOSE[entry_bar], CLOSE[exit_bar])
            assert trade_pnl == position * (exit_price - entry) / entry * 100.0 - FEE
            total += trade_pnl
            count += 1
        assert (total, count) == (pnl[number], count) == sweep_one(CLOSE, combo, FEE)
        assert still_open[number][1] == positions(CLOSE, combo)[-1]


@pytest.mark.parametrize("opcode", [LIVE_OPEN, LIVE_BARS, LIVE_STATES, LIVE_SNAPSHOT, LIVE_CLOSE, TRADES])
def test_frames_that_end_early_or_go_on_are_malformed(session: Session, opcode: int) -> None:
    live_id = open_live(session, [])
    good = {
        LIVE_OPEN: live_payload(0, CLOSE, COMBOS, FEE),
        TRADES: live_payload(0, CLOSE, COMBOS, FEE),
        LIVE_BARS: live_bars_payload(live_id, 0, CLOSE),
    }.get(opcode, struct.pack("<Q", live_id))
    for length in {0, len(good) // 16 * 8, len(good) - 8, len(good) - 1}:
        assert session.call(opcode, good[:length]).status == MALFORMED, length
    assert session.call(opcode, good + bytes(8)).status == MALFORMED
    huge = bytearray(good)
    huge[8:16] = b"\xff" * 8  # a count or an index beyond everything
    if len(good) > 8:
        assert session.call(opcode, bytes(huge)).status in (MALFORMED, INVALID, OUT_OF_ORDER)
    assert states(session, live_id) == [(0, -1, 0.0, 0.0, 0)] * len(COMBOS)


def test_a_damaged_snapshot_is_refused(session: Session) -> None:
    live_id = open_live(session, CLOSE)
    snapshot = session.call(LIVE_SNAPSHOT, struct.pack("<Q", live_id)).payload
    for at in range(0, len(snapshot), 97):
        damaged = bytearray(snapshot)
        damaged[at] ^= 1
        assert session.call(LIVE_RESTORE, bytes(damaged)).status == INVALID, at
    assert session.call(LIVE_RESTORE, b"").status == INVALID
