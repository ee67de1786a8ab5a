"""The result of a sweep on standard output: a table for people, CSV and JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .output_format import Format
from .result import SweepResult
from .series import WINDOW_FIELDS


@dataclass(frozen=True, slots=True)
class Report:
    """A sweep and what it was over."""

    file: str
    column: str
    n_bars: int
    fee: float
    kernel: str | None
    combos: npt.NDArray[np.int64]
    result: SweepResult


def write(report: Report, form: Format, best: int) -> None:
    """Write the report to standard output; `best` is how many combos a table shows from each end."""
    if form is Format.table:
        _write_table(report, best)
    elif form is Format.csv:
        _write_csv(report)
    else:
        json.dump(document(report), sys.stdout, indent=1, allow_nan=False)
        sys.stdout.write("\n")


def _write_csv(report: Report) -> None:
    print("length", *WINDOW_FIELDS, "pnl_pct", "trades", sep=",")
    for combo, pnl, trades in _rows(report):
        print(combo[1], *combo, repr(pnl), trades, sep=",")


def document(report: Report) -> dict[str, Any]:
    """Return the report as JSON has it."""
    return {
        "file": report.file,
        "column": report.column,
        "n_bars": report.n_bars,
        "fee_pct": report.fee,
        "kernel": report.kernel,
        "combos": [
            {
                "length": combo[1],
                **dict(zip(WINDOW_FIELDS, combo, strict=True)),
                # JSON knows no infinity; prices that far apart are possible, if not likely.
                "pnl_pct": pnl if math.isfinite(pnl) else None,
                "trades": trades,
            }
            for combo, pnl, trades in _rows(report)
        ],
    }


def _rows(report: Report) -> list[tuple[list[int], float, int]]:
    return list(zip(report.combos.tolist(), report.result.pnl.tolist(), report.result.trades.tolist(), strict=True))


def _write_table(report: Report, best: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console()
    rows = _rows(report)
    order = np.argsort(-report.result.pnl, kind="stable").tolist()
    table = Table(
        box=SIMPLE_HEAD,
        title=f"{report.file}, {report.n_bars:,} bars, {len(rows):,} combos, fee {report.fee:g} % per trade",
        title_justify="left",
    )
    for heading in ("rank", *WINDOW_FIELDS, "pnl %", "trades"):
        table.add_column(heading, justify="right", no_wrap=True)
    for rank, section_ends in _ranks(len(rows), best):
        combo, pnl, trades = rows[order[rank]]
        table.add_row(str(rank + 1), *map(str, combo), f"{pnl:,.2f}", f"{trades:,}", end_section=section_ends)
    console.print(table)
    if len(rows) > 2 * best:
        console.print(f"The best and the worst {best} of {len(rows):,}; --format csv or json gives them all.")


def _ranks(count: int, best: int) -> list[tuple[int, bool]]:
    """Return the ranks that are shown, each with whether a line follows it."""
    if count <= 2 * best:
        return [(rank, False) for rank in range(count)]
    head = [(rank, rank == best - 1) for rank in range(best)]
    return head + [(rank, False) for rank in range(count - best, count)]
