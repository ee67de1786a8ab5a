"""Session frames: encoding and decoding only; docs/protocol.md has the tables; everything is little-endian.

    [u32 body_len][u8 opcode][u8 version][u16 0][u32 0][u64 request id][u64 epoch][u64 0][payload]             request
    [u32 body_len][u8 opcode][u8 version][u16 status][u32 0][u64 request id][u64 epoch][i64 compute_ns][payload] reply

Each encoder returns everything that goes before the arrays of the request, as one bytes object. Each decoder takes the
payload of a reply whose header has been checked.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .errors import ProtocolError
from .hello import Hello, Limits, Statistics
from .records import CHANGE, OPEN_TRADE, TRADE, Records
from .result import LevelCounts, SweepResult
from .stored_series import Series
from .trade_list import TradeList

VERSION = 1
HELLO, PUT, LIST, DROP, SWEEP, ECHO, STATISTICS, ATTACH = range(0x10, 0x18)  # opcodes, in a body's first byte
LIVE_OPEN, LIVE_BARS, LIVE_STATES, LIVE_SNAPSHOT, LIVE_RESTORE, LIVE_CLOSE, TRADES = range(0x20, 0x27)
SHARED, DESCRIPTOR, REPLACE = 1, 2, 4  # flags of a put
DEFAULT_KERNEL = 0xFFFFFFFF
MAX_NAME_BYTES = 255
MAX_TOKEN_BYTES = 1024
MAX_BODY_BYTES = 2**32 - 1

_HEAD = "IBBHIQQQ"
_HEAD_BYTES = struct.calcsize(f"<{_HEAD}")
_PREFIX_BYTES = 4
_REQUEST = struct.Struct(f"<{_HEAD}")
_PUT = struct.Struct(f"<{_HEAD}QII")
_TOKEN = struct.Struct("<II")
_DROP = struct.Struct(f"<{_HEAD}Q")
_ATTACH = struct.Struct(f"<{_HEAD}Q")
_SWEEP = struct.Struct(f"<{_HEAD}QQQdII")
_LIVE_OPEN = struct.Struct(f"<{_HEAD}QQQdQ")
_LIVE_BARS = struct.Struct(f"<{_HEAD}QqQ")
_LIVE = struct.Struct(f"<{_HEAD}Q")

REPLY = struct.Struct("<IBBHIQQq")  # the head of a reply
_SWEEP_REPLY = struct.Struct("<QII16s56s")
_LEVELS = struct.Struct("<7q")
_HELLO_REPLY = struct.Struct("<7QdII24s")
_STATISTICS_REPLY = struct.Struct("<11Q")
_ATTACH_REPLY = struct.Struct("<QQ")
_INFO = struct.Struct("<QQQII")
_LIVE_INFO = struct.Struct("<QqQQd")
_LIVE_BARS_REPLY = struct.Struct("<qQ")
_TRADES_REPLY = struct.Struct("<3Q")

LIVE_INFO_BYTES = _LIVE_INFO.size  # of payload, as those below
LIVE_BARS_HEAD_BYTES = _LIVE_BARS.size - _PREFIX_BYTES  # of body
STATISTICS_BYTES = _STATISTICS_REPLY.size  # of payload, as those below
ATTACH_BYTES = _ATTACH_REPLY.size
SWEEP_BYTES = _SWEEP_REPLY.size  # before the arrays

_F64 = np.dtype("<f8")
_I64 = np.dtype("<i8")

Payload = bytes | bytearray | memoryview


def encode_plain(opcode: int, request_id: int, epoch: int, payload_bytes: int = 0) -> bytes:
    """Return the head of a request of hello, list, statistics or (with the bytes that follow) echo."""
    return _REQUEST.pack(_HEAD_BYTES - _PREFIX_BYTES + payload_bytes, opcode, VERSION, 0, 0, request_id, epoch, 0)


def encode_hello(request_id: int, token: bytes = b"") -> bytes:
    """Return a whole hello, with a token where there is one to tell."""
    payload = _TOKEN.pack(len(token), 0) + _padded(token) if token else b""
    return encode_plain(HELLO, request_id, 0, len(payload)) + payload


def encode_put(request_id: int, epoch: int, name: bytes, n_bars: int, flags: int) -> bytes:
    """Return a put up to its closes; none follow where flags say DESCRIPTOR."""
    padded = _padded(name)
    closes = 0 if flags & DESCRIPTOR else 8 * n_bars
    body_bytes = _PUT.size - _PREFIX_BYTES + len(padded) + closes
    return _PUT.pack(body_bytes, PUT, VERSION, 0, 0, request_id, epoch, 0, n_bars, flags, len(name)) + padded


def encode_drop(request_id: int, epoch: int, series_id: int) -> bytes:
    """Return a whole drop."""
    return _DROP.pack(_DROP.size - _PREFIX_BYTES, DROP, VERSION, 0, 0, request_id, epoch, 0, series_id)


def encode_attach(request_id: int, epoch: int, ring_bytes: int) -> bytes:
    """Return a whole attach; ring_bytes of each direction."""
    return _ATTACH.pack(_ATTACH.size - _PREFIX_BYTES, ATTACH, VERSION, 0, 0, request_id, epoch, 0, ring_bytes)


def encode_sweep(
    request_id: int,
    epoch: int,
    series_id: int,
    n_bars: int,
    n_combos: int,
    fee: float,
    kernel: int = DEFAULT_KERNEL,
    threads: int = 0,
) -> bytes:
    """Return a sweep up to its arrays: n_bars closes that are shipped (0 with a series id), then the combos."""
    body_bytes = _SWEEP.size - _PREFIX_BYTES + 8 * n_bars + 48 * n_combos
    return _SWEEP.pack(
        body_bytes, SWEEP, VERSION, 0, 0, request_id, epoch, 0, series_id, n_bars, n_combos, fee, kernel, threads
    )


def encode_live_open(
    opcode: int,
    request_id: int,
    epoch: int,
    series_id: int,
    n_bars: int,
    n_combos: int,
    fee: float,
    threads: int = 0,
) -> bytes:
    """Return a LIVE_OPEN or TRADES up to its arrays: n_bars closes that are shipped (0 with a series id), combos."""
    body_bytes = _LIVE_OPEN.size - _PREFIX_BYTES + 8 * n_bars + 48 * n_combos
    return _LIVE_OPEN.pack(
        body_bytes, opcode, VERSION, 0, 0, request_id, epoch, 0, series_id, n_bars, n_combos, fee, threads
    )


def encode_live_bars(request_id: int, epoch: int, live_id: int, first_bar: int, n_bars: int) -> bytes:
    """Return live bars up to their n_bars closes."""
    body_bytes = _LIVE_BARS.size - _PREFIX_BYTES + 8 * n_bars
    return _LIVE_BARS.pack(body_bytes, LIVE_BARS, VERSION, 0, 0, request_id, epoch, 0, live_id, first_bar, n_bars)


def encode_live(opcode: int, request_id: int, epoch: int, live_id: int) -> bytes:
    """Return a whole LIVE_STATES, LIVE_SNAPSHOT or LIVE_CLOSE."""
    return _LIVE.pack(_LIVE.size - _PREFIX_BYTES, opcode, VERSION, 0, 0, request_id, epoch, 0, live_id)


def decode_hello(payload: Payload) -> Hello:
    """Return what a reply to hello says."""
    fields = _unpack(_HELLO_REPLY, payload, "hello")
    capabilities, *limits, fee, default_kernel, names_bytes, version = fields
    kernels = tuple(_text(payload, _HELLO_REPLY.size, names_bytes).split(","))
    if default_kernel >= len(kernels):
        raise ProtocolError(f"the default kernel is number {default_kernel} of {len(kernels)} in a reply to hello")
    return Hello(
        version=version.rstrip(b"\0").decode("utf-8", "replace"),
        kernels=kernels,
        default_kernel=kernels[default_kernel],
        default_fee=fee,
        passes_descriptors=bool(capabilities & 1),
        limits=Limits(*limits),
    )


def decode_statistics(payload: Payload) -> Statistics:
    """Return what a reply to statistics says."""
    return Statistics(*_unpack(_STATISTICS_REPLY, payload, "statistics"))


def decode_attach(payload: Payload) -> int:
    """Return the bytes of each ring."""
    return int(_unpack(_ATTACH_REPLY, payload, "attach")[0])


def decode_infos(payload: Payload, epoch: int) -> list[Series]:
    """Return the series in a reply to put or list."""
    infos, at, end = [], 0, len(payload)
    while at < end:
        if end - at < _INFO.size:
            raise ProtocolError(f"a list of series ends {end - at} bytes into an entry of {_INFO.size}")
        series_id, n_bars, content_hash, flags, name_bytes = _INFO.unpack_from(payload, at)
        at += _INFO.size
        name = _text(payload, at, name_bytes)
        at += name_bytes + -name_bytes % 8
        infos.append(Series(series_id, name, n_bars, epoch, bool(flags & SHARED), content_hash))
    return infos


def decode_sweep(compute_ns: int, payload: Payload, n_combos: int, kernels: tuple[str, ...]) -> SweepResult:
    """Return the result in a sweep's payload of SWEEP_BYTES + 16 * n_combos, its arrays as views of that."""
    count, kernel, threads, target, levels = _SWEEP_REPLY.unpack_from(payload)
    if count != n_combos or kernel >= len(kernels):
        raise ProtocolError(f"a reply to a sweep of {n_combos} combos tells of {count}, by kernel number {kernel}")
    pnl = np.frombuffer(payload, _F64, n_combos, SWEEP_BYTES)
    trades = np.frombuffer(payload, _I64, n_combos, SWEEP_BYTES + 8 * n_combos)
    return SweepResult(pnl, trades, compute_ns, kernels[kernel], threads, _target(target), _levels(levels))


