"""Timing one call: the monotonic clock in nanoseconds, the garbage collector out of the way."""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def collector_off() -> Iterator[None]:
    """Collects now and then not again inside, so that no collection lands in a timed section."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def settle() -> None:
    """Takes what is loaded by now out of all further collections, which would look through it again each time."""
    gc.collect()
    gc.freeze()


def timed(call: Callable[[], T]) -> tuple[int, T]:
    """Wall time of one call in nanoseconds, and what it returned."""
    start = time.perf_counter_ns()
    result = call()
    return time.perf_counter_ns() - start, result
