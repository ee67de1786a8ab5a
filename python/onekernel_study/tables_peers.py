"""The tables about peers: the same kernel behind what teams deploy."""

from onekernel_study.schema import Study
from onekernel_study.schema_peers import Peer
from onekernel_study.table import WITHHELD, Table
from onekernel_study.wording import interval, percent, seconds, significant

NOT_MEASURED = "not measured"
TITLES = {
    "sweep": "Peers, one call per sweep: the series and all combos cross",
    "combo": "Peers, a call per combo: each carries the series",
    "bar": "Peers, a call per bar: one close there, one number back",
}


def peers_by_sweep(study: Study) -> Table:
    """One call per sweep."""
    return _peers(study, "sweep")


def peers_by_combo(study: Study) -> Table:
    """A call per combo."""
    return _peers(study, "combo")


def peers_by_bar(study: Study) -> Table:
    """A call per bar."""
    return _peers(study, "bar")


def _peers(study: Study, granularity: str) -> Table:
    rows = [row for row in study.peers if row.granularity == granularity]
    scaled = ", ".join(row.name for row in rows if row.sweep_derived)
    planned = max((row.calls_planned for row in rows), default=0)
    return Table(
        TITLES[granularity],
        ("peer", "calls", "p50 us", "p99 us", "whole", "ratio", "95 %", "boundary", "of checked", "CPU us", "server"),
        tuple(_row(row) for row in rows),
        (
            "every peer calls the same native kernel on one thread; ratio: the whole over the native row's",
            "boundary: its share of the wall time; of checked: the same boundary beside the naive kernel's compute",
            f"what crosses as what: {', '.join(f'{row.name} {row.encoding}' for row in rows)}",
            *([f"whole scaled to {planned:,} calls from those that fit in the time box: {scaled}"] if scaled else []),
            *(f"{row.name}: {row.withheld or row.reason}" for row in rows if row.latency is None),
        ),
    )


def _row(row: Peer) -> tuple[str, ...]:
    if row.latency is None or row.sweep_s is None:
        return (row.name, WITHHELD if row.withheld else NOT_MEASURED, *("",) * 9)
    return (
        row.name,
        f"{row.n} x {row.calls_made:,}",
        significant(row.latency.p50_us),
        significant(row.latency.p99_us),
        seconds(row.sweep_s),
        significant(row.ratio_to_in_process),
        interval(row.ratio_low, row.ratio_high, 2),
        "" if row.boundary_share is None else percent(row.boundary_share),
        "" if row.boundary_share_checked is None else percent(row.boundary_share_checked),
        significant(row.client_cpu_us_per_call),
        significant(row.server_cpu_us_per_call),
    )