def sweep_result(
    compute_ns: int,
    kernel: int,
    threads: int,
    target: str,
    levels: tuple[int, ...],
    payload: Payload,
    kernels: tuple[str, ...],
) -> SweepResult:
    """Return the result of a sweep whose payload has been taken apart but for its arrays, which become views of it."""
    if kernel >= len(kernels):
        raise ProtocolError(f"a reply to a sweep tells of kernel number {kernel}, but there are {len(kernels)}")
    n_combos = (len(payload) - SWEEP_BYTES) // 16
    pnl = np.frombuffer(payload, _F64, n_combos, SWEEP_BYTES)
    trades = np.frombuffer(payload, _I64, n_combos, SWEEP_BYTES + 8 * n_combos)
    return SweepResult(pnl, trades, compute_ns, kernels[kernel], threads, target or None, LevelCounts._make(levels))


class LiveInfo(NamedTuple):
    """Where a live session stands; its id is of one connection."""

    live_id: int
    next_bar: int
    n_combos: int
    n_bytes: int
    fee: float


def decode_live_info(payload: Payload) -> LiveInfo:
    """Return what a reply to live open or restore says."""
    return LiveInfo._make(_unpack(_LIVE_INFO, payload, "live open"))


def decode_live_bars(payload: Payload) -> tuple[int, Records]:
    """Return the next bar and the CHANGE records in a reply to live bars, a view of the payload."""
    next_bar, n_changes = _unpack(_LIVE_BARS_REPLY, payload, "live bars")
    if len(payload) != _LIVE_BARS_REPLY.size + n_changes * CHANGE.itemsize:
        raise ProtocolError(f"a reply to live bars has {len(payload)} bytes, and tells of {n_changes} changes")
    return next_bar, np.frombuffer(payload, CHANGE, n_changes, _LIVE_BARS_REPLY.size)


