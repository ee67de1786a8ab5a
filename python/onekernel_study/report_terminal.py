"""The tables on the terminal; where stdout is no terminal, the same at a fixed width and without control sequences."""

from collections.abc import Sequence
from typing import Literal, TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from onekernel_study.schema import Study
from onekernel_study.table import Table
from onekernel_study.tables import all_tables
from onekernel_study.verdict import sentences

WIDTH = 132


def print_report(study: Study, stream: TextIO) -> None:
    """Prints every table, the verdict, and last the gate's outcome."""
    screen = console(stream)
    for table in all_tables(study):
        print_table(screen, table)
    print_verdict(sentences(study), stream)
    facts = study.equivalence
    equal = sum(row.bitwise and row.trades_equal for row in facts.rows)
    screen.print(
        Text(
            f"\nall_ok: {str(facts.all_ok).lower()}   {equal} of {len(facts.rows)} rows bitwise equal   "
            f"combo 0: {facts.fingerprint.pnl_pct:.2f} over {facts.fingerprint.trades:,} trades"
        )
    )


def print_verdict(paragraphs: Sequence[str], stream: TextIO) -> None:
    """Prints the verdict."""
    screen = console(stream)
    screen.print(Text("Verdict", style="bold"))
    for paragraph in paragraphs:
        screen.print(Text(f"- {paragraph}"))


def console(stream: TextIO) -> Console:
    """A console that never writes control sequences to what is not a terminal, whatever the environment asks for."""
    live = stream.isatty()
    return Console(file=stream, force_terminal=live, no_color=not live, width=None if live else WIDTH, highlight=False)


def print_table(screen: Console, table: Table) -> None:
    """Draws one table with its notes."""
    drawn = RichTable(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE, pad_edge=False)
    for i, name in enumerate(table.columns):
        # A narrow terminal may fold cells, but it never cuts one, and never breaks the name that a row goes by.
        width = max((len(row[0]) for row in table.rows), default=0) if i == 0 else None
        side: Literal["left", "right"] = "left" if i < table.n_left else "right"
        drawn.add_column(Text(name), justify=side, overflow="fold", min_width=width)
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    screen.print(drawn)
    for note in table.notes:
        screen.print(Text(f"  {note}"))
    screen.print()
