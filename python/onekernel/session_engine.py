"""An engine over session frames: stored series, a fee and a kernel per sweep, over sockets or in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import session
from .channel import Piece
from .engine import Engine
from .engine_process import EngineProcess
from .errors import ProtocolError
from .hello import Hello, Statistics
from .live_in_engine import LiveInEngine
from .live_session import LiveSession, as_history
from .memfd import sealed
from .result import SweepResult
from .series import as_close, as_combos, as_fee, as_float64, check_threads
from .session import Payload
from .session_connection import SessionConnection
from .shared_series import SharedSeries
from .stored_series import Series
from .trade_list import TradeList

# From about here on a memory file is faster than the socket; below, setting its pages up takes longer than a copy.
_FEW = 256  # combos that are cheaper to copy than to send from where they are
_MEMFD_BYTES = 2 << 20
_FLOAT64 = np.dtype("<f8")


class SessionEngine(Engine):
    """See :class:`Engine`."""

    def __init__(self, connection: SessionConnection, process: EngineProcess | None = None) -> None:
        super().__init__(connection, process)
        self._connection = connection

    @property
    def hello(self) -> Hello:
        """The engine's version, kernels and limits, as told when this connection was made."""
        return self._connection.hello

    def sweep(
        self,
        series: object,
        combos: object,
        *,
        fee: float,
        kernel: str | None = None,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> SweepResult:
        """Run every combo over one price series in the engine; see :meth:`Engine.sweep`."""
        connection = self._connection
        charged = as_fee(fee)
        number = session.DEFAULT_KERNEL if kernel is None else self._kernel_number(kernel)
        n_threads = 0 if threads is None else check_threads(threads)
        if type(series) is Series and type(combos) is np.ndarray:
            result = connection.sweep_stored(series, combos, charged, number, n_threads, timeout)
            if result is not None:
                return result
        rows = as_combos(combos)
        n_combos = len(rows)
        if type(series) is Series:
            head = session.encode_sweep(
                connection.next_id(), series.epoch, series.id, 0, n_combos, charged, number, n_threads
            )
            pieces: tuple[Piece, ...] = (head + rows.tobytes(),) if n_combos <= _FEW else (head, rows)
        else:
            close = as_close(series)
            head = session.encode_sweep(
                connection.next_id(), connection.epoch, 0, len(close), n_combos, charged, number, n_threads
            )
            pieces = (head, close, rows)
        compute_ns, payload = connection.exchange(pieces, session.SWEEP_BYTES + 16 * n_combos, timeout)
        return session.decode_sweep(compute_ns, payload, n_combos, connection.hello.kernels)

    def echo(self, values: object, timeout: float | None = None) -> npt.NDArray[np.float64]:
        """Send float64 values (n,) there and back; see :meth:`Engine.echo`."""
        sent = as_float64(values, "values")
        head = session.encode_plain(session.ECHO, self._connection.next_id(), self._connection.epoch, sent.nbytes)
        _, payload = self._connection.exchange((head, sent), sent.nbytes, timeout)
        return np.frombuffer(payload, _FLOAT64)

    def put(
        self,
        name: str,
        close: object,
        *,
        shared: bool = False,
        replace: bool = False,
        memfd: bool | None = None,
        timeout: float | None = None,
    ) -> Series:
        """Store a price series in the engine; see :meth:`Engine.put`."""
        encoded = _check_name(name)
        flags = session.SHARED * shared | session.REPLACE * replace
        possible = self._connection.hello.passes_descriptors
        if memfd and not possible:
            raise ValueError(f"{self.url}: a memory file can be passed over a Unix socket only; leave memfd at None")
        if isinstance(close, SharedSeries) and possible and memfd is not False:
            return self._put(encoded, len(close), flags | session.DESCRIPTOR, (), [close.seal()], timeout)
        prices = as_close(close.values if isinstance(close, SharedSeries) else close)
        if memfd or (memfd is None and possible and prices.nbytes >= _MEMFD_BYTES):
            with sealed(prices) as descriptor:
                return self._put(encoded, len(prices), flags | session.DESCRIPTOR, (), [descriptor], timeout)
        return self._put(encoded, len(prices), flags, (prices,), None, timeout)

    def series(self, *, timeout: float | None = None) -> list[Series]:
        """Return this client's own series and all shared ones."""
        return session.decode_infos(self._plain(session.LIST, timeout), self._connection.epoch)

    def drop(self, series: Series, *, timeout: float | None = None) -> None:
        """Forget a series; see :meth:`Engine.drop`."""
        head = session.encode_drop(self._connection.next_id(), series.epoch, series.id)
        self._connection.exchange((head,), 0, timeout)

    def live(
        self,
        combos: object,
        *,
        fee: float,
        history: object = None,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> LiveSession:
        """Open a live session in the engine; see :meth:`Engine.live`."""
        rows = as_combos(combos)
        series, closes = (history, None) if type(history) is Series else (None, as_history(history))
        payload = self._ask_over(session.LIVE_OPEN, series, closes, rows, fee, threads, timeout)
        return LiveSession(LiveInEngine(self._connection, session.decode_live_info(payload), rows.copy()))

    def restore(self, snapshot: bytes, *, timeout: float | None = None) -> LiveSession:
        """Open the session that a snapshot was taken of; see :meth:`Engine.restore`."""
        connection = self._connection
        size = memoryview(snapshot).nbytes
        head = session.encode_plain(session.LIVE_RESTORE, connection.next_id(), connection.epoch, size)
        _, payload = connection.exchange((head, snapshot), session.LIVE_INFO_BYTES, timeout)
        return LiveSession(LiveInEngine(connection, session.decode_live_info(payload), None))

    def trades(
        self,
        series: object,
        combos: object,
        *,
        fee: float,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> TradeList:
        """Run a sweep in the engine that keeps every trade; see :meth:`Engine.trades`."""
        rows = as_combos(combos)
        stored, closes = (series, None) if type(series) is Series else (None, as_close(series))
        payload = self._ask_over(session.TRADES, stored, closes, rows, fee, threads, timeout)
        n_bars = stored.n_bars if stored is not None else len(closes) if closes is not None else 0
        return session.decode_trades(payload, len(rows), n_bars)

    def statistics(self, *, timeout: float | None = None) -> Statistics:
        """Return what the engine has counted since it started."""
        return session.decode_statistics(self._plain(session.STATISTICS, timeout))

    def _put(
        self,
        name: bytes,
        n_bars: int,
        flags: int,
        arrays: Sequence[Piece],
        descriptors: Sequence[int] | None,
        timeout: float | None,
    ) -> Series:
        head = session.encode_put(self._connection.next_id(), self._connection.epoch, name, n_bars, flags)
        _, payload = self._connection.exchange((head, *arrays), -1, timeout, descriptors)
        infos = session.decode_infos(payload, self._connection.epoch)
        if len(infos) != 1 or infos[0].n_bars != n_bars:
            raise ProtocolError(f"{self.url}: a reply to a put of {n_bars} bars tells of {infos}")
        return infos[0]

    def _ask_over(
        self,
        opcode: int,
        stored: Series | None,
        closes: npt.NDArray[np.float64] | None,
        rows: npt.NDArray[np.int64],
        fee: float,
        threads: int | None,
        timeout: float | None,
    ) -> Payload:
        """Make a request that names a stored series or ships closes, and has combos, a fee and threads."""
        connection = self._connection
        head = session.encode_live_open(
            opcode,
            connection.next_id(),
            connection.epoch if stored is None else stored.epoch,
            0 if stored is None else stored.id,
            0 if closes is None else len(closes),
            len(rows),
            as_fee(fee),
            0 if threads is None else check_threads(threads),
        )
        pieces: tuple[Piece, ...] = (head, rows) if closes is None else (head, closes, rows)
        return connection.exchange(pieces, -1, timeout)[1]

    def _plain(self, opcode: int, timeout: float | None) -> Payload:
        head = session.encode_plain(opcode, self._connection.next_id(), self._connection.epoch)
        return self._connection.exchange((head,), -1, timeout)[1]

    def _kernel_number(self, kernel: str) -> int:
        kernels = self._connection.hello.kernels
        if kernel not in kernels:
            raise ValueError(f"unknown kernel {kernel!r}; the engine at {self.url} has: {', '.join(kernels)}")
        return kernels.index(kernel)


def _check_name(name: str) -> bytes:
    encoded = name.encode()
    if not 1 <= len(encoded) <= session.MAX_NAME_BYTES:
        raise ValueError(
            f"the name of a series has 1 to {session.MAX_NAME_BYTES} bytes in UTF-8, but this one has {len(encoded)}"
        )
    return encoded
