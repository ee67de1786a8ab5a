"""Measures somebody's own function in this process: its time, and its arguments as raw bytes, pickle and JSON."""

import importlib
import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from onekernel_study.percentiles import median
from onekernel_study.stopwatch import collector_off, timed

BOX_S = 2.0  # for about how long the function is called again and again
MOST_CALLS = 2_000
ENCODINGS = 9  # of each kind


@dataclass(frozen=True)
class Encoding:
    """The arguments in one form; None and the reason where they have no such form."""

    format: str
    bytes: int | None
    encode_s: float | None
    decode_s: float | None
    reason: str | None


@dataclass(frozen=True)
class Timed:
    """What a function takes; first_s is its first call here, which may compile or load something."""

    name: str
    n: int
    first_s: float
    median_s: float
    arguments: tuple[Encoding, ...]
    result: tuple[Encoding, ...]

    @property
    def payload_bytes(self) -> int:
        """The arguments as raw bytes, or pickled where they have no raw form, or 0 where they cannot cross at all."""
        return next((each.bytes for each in self.arguments if each.bytes is not None), 0)


def load(name: str, arguments: str | None) -> tuple[Callable[..., object], tuple[object, ...]]:
    """The function called module:function, and its arguments: Python, evaluated in that module.

    Modules of the working directory are found too. ValueError where there is no such function, or the arguments fail.
    """
    module_name, colon, path = name.partition(":")
    if not colon or not module_name or not path:
        raise ValueError(f"{name!r} names no function; write module:function, such as strategy:sweep")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(f"the module {module_name!r} cannot be imported: {error}") from error
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{module_name} has no {path!r}")
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"{name} is {type(found).__name__}, which cannot be called")
    if not arguments:
        return found, ()
    try:
        # The words are the user's own, like the module that they are about; whoever writes them could write a module.
        values = eval(f"({arguments},)", vars(module))
    except Exception as error:
        raise ValueError(f"the arguments {arguments!r} failed in {module_name}: {error}") from error
    return found, tuple(values)


def measure(name: str, function: Callable[..., object], arguments: Sequence[object], box_s: float = BOX_S) -> Timed:
    """Calls the function for a while; ValueError where it raises."""
    call = partial(function, *arguments)
    try:
        first_ns, result = timed(call)
        samples_ns = _repeated(call, first_ns, box_s)
    except Exception as error:
        raise ValueError(f"{name} raised {type(error).__name__}: {error}") from error
    ms = median(samples_ns) / 1e9
    return Timed(name, len(samples_ns), first_ns / 1e9, ms, encodings(tuple(arguments)), encodings(result))


def _repeated(call: Callable[[], object], first_ns: int, box_s: float) -> list[int]:
    samples_ns: list[int] = []
    deadline = time.perf_counter() + box_s
    with collector_off():
        while not samples_ns or (time.perf_counter() < deadline and len(samples_ns) < MOST_CALLS):
            samples_ns.append(timed(call)[0])
    return samples_ns


def encodings(value: object) -> tuple[Encoding, ...]:
    """A value as raw bytes, as a pickle and as JSON text."""
    return (
        _encoding("raw", value, _raw, lambda data: memoryview(data)),
        _encoding("pickle", value, partial(pickle.dumps, protocol=pickle.HIGHEST_PROTOCOL), pickle.loads),
        _encoding("json", value, lambda each: json.dumps(each, default=_plain).encode(), json.loads),
    )


def _encoding(kind: str, value: object, encode: Callable[[Any], bytes], decode: Callable[[bytes], object]) -> Encoding:
    try:
        data = encode(value)
        encode_ns = [timed(partial(encode, value))[0] for _ in range(ENCODINGS)]
        decode_ns = [timed(partial(decode, data))[0] for _ in range(ENCODINGS)]
    except Exception as error:  # a type's own way of being pickled or printed may raise anything
        return Encoding(kind, None, None, None, f"{type(error).__name__}: {error}")
    return Encoding(kind, len(data), median(encode_ns) / 1e9, median(decode_ns) / 1e9, None)


def _raw(value: object) -> bytes:
    """Numbers as 8 bytes each, arrays as they lie in memory; TypeError for what has no such form."""
    if value is None:
        return b""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bool | int | float | np.generic):
        return np.asarray(value).tobytes()
    if isinstance(value, list | tuple):
        return b"".join(map(_raw, value))
    if isinstance(value, dict):
        return b"".join(_raw(part) for item in value.items() for part in item)
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(f"{type(value).__name__} has no raw form")
    return array.tobytes()


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | set):
        return list(value)
    if hasattr(value, "__array__"):
        return np.asarray(value).tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
