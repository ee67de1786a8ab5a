"""The figures that the article derived from others, measured: by calls of their own, or from two rows of this run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onekernel as ok

from onekernel_study.echo import BrokenEchoError, echo_complaint
from onekernel_study.names import EMPTY_AFTER_COMPUTE, SERIES_AFTER_COMPUTE, UNIX
from onekernel_study.percentiles import percentile
from onekernel_study.progress import Progress
from onekernel_study.schema import Architecture, DerivedFigure, EchoFit
from onekernel_study.stopwatch import collector_off, timed
from onekernel_study.workload import Workload

MEASURED = "measured"
PARAMS_PER_COMBO = 6


@dataclass(frozen=True)
class CallCounts:
    """How many small calls are made; per_bar_full is what the figure is for, per_bar what is really called."""

    per_sweep: int
    sweeps: int
    after_compute: int
    per_bar: int
    per_bar_full: int


def measure_calls(
    engine: ok.Engine, workload: Workload, counts: CallCounts, progress: Progress
) -> tuple[DerivedFigure, ...]:
    """Calls that carry six parameters or one bar, as if the series were at the engine; and an echo after computing.

    Raises BrokenEchoError where a reply differs from what was sent.
    """
    with collector_off():
        progress.show("calls of six parameters")
        params = _params_only(engine, counts)
        progress.show("calls of one bar")
        per_bar = _per_bar(engine, workload.close, counts)
        progress.show("echoes after computing")
        return (*params, per_bar, *_after_compute(engine, workload, counts.after_compute))


def _params_only(engine: ok.Engine, counts: CallCounts) -> tuple[DerivedFigure, DerivedFigure]:
    params = np.arange(float(PARAMS_PER_COMBO * counts.per_sweep)).reshape(-1, PARAMS_PER_COMBO)
    sweeps_ns = [_echo_all(engine, params + number) for number in range(-1, counts.sweeps)][1:]
    sweep_us = percentile(sweeps_ns, 50) / 1e3
    return (
        DerivedFigure("params_only_call", "a call with six numbers", "us", sweep_us / counts.per_sweep, MEASURED),
        DerivedFigure("params_only_sweep", f"{counts.per_sweep} such calls", "ms", sweep_us / 1e3, MEASURED),
    )


def _per_bar(engine: ok.Engine, close: npt.NDArray[np.float64], counts: CallCounts) -> DerivedFigure:
    taken_s = _echo_all(engine, close[: counts.per_bar].reshape(-1, 1)) / 1e9
    whole = counts.per_bar >= counts.per_bar_full
    return DerivedFigure(
        "per_bar_series",
        f"a call per bar, {counts.per_bar_full:,} bars",
        "s",
        taken_s if whole else taken_s * counts.per_bar_full / counts.per_bar,
        MEASURED if whole else f"derived from {counts.per_bar:,} calls",
    )


def _after_compute(engine: ok.Engine, workload: Workload, n: int) -> tuple[DerivedFigure, DerivedFigure]:
    """The echo curve is measured back to back; in a sweep both sides have just slept or computed something else."""
    middle = workload.combos[len(workload.combos) // 2 :][:1]
    payloads = {
        EMPTY_AFTER_COMPUTE: (workload.close[:1], "echo of one float after a combo"),
        SERIES_AFTER_COMPUTE: (workload.close, "echo of the series after a combo"),
    }
    samples_ns: dict[str, list[int]] = {name: [] for name in payloads}
    for _ in range(n):
        for name, (payload, _what) in payloads.items():
            ok.sweep(workload.close, middle, fee=workload.fee, kernel="checked")
            samples_ns[name].append(_echo_all(engine, payload.reshape(1, -1)))
    empty, series = (
        DerivedFigure(name, what, "us", percentile(samples_ns[name], 50) / 1e3, MEASURED)
        for name, (_payload, what) in payloads.items()
    )
    return empty, series


def _echo_all(engine: ok.Engine, payloads: npt.NDArray[np.float64]) -> int:
    """Nanoseconds for echoing every row of payloads (n, k), one call after another; compared afterwards."""
    rows = list(np.ascontiguousarray(payloads))
    nanoseconds, replies = timed(lambda: [engine.echo(row) for row in rows])
    for sent, got in zip(rows, replies, strict=True):
        if complaint := echo_complaint(sent, got):
            raise BrokenEchoError(complaint)
    return nanoseconds


def figures_from_rows(architectures: Sequence[Architecture], fits: Sequence[EchoFit]) -> tuple[DerivedFigure, ...]:
    """What two rows, or a row and the echo curve, say together; a figure whose row was withheld is left out."""
    rows = {row.name: row for row in architectures if row.withheld is None}
    figures = [
        _over(rows, "chatty_over_batch", "cpp_chatty_unix", "a call per combo over one per sweep"),
        _chatty_predicted(rows, fits),
        _over(rows, "spawn_over_batch", "cpp_spawn_stdin", "a process per sweep over a standing one"),
        _json_encoding(rows),
        _boundary(rows, "json_chatty_boundary", "json_chatty_unix", "JSON under chatty, its boundary"),
        _boundary(rows, "spawn_per_combo", "spawn_per_combo", "a process per combo, its boundary"),
    ]
    return tuple(figure for figure in figures if figure)


def _over(rows: Mapping[str, Architecture], name: str, row: str, what: str) -> DerivedFigure | None:
    # The boundaries are compared, not the wall times: those differ by the machine's noise in the compute alone.
    more, batch = rows.get(row), rows.get("cpp_batch_unix")
    if more is None or batch is None or more.boundary_s is None or batch.boundary_s is None:
        return None
    return DerivedFigure(name, what, "ms", (more.boundary_s - batch.boundary_s) * 1e3, "measured, boundaries")


def _chatty_predicted(rows: Mapping[str, Architecture], fits: Sequence[EchoFit]) -> DerivedFigure | None:
    fit = next((fit for fit in fits if fit.transport == UNIX), None)
    chatty, batch = rows.get("cpp_chatty_unix"), rows.get("cpp_batch_unix")
    if fit is None or chatty is None or batch is None:
        return None
    predicted_us = _predicted_us(chatty, fit) - _predicted_us(batch, fit)
    what = "the same, by the echo curve"
    return DerivedFigure("chatty_over_batch_predicted", what, "ms", predicted_us / 1e3, "derived from the echo fit")


def _predicted_us(row: Architecture, fit: EchoFit) -> float:
    carried = (row.bytes_out or 0) + (row.bytes_in or 0)
    return (row.crossings or 0) * fit.floor_us + carried / fit.bandwidth_gb_s / 1e3


def _json_encoding(rows: Mapping[str, Architecture]) -> DerivedFigure | None:
    row = rows.get("json_chatty_unix")
    if row is None or row.encode_s is None:
        return None
    what = f"{row.crossings} JSON encodings of the series"
    return DerivedFigure("json_encoding_chatty", what, "s", row.encode_s, MEASURED)


def _boundary(rows: Mapping[str, Architecture], name: str, row: str, what: str) -> DerivedFigure | None:
    found = rows.get(row)
    if found is None or found.boundary_s is None:
        return None
    return DerivedFigure(name, what, "s", found.boundary_s, "measured, boundary")
