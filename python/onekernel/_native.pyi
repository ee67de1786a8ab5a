"""
The compiled sweep. Use onekernel.sweep, which also takes other arrays and checks the prices.
"""

from collections.abc import Sequence

import numpy
import numpy.typing


__version__: str

KERNELS: tuple[str, ...]

DEFAULT_KERNEL: str

def sweep(close: numpy.typing.NDArray[numpy.float64], combos: numpy.typing.NDArray[numpy.int64], fee: float, kernel: str, threads: int = 0) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], int, int, str, tuple[int, int, int, int, int, int, int]]:
    """
    Run every combo over one series: (pnl, trades, compute_ns, threads, target, levels).

    close is float64 (n_bars,), combos int64 (n_combos, 6), both C-contiguous; read-only is fine and nothing is
    converted or copied. fee is in percent per closed trade, round trip; kernel is one of KERNELS; threads is the
    most that may be used, 0: ONEKERNEL_THREADS or all cores. levels are LevelCounts of sweep.h. The GIL is
    released while the sweep runs. ValueError for an unknown kernel, a window below 1 or a fee that is not finite.
    """

def first_bad_price(close: object) -> int:
    """
    Index of the first float64 in a C-contiguous buffer that is no price (NaN, infinite, zero, negative), or -1.
    """

def first_bad_window(combos: object) -> int:
    """
    Index of the first int64 in a C-contiguous buffer that is below 1, or -1.
    """

class Ring:
    """
    The client's side of an engine's shared memory; onekernel.connect opens it.

    It is a stream of bytes each way. TimeoutError when a deadline passes, onekernel.ConnectionLost when the
    engine has gone, onekernel.ProtocolError when what is in the memory makes no sense. The GIL is released
    while a call waits; Ctrl-C is heard meanwhile.
    """

    def __init__(self, memory: int, server_bell: int, client_bell: int, ring_bytes: int, socket: int, spin_ns: int) -> None:
        """
        Map what an engine passed. The first three descriptors become the ring's own, whatever happens; the socket is
        only watched. ring_bytes is the size of one direction, spin_ns how long a wait looks before it sleeps.
        """

    def exchange(self, pieces: Sequence[object], reply: object, seconds: float) -> int:
        """
        Send up to 8 pieces as one frame, then receive a frame into reply, or as much of it as there is room for.
        Returns the number of bytes received.
        """

    def receive(self, buffer: object, at_least: int, seconds: float) -> int:
        """
        Receive at least so many bytes, and at most what fills the buffer. Returns how many.
        """

    def close(self) -> None:
        """
        Unmap the memory; a call that another thread has under way ends with ConnectionLost.
        """
