"""
The compiled sweep. Use onekernel.sweep, which also takes other arrays and checks the prices.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray


__version__: str

KERNELS: tuple[str, ...]

DEFAULT_KERNEL: str

def sweep(close: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], combos: Annotated[NDArray[numpy.int64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], fee: float, kernel: str) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Run every combo over one series and return (pnl, trades), one value per combo.

    close is float64 (n_bars,), combos int64 (n_combos, 6), both C-contiguous; read-only is fine and nothing is
    converted or copied. fee is in percent per closed trade, round trip; kernel is one of KERNELS. The GIL is
    released while the sweep runs. ValueError for an unknown kernel, a window below 1 or a fee that is not finite.
    """
