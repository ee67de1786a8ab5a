"""Classic frames as published; everything is little-endian.

    request:  [u32 body_len][u8 opcode][u32 n_bars][u32 n_combos][n_bars x f64 close][n_combos x 6 x i64 params]
    reply:    [u32 body_len][body]
              sweep: [n_combos x f64 pnl][n_combos x i64 trades]      echo: [n_bars x f64 close]
    error:    a reply with body_len % 8 == 1 (no other reply has that): [u8 code][UTF-8 message, space-padded]

Encoding copies no array: the pieces are handed to the socket as they lie in memory.
"""

from __future__ import annotations

import struct
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from .errors import EngineError, engine_error
from .result import SweepResult

PREFIX = struct.Struct("<I")
HEADER = struct.Struct("<IBII")
MAX_BODY_BYTES = 2**32 - 1
MAX_ERROR_BYTES = 64 * 1024 + 1  # a longer message is no message

_F64 = np.dtype("<f8")
_I64 = np.dtype("<i8")
_COUNTS_BYTES = HEADER.size - PREFIX.size


class Opcode(IntEnum):
    """The first byte of a request's body."""

    SWEEP = 0
    ECHO = 1


def encode_request(
    opcode: int, close: npt.NDArray[np.float64], combos: npt.NDArray[np.int64]
) -> tuple[bytes, memoryview, memoryview]:
    """Return the request as (header bytes, view of close, view of params), to be sent one after the other.

    close: float64 (n_bars,); combos: int64 (n_combos, 6); both C-contiguous. ValueError if the body would not fit a
    frame of 4 GiB.
    """
    body_bytes = _COUNTS_BYTES + close.nbytes + combos.nbytes
    if body_bytes > MAX_BODY_BYTES:
        raise ValueError(
            f"a request of {len(close)} bars and {len(combos)} combos has {body_bytes} bytes, "
            f"but a classic frame holds at most {MAX_BODY_BYTES}; split the combos or shorten the series"
        )
    header = HEADER.pack(body_bytes, opcode, len(close), len(combos))
    return header, _bytes_of(close, _F64), _bytes_of(combos, _I64)


def reply_bytes(opcode: int, n_bars: int, n_combos: int) -> int:
    """Return the body length of the reply that answers such a request."""
    return 8 * n_bars if opcode == Opcode.ECHO else 16 * n_combos


def is_error(body_bytes: int) -> bool:
    """Tell from the body length whether a reply is an error reply."""
    return body_bytes % 8 == 1


def decode_sweep(body: bytes | bytearray | memoryview | npt.NDArray[np.float64], n_combos: int) -> SweepResult:
    """Return the result that lies in a sweep reply's body (16 * n_combos bytes), as views of it."""
    pnl = np.frombuffer(body, _F64, n_combos)
    trades = np.frombuffer(body, _I64, n_combos, 8 * n_combos)
    return SweepResult(pnl.astype(np.float64, copy=False), trades.astype(np.int64, copy=False))


def decode_echo(body: bytes | bytearray | memoryview) -> npt.NDArray[np.float64]:
    """Return the floats of an echo reply's body, as a view of it."""
    return np.frombuffer(body, _F64).astype(np.float64, copy=False)


def decode_error(body: bytes) -> EngineError:
    """Return the error that an error reply's body carries."""
    return engine_error(body[0], body[1:].decode("utf-8", "replace").rstrip())


def _bytes_of(array: npt.NDArray[np.float64] | npt.NDArray[np.int64], dtype: np.dtype[np.generic]) -> memoryview:
    flat = array.astype(dtype, copy=False).reshape(-1)
    return flat.view(np.uint8).data
