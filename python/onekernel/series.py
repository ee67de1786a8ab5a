"""The one place where what a user holds becomes what an engine takes.

``close`` becomes a C-contiguous float64 array, combos become C-contiguous int64 rows of six. An array that already is
one is used as it is, without a copy; the input is never changed.
"""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from . import _native

WINDOW_FIELDS = ("half", "full", "smooth", "third", "half3", "full3")

_INT64 = np.iinfo(np.int64)
_FEW = 1024
_INT64_DTYPE = np.dtype(np.int64)
_FLOAT64_DTYPE = np.dtype(np.float64)


def as_close(close: object, name: str = "close") -> npt.NDArray[np.float64]:
    """Return a series of prices as float64 (n_bars,), C-contiguous and checked.

    ``close`` is one-dimensional, oldest price first: a NumPy array of any real dtype, stride and byte order, a pandas
    or polars Series, an Arrow Array or ChunkedArray, or a list of numbers.

    TypeError if it does not hold real numbers; ValueError if it is empty, has more than one dimension, or holds a price
    that is missing, NaN, infinite, zero or negative (the first such index is named).
    """
    values = as_float64(close, name)
    if values.size == 0:
        raise ValueError(f"{name} is empty: a sweep needs at least one price")
    # Two reductions are fastest for many values, one call for few. NaN fails every comparison.
    if values.size > _FEW and values.min() > 0.0 and values.max() < math.inf:
        return values
    bad = _native.first_bad_price(values)
    if bad >= 0:
        raise ValueError(f"{name}[{bad}] is {values[bad]!s}; a price must be finite and above zero")
    return values


def first_bad_price(values: npt.NDArray[np.float64]) -> int | None:
    """Return the index of the first value that is no price (NaN, infinite, zero or negative), or None."""
    bad = _native.first_bad_price(np.ascontiguousarray(values, np.float64))
    return None if bad < 0 else bad


def as_float64(values: object, name: str = "close") -> npt.NDArray[np.float64]:
    """Return one-dimensional real numbers as float64, C-contiguous, unchecked; missing values become NaN."""
    if _is_plain(values, _FLOAT64_DTYPE) and values.ndim == 1:
        return values
    array = _to_numpy(values, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} holds {array.dtype} values; it must hold real numbers")
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but its shape is {array.shape}")
    return np.require(array, np.float64, ["C_CONTIGUOUS", "ALIGNED"])


def as_combos(combos: object) -> npt.NDArray[np.int64]:
    """Return parameter sets as int64 (n_combos, 6), C-contiguous, every window at least 1.

    A row is (half, full, smooth, third, half3, full3). Whole numbers in another real dtype are accepted.

    TypeError if the values are not real numbers; ValueError if the shape is not (n, 6), a value is not a whole number
    or does not fit 64 bits, or a window is below 1 (combo and field are named).
    """
    if type(combos) is np.ndarray and _native.are_good_combos(combos):
        return combos
    if _is_plain(combos, _INT64_DTYPE) and combos.ndim == 2 and combos.shape[1] == len(WINDOW_FIELDS):
        rows: npt.NDArray[np.int64] = combos
    else:
        rows = _as_rows(combos)
    if rows.size > _FEW and rows.min() >= 1:
        return rows
    bad = _native.first_bad_window(rows)
    if bad >= 0:
        combo, field = divmod(bad, len(WINDOW_FIELDS))
        raise ValueError(
            f"combo {combo}: window '{WINDOW_FIELDS[field]}' is {rows[combo, field]}, "
            "but a window is at least 1 bar long"
        )
    return rows


def as_fee(fee: object) -> float:
    """Return the fee as a float. TypeError if it is no real number, ValueError if it is not finite."""
    if type(fee) is float and -math.inf < fee < math.inf:
        return fee + 0.0
    if isinstance(fee, (str, bytes)):
        raise TypeError(f"fee is {fee!r}; it must be a number (percent per closed trade)")
    value = float(fee)  # type: ignore[arg-type]  # float() itself raises the TypeError
    if not math.isfinite(value):
        raise ValueError(f"fee is {value}; it must be a finite number (percent per closed trade)")
    return value + 0.0  # -0.0 becomes 0.0: they are one fee


