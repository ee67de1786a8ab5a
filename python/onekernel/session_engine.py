"""An engine over session frames: stored series, a fee and a kernel per sweep, over sockets or in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import memfd, session
from .channel import Piece
from .engine import Engine
from .engine_process import EngineProcess
from .errors import ConnectionLost, ProtocolError
from .hello import Hello, Statistics
from .result import SweepResult
from .series import as_close, as_combos, as_fee, as_float64
from .session import Opcode, SeriesFlag
from .session_connection import Answer, SessionConnection
from .stored_series import Series

# From this many bytes on a memory file is faster than the socket.
MEMFD_BYTES = 1 << 18


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
        rows = as_combos(combos)
        request_id = self._connection.next_id()
        n_combos = len(rows)
        number = session.DEFAULT_KERNEL if kernel is None else self._kernel_number(kernel)
        n_threads = 0 if threads is None else _check_threads(threads)
        charged = as_fee(fee)
        if isinstance(series, Series):
            head = session.encode_sweep(request_id, series.epoch, series.id, 0, n_combos, charged, number, n_threads)
            pieces: Sequence[Piece] = (head, rows.data)
            n_bytes = len(head) + rows.nbytes
        else:
            close = as_close(series)
            head = session.encode_sweep(
                request_id, self._connection.epoch, 0, len(close), n_combos, charged, number, n_threads
            )
            pieces = (head, close.data, rows.data)
            n_bytes = len(head) + close.nbytes + rows.nbytes
        reply_bytes = session.SWEEP_BYTES + 16 * n_combos
        frame, _, compute_ns = self._request(Opcode.SWEEP, request_id, pieces, n_bytes, reply_bytes, timeout)
        return session.decode_sweep(frame, n_combos, compute_ns, self._connection.hello.kernels)

    def echo(self, values: object, timeout: float | None = None) -> npt.NDArray[np.float64]:
        """Send float64 values (n,) there and back; see :meth:`Engine.echo`."""
        sent = as_float64(values, "values")
        request_id = self._connection.next_id()
        head = session.encode_plain(Opcode.ECHO, request_id, self._connection.epoch, sent.nbytes)
        n_bytes = len(head) + sent.nbytes
        frame, _, _ = self._request(Opcode.ECHO, request_id, (head, sent.data), n_bytes, n_bytes, timeout)
        return session.decode_echo(frame, len(sent))

    def put(
        self, name: str, close: object, *, shared: bool = False, replace: bool = False, timeout: float | None = None
    ) -> Series:
        """Store a price series in the engine; see :meth:`Engine.put`."""
        prices, encoded = as_close(close), _check_name(name)
        flags = SeriesFlag.SHARED * shared | SeriesFlag.REPLACE * replace
        if self._connection.hello.passes_descriptors and prices.nbytes >= MEMFD_BYTES:
            with memfd.sealed(prices) as descriptor:
                return self._put(encoded, len(prices), flags | SeriesFlag.DESCRIPTOR, (), [descriptor], timeout)
        return self._put(encoded, len(prices), flags, (prices.data,), (), timeout)

    def series(self, *, timeout: float | None = None) -> list[Series]:
        """Return this client's own series and all shared ones."""
        frame, n_bytes, _ = self._plain(Opcode.LIST, timeout)
        return session.decode_infos(frame, n_bytes, self._connection.epoch)

    def drop(self, series: Series, *, timeout: float | None = None) -> None:
        """Forget a series; see :meth:`Engine.drop`."""
        request_id = self._connection.next_id()
        head = session.encode_drop(request_id, series.epoch, series.id)
        self._request(Opcode.DROP, request_id, (head,), len(head), session.REPLY.size, timeout)

    def statistics(self, *, timeout: float | None = None) -> Statistics:
        """Return what the engine has counted since it started."""
        return session.decode_statistics(*self._plain(Opcode.STATISTICS, timeout)[:2])

    def _put(
        self,
        name: bytes,
        n_bars: int,
        flags: int,
        arrays: Sequence[memoryview],
        descriptors: Sequence[int],
        timeout: float | None,
    ) -> Series:
        request_id = self._connection.next_id()
        head = session.encode_put(request_id, self._connection.epoch, name, n_bars, flags)
        n_bytes = len(head) + sum(array.nbytes for array in arrays)
        frame, size, _ = self._request(Opcode.PUT, request_id, (head, *arrays), n_bytes, None, timeout, descriptors)
        infos = session.decode_infos(frame, size, self._connection.epoch)
        if len(infos) != 1 or infos[0].n_bars != n_bars:
            raise ProtocolError(f"{self.url}: a reply to a put of {n_bars} bars tells of {infos}")
        return infos[0]

    def _plain(self, opcode: Opcode, timeout: float | None) -> Answer:
        request_id = self._connection.next_id()
        head = session.encode_plain(opcode, request_id, self._connection.epoch)
        return self._request(opcode, request_id, (head,), len(head), None, timeout)

    def _request(
        self,
        opcode: Opcode,
        request_id: int,
        pieces: Sequence[Piece],
        n_bytes: int,
        reply_bytes: int | None,
        timeout: float | None,
        descriptors: Sequence[int] = (),
    ) -> Answer:
        try:
            return self._connection.request(opcode, request_id, pieces, n_bytes, reply_bytes, timeout, descriptors)
        except ConnectionLost as error:
            raise self._with_obituary(error) from None

    def _kernel_number(self, kernel: str) -> int:
        kernels = self._connection.hello.kernels
        if kernel not in kernels:
            raise ValueError(f"unknown kernel {kernel!r}; the engine at {self.url} has: {', '.join(kernels)}")
        return kernels.index(kernel)


def _check_threads(threads: int) -> int:
    if not 1 <= threads < 2**32:
        raise ValueError(f"threads is {threads}; it must be at least 1, or None to let the engine decide")
    return threads


def _check_name(name: str) -> bytes:
    encoded = name.encode()
    if not 1 <= len(encoded) <= session.MAX_NAME_BYTES:
        raise ValueError(
            f"the name of a series has 1 to {session.MAX_NAME_BYTES} bytes in UTF-8, but this one has {len(encoded)}"
        )
    return encoded
