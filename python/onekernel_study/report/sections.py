"""Which tables belong together, for the page and the paper alike; a table that no section asks for comes last."""

from dataclasses import dataclass

from onekernel_study import (
    tables_boundary,
    tables_derived,
    tables_fast,
    tables_live,
    tables_peers,
    tables_statistics,
    tables_sweep,
)
from onekernel_study.report import claims_table
from onekernel_study.schema import Study
from onekernel_study.table import Table
from onekernel_study.tables import all_tables, environment


@dataclass(frozen=True)
class Sections:
    """The tables of each section, and those of none."""

    tables: dict[str, tuple[Table, ...]]
    further: tuple[Table, ...]


def sections(study: Study) -> Sections:
    """All tables of the report, each in one place; a section that this run has nothing for is empty."""
    placed = {
        "claims": (claims_table.claims(study),) if study.claims else (),
        "ladder": (
            tables_sweep.wall_times(study),
            tables_sweep.where_time_goes(study),
            tables_sweep.equivalence(study),
        ),
        "echo": (tables_boundary.echo(study), tables_boundary.echo_fits(study), tables_boundary.placement(study)),
        "latency": (tables_statistics.latencies(study),) if study.latencies else (),
        "serialization": (tables_boundary.serialization(study),),
        "peers": (
            (
                tables_peers.peers_by_sweep(study),
                tables_peers.peers_by_combo(study),
                tables_peers.peers_by_bar(study),
            )
            if study.peers
            else ()
        ),
        "fast": (
            tables_fast.fast_engine(study),
            tables_fast.taxes(study),
            tables_fast.fast_calls(study),
            tables_fast.levels(study),
        ),
        "live": (tables_live.live(study),) if study.live else (),
        "starting": (
            tables_boundary.spawn(study),
            *((tables_statistics.cold_start(study),) if study.cold_start else ()),
        ),
        "derived": (
            tables_derived.derived(study),
            tables_derived.granularity(study),
            tables_derived.break_even(study),
        ),
        "environment": (environment(study),),
    }
    used = [table for group in placed.values() for table in group]
    used.append(tables_statistics.claims(study))  # the fuller table above says the same
    return Sections(placed, tuple(table for table in all_tables(study) if table.rows and table not in used))
