"""A fast engine: the certified kernel on one thread, in process and over every crossing, in turns.

The sweep takes about a hundredth of the published one, so what a crossing costs is no rounding error any more. Unlike
the published rows these use session frames, which can keep the series at the engine; the engine's own compute time
comes with each reply.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import onekernel as ok
from onekernel import session
from onekernel.result import SweepResult

from onekernel_study.crossings import joined
from onekernel_study.gate import Answer
from onekernel_study.intervals import ratio_interval
from onekernel_study.percentiles import median, percentile
from onekernel_study.progress import Progress
from onekernel_study.runner import ROW_FAILURES, Trial, rotated
from onekernel_study.schema import FastRow
from onekernel_study.stopwatch import collector_off, timed

KERNEL = "certified"
THREADS = 1
IN_PROCESS = "certified_in_process"
FAST_TRANSPORTS: tuple[Literal["unix", "tcp", "shm"], ...] = ("unix", "tcp", "shm")

Sweep = Callable[[], list[SweepResult]]


@dataclass
class _Fast:
    """One row while it is measured; a complaint ends that."""

    name: str
    title: str
    sweep: Sweep
    crossings: int
    bytes_out: int
    walls_ns: list[int] = field(default_factory=list)
    compute_ns: list[int] = field(default_factory=list)
    cpu_ns: list[int] = field(default_factory=list)
    complaint: str | None = None


@dataclass(frozen=True)
class FastRows:
    """The rows, and the last result of the sweep in process, which tells its target and its levels."""

    rows: tuple[FastRow, ...]
    in_process: SweepResult


def measure_fast_rows(engines: Mapping[str, ok.Engine], main: Trial, n: int, progress: Progress) -> FastRows:
    """Sweeps n times per row, every answer gated; engines by transport, each with session frames."""
    rows = _rows(engines, main)
    for number in range(-1, n):
        progress.show(f"a fast engine, round {number + 1} of {n}")
        for row in rotated(rows, number + 1):
            _measure(row, main, keep=number >= 0)
    baseline = next((row.walls_ns for row in rows if row.name == IN_PROCESS and row.walls_ns), None)
    (told,) = rows[0].sweep()
    return FastRows(tuple(_summary(row, baseline) for row in rows), told)


def _rows(engines: Mapping[str, ok.Engine], main: Trial) -> list[_Fast]:
    close, combos, fee = main.workload.close, main.workload.combos, main.workload.fee

    def in_process(step: int) -> Sweep:
        parts = [combos[i : i + step] for i in range(0, len(combos), step)]
        return lambda: [ok.sweep(close, part, fee=fee, kernel=KERNEL, threads=THREADS) for part in parts]

    def over(engine: ok.Engine, series: object, step: int) -> Sweep:
        parts = [combos[i : i + step] for i in range(0, len(combos), step)]
        return lambda: [engine.sweep(series, part, fee=fee, kernel=KERNEL, threads=THREADS) for part in parts]

    whole, n_combos = len(combos), len(combos)
    head = len(session.encode_sweep(1, 1, 1, 0, 1, fee))
    rows = [
        _Fast(IN_PROCESS, "in process", in_process(whole), 0, 0),
        _Fast("certified_chatty_in_process", "in process, a call per combo", in_process(1), 0, 0),
        _Fast(
            "certified_shipped_unix",
            "Unix socket, the series in the call",
            over(engines["unix"], close, whole),
            1,
            head + combos.nbytes + close.nbytes,
        ),
    ]
    stored = {transport: engines[transport].put("fast", close) for transport in FAST_TRANSPORTS}
    for transport in FAST_TRANSPORTS:
        sweep = over(engines[transport], stored[transport], whole)
        name = f"certified_preloaded_{transport}"
        rows.append(_Fast(name, f"{transport}, parameters only", sweep, 1, head + combos.nbytes))
    for transport in FAST_TRANSPORTS:
        sweep = over(engines[transport], stored[transport], 1)
        name, n_bytes = f"certified_chatty_{transport}", n_combos * head + combos.nbytes
        rows.append(_Fast(name, f"{transport}, parameters only, a call per combo", sweep, n_combos, n_bytes))
    return rows


def _measure(row: _Fast, main: Trial, keep: bool) -> None:
    if row.complaint:
        return
    try:
        with collector_off():
            cpu_ns = time.process_time_ns()
            wall_ns, results = timed(row.sweep)
            cpu_ns = time.process_time_ns() - cpu_ns
    except ROW_FAILURES as error:
        _withhold(row, f"{type(error).__name__}: {error}")
        return
    answer = joined([Answer(result.pnl, result.trades) for result in results])
    if complaint := main.gate.check(answer).complaint:
        _withhold(row, complaint)
        return
    if keep:
        row.walls_ns.append(wall_ns)
        row.compute_ns.append(sum(result.compute_ns or 0 for result in results) if row.crossings else wall_ns)
        row.cpu_ns.append(cpu_ns)


def _withhold(row: _Fast, complaint: str) -> None:
    row.complaint = complaint
    row.walls_ns.clear()


def _summary(row: _Fast, baseline_ns: Sequence[int] | None) -> FastRow:
    if not row.walls_ns:
        reason = row.complaint or "no run was asked for"
        return FastRow(row.name, row.title, 0, *(None,) * 9, False, row.crossings, row.bytes_out, reason)
    p50, p90, p99 = (percentile(row.walls_ns, q) / 1e3 for q in (50, 90, 99))
    low, high = (baseline_ns and ratio_interval(row.walls_ns, baseline_ns)) or (None, None)
    boundaries = [wall - compute for wall, compute in zip(row.walls_ns, row.compute_ns, strict=True)]
    return FastRow(
        name=row.name,
        title=row.title,
        n=len(row.walls_ns),
        p50_us=p50,
        p90_us=p90,
        p99_us=p99,
        compute_p50_us=percentile(row.compute_ns, 50) / 1e3,
        boundary_p50_us=percentile(boundaries, 50) / 1e3,
        ratio_to_in_process=None if baseline_ns is None else median(row.walls_ns) / median(baseline_ns),
        ratio_low=low,
        ratio_high=high,
        client_cpu_us=percentile(row.cpu_ns, 50) / 1e3,
        bitwise=True,
        crossings=row.crossings,
        bytes_out=row.bytes_out,
        withheld=None,
    )


def complaints(rows: Sequence[FastRow]) -> tuple[str, ...]:
    """What the gate has to say about these rows."""
    return tuple(f"{row.name}: {row.withheld}" for row in rows if row.withheld)
