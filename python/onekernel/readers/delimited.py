"""CSV and its relatives, plain or gzipped, read by pyarrow."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..errors import ReadError
from . import arrow_columns
from .source import Source

_DELIMITERS = (",", ";", "\t", "|")
_DAMAGED_GZIP = (EOFError, zlib.error, gzip.BadGzipFile)
_SPELLED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}


class _Delimited(Source):
    def __init__(self, path: Path, names: list[str], delimiter: str) -> None:
        super().__init__(path, names)
        self._delimiter = delimiter
        self._columns: dict[str, Any] = {}

    def floats(self, name: str) -> npt.NDArray[np.float64]:
        return arrow_columns.floats(self, name, self._column(name), numbers_are_text=True)

    def order_keys(self, name: str) -> npt.NDArray[Any]:
        return arrow_columns.order_keys(self, name, self._column(name))

    def text(self, name: str, row: int) -> str:
        return str(self._column(name)[row].as_py())

    def place(self, row: int) -> str:
        """Return the line: the header, blank lines and line breaks inside quotes count as they do in an editor."""
        for number, (line, _) in enumerate(_records(self.path, self._delimiter)):
            if number == row + 1:
                return f"line {line}"
        return super().place(row)

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def _read(self, name: str) -> Any:
        # As text: a number that does not parse can then be shown as it stands in the file.
        from pyarrow import csv as arrow_csv

        try:
            with _open(self.path) as file:
                table = arrow_csv.read_csv(
                    file,
                    arrow_csv.ReadOptions(column_names=[str(number) for number in range(len(self.names))]),
                    arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                    arrow_csv.ConvertOptions(
                        include_columns=[str(self.names.index(name))],
                        column_types={str(self.names.index(name)): pa.string()},
                        strings_can_be_null=False,
                    ),
                )
        except _DAMAGED_GZIP as error:
            self.fail(f"is a damaged gzip file: {error}")
        except pa.ArrowInvalid as error:
            self._fail_ragged()
            self.fail(f"is not understood as CSV: {' '.join(str(error).split())}")
        return table.column(0)[1:]  # without the header, whose names may repeat

    def _fail_ragged(self) -> None:
        for line, fields in _records(self.path, self._delimiter):
            if len(fields) != len(self.names):
                raise ReadError(f"{self.path}: line {line}: has {len(fields)} fields, the header has {len(self.names)}")


def open_delimited(path: Path, delimiter: str | None) -> Source:
    """Open a CSV file with a header. The delimiter is the one that the header has most of, unless it is given."""
    try:
        separator = _detect(path) if delimiter is None else _SPELLED.get(delimiter, delimiter)
        if len(separator) != 1:
            raise ReadError(f"{path}: the delimiter '{delimiter}' is not one character")
        _, header = next(_records(path, separator, "strict"), (0, []))
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text ({error.reason} at byte {error.start})") from error
    except csv.Error as error:
        raise ReadError(f"{path}: is not understood as CSV: {error}") from error
    except _DAMAGED_GZIP as error:
        raise ReadError(f"{path}: is a damaged gzip file: {error}") from error
    if not header:
        raise ReadError(f"{path}: is empty")
    return _Delimited(path, [name.strip() for name in header], separator)


def _detect(path: Path) -> str:
    with _open_text(path, "strict") as file:
        line = next((line for line in file if line.strip()), "")
    outside_quotes = "".join(line.split('"')[::2])
    return max(_DELIMITERS, key=outside_quotes.count)


def _records(path: Path, delimiter: str, errors: str = "replace") -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of each record that is not blank, the header first."""
    with _open_text(path, errors) as file:
        reader = csv.reader(file, delimiter=delimiter)
        line = 1
        for fields in reader:
            if fields:
                yield line, fields
            line = reader.line_num + 1


def _open_text(path: Path, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(_open(path), encoding="utf-8-sig", errors=errors, newline="")


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")
