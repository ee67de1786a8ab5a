"""Prices from files: CSV (also gzipped), Parquet, Arrow/Feather and NPY.

The formats are read by pyarrow and NumPy; what is done here is to say clearly, in one line, what is wrong with a file.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import ReadError
from .prices import Prices
from .source import Source

__all__ = ["Prices", "read_prices"]

_DELIMITED = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_ARROW = (".feather", ".arrow", ".ipc")
_NPY = ".npy"


def read_prices(
    path: str | os.PathLike[str],
    column: str = "close",
    *,
    timestamp_column: str | None = None,
    delimiter: str | None = None,
) -> Prices:
    """Read one column of prices, oldest first.

    The format follows from the extension: .csv, .tsv, .txt (each also with .gz), .parquet, .feather, .arrow, .ipc,
        .npy.
    column: its exact name; an NPY file with plain numbers has only one column and needs none.
    timestamp_column: the column whose values must ascend without duplicates. None takes the one named timestamp,
        timestamp_ms, datetime, date or time (in any case), or else the first one of a date or timestamp type, if any.
    delimiter: between the fields of a CSV; None finds out which of , ; tab | the header uses.

    ReadError, one line with file, row and reason, for a file that cannot be read, a column that is not there, text, an
    empty cell, a price that is NaN, infinite, zero or negative, no rows, and timestamps out of order.
    """
    file = Path(path)
    return _open(file, delimiter).prices(column, timestamp_column)


def _open(path: Path, delimiter: str | None) -> Source:
    if path.is_dir():
        raise ReadError(f"{path}: is a directory, not a file of prices")
    if not path.exists():
        raise ReadError(f"{path}: no such file")
    if not path.is_file():
        raise ReadError(f"{path}: is no regular file; its prices cannot be read twice")
    try:
        return _open_as(_kind(path), path, delimiter)
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror or error}") from error


def _kind(path: Path) -> str:
    """Return the extension that tells the format; a packed .csv.gz is a .csv."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if len(suffixes) > 1 and suffixes[-1] == ".gz" and suffixes[-2] in _DELIMITED:
        return suffixes[-2]
    return "".join(suffixes[-1:])


def _open_as(kind: str, path: Path, delimiter: str | None) -> Source:
    source: Source
    if kind in _DELIMITED:
        source = _module("delimited").open_delimited(path, delimiter)
    elif kind in _PARQUET:
        source = _module("columnar").open_parquet(path)
    elif kind in _ARROW:
        source = _module("columnar").open_arrow(path)
    elif kind == _NPY:
        source = _module("npy").open_npy(path)
    else:
        known = ", ".join((*_DELIMITED, ".csv.gz", *_PARQUET, *_ARROW, _NPY))
        raise ReadError(f"{path}: unknown kind of file '{kind}'; known are {known}")
    return source


def _module(name: str) -> Any:
    # Imported when needed: an NPY file asks for no pyarrow, and the command line starts without either.
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ImportError("reading this kind of file needs pyarrow: pip install 'onekernel[files]'") from error
