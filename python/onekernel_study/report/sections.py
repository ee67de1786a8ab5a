"""Which tables belong together, for the page and the paper alike; a table that no section asks for comes last."""

from collections.abc import Callable
from dataclasses import dataclass

from onekernel_study import tables_boundary, tables_derived, tables_fast, tables_sweep
from onekernel_study.schema import Study
from onekernel_study.table import Table
from onekernel_study.tables import all_tables, environment

Maker = Callable[[Study], Table]

MAKERS: dict[str, tuple[Maker, ...]] = {
    "ladder": (tables_sweep.wall_times, tables_sweep.where_time_goes, tables_sweep.equivalence),
    "echo": (tables_boundary.echo, tables_boundary.echo_fits, tables_boundary.placement),
    "serialization": (tables_boundary.serialization,),
    "fast": (tables_fast.fast_engine, tables_fast.taxes, tables_fast.fast_calls, tables_fast.levels),
    "starting": (tables_boundary.spawn,),
    "derived": (tables_derived.derived, tables_derived.granularity, tables_derived.break_even),
    "environment": (environment,),
}


@dataclass(frozen=True)
class Sections:
    """The tables of each section, and those of none."""

    tables: dict[str, tuple[Table, ...]]
    further: tuple[Table, ...]


def sections(study: Study) -> Sections:
    """All tables of the report, each in one place."""
    placed = {name: tuple(maker(study) for maker in makers) for name, makers in MAKERS.items()}
    used = [table for group in placed.values() for table in group]
    return Sections(placed, tuple(table for table in all_tables(study) if table not in used))
