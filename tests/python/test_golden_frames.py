"""Frames that every client must produce to the byte: tests/golden_frames/session.json.

Two clients that share no code are compared with it here, the package's and the one written by hand. The file says for
each frame what it is, and its bytes in hex, length prefix included.
"""

import json
from pathlib import Path

import classic_by_hand
import numpy as np
import pytest
import session_by_hand
from onekernel import classic, session

FILE = Path(__file__).parents[1] / "golden_frames" / "session.json"
ID, EPOCH, SERIES, LIVE = 0x0102030405060708, 0xF0E0D0C0B0A09080, 0x1122334455667788, 0x0807060504030201
CLOSE = [1.5, 2.25, 3.125]
COMBOS = [[3, 6, 2, 1, 2, 3], [50, 100, 10, 17, 25, 50]]
FEE, KERNEL, THREADS = 0.09, 1, 2
NAME = "btc-1m"
TOKEN = b"correct-horse-battery-staple"

close, combos = np.array(CLOSE), np.array(COMBOS)


def by_hand(opcode, payload=b"", epoch=EPOCH):
    return session_by_hand.frame(opcode, payload, request_id=ID, epoch=epoch)


def whole(head, *arrays):
    return head + b"".join(array.tobytes() for array in arrays)


# name: (description, by hand, by the package)
FRAMES = {
    "hello": (
        "hello; request id 0x0102030405060708, epoch 0 because none is known yet",
        by_hand(session_by_hand.HELLO, epoch=0),
        session.encode_hello(ID),
    ),
    "hello_with_token": (
        "hello that tells the token 'correct-horse-battery-staple'",
        by_hand(session_by_hand.HELLO, len(TOKEN).to_bytes(8, "little") + TOKEN + bytes(-len(TOKEN) % 8), epoch=0),
        session.encode_hello(ID, TOKEN),
    ),
    "put": (
        "put of the closes 1.5, 2.25, 3.125 as 'btc-1m', shared; epoch 0xF0E0D0C0B0A09080 here and below",
        by_hand(session_by_hand.PUT, session_by_hand.put_payload(NAME, CLOSE, session_by_hand.SHARED)),
        whole(session.encode_put(ID, EPOCH, NAME.encode(), 3, session.SHARED), close),
    ),
    "put_by_memfd": (
        "put of 3 closes in a memfd as 'btc-1m', shared, replacing",
        by_hand(session_by_hand.PUT, session_by_hand.put_payload(NAME, CLOSE, 1 | 2 | 4)),
        session.encode_put(ID, EPOCH, NAME.encode(), 3, session.SHARED | session.DESCRIPTOR | session.REPLACE),
    ),
    "list": ("list", by_hand(session_by_hand.LIST), session.encode_plain(session.LIST, ID, EPOCH)),
    "drop": (
        "drop of series 0x1122334455667788",
        by_hand(session_by_hand.DROP, SERIES.to_bytes(8, "little")),
        session.encode_drop(ID, EPOCH, SERIES),
    ),
    "sweep_stored": (
        "sweep over series 0x1122334455667788 of (3 6 2 1 2 3) and (50 100 10 17 25 50), fee 0.09, kernel 1, 2 threads",
        by_hand(session_by_hand.SWEEP, session_by_hand.sweep_payload(SERIES, [], COMBOS, FEE, KERNEL, THREADS)),
        whole(session.encode_sweep(ID, EPOCH, SERIES, 0, 2, FEE, KERNEL, THREADS), combos),
    ),
    "sweep_shipped": (
        "sweep over the closes 1.5, 2.25, 3.125 of the same combos, fee 0.09, kernel and threads left to the engine",
        by_hand(session_by_hand.SWEEP, session_by_hand.sweep_payload(0, CLOSE, COMBOS, FEE)),
        whole(session.encode_sweep(ID, EPOCH, 0, 3, 2, FEE), close, combos),
    ),
    "echo": (
        "echo of the floats 1.5, 2.25, 3.125",
        by_hand(session_by_hand.ECHO, close.tobytes()),
        whole(session.encode_plain(session.ECHO, ID, EPOCH, 24), close),
    ),
    "statistics": (
        "statistics",
        by_hand(session_by_hand.STATISTICS),
        session.encode_plain(session.STATISTICS, ID, EPOCH),
    ),
    "attach": (
        "attach, rings of 65536 bytes",
        by_hand(session_by_hand.ATTACH, (65536).to_bytes(8, "little")),
        session.encode_attach(ID, EPOCH, 65536),
    ),
    "live_open_stored": (
        "live open on the same combos, history series 0x1122334455667788, fee 0.09, 2 threads",
        by_hand(session_by_hand.LIVE_OPEN, session_by_hand.live_payload(SERIES, [], COMBOS, FEE, THREADS)),
        whole(session.encode_live_open(session.LIVE_OPEN, ID, EPOCH, SERIES, 0, 2, FEE, THREADS), combos),
    ),
    "live_open_shipped": (
        "live open on the same combos, history 1.5, 2.25, 3.125, fee 0.09, threads left to the engine",
        by_hand(session_by_hand.LIVE_OPEN, session_by_hand.live_payload(0, CLOSE, COMBOS, FEE)),
        whole(session.encode_live_open(session.LIVE_OPEN, ID, EPOCH, 0, 3, 2, FEE), close, combos),
    ),
    "live_bars": (
        "live bars 1.5, 2.25, 3.125, the first of which is bar 7, for live session 0x0807060504030201",
        by_hand(session_by_hand.LIVE_BARS, session_by_hand.live_bars_payload(LIVE, 7, CLOSE)),
        whole(session.encode_live_bars(ID, EPOCH, LIVE, 7, 3), close),
    ),
    "live_states": (
        "live states of the same session",
        by_hand(session_by_hand.LIVE_STATES, LIVE.to_bytes(8, "little")),
        session.encode_live(session.LIVE_STATES, ID, EPOCH, LIVE),
    ),
    "live_snapshot": (
        "live snapshot of the same session",
        by_hand(session_by_hand.LIVE_SNAPSHOT, LIVE.to_bytes(8, "little")),
        session.encode_live(session.LIVE_SNAPSHOT, ID, EPOCH, LIVE),
    ),
    "live_restore": (
        "live restore of a snapshot; the bytes of 1.5, 2.25, 3.125 stand for one",
        by_hand(session_by_hand.LIVE_RESTORE, close.tobytes()),
        whole(session.encode_plain(session.LIVE_RESTORE, ID, EPOCH, 24), close),
    ),
    "live_close": (
        "live close of the same session",
        by_hand(session_by_hand.LIVE_CLOSE, LIVE.to_bytes(8, "little")),
        session.encode_live(session.LIVE_CLOSE, ID, EPOCH, LIVE),
    ),
    "trades": (
        "trades of the same combos over the closes 1.5, 2.25, 3.125, fee 0.09, threads left to the engine",
        by_hand(session_by_hand.TRADES, session_by_hand.live_payload(0, CLOSE, COMBOS, FEE)),
        whole(session.encode_live_open(session.TRADES, ID, EPOCH, 0, 3, 2, FEE), close, combos),
    ),
    "classic_sweep": (
        "classic sweep over the closes 1.5, 2.25, 3.125 of the same combos",
        classic_by_hand.request(classic_by_hand.SWEEP, CLOSE, COMBOS),
        b"".join(classic.encode_request(classic.Opcode.SWEEP, close, combos)),
    ),
    "classic_echo": (
        "classic echo of the floats 1.5, 2.25, 3.125",
        classic_by_hand.request(classic_by_hand.ECHO, CLOSE),
        b"".join(classic.encode_request(classic.Opcode.ECHO, close, np.empty((0, 6), np.int64))),
    ),
}


@pytest.fixture(scope="module")
def golden():
    return json.loads(FILE.read_text())


@pytest.mark.parametrize("name", FRAMES)
def test_both_clients_make_the_golden_frame(golden, name):
    description, hand, package = FRAMES[name]
    assert golden[name]["description"] == description
    assert hand.hex() == golden[name]["hex"]
    assert package.hex() == golden[name]["hex"]


def test_the_file_has_no_other_frames(golden):
    assert list(golden) == list(FRAMES)
