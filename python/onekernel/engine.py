"""What a connected engine can do, whichever frames are spoken with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType

import numpy as np
import numpy.typing as npt

from .connection import Connection
from .engine_process import EngineProcess
from .hello import Hello, Limits, Statistics
from .live_session import LiveSession
from .result import SweepResult
from .stored_series import Series
from .trade_list import TradeList


class Engine(ABC):
    """An open connection to an engine; made by :func:`onekernel.connect` or :func:`onekernel.spawn`.

    Threads may share it: their calls take turns. A forked child may not use it (ForkError) and opens its own. A context
    manager: leaving it closes the connection and, after spawn, stops the engine.

    Every call takes a timeout: seconds for the whole of it, including the wait for other threads' calls; None takes the
    connection's. Every call may raise EngineError if the engine refuses, EngineTimeout when the deadline passes (the
    connection is then closed), ConnectionLost if the engine hangs up or dies, ProtocolError if it sends something else
    than a reply.
    """

    def __init__(self, connection: Connection, process: EngineProcess | None) -> None:
        self._any_connection = connection
        self._process = process
        if process is not None:
            connection.obituary = process.obituary

    @property
    def url(self) -> str:
        """Where the engine listens; others may connect there too."""
        return self._any_connection.url

    @property
    def pid(self) -> int | None:
        """The process id of an engine that was spawned, None for one that was only connected to."""
        return None if self._process is None else self._process.pid

    @property
    @abstractmethod
    def hello(self) -> Hello:
        """The engine's version, kernels and limits, as told when this connection was made."""

    @property
    def limits(self) -> Limits:
        """What the engine takes at most."""
        return self.hello.limits

    @abstractmethod
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
        """Run every combo over one price series in the engine; the result has the same bits as :func:`onekernel.sweep`.

        series: what `put` or `series` returned, so that only the parameters cross; or prices as for
            :func:`onekernel.sweep`, with the same checks and errors, which are sent along.
        combos: as for :func:`onekernel.sweep`.
        fee: round-trip fee per closed trade, in percent.
        kernel: one of ``hello.kernels``; None takes the engine's own. All return the same bits.
        threads: on how many threads at most; None lets the engine decide.

        StaleEpoch or SeriesNotFound (both EngineErrors) for a series that is not there any more.
        """

    @abstractmethod
    def echo(self, values: object, timeout: float | None = None) -> npt.NDArray[np.float64]:
        """Send float64 values (n,) there and back and return what came back. Any float64 may cross, NaN too."""

    @abstractmethod
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
        """Store a price series in the engine and return a handle for its sweeps.

        name: 1 to 255 bytes in UTF-8. close: as for :func:`onekernel.sweep`, with the same checks; or a
            :class:`SharedSeries`, which a Unix socket passes without a copy.
        shared: every client sees it, and it stays when this connection goes; otherwise it goes with it.
        replace: a shared series of this name with another content gives way; without it, SeriesExists.

        memfd: whether it crosses as a sealed memory file, which the engine maps instead of copying; Unix sockets only
            (ValueError). None decides by the length.

        The same content is stored once, under one id, whoever puts it and in whichever way.
        """

    @abstractmethod
    def series(self, *, timeout: float | None = None) -> list[Series]:
        """Return this client's own series and all shared ones."""

    @abstractmethod
    def drop(self, series: Series, *, timeout: float | None = None) -> None:
        """Forget a series; sweeps that run keep it until they end. SeriesNotFound if it is gone already."""

    @abstractmethod
    def live(
        self,
        combos: object,
        *,
        fee: float,
        history: object = None,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> LiveSession:
        """Open a live session in the engine: :func:`onekernel.live` with its state there, and the same bits.

        history: as for :func:`onekernel.live`, or a stored series, which does not cross again.

        It ends with this connection. EngineError where the engine has no room for one more (limit exceeded);
        StaleEpoch or SeriesNotFound for a series that is not there any more.
        """

    @abstractmethod
    def restore(self, snapshot: bytes, *, timeout: float | None = None) -> LiveSession:
        """Open the session that a snapshot was taken of, here or elsewhere. EngineError for other bytes."""

    @abstractmethod
    def trades(
        self,
        series: object,
        combos: object,
        *,
        fee: float,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> TradeList:
        """Return every trade of a sweep in the engine: :func:`onekernel.trades`, over a stored series or prices.

        EngineError where the list would not fit into a frame (limit exceeded): ask for fewer combos at a time.
        """

    @abstractmethod
    def statistics(self, *, timeout: float | None = None) -> Statistics:
        """Return what the engine has counted since it started."""

    def close(self) -> None:
        """Close the connection; a spawned engine is stopped and waited for. Closing twice does nothing."""
        self._any_connection.close()
        if self._process is not None:
            self._process.stop()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<onekernel.Engine {self.url}>"
