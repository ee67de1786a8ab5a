"""From the rounds of the peers to the rows of the document."""

import platform
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from onekernel_study.intervals import ratio_interval
from onekernel_study.latency import latency
from onekernel_study.peers.contract import BAR, Spec
from onekernel_study.peers.measure import Round, Row
from onekernel_study.peers.registry import NATIVE, PYTHON
from onekernel_study.percentiles import median
from onekernel_study.schema_peers import Peer


def peers(rows: Sequence[Row], checked_s: float | None) -> tuple[Peer, ...]:
    """The rows of the document; checked_s is the naive kernel's compute of the whole sweep, where it was measured."""
    native = {row.granularity: _sweeps_s(row) for row in rows if row.spec.name == NATIVE}
    return tuple(_peer(row, native.get(row.granularity, {}), checked_s) for row in rows)


def complaints(rows: Sequence[Row]) -> tuple[str, ...]:
    """What the gate has to say about the peers; a peer that is not installed is no complaint."""
    return tuple(f"peer {row.spec.name}, {row.granularity}: {row.withheld}" for row in rows if row.withheld)


def _sweeps_s(row: Row) -> dict[int, float]:
    """The wall time of a whole sweep by round, scaled where a round made fewer calls."""
    return {number: sum(one.walls_ns) / 1e9 * _scale(row, one) for number, one in row.rounds.items()}


def _scale(row: Row, one: Round) -> float:
    return row.planned / len(one.walls_ns)


def _peer(row: Row, native: dict[int, float], checked_s: float | None) -> Peer:
    if not row.rounds:
        return _not_measured(row)
    walls = _sweeps_s(row)
    computes = {number: one.compute_ns / 1e9 * _scale(row, one) for number, one in row.rounds.items()}
    both = [number for number in walls if number in native]
    ratio = ratio_interval([walls[i] for i in both], [native[i] for i in both])
    low, high = ratio or (None, None)
    boundary_s = median([walls[i] - computes[i] for i in walls])
    return Peer(
        **_told(row.spec),
        granularity=row.granularity,
        measured=True,
        reason=_fewer(row),
        withheld=None,
        n=len(walls),
        calls_planned=row.planned,
        calls_made=row.calls,
        latency=latency([ns for one in row.rounds.values() for ns in one.walls_ns]),
        sweep_s=median(list(walls.values())),
        sweep_derived=row.calls < row.planned,
        ratio_to_in_process=median([walls[i] for i in both]) / median([native[i] for i in both]) if both else None,
        ratio_low=low,
        ratio_high=high,
        compute_s=median(list(computes.values())),
        boundary_s=boundary_s,
        boundary_share=median([(walls[i] - computes[i]) / walls[i] for i in walls]),
        boundary_share_checked=None if checked_s is None else boundary_s / (boundary_s + checked_s),
        client_cpu_us_per_call=_per_call(row, [one.client_cpu_ns for one in row.rounds.values()]),
        server_cpu_us_per_call=_per_call(row, [one.server_cpu_ns for one in row.rounds.values()]),
        bitwise=True,
    )


def _fewer(row: Row) -> str | None:
    said = [] if row.calls == row.planned else [f"{row.calls:,} of {row.planned:,} calls a round fit in the time box"]
    if row.spec.note and (row.granularity == BAR or row.spec.name == "numba"):
        said.append(row.spec.note)
    return "; ".join(said) or None


def _per_call(row: Row, used_ns: Sequence[int | None]) -> float | None:
    """Microseconds of CPU per call, over all rounds: a CPU clock may tick too seldom for one."""
    known = [ns for ns in used_ns if ns is not None]
    calls = sum(len(one.walls_ns) for one in row.rounds.values())
    return sum(known) / calls / 1e3 if len(known) == len(used_ns) else None


def _told(spec: Spec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "library": spec.library,
        "library_version": version(spec.library),
        "transport": spec.transport,
        "encoding": spec.encoding,
    }


def version(library: str) -> str | None:
    """The installed version of a distribution; None where there is none."""
    if library == PYTHON:
        return platform.python_version()
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def _not_measured(row: Row) -> Peer:
    reason = row.reason or (None if row.withheld else "no round was asked for")
    return Peer(
        **_told(row.spec),
        granularity=row.granularity,
        measured=False,
        reason=reason,
        withheld=row.withheld,
        n=0,
        calls_planned=row.planned,
        calls_made=0,
        latency=None,
        sweep_s=None,
        sweep_derived=False,
        ratio_to_in_process=None,
        ratio_low=None,
        ratio_high=None,
        compute_s=None,
        boundary_s=None,
        boundary_share=None,
        boundary_share_checked=None,
        client_cpu_us_per_call=None,
        server_cpu_us_per_call=None,
        bitwise=False,
    )
