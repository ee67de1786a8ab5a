"""out/report.md, made from study.json alone, so that it can be made again at any time."""

from onekernel_study.document import parse
from onekernel_study.table import Table
from onekernel_study.tables import all_tables
from onekernel_study.verdict import sentences


def render(document: object) -> str:
    """The report of a decoded study.json; DocumentError where it is not one."""
    study = parse(document)
    passed = "passed" if study.equivalence.all_ok else "FAILED"
    opening = [
        "# What crossing the boundary costs",
        f"{study.workload.description}; fee {study.workload.fee_percent} % per closed trade. "
        f"{study.rounds} interleaved runs{' (quick)' if study.quick else ''}. The gate {passed}.",
        "## Verdict",
        "\n".join(f"- {escaped(sentence)}" for sentence in sentences(study)),
    ]
    return "\n\n".join([*opening, *(section(table) for table in all_tables(study))]) + "\n"


def section(table: Table) -> str:
    """One table with its title and notes."""
    marks = ["---"] * table.n_left + ["---:"] * (len(table.columns) - table.n_left)
    lines = [_line(table.columns), _line(marks), *(_line(row) for row in table.rows)]
    parts = [f"## {table.title}", "\n".join(lines), *(escaped(note) for note in table.notes)]
    return "\n\n".join(parts)


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands."""
    for mark in ("\\", "|", "*", "_", "<"):
        text = text.replace(mark, f"\\{mark}")
    return text


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"
