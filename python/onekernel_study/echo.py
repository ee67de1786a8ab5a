"""The echo curve: what a crossing costs that computes nothing, by size and by transport."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
import onekernel as ok

from onekernel_study import fit
from onekernel_study.gate import bits
from onekernel_study.percentiles import percentile
from onekernel_study.progress import Progress
from onekernel_study.schema import EchoFit, EchoPoint
from onekernel_study.stopwatch import collector_off, timed

SIZES = (1, 10, 100, 1_000, 10_000, 100_000, 150_000)
TRANSPORTS: tuple[Literal["unix", "tcp", "shm"], ...] = ("unix", "tcp", "shm")
FLOAT_BYTES = 8
PARTS = 10
WARM_UP = 10


@dataclass
class _Point:
    """The samples of one size over one transport; a complaint ends its measuring."""

    payload: npt.NDArray[np.float64]
    samples_ns: list[int] = field(default_factory=list)
    complaint: str | None = None


def measure_echo(
    engines: Callable[[], AbstractContextManager[Mapping[str, ok.Engine]]],
    calls: Mapping[int, int],
    progress: Progress,
    seed: int = 42,
) -> tuple[EchoPoint, ...]:
    """Echoes each size calls[size] times over each engine (by transport), in interleaved parts.

    Every part has fresh engines: where the scheduler puts two processes that talk to each other decides the floor, and
    it tends to leave them there. Every payload differs from the last at both ends, and every reply is compared with it
    in full before its time counts; the comparison is not timed.
    """
    rng = np.random.default_rng(seed)
    payloads = {size: rng.normal(100.0, 1.0, size) for size in calls}
    points: dict[tuple[str, int], _Point] = {}
    for part in range(PARTS):
        progress.show(f"echo, part {part + 1} of {PARTS}")
        with engines() as opened, collector_off():
            for transport, engine in opened.items():
                for size, n in calls.items():
                    point = points.setdefault((transport, size), _Point(payloads[size]))
                    _echo_part(engine, point, n * (part + 1) // PARTS - n * part // PARTS)
    return tuple(_summary(transport, point) for (transport, _), point in points.items())


def _echo_part(engine: ok.Engine, point: _Point, n: int) -> None:
    """A few calls to warm up, which are compared and not kept, then n that are kept."""
    for number in range(-min(WARM_UP, n), n):
        if point.complaint:
            return
        point.payload[0] += 1.0
        point.payload[-1] += 0.5
        nanoseconds, reply = timed(partial(engine.echo, point.payload))
        point.complaint = echo_complaint(point.payload, reply)
        if number >= 0:
            point.samples_ns.append(nanoseconds)


class BrokenEchoError(RuntimeError):
    """An echo came back different from what was sent, so the calls that it belongs to have no time."""


def echo_complaint(sent: npt.NDArray[np.float64], got: npt.NDArray[np.float64]) -> str | None:
    """Where an echo differs from what was sent, or None where it is the same bytes."""
    if got.shape != sent.shape or got.dtype != sent.dtype:
        return f"{got.dtype} of shape {got.shape} came back for {sent.dtype} of shape {sent.shape}"
    wrong = np.flatnonzero(bits(got) != bits(sent))
    if not len(wrong):
        return None
    i = int(wrong[0])
    return f"float {i} of {len(sent)} came back as {float(got[i])!r} where {float(sent[i])!r} was sent"


def _summary(transport: str, point: _Point) -> EchoPoint:
    size, ns = len(point.payload), point.samples_ns
    if point.complaint:
        return EchoPoint(transport, size, FLOAT_BYTES * size, len(ns), None, None, None, point.complaint)
    p50, p90, p99 = (percentile(ns, q) / 1e3 for q in (50, 90, 99))
    return EchoPoint(transport, size, FLOAT_BYTES * size, len(ns), p50, p90, p99, None)


def fit_echo(points: Sequence[EchoPoint]) -> tuple[EchoFit, ...]:
    """One fit per transport, in the order of the points; a transport with a withheld point has none.

    Nor has one whose larger echoes took no longer than its small ones, as may happen with very few of them.
    """
    fits = []
    for transport in dict.fromkeys(point.transport for point in points):
        mine = [point for point in points if point.transport == transport]
        times = [point.p50_us / 1e6 for point in mine if point.p50_us is not None]
        if len(times) == len(mine):
            line = fit.fit_line([2.0 * point.bytes for point in mine], times)
            smallest = min(mine, key=lambda point: point.floats)
            if np.isfinite(line.bandwidth):  # more bytes in less time: these few samples show no bandwidth
                fits.append(_echo_fit(transport, line, smallest))
    return tuple(fits)


def _echo_fit(transport: str, line: fit.Line, smallest: EchoPoint) -> EchoFit:
    return EchoFit(
        transport=transport,
        floor_us=line.floor_s * 1e6,
        bandwidth_gb_s=line.bandwidth / 1e9,
        p50_one_float_us=smallest.p50_us or 0.0,
        worst_residual_percent=100.0 * max(map(abs, line.residuals)),
        method=fit.METHOD,
    )
