"""NPY files: an array of prices, or a structured array with a column of prices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ReadError
from ..series import as_float64
from .source import NotOrdered, Source

_MAGIC = b"\x93NUMPY"


class _Npy(Source):
    def __init__(self, path: Path, array: npt.NDArray[Any]) -> None:
        super().__init__(path, list(array.dtype.names or []))
        self._array = array

    def floats(self, name: str) -> npt.NDArray[np.float64]:
        try:
            return as_float64(self._values(name), name)
        except (TypeError, ValueError) as error:
            self.fail(str(error))

    def order_keys(self, name: str) -> npt.NDArray[Any]:
        values = self._values(name)
        if values.dtype.kind not in "iufM":
            raise NotOrdered(f"holds {values.dtype} values")
        if values.dtype.kind == "M" and np.isnat(values).any():
            self.fail(f"{name} is empty", int(np.flatnonzero(np.isnat(values))[0]))
        return values

    def _require(self, column: str) -> None:
        if self.names:  # plain numbers have no name to be asked for
            super()._require(column)

    def _values(self, name: str) -> npt.NDArray[Any]:
        return np.asarray(self._array[name]) if self.names else self._array


def open_npy(path: Path) -> Source:
    """Open an NPY file; pickled objects are never loaded."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            reason = "it is empty" if path.stat().st_size == 0 else "pickles and other files are not loaded"
            raise ReadError(f"{path}: is not an NPY file: {reason}")
        file.seek(0)
        try:
            array = np.load(file, allow_pickle=False)
        except (ValueError, EOFError, OverflowError) as error:
            if "pickle" in str(error):
                raise ReadError(f"{path}: holds Python objects (a pickle), which are never loaded") from error
            raise ReadError(f"{path}: is damaged: {' '.join(str(error).split())}") from error
    if array.ndim != 1:
        raise ReadError(f"{path}: holds an array of shape {array.shape}; prices have one dimension")
    return _Npy(path, array)
