"""Arrow columns into float64 and into order keys, with the first bad row found."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..series import as_float64
from .source import NotOrdered, Source


def floats(source: Source, name: str, column: Any, *, numbers_are_text: bool) -> npt.NDArray[np.float64]:
    """Return an Arrow column as float64. ReadError for a type that holds no numbers, or a value that is none."""
    column = _decoded(column)
    if pa.types.is_string(column.type) and numbers_are_text:
        column = _cast_text(source, name, column, pa.float64(), "a number")
    elif pa.types.is_decimal(column.type):
        # By way of text: the result is then the double nearest to the decimal.
        column = pc.cast(pc.cast(column, pa.string()), pa.float64())
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        source.fail(f"column '{name}' holds {_kind(column.type)}, not numbers")
    _require_no_null(source, name, column)
    return as_float64(column, name)


def order_keys(source: Source, name: str, column: Any) -> npt.NDArray[Any]:
    """Return an Arrow column of integers, floats, dates, timestamps or ISO text as something that can be compared."""
    column = _decoded(column)
    if pa.types.is_string(column.type):
        column = _timestamps_from_text(source, name, column)
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or _is_temporal(kind)):
        raise NotOrdered(f"holds {_kind(kind)}")
    _require_no_null(source, name, column)
    if _is_temporal(kind):
        column = pc.cast(column, pa.int32() if pa.types.is_date32(kind) else pa.int64())
    return np.asarray(column.to_numpy())


def _is_temporal(kind: Any) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def temporal_names(schema: Any) -> list[str]:
    """Return the columns of a date or timestamp type."""
    return [field.name for field in schema if _is_temporal(field.type)]


def _decoded(column: Any) -> Any:
    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        column = pc.cast(column, pa.string())
    return column


def _timestamps_from_text(source: Source, name: str, column: Any) -> Any:
    column = pc.utf8_trim_whitespace(column)
    first = column[:1]
    if len(first) and first[0].as_py() == "":
        source.fail(f"{name} is empty", 0)
    for kind in (pa.int64(), pa.float64(), pa.timestamp("ns"), pa.timestamp("ns", "UTC")):
        if _casts(first, kind):
            what = "a number" if pa.types.is_integer(kind) or pa.types.is_floating(kind) else "an ISO date or time"
            return _cast_text(source, name, column, kind, what)
    raise NotOrdered(f"holds text such as '{first[0].as_py()}'")


def _cast_text(source: Source, name: str, column: Any, kind: Any, what: str) -> Any:
    column = pc.utf8_trim_whitespace(column)
    _require_no_null(source, name, column)
    try:
        return pc.cast(column, kind)
    except pa.ArrowInvalid:
        row = _first_not_castable(column, kind)
        value = column[row].as_py()
        source.fail(f"{name} is '{value}', which is not {what}" if value else f"{name} is empty", row)


def _first_not_castable(column: Any, kind: Any) -> int:
    """Find the row by halving: the error of the cast itself names none."""
    good, bad = 0, len(column)  # column[:good] converts, column[:bad] does not
    while bad - good > 1:
        middle = (good + bad) // 2
        if _casts(column[good:middle], kind):
            good = middle
        else:
            bad = middle
    return good


def _casts(column: Any, kind: Any) -> bool:
    try:
        pc.cast(column, kind)
    except pa.ArrowInvalid:
        return False
    return True


def _require_no_null(source: Source, name: str, column: Any) -> None:
    if column.null_count:
        source.fail(f"{name} is empty", pc.index(pc.is_null(column), pa.scalar(True)).as_py())


def _kind(kind: Any) -> str:
    return "text" if pa.types.is_string(kind) else f"{kind} values"
