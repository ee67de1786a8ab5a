"""Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import ReadError
from . import arrow_columns
from .source import Source


class _Columnar(Source):
    def __init__(self, path: Path, schema: Any, read: Callable[[str], Any]) -> None:
        super().__init__(path, list(schema.names), arrow_columns.temporal_names(schema))
        self._read = read

    def floats(self, name: str) -> npt.NDArray[np.float64]:
        return arrow_columns.floats(self, name, self._column(name), numbers_are_text=False)

    def order_keys(self, name: str) -> npt.NDArray[Any]:
        return arrow_columns.order_keys(self, name, self._column(name))

    def text(self, name: str, row: int) -> str:
        return str(pc.cast(self._column(name)[row], pa.string()).as_py())

    def _column(self, name: str) -> Any:
        try:
            return self._read(name)
        except (pa.ArrowException, OSError) as error:
            self.fail(f"is damaged: {' '.join(str(error).split())}")


def open_parquet(path: Path) -> Source:
    """Open a Parquet file; only the columns that are asked for are read."""
    import pyarrow.parquet as pq

    with path.open("rb"):
        pass  # a file that is not there or not ours to read is told apart from a damaged one
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        _fail_open(path, "a Parquet file", error)
    return _Columnar(path, file.schema_arrow, lambda name: file.read([name]).column(0))


def open_arrow(path: Path) -> Source:
    """Open an Arrow IPC file (Feather version 2) or stream."""
    source = pa.memory_map(str(path)) if path.stat().st_size else pa.BufferReader(b"")
    try:
        try:
            reader = pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            source.seek(0)
            reader = pa.ipc.open_stream(source)
        table = reader.read_all()
    except (pa.ArrowException, OSError) as error:
        _fail_open(path, "an Arrow or Feather file", error)
    return _Columnar(path, table.schema, table.column)


def _fail_open(path: Path, what: str, error: Exception) -> NoReturn:
    reason = "it is empty" if path.stat().st_size == 0 else " ".join(str(error).split())
    raise ReadError(f"{path}: is not {what}: {reason}") from error
