"""The serialization tax: what it costs to turn the series into bytes and back, by format.

Every decode ends with a float64 array that owns or views its values and equals the original bit for bit; that is
checked for each format before its times count.
"""

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgpack
import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
from onekernel import classic

from onekernel_study.echo import echo_complaint
from onekernel_study.percentiles import percentile
from onekernel_study.progress import Progress
from onekernel_study.schema import Serialization
from onekernel_study.stopwatch import collector_off, timed

Series = npt.NDArray[np.float64]
RAW = "raw_copied"
NO_COMBOS = np.empty((0, 6), np.int64)


@dataclass(frozen=True)
class Format:
    """How one format encodes the series and decodes it; size counts the bytes of what encode returned."""

    name: str
    title: str
    encode: Callable[[Series], Any]
    decode: Callable[[Any], Series]
    size: Callable[[Any], int] = len


def _raw_copied(close: Series) -> bytes:
    return b"".join(classic.encode_request(classic.Opcode.ECHO, close, NO_COMBOS))


def _raw_not_copied(close: Series) -> tuple[Any, ...]:
    return tuple(classic.encode_request(classic.Opcode.ECHO, close, NO_COMBOS))


def _after_header(frame: bytes) -> Series:
    values: Series = np.frombuffer(frame, dtype="<f8", offset=classic.HEADER.size).copy()
    return values


def _arrow(close: Series) -> pa.Buffer:
    batch = pa.record_batch([pa.array(close)], names=["close"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _from_arrow(buffer: pa.Buffer) -> Series:
    column = pa.ipc.open_stream(buffer).read_next_batch().column(0)
    values: Series = column.to_numpy(zero_copy_only=True)
    return values


FORMATS = (
    Format(RAW, "raw doubles, copied", _raw_copied, _after_header),
    Format(
        "raw_not_copied",
        "raw doubles, not copied",
        _raw_not_copied,
        lambda parts: np.frombuffer(parts[1], dtype="<f8"),
        lambda parts: sum(memoryview(part).nbytes for part in parts),
    ),
    Format("pickle5", "pickle, protocol 5", partial(pickle.dumps, protocol=5), pickle.loads),
    Format(
        "json",
        "json of the standard library",
        lambda close: json.dumps(close.tolist()).encode(),
        lambda text: np.array(json.loads(text), dtype=np.float64),
    ),
    Format(
        "orjson",
        "orjson, from the array",
        partial(orjson.dumps, option=orjson.OPT_SERIALIZE_NUMPY),
        lambda text: np.array(orjson.loads(text), dtype=np.float64),
    ),
    Format(
        "msgpack",
        "msgpack, a list of doubles",
        lambda close: msgpack.packb(close.tolist()),
        lambda packed: np.array(msgpack.unpackb(packed), dtype=np.float64),
    ),
    Format("arrow_ipc", "Arrow IPC stream", _arrow, _from_arrow, lambda buffer: buffer.size),
)


@dataclass
class _Samples:
    format: Format
    encode_ns: list[int]
    decode_ns: list[int]
    n_bytes: int = 0
    complaint: str | None = None


def measure_serialization(
    close: Series, n: int, progress: Progress, formats: tuple[Format, ...] = FORMATS
) -> tuple[Serialization, ...]:
    """Encodes and decodes the series n times with every format, interleaved, after one warm-up of each."""
    taken = [_Samples(each, [], []) for each in formats]
    with collector_off():
        for number in range(-1, n):
            progress.show(f"serialization, repeat {number + 1} of {n}")
            for samples in taken:
                if not samples.complaint:
                    _once(samples, close, keep=number >= 0)
    raw = next((percentile(s.encode_ns, 50) for s in taken if s.format.name == RAW and not s.complaint), None)
    return tuple(_summary(samples, raw) for samples in taken)


def _once(samples: _Samples, close: Series, keep: bool) -> None:
    encode_ns, encoded = timed(partial(samples.format.encode, close))
    decode_ns, decoded = timed(partial(samples.format.decode, encoded))
    samples.complaint = echo_complaint(close, decoded)
    samples.n_bytes = samples.format.size(encoded)
    if keep:
        samples.encode_ns.append(encode_ns)
        samples.decode_ns.append(decode_ns)


def _summary(samples: _Samples, raw_ns: float | None) -> Serialization:
    name, title, n = samples.format.name, samples.format.title, len(samples.encode_ns)
    if samples.complaint:
        return Serialization(name, title, None, None, samples.n_bytes, None, n, samples.complaint)
    encode, decode = (percentile(ns, 50) for ns in (samples.encode_ns, samples.decode_ns))
    ratio = None if raw_ns is None else encode / raw_ns
    return Serialization(name, title, encode / 1e3, decode / 1e3, samples.n_bytes, ratio, n, None)
