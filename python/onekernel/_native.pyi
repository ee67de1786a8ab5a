"""
The compiled sweep. Use onekernel.sweep, which also takes other arrays and checks the prices.
"""

from collections.abc import Sequence
from typing import NamedTuple

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

def are_good_combos(combos: object) -> bool:
    """
    Whether this is a C-contiguous, aligned buffer of int64 (n, 6) without a window below 1.
    """

class Link:
    """
    A connection to an engine: a socket, or shared memory with a socket beside it.

    One call at a time. Every call may raise TimeoutError when its seconds have passed, RequestCutOff when
    the peer hangs up amid a request, ConnectionLost when it does so later, ProtocolError when it sends what
    it should not, OSError. After all of these it is out of step and must be closed. The GIL is released
    while a call waits; Ctrl-C is heard meanwhile, and no signal prolongs a deadline.
    """

    def __init__(self, socket: int, url: str, spin_ns: int) -> None:
        """
        Take over a connected socket. The url is for messages; spin_ns is how long a wait looks before it sleeps.
        """

    def attach(self, ring_bytes: int, spin_ns: int) -> None:
        """
        Go on in the shared memory whose three descriptors came with the last reply, ring_bytes in each direction.
        """

    def limit_bodies(self, max_body_bytes: int) -> None:
        """Refuse longer requests with EngineError."""

    def exchange(self, pieces: tuple[object, ...] | list[object], due_bytes: int, seconds: float, descriptors: Sequence[int] | None = None) -> tuple[int, bytearray]:
        """
        Send a session request, up to 8 pieces with its whole header in the first, and receive its reply:
        (compute_ns, payload). due_bytes is the length that the payload must have, -1 where that is not known.
        EngineError if the engine refuses the request; the connection goes on then.
        """

    def sweep(self, request_id: int, epoch: int, series_id: int, combos: object, fee: float, kernel: int, threads: int, seconds: float) -> tuple[int, int, int, str, tuple[int, int, int, int, int, int, int], bytearray] | None:
        """
        Sweep over a stored series, as exchange does, without a detour through Python:
        (compute_ns, kernel number, threads, target, levels, payload). None, and nothing is sent, unless combos is a
        C-contiguous, aligned int64 buffer (n, 6) without a window below 1.
        """

    def live_bar(self, request_id: int, epoch: int, live_id: int, due: int, index: int, price: float, seconds: float) -> tuple[Change, ...]:
        """
        Send one bar to a live session that awaits bar `due`, as exchange does, without a detour through Python: its
        changes. OutOfOrder. ValueError for what is no price and TypeError for what is no number, before it is sent.
        """

    def epoch(self) -> int:
        """The run of the engine, as hello told it; 0 before."""

    def request(self, pieces: object, buffer: object, at_least: int, seconds: float) -> int:
        """
        Send up to 8 pieces, then receive at least so many bytes and at most what fills the buffer. Returns how many.
        """

    def receive(self, buffer: object, at_least: int, seconds: float) -> int:
        """Receive as request does."""

    def descriptor(self) -> int:
        """The socket's descriptor, -1 when it is closed."""

    def hang_up(self) -> None:
        """End the connection, also where others hold a copy of the descriptor."""

    def close(self) -> None:
        """
        Close everything; a call that another thread has under way ends with ConnectionLost.
        """

class Change(NamedTuple):
    bar: int
    combo: int
    position: int
    price: float
    entry_bar: int
    entry: float
    trade_pnl: float
    pnl: float
    trades: int