def _is_plain(values: object, dtype: np.dtype[Any]) -> TypeGuard[npt.NDArray[Any]]:
    """Tell, in a fraction of a microsecond, whether this is an array that can be used as it is."""
    return type(values) is np.ndarray and values.dtype == dtype and values.flags.c_contiguous and values.flags.aligned


def _as_rows(combos: object) -> npt.NDArray[np.int64]:
    array = np.asarray(combos)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"combos hold {array.dtype} values; a window is a whole number of bars")
    if array.ndim != 2 or array.shape[1] != len(WINDOW_FIELDS):
        raise ValueError(f"combos must have the shape (n, 6), one row {WINDOW_FIELDS} each, but it is {array.shape}")
    return np.require(_exact_int64(array), np.int64, ["C_CONTIGUOUS", "ALIGNED"])


def _exact_int64(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Refuse what int64 cannot hold exactly; other dtypes than int64 are converted afterwards without loss."""
    if array.dtype.kind == "i":
        return array
    if array.dtype.kind == "u":
        bad = array > _INT64.max
    else:
        # 2**63 itself is a float but no int64, hence >= on the upper side.
        bad = (np.trunc(array) != array) | (array >= 2.0**63) | (array < -(2.0**63))
    if bad.any():
        combo, field = np.argwhere(bad)[0]
        raise ValueError(
            f"combo {combo}: window '{WINDOW_FIELDS[field]}' is {array[combo, field]}, "
            "which is not a whole 64-bit number"
        )
    return array


def _to_numpy(values: object, name: str) -> npt.NDArray[Any]:
    """Return the numbers as some NumPy array, without copying where the owner allows it."""
    for owner in (base.__module__.partition(".")[0] for base in type(values).__mro__):
        if owner in _CONVERTERS:
            return _CONVERTERS[owner](values, name)
    return np.asarray(values)


def _from_numpy(values: Any, _name: str) -> npt.NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "iuf":
        return np.ma.filled(values.astype(np.float64), np.nan)
    return np.asarray(values)


def _from_pandas(values: Any, name: str) -> npt.NDArray[Any]:
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but its shape is {values.shape}: choose one column")
    if values.dtype.kind not in "iuf":
        raise TypeError(f"{name} holds {values.dtype} values; it must hold real numbers")
    if isinstance(values.dtype, np.dtype):
        return np.asarray(values.to_numpy())
    return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))


def _from_polars(values: Any, name: str) -> npt.NDArray[Any]:
    if not hasattr(values, "dtype"):
        raise ValueError(f"{name} must have one dimension, but it is a {type(values).__name__}: choose one column")
    if not (values.dtype.is_float() or values.dtype.is_integer()):
        raise TypeError(f"{name} holds {values.dtype} values; it must hold real numbers")
    return np.asarray(values.to_numpy())


def _from_arrow(values: Any, name: str) -> npt.NDArray[Any]:
    import pyarrow as pa

    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        raise ValueError(f"{name} must be an Arrow Array or ChunkedArray, but it is a {type(values).__name__}")
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        raise TypeError(f"{name} holds {values.type} values; it must hold real numbers")
    if isinstance(values, pa.ChunkedArray):
        return np.asarray(values.to_numpy())
    return np.asarray(values.to_numpy(zero_copy_only=False))


_CONVERTERS = {"numpy": _from_numpy, "pandas": _from_pandas, "polars": _from_polars, "pyarrow": _from_arrow}


def check_threads(threads: int) -> int:
    """Return a number of threads that is one. ValueError below 1."""
    if not 1 <= threads < 2**32:
        raise ValueError(f"threads is {threads}; it must be at least 1, or None to let the engine decide")
    return threads
