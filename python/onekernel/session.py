"""Session frames: encoding and decoding only; docs/protocol.md has the tables; everything is little-endian.

    [u32 body_len][u8 opcode][u8 version][u16 0][u32 0][u64 request id][u64 epoch][u64 0][payload]             request
    [u32 body_len][u8 opcode][u8 version][u16 status][u32 0][u64 request id][u64 epoch][i64 compute_ns][payload] reply

Each encoder returns everything that goes before the arrays of the request, as one bytes object. Each decoder takes
LEAD unused bytes and the frame of a reply whose header has been checked.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .channel import Piece
from .errors import ProtocolError
from .hello import Hello, Limits, Statistics
from .result import LevelCounts, SweepResult
from .stored_series import Series

VERSION = 1
HELLO, PUT, LIST, DROP, SWEEP, ECHO, STATISTICS, ATTACH = range(0x10, 0x18)  # opcodes, in a body's first byte
SHARED, DESCRIPTOR, REPLACE = 1, 2, 4  # flags of a put
DEFAULT_KERNEL = 0xFFFFFFFF
MAX_NAME_BYTES = 255
MAX_BODY_BYTES = 2**32 - 1

_HEAD = "IBBHIQQQ"
_HEAD_BYTES = struct.calcsize(f"<{_HEAD}")
_PREFIX_BYTES = 4
_REQUEST = struct.Struct(f"<{_HEAD}")
_PUT = struct.Struct(f"<{_HEAD}QII")
_DROP = struct.Struct(f"<{_HEAD}Q")
_ATTACH = struct.Struct(f"<{_HEAD}Q")
_SWEEP = struct.Struct(f"<{_HEAD}QQQdII")

# A reply's frame is received LEAD bytes into a buffer, so that its body, and every array in it, is aligned to 8.
LEAD = 4
REPLY = struct.Struct("<IBBHIQQq")
PAYLOAD = LEAD + REPLY.size
_SWEEP_REPLY = struct.Struct("<qQII16s56s")  # from compute_ns on
_LEVELS = struct.Struct("<7q")
_HELLO_REPLY = struct.Struct("<7QdII24s")
_STATISTICS_REPLY = struct.Struct("<9Q")
_ATTACH_REPLY = struct.Struct("<QQ")
_INFO = struct.Struct("<QQQII")

# The most that a reply of unknown length may have: infos of a few hundred bytes each.
MAX_LIST_BYTES = 2**30
# An error's message is short; a longer reply is none.
MAX_ERROR_BYTES = 64 * 1024
STATISTICS_BYTES = REPLY.size + _STATISTICS_REPLY.size
ATTACH_BYTES = REPLY.size + _ATTACH_REPLY.size
SWEEP_BYTES = REPLY.size - 8 + _SWEEP_REPLY.size  # before the arrays
# opcode, version, zeros, request id and epoch: the same in a request and in its reply, unless that is an error
OPCODE_TO_EPOCH = slice(_PREFIX_BYTES, 28)

_SWEEP_ARRAYS = LEAD + SWEEP_BYTES
_F64 = np.dtype("<f8")
_I64 = np.dtype("<i8")

Frame = bytearray | memoryview


def encode_plain(opcode: int, request_id: int, epoch: int, payload_bytes: int = 0) -> bytes:
    """Return the head of a request of hello, list, statistics or (with the bytes that follow) echo."""
    return _REQUEST.pack(_HEAD_BYTES - _PREFIX_BYTES + payload_bytes, opcode, VERSION, 0, 0, request_id, epoch, 0)


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


def decode_hello(frame: Frame) -> Hello:
    """Return what a reply to hello says."""
    fields = _unpack(_HELLO_REPLY, frame, "hello")
    capabilities, *limits, fee, default_kernel, names_bytes, version = fields
    start = PAYLOAD + _HELLO_REPLY.size
    kernels = tuple(_text(frame, start, names_bytes).split(","))
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


def decode_statistics(frame: Frame) -> Statistics:
    """Return what a reply to statistics says."""
    return Statistics(*_unpack(_STATISTICS_REPLY, frame, "statistics"))


def decode_attach(frame: Frame) -> int:
    """Return the bytes of each ring."""
    return int(_unpack(_ATTACH_REPLY, frame, "attach")[0])


def decode_infos(frame: Frame, epoch: int) -> list[Series]:
    """Return the series in a reply to put or list."""
    infos, at, end = [], PAYLOAD, len(frame)
    while at < end:
        if end - at < _INFO.size:
            raise ProtocolError(f"a list of series ends {end - at} bytes into an entry of {_INFO.size}")
        series_id, n_bars, content_hash, flags, name_bytes = _INFO.unpack_from(frame, at)
        at += _INFO.size
        name = _text(frame, at, name_bytes)
        at += name_bytes + -name_bytes % 8
        infos.append(Series(series_id, name, n_bars, epoch, bool(flags & SHARED), content_hash))
    return infos


def decode_sweep(frame: Frame, n_combos: int, kernels: tuple[str, ...]) -> SweepResult:
    """Return the result in a sweep's reply of SWEEP_BYTES + 16 * n_combos, its arrays as views of the frame."""
    compute_ns, count, kernel, threads, target, levels = _SWEEP_REPLY.unpack_from(frame, PAYLOAD - 8)
    if count != n_combos or kernel >= len(kernels):
        raise ProtocolError(f"a reply to a sweep of {n_combos} combos tells of {count}, by kernel number {kernel}")
    pnl = np.frombuffer(frame, _F64, n_combos, _SWEEP_ARRAYS)
    trades = np.frombuffer(frame, _I64, n_combos, _SWEEP_ARRAYS + 8 * n_combos)
    return SweepResult(pnl, trades, compute_ns, kernels[kernel], threads, _target(target), _levels(levels))


def decode_echo(frame: Frame, n_values: int) -> npt.NDArray[np.float64]:
    """Return the floats in an echo's reply, as a view of the frame."""
    return np.frombuffer(frame, _F64, n_values, PAYLOAD)


def decode_message(payload: bytes) -> str:
    """Return the message that is the payload of a reply whose status is not 0."""
    return payload.rstrip(b"\0").decode("utf-8", "replace")


def opcode_and_id(head: Piece) -> tuple[int, int]:
    """Return what a request's head says it is."""
    _, opcode, _, _, _, request_id, _, _ = _REQUEST.unpack_from(head)
    return opcode, request_id


def _unpack(layout: struct.Struct, frame: Frame, what: str) -> tuple[Any, ...]:
    if len(frame) - PAYLOAD < layout.size:
        raise ProtocolError(f"a reply to {what} of {len(frame) - LEAD} bytes is too short")
    return layout.unpack_from(frame, PAYLOAD)


def _text(frame: Frame, start: int, size: int) -> str:
    if start + size + -size % 8 > len(frame):
        raise ProtocolError(f"a text of {size} bytes goes on behind the end of its frame")
    return bytes(frame[start : start + size]).decode("utf-8", "replace")


def _padded(text: bytes) -> bytes:
    return text + b"\0" * (-len(text) % 8)


@lru_cache(maxsize=64)
def _levels(counts: bytes) -> LevelCounts:
    return LevelCounts._make(_LEVELS.unpack(counts))


@lru_cache(maxsize=64)
def _target(text: bytes) -> str | None:
    """Return the instruction set; None where the engine does not tell it."""
    return text.rstrip(b"\0").decode("utf-8", "replace") or None
