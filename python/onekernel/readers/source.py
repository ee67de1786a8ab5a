"""An opened file of prices: named columns that are read, checked and turned into a series.

The formats differ in how a column is read and in how a row is named ("line 7" of a CSV, "row 7" elsewhere); the checks
and their messages are the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..errors import ReadError
from ..series import first_bad_price
from .prices import Prices

# In the order of preference. A file with `date` and `time` apart has neither alone in strict order.
_TIMESTAMP_NAMES = ("timestamp", "timestamp_ms", "datetime", "date", "time")
_LISTED_COLUMNS = 20


class NotOrdered(Exception):
    """A column holds nothing whose order is known; the message says what it holds."""


class Source(ABC):
    """One file. ``names``: its columns; ``temporal``: those of a date or timestamp type."""

    def __init__(self, path: Path, names: list[str], temporal: list[str] | None = None) -> None:
        self.path = path
        self.names = names
        self.temporal = temporal or []

    @abstractmethod
    def floats(self, name: str) -> npt.NDArray[np.float64]:
        """Return a column as float64; ReadError for a value that is no number, or missing."""

    @abstractmethod
    def order_keys(self, name: str) -> npt.NDArray[Any]:
        """Return numbers or datetimes that order as the column's values do.

        NotOrdered if its first value is nothing that is understood; ReadError if a later one is not, or is missing.
        """

    def place(self, row: int) -> str:
        """Return how a reader of the file would call its row number `row`, counted from 0."""
        return f"row {row + 1}"

    def text(self, name: str, row: int) -> str:
        """Return the value of a cell as the file shows it."""
        return str(self.order_keys(name)[row])

    def fail(self, reason: str, row: int | None = None) -> NoReturn:
        """Raise ReadError: file, row, reason."""
        place = "" if row is None else f"{self.place(row)}: "
        raise ReadError(f"{self.path}: {place}{reason}")

    def prices(self, column: str, timestamp_column: str | None) -> Prices:
        """Read and check the prices and, where there are timestamps, their order."""
        self._require(column)
        close = self.floats(column)
        if close.size == 0:
            self.fail("has no rows of data")
        if (bad := first_bad_price(close)) is not None:
            self.fail(f"{column} is {close[bad]!s}; a price must be finite and above zero", bad)
        checked, notes = self._check_order(column, timestamp_column)
        return Prices(close, self.path, column, checked, notes)

    def _require(self, column: str) -> None:
        found = self.names.count(column)
        if found > 1:
            self.fail(f"has {found} columns named '{column}'; it must be clear which one is meant")
        if found == 0:
            alike = [name for name in self.names if name.strip().lower() == column.strip().lower()]
            hint = f"; did you mean '{alike[0]}'? It" if alike else "; it"
            more = f" and {len(self.names) - _LISTED_COLUMNS} more" if len(self.names) > _LISTED_COLUMNS else ""
            self.fail(f"has no column '{column}'{hint} has: {', '.join(self.names[:_LISTED_COLUMNS])}{more}")

    def _check_order(self, column: str, asked: str | None) -> tuple[str | None, tuple[str, ...]]:
        if asked is not None:
            self._require(asked)
        name = asked if asked is not None else self._timestamp_column(column)
        if name is None:
            return None, ()
        try:
            keys = self.order_keys(name)
        except NotOrdered as reason:
            if asked is not None:
                self.fail(f"column '{name}' {reason}, which is no timestamp")
            return None, (f"{self.path}: the order of '{name}' was not checked: it {reason}",)
        self._require_ascending(name, keys)
        return name, ()

    def _timestamp_column(self, column: str) -> str | None:
        by_name = {name.strip().lower(): name for name in self.names if name != column and self.names.count(name) == 1}
        if "date" in by_name and "time" in by_name:
            del by_name["date"], by_name["time"]
        for candidate in _TIMESTAMP_NAMES:
            if candidate in by_name:
                return by_name[candidate]
        return next((name for name in self.temporal if name != column), None)

    def _require_ascending(self, name: str, keys: npt.NDArray[Any]) -> None:
        wrong = np.flatnonzero(keys[1:] <= keys[:-1])
        if wrong.size == 0:
            return
        row = int(wrong[0]) + 1
        if keys[row] == keys[row - 1]:
            self.fail(f"{name} {self.text(name, row)} stands twice: duplicate timestamps", row)
        if np.all(keys[1:] < keys[:-1]):
            hint = "the file runs from new to old; sort it"
        else:
            hint = "the timestamps are not sorted"
        self.fail(f"{name} {self.text(name, row)} comes after {self.text(name, row - 1)}: {hint}", row)
