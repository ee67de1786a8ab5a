"""Single calls: echoes of one float in a closed loop and at fixed rates, how they are distributed, what CPU they cost."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import onekernel as ok

from onekernel_study.echo import echo_complaint
from onekernel_study.intervals import burst_interval
from onekernel_study.latency import histogram, latency
from onekernel_study.loops import Echo, Floats, closed_loop, open_loop
from onekernel_study.peers.process import cpu_ns
from onekernel_study.placement import core_pairs, pin_process, pinned_here
from onekernel_study.progress import Progress
from onekernel_study.runner import ROW_FAILURES, rotated
from onekernel_study.schema_statistics import LatencyRow
from onekernel_study.stopwatch import collector_off, settle

TRANSPORTS: tuple[Literal["unix", "tcp", "shm"], ...] = ("unix", "tcp", "shm")
BURSTS = 6
WARM_UP = 50
FREE = "free"


@dataclass(frozen=True)
class LatencyCounts:
    """Calls per closed row; the rates of the open rows, and for how many seconds each is kept up."""

    closed: int
    rates_per_s: tuple[float, ...]
    open_s: float


@dataclass(frozen=True)
class Burst:
    """Calls in one piece, and what they took beside their time."""

    samples_ns: list[int]
    client_cpu_ns: int
    server_cpu_ns: int
    seconds: float
    complaint: str | None


@dataclass
class _Row:
    """One row while it is measured."""

    transport: Literal["unix", "tcp", "shm"]
    rate_per_s: float | None
    placement: str
    cores: tuple[int, int] | None
    bursts: list[Burst] = field(default_factory=list)
    withheld: str | None = None


def measure_latencies(counts: LatencyCounts, progress: Progress) -> tuple[LatencyRow, ...]:
    """Every transport in a closed loop at every placement, and free at every rate; bursts take turns.

    Each burst has a fresh engine, as in the echo curve: where the scheduler puts two processes decides the floor.
    """
    rows = [_Row(transport, None, FREE, None) for transport in TRANSPORTS]
    rows += [_Row(each, None, name, cores) for name, cores in core_pairs().items() for each in TRANSPORTS]
    rows += [_Row(each, rate, FREE, None) for rate in counts.rates_per_s for each in TRANSPORTS]
    settle()
    for number in range(BURSTS):
        for row in rotated(rows, number):
            if row.withheld is None:
                progress.show(f"latencies, {number + 1} of {BURSTS}: {_name(row)}")
                _measure(row, counts)
    return tuple(_summary(row) for row in rows)


def _measure(row: _Row, counts: LatencyCounts) -> None:
    try:
        with ExitStack() as stack:
            engine = stack.enter_context(ok.spawn(transport=row.transport))
            assert engine.pid is not None
            if row.cores is not None:
                stack.enter_context(pinned_here(row.cores[0]))
                pin_process(engine.pid, row.cores[1])
            burst = _burst(engine.echo, engine.pid, row.rate_per_s, counts)
    except ROW_FAILURES as error:
        row.withheld = f"{type(error).__name__}: {error}"
        return
    row.withheld = burst.complaint
    row.bursts.append(burst)


def _burst(echo: Echo, pid: int, rate_per_s: float | None, counts: LatencyCounts) -> Burst:
    n = counts.closed if rate_per_s is None else int(rate_per_s * counts.open_s)
    payloads = _payloads(max(1, n // BURSTS))
    closed_loop(echo, _payloads(WARM_UP))
    with collector_off():
        server_ns, client_ns, start = cpu_ns(pid), time.process_time_ns(), time.perf_counter()
        if rate_per_s is None:
            samples_ns, replies = closed_loop(echo, payloads)
        else:
            samples_ns, replies = open_loop(echo, payloads, rate_per_s)
        seconds = time.perf_counter() - start
        client_ns, server_ns = time.process_time_ns() - client_ns, cpu_ns(pid) - server_ns
    compared = (echo_complaint(sent, got) for sent, got in zip(payloads, replies, strict=True))
    return Burst(samples_ns, client_ns, server_ns, seconds, next(filter(None, compared), None))


def _payloads(n: int) -> list[Floats]:
    """Different payloads of one float."""
    return list(np.arange(float(n)).reshape(-1, 1))


def _name(row: _Row) -> str:
    if row.rate_per_s is not None:
        return f"{row.transport}_open_{row.rate_per_s:g}"
    return f"{row.transport}_closed_{row.placement.replace(' ', '_')}"


def _summary(row: _Row) -> LatencyRow:
    told = {
        "name": _name(row),
        "transport": row.transport,
        "loop": "closed" if row.rate_per_s is None else "open",
        "rate_per_s": row.rate_per_s,
        "placement": row.placement,
    }
    if row.withheld is not None or not row.bursts:
        nothing = dict.fromkeys(
            [
                "achieved_per_s",
                "latency",
                "p50_low_us",
                "p50_high_us",
                "histogram",
                "client_cpu_us_per_call",
                "server_cpu_us_per_call",
            ]
        )
        return LatencyRow(**told, **nothing, withheld=row.withheld or "no call was asked for")  # type: ignore[arg-type]
    samples_ns = [ns for burst in row.bursts for ns in burst.samples_ns]
    low, high = burst_interval([burst.samples_ns for burst in row.bursts]) or (None, None)
    n = len(samples_ns)
    return LatencyRow(
        **told,  # type: ignore[arg-type]
        achieved_per_s=n / sum(burst.seconds for burst in row.bursts),
        latency=latency(samples_ns),
        p50_low_us=None if low is None else low / 1e3,
        p50_high_us=None if high is None else high / 1e3,
        histogram=histogram(samples_ns),
        client_cpu_us_per_call=sum(burst.client_cpu_ns for burst in row.bursts) / n / 1e3,
        server_cpu_us_per_call=sum(burst.server_cpu_ns for burst in row.bursts) / n / 1e3,
        withheld=None,
    )


def complaints(rows: Sequence[LatencyRow]) -> tuple[str, ...]:
    """What was wrong with the echoes."""
    return tuple(f"latency {row.name}: {row.withheld}" for row in rows if row.withheld)
