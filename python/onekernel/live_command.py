"""``onekernel live``: prices come in line by line, changes of position go out as they happen."""

from __future__ import annotations

import json
import math
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .live_session import LiveSession, live
from .output import Report, document, write
from .output_format import Format
from .price_lines import PriceLine, read_lines

if TYPE_CHECKING:
    from ._native import Change


def run(
    combos: npt.NDArray[np.int64],
    fee: float,
    history: tuple[Path, str, npt.NDArray[np.float64]] | None,
    engine: str | None,
    form: Format,
    best: int,
) -> None:
    """Read standard input to its end. history: file, column and closes.

    ValueError names the line that cannot be used; what was written before it stays.
    """
    file, column, closes = history or (None, "close", None)
    with ExitStack() as stack:
        session = stack.enter_context(_open(stack, combos, fee, closes, engine))
        try:
            for line in read_lines(sys.stdin.buffer):
                _take(session, line, combos)
            source = "standard input" if file is None else f"{file} and standard input"
            _write_summary(Report(source, column, session.next_bar, fee, None, combos, session.result()), form, best)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has had enough; nothing may be written at exit either
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open(
    stack: ExitStack,
    combos: npt.NDArray[np.int64],
    fee: float,
    closes: npt.NDArray[np.float64] | None,
    url: str | None,
) -> LiveSession:
    if url is None:
        return live(combos, fee=fee, history=closes)
    from .opening import connect

    return stack.enter_context(connect(url)).live(combos, fee=fee, history=closes)


def _take(session: LiveSession, line: PriceLine, combos: npt.NDArray[np.int64]) -> None:
    try:
        changes = session.bar(line.price)
        for change in changes:
            print(json.dumps(_told(change, line, int(combos[change.combo, 1])), allow_nan=False))
    except ValueError as error:
        raise ValueError(f"line {line.number}: {error}") from None
    if changes:
        sys.stdout.flush()


def _told(change: Change, line: PriceLine, length: int) -> dict[str, Any]:
    is_first = change.entry_bar < 0
    return {
        "bar": change.bar,
        **({} if line.timestamp is None else {"timestamp": line.timestamp}),
        "combo": change.combo,
        "length": length,
        "position": change.position,
        "price": change.price,
        "entry_bar": None if is_first else change.entry_bar,
        "entry": None if is_first else change.entry,
        "trade_pnl_pct": None if is_first else _finite(change.trade_pnl),
        "pnl_pct": _finite(change.pnl),
        "trades": change.trades,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None  # JSON knows no infinity


def _write_summary(report: Report, form: Format, best: int) -> None:
    if form is Format.json:
        print(json.dumps({"summary": document(report)}, allow_nan=False))
    else:
        write(report, form, best)
