"""Echoes against an engine that runs already, as its users reach it: `onekernel echo URL`."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence

import numpy as np
import onekernel as ok
from onekernel.errors import OneKernelError

from onekernel_study.echo import echo_complaint
from onekernel_study.latency import histogram, latency
from onekernel_study.loops import closed_loop, open_loop
from onekernel_study.progress import Progress
from onekernel_study.report_terminal import console, print_table
from onekernel_study.schema_statistics import Histogram, Latency
from onekernel_study.stopwatch import collector_off
from onekernel_study.table import Table
from onekernel_study.wording import significant

WARM_UP = 50
SIZES = (1, 1_000, 150_000)
BYTES_A_SECOND = 4e8  # by which the number of calls of a large size is bounded, so that each size takes seconds at most


@dataclasses.dataclass(frozen=True)
class EchoRow:
    """One size. rate_per_s is None in a closed loop; in an open one calls are timed from when they were due."""

    floats: int
    bytes: int
    loop: str
    rate_per_s: float | None
    latency: Latency
    histogram: Histogram


def echo_url(url: str, sizes: Sequence[int], calls: int, rate_per_s: float | None, as_json: bool) -> int:
    """Measures and prints. Exit code: 0, 1 failed (nobody there, or an echo came back different), 2 bad usage."""
    progress = Progress()
    try:
        with ok.connect(url) as engine:
            rows = measure(engine, sizes, calls, rate_per_s, progress)
            version = engine.hello.version
    except (OneKernelError, RuntimeError) as error:
        progress.clear()
        print(f"onekernel echo: {error}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"onekernel echo: {error}", file=sys.stderr)
        return 2
    progress.clear()
    if as_json:
        body = {"url": url, "engine_version": version, "rows": [dataclasses.asdict(row) for row in rows]}
        json.dump(body, sys.stdout, indent=1, allow_nan=False)
        sys.stdout.write("\n")
    else:
        print_table(console(sys.stdout), _table(url, version, rows))
    return 0


def measure(
    engine: ok.Engine, sizes: Sequence[int], calls: int, rate_per_s: float | None, progress: Progress
) -> list[EchoRow]:
    """One row per size, every reply compared. ValueError for bad counts, RuntimeError for a reply that differs."""
    if calls < 1 or min(sizes, default=1) < 1:
        raise ValueError("there must be at least one call, and at least one float in each")
    if rate_per_s is not None and not rate_per_s > 0:
        raise ValueError(f"a rate of {rate_per_s:g} calls a second is none: it must be above zero")
    rows = []
    for floats in sizes:
        progress.show(f"echoing {floats:,} floats")
        rows.append(_row(engine, floats, calls, rate_per_s))
    return rows


def _row(engine: ok.Engine, floats: int, calls: int, rate_per_s: float | None) -> EchoRow:
    n_bytes = 8 * floats
    n = max(1, min(calls, int(BYTES_A_SECOND / n_bytes)))
    base = np.random.default_rng(floats).normal(100.0, 1.0, floats)
    samples_ns: list[int] = []
    # In parts, so that what was sent and what came back need not all be kept in memory until it is compared.
    part = n if rate_per_s is not None else max(1, min(n, int(32e6 / n_bytes)))
    closed_loop(engine.echo, [base] * min(WARM_UP, n))
    while len(samples_ns) < n:
        payloads = [base] * min(part, n - len(samples_ns))
        base[0] += 1.0
        with collector_off():
            if rate_per_s is None:
                taken, replies = closed_loop(engine.echo, payloads)
            else:
                taken, replies = open_loop(engine.echo, payloads, rate_per_s)
        for reply in replies:
            if complaint := echo_complaint(base, reply):
                raise RuntimeError(complaint)
        samples_ns.extend(taken)
    loop = "closed" if rate_per_s is None else "open"
    return EchoRow(floats, n_bytes, loop, rate_per_s, latency(samples_ns), histogram(samples_ns))


def _table(url: str, version: str, rows: Sequence[EchoRow]) -> Table:
    facts = [(row, row.latency) for row in rows]
    cells = tuple(
        (
            f"{row.floats:,}",
            f"{row.bytes:,}",
            f"{each.n:,}",
            *map(significant, (each.p50_us, each.p90_us, each.p99_us, each.p999_us, each.max_us)),
        )
        for row, each in facts
    )
    rate = rows[0].rate_per_s
    loop = (
        "closed loop: a call is sent when the last one has come back"
        if rate is None
        else f"open loop, {rate:,.0f} calls a second, each timed from when it was due"
    )
    return Table(
        f"Echo from here to {url} (engine {version}), microseconds",
        ("floats", "bytes one way", "n", "p50", "p90", "p99", "p99.9", "max"),
        cells,
        (loop, "nearest-rank percentiles of single calls from Python; every reply compared with what was sent"),
        n_left=0,
    )
