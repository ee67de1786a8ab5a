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
from .memfd import sealed
from .result import SweepResult
from .series import as_close, as_combos, as_fee, as_float64, check_threads
from .session import Frame
from .session_connection import SessionConnection
from .stored_series import Series

# From about here on a memory file is faster than the socket; below, setting its pages up takes longer than a copy.
_FEW = 256  # combos that are cheaper to copy than to send from where they are
_MEMFD_BYTES = 2 << 20


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
        rows, charged = as_combos(combos), as_fee(fee)
        number = session.DEFAULT_KERNEL if kernel is None else self._kernel_number(kernel)
        n_threads = 0 if threads is None else check_threads(threads)
        n_combos = len(rows)
        if type(series) is Series:
            head = session.encode_sweep(
                connection.next_id(), series.epoch, series.id, 0, n_combos, charged, number, n_threads
            )
            pieces: tuple[Piece, ...] = (head + rows.tobytes(),) if n_combos <= _FEW else (head, rows.data)
            n_bytes = len(head) + rows.nbytes
        else:
            close = as_close(series)
            head = session.encode_sweep(
                connection.next_id(), connection.epoch, 0, len(close), n_combos, charged, number, n_threads
            )
            pieces = (head, close.data, rows.data)
            n_bytes = len(head) + close.nbytes + rows.nbytes
        frame = connection.call((pieces, n_bytes, session.SWEEP_BYTES + 16 * n_combos, ()), timeout)
        return session.decode_sweep(frame, n_combos, connection.hello.kernels)

    def echo(self, values: object, timeout: float | None = None) -> npt.NDArray[np.float64]:
        """Send float64 values (n,) there and back; see :meth:`Engine.echo`."""
        sent = as_float64(values, "values")
        head = session.encode_plain(session.ECHO, self._connection.next_id(), self._connection.epoch, sent.nbytes)
        n_bytes = len(head) + sent.nbytes
        frame = self._connection.call(((head, sent.data), n_bytes, n_bytes, ()), timeout)
        return session.decode_echo(frame, len(sent))

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
        prices, encoded = as_close(close), _check_name(name)
        flags = session.SHARED * shared | session.REPLACE * replace
        possible = self._connection.hello.passes_descriptors
        if memfd and not possible:
            raise ValueError(f"{self.url}: a memory file can be passed over a Unix socket only; leave memfd at None")
        if memfd or (memfd is None and possible and prices.nbytes >= _MEMFD_BYTES):
            with sealed(prices) as descriptor:
                return self._put(encoded, len(prices), flags | session.DESCRIPTOR, (), [descriptor], timeout)
        return self._put(encoded, len(prices), flags, (prices.data,), (), timeout)

    def series(self, *, timeout: float | None = None) -> list[Series]:
        """Return this client's own series and all shared ones."""
        return session.decode_infos(self._plain(session.LIST, timeout), self._connection.epoch)

    def drop(self, series: Series, *, timeout: float | None = None) -> None:
        """Forget a series; see :meth:`Engine.drop`."""
        head = session.encode_drop(self._connection.next_id(), series.epoch, series.id)
        self._connection.call(((head,), len(head), session.REPLY.size, ()), timeout)

    def statistics(self, *, timeout: float | None = None) -> Statistics:
        """Return what the engine has counted since it started."""
        return session.decode_statistics(self._plain(session.STATISTICS, timeout))

    def _put(
        self,
        name: bytes,
        n_bars: int,
        flags: int,
        arrays: Sequence[memoryview],
        descriptors: Sequence[int],
        timeout: float | None,
    ) -> Series:
        head = session.encode_put(self._connection.next_id(), self._connection.epoch, name, n_bars, flags)
        n_bytes = len(head) + sum(array.nbytes for array in arrays)
        frame = self._connection.call(((head, *arrays), n_bytes, 0, descriptors), timeout)
        infos = session.decode_infos(frame, self._connection.epoch)
        if len(infos) != 1 or infos[0].n_bars != n_bars:
            raise ProtocolError(f"{self.url}: a reply to a put of {n_bars} bars tells of {infos}")
        return infos[0]

    def _plain(self, opcode: int, timeout: float | None) -> Frame:
        head = session.encode_plain(opcode, self._connection.next_id(), self._connection.epoch)
        return self._connection.call(((head,), len(head), 0, ()), timeout)

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