class LiveCore:
    """
    The sweep's strategies, fed one bar at a time (include/onekernel/live.h). Use onekernel.live.

    One thread at a time: SessionInUse where another one is in bars(). Records come as their bytes.
    """

    @staticmethod
    def open(combos: numpy.typing.NDArray[numpy.int64], fee: float, threads: int = 0, history: numpy.typing.NDArray[numpy.float64] | None = None) -> LiveCore:
        """
        A session that stands after the history, whose prices are not checked. The GIL is released.

        ValueError, EngineError (limit exceeded), MemoryError.
        """

    @staticmethod
    def restore(snapshot: object) -> LiveCore:
        """
        The session that a snapshot was taken of. ValueError for other bytes; else as open.
        """

    def bar(self, index: int, price: float) -> tuple[Change, ...]:
        """
        Take the close of the bar that is due: the changes, by combo.

        OutOfOrder for another index, ValueError for what is no price, TypeError for what is no number; nothing has
        changed then. The GIL is kept.
        """

    def bars(self, first: int, closes: numpy.typing.NDArray[numpy.float64], most_changes: int | None = None) -> tuple[int, numpy.typing.NDArray[numpy.uint8]]:
        """
        Take several, all of whose prices are checked before: next_bar, and the changes (64 bytes each).

        It stops before a bar whose changes might be more than most_changes in all. The GIL is released.
        Errors as bar; EngineError (limit exceeded) for most_changes below the number of combos.
        """

    def states(self) -> numpy.typing.NDArray[numpy.uint8]:
        """Where each combo stands: LiveState, 40 bytes each."""

    def snapshot(self) -> bytes:
        """All that restore needs."""

    @property
    def next_bar(self, /) -> int:
        """Index of the bar that is due."""

    @property
    def n_bytes(self, /) -> int:
        """That the session takes."""

    @property
    def fee(self, /) -> float:
        """Percent per closed trade, round trip."""

    @property
    def combos(self, /) -> numpy.typing.NDArray[numpy.int64]:
        """A copy, row after row in one dimension."""

def bar_arguments(index: object, price: object) -> tuple[int, float]:
    """
    The index and the price of a bar as plain numbers. TypeError; and whatever __index__ and __float__ raise.
    """

def list_trades(close: numpy.typing.NDArray[numpy.float64], combos: numpy.typing.NDArray[numpy.int64], fee: float, threads: int = 0, most_trades: int | None = None) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.float64]]:
    """
    Run a sweep that keeps its trades: closed ones (48 bytes each), open ones (24) and the pnl of each combo.

    The GIL is released. Errors as sweep; EngineError (limit exceeded) for more trades than most_trades.
    """

def native_echo(url: str, settling: int, calls: int, spin_us: float) -> list[int]:
    """
    Nanoseconds of each of `calls` echoes of 8 bytes, made by the C++ client over a connection of its own, after
    `settling` ones that do not count. Every echo is compared. spin_us: how long the client looks before it sleeps.
    The GIL is released. ConnectionLost, ProtocolError, TimeoutError, OSError.
    """

def same_thread_ring(settling: int, calls: int) -> list[int]:
    """
    Nanoseconds of each of `calls` messages of 8 bytes that this thread writes into a ring and reads out again: no
    other process has a part in it, so this is no round trip. After `settling` ones that do not count.
    """

class NativeLive:
    """
    A live session that C++ feeds, for measuring: in this process, or over a C++ client's connection.
    """

    def __init__(self, url: str, combos: numpy.typing.NDArray[numpy.int64], fee: float, spin_us: float) -> None:
        """
        Open a session without history; an empty url opens it in this process. spin_us: how long the client looks
        before it sleeps. ConnectionLost, ProtocolError, TimeoutError, OSError.
        """

    def feed(self, closes: numpy.typing.NDArray[numpy.float64], times: object) -> bytes:
        """
        Feed the closes, one call per bar, and put each call's nanoseconds into times, an int64 buffer of as many.
        Returns the changes, 64 bytes each. The GIL is released.
        """

class SeriesMemory:
    """A float64 array in a memory file; onekernel.SharedSeries uses it."""

    def __init__(self, n_bars: int) -> None:
        """MemoryError or OSError if the system has no room for it."""

    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """The array, zeros at first; (n_bars,)."""

    def seal(self) -> None:
        """
        Make the file unchangeable. What is written to arrays afterwards changes those and not the file.
        """

    def sealed(self) -> bool: ...

    def descriptor(self) -> int: ...