def decode_trades(payload: Payload, n_combos: int, n_bars: int) -> TradeList:
    """Return the list in a reply to trades, its arrays as views of the payload."""
    count, n_closed, n_open = _unpack(_TRADES_REPLY, payload, "trades")
    closed_at = _TRADES_REPLY.size + 8 * n_combos
    open_at = closed_at + TRADE.itemsize * n_closed
    if count != n_combos or len(payload) != open_at + OPEN_TRADE.itemsize * n_open:
        raise ProtocolError(f"a list of {n_closed} trades of {count} combos does not fit into {len(payload)} bytes")
    return TradeList(
        np.frombuffer(payload, TRADE, n_closed, closed_at),
        np.frombuffer(payload, OPEN_TRADE, n_open, open_at),
        np.frombuffer(payload, _F64, n_combos, _TRADES_REPLY.size),
        n_bars,
    )


def _unpack(layout: struct.Struct, payload: Payload, what: str) -> tuple[Any, ...]:
    if len(payload) < layout.size:
        raise ProtocolError(f"a payload of {len(payload)} bytes is too short for a reply to {what}")
    return layout.unpack_from(payload)


def _text(payload: Payload, start: int, size: int) -> str:
    if start + size + -size % 8 > len(payload):
        raise ProtocolError(f"a text of {size} bytes goes on behind the end of its frame")
    return bytes(payload[start : start + size]).decode("utf-8", "replace")


def _padded(text: bytes) -> bytes:
    return text + b"\0" * (-len(text) % 8)


@lru_cache(maxsize=64)
def _levels(counts: bytes) -> LevelCounts:
    return LevelCounts._make(_LEVELS.unpack(counts))


@lru_cache(maxsize=64)
def _target(text: bytes) -> str | None:
    """Return the instruction set; None where the engine does not tell it."""
    return text.rstrip(b"\0").decode("utf-8", "replace") or None
