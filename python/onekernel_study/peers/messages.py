"""Raw bytes, for the peers whose library moves bytes and asks nothing about them.

sweep:  [u32 1][u32 n_combos][u64 n_bars][f64 fee] [n_bars f64 close] [n_combos 6 i64 combos]
bar:    [u32 2][u32 0][u64 0][f64 close]
window: [u32 3][u32 0][u64 n][f64 0] [n f64 the last closes]        for a process that keeps no state

reply of a sweep:          [i64 compute_ns] [n_combos f64 pnl] [n_combos i64 trades]
reply of a bar or window:  [i64 compute_ns] [f64 value]
"""

import struct
import time

import numpy as np

from onekernel_study.peers.service import (
    LIVE_LENGTH,
    Floats,
    Ints,
    Service,
    Stepped,
    Swept,
    decision_value,
    decision_weights,
)

HEAD = struct.Struct("<IIQd")
BAR_REPLY = struct.Struct("<qd")
SWEEP, BAR, WINDOW = 1, 2, 3

Buffer = bytes | bytearray | memoryview


def sweep_pieces(close: Floats, combos: Ints, fee: float) -> tuple[bytes, memoryview, memoryview]:
    """The request of a sweep, its arrays as they lie in memory."""
    return HEAD.pack(SWEEP, len(combos), len(close), fee), close.data.cast("B"), combos.data.cast("B")


def bar_request(close: float) -> bytes:
    """The request of one bar."""
    return HEAD.pack(BAR, 0, 0, close)


def window_request(closes: Floats) -> bytes:
    """The request of one bar that brings the state along."""
    return HEAD.pack(WINDOW, 0, len(closes), 0.0) + closes.tobytes()


def sweep_reply(reply: Buffer, n_combos: int) -> Swept:
    """Decodes the reply of a sweep; the arrays are the caller's own."""
    (compute_ns,) = struct.unpack_from("<q", reply)
    pnl = np.frombuffer(reply, np.float64, n_combos, 8).copy()
    trades = np.frombuffer(reply, np.int64, n_combos, 8 + 8 * n_combos).copy()
    return Swept(pnl, trades, compute_ns)


def bar_reply(reply: Buffer) -> Stepped:
    """Decodes the reply of a bar or a window."""
    compute_ns, value = BAR_REPLY.unpack_from(reply)
    return Stepped(value, compute_ns)


def answer(service: Service, request: Buffer) -> bytes:
    """What the peer's process does with a request in one piece; ValueError for one that is none."""
    kind, n_combos, n_bars, number = HEAD.unpack_from(request)
    if kind == BAR:
        value, compute_ns = service.bar(number)
        return BAR_REPLY.pack(compute_ns, value)
    if kind == WINDOW:
        start = time.perf_counter_ns()
        closes = np.frombuffer(request, np.float64, n_bars, HEAD.size)
        value = decision_value(decision_weights(LIVE_LENGTH), closes)
        return BAR_REPLY.pack(time.perf_counter_ns() - start, value)
    if kind == SWEEP:
        close = np.frombuffer(request, np.float64, n_bars, HEAD.size)
        combos = np.frombuffer(request, np.int64, 6 * n_combos, HEAD.size + close.nbytes).reshape(n_combos, 6)
        return encode_swept(service.sweep(close, combos, number))
    raise ValueError(f"a request of kind {kind}, which is not known")


def encode_swept(swept: Swept) -> bytes:
    """The reply of a sweep."""
    return struct.pack("<q", swept.compute_ns) + swept.pnl.tobytes() + swept.trades.tobytes()
