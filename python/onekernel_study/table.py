"""A table of the report, as text; how it is drawn is the business of the report_* modules."""

from dataclasses import dataclass

from onekernel_study.published import Figure
from onekernel_study.wording import number

WITHHELD = "withheld"


@dataclass(frozen=True)
class Table:
    """A titled table. The first `n_left` columns are words and stand to the left, the others are numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    n_left: int = 1


def shown(figure: Figure | None, decimals: int) -> str:
    """A published figure for a column; empty where there is none."""
    return "" if figure is None else number(figure.value, decimals)
