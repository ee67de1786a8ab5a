"""A connected engine: the same sweep in another process, over classic frames."""

from __future__ import annotations

import os
from types import TracebackType

import numpy as np
import numpy.typing as npt

from .classic import Opcode, decode_sweep
from .connection import Connection, check_timeout
from .engine_process import EngineProcess, Transport
from .errors import ConnectionLost
from .result import SweepResult
from .series import as_close, as_combos, as_fee, as_float64

_NO_COMBOS = np.empty((0, 6), np.int64)
# One trade that opens and closes at the price 1: its pnl is exactly minus the fee.
_PROBE_CLOSE = np.array([2.0, 1.0, 1.0])
_PROBE_COMBO = np.array([[1, 2, 1, 1, 1, 1]], np.int64)


class Engine:
    """An open connection to an engine; made by :func:`connect` or :func:`spawn`.

    Threads may share it: their calls take turns. A forked child may not use it (ForkError) and opens its own. A context
    manager: leaving it closes the connection and, after spawn, stops the engine.
    """

    def __init__(self, connection: Connection, fee: float | None = None, process: EngineProcess | None = None) -> None:
        self._connection = connection
        self._fee = fee
        self._process = process

    @property
    def url(self) -> str:
        """Where the engine listens; others may connect there too."""
        return self._connection.url

    @property
    def pid(self) -> int | None:
        """The process id of an engine that was spawned, None for one that was only connected to."""
        return None if self._process is None else self._process.pid

    def sweep(self, close: object, combos: object, *, fee: float, timeout: float | None = None) -> SweepResult:
        """Run every combo over one price series in the engine; the result has the same bits as :func:`onekernel.sweep`.

        close, combos: as for :func:`onekernel.sweep`, with the same checks and errors.
        fee: percent per closed trade. Classic frames carry no fee: the engine charges the one that it was started with.
            A spawned engine's fee is known; a connected one is asked once, on the first sweep, by a sweep over three
            bars whose pnl is exactly minus the fee. If it is another than `fee`, ValueError: never a wrong result.
        timeout: seconds for the whole call, including the wait for other threads' calls; None takes the connection's.

        EngineError if the engine refuses, EngineTimeout when the deadline passes (the connection is then closed),
        ConnectionLost if it hangs up or dies, ProtocolError if it sends something else than a reply.
        """
        prices, rows = as_close(close), as_combos(combos)
        self._check_fee(as_fee(fee), timeout)
        return decode_sweep(self._call(Opcode.SWEEP, prices, rows, timeout), len(rows))

    def echo(self, values: object, timeout: float | None = None) -> npt.NDArray[np.float64]:
        """Send float64 values (n,) there and back and return what came back. Any float64 may cross, NaN too."""
        return self._call(Opcode.ECHO, as_float64(values, "values"), _NO_COMBOS, timeout)

    def close(self) -> None:
        """Close the connection; a spawned engine is stopped and waited for. Closing twice does nothing."""
        self._connection.close()
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

    def _call(
        self, opcode: Opcode, close: npt.NDArray[np.float64], combos: npt.NDArray[np.int64], timeout: float | None
    ) -> npt.NDArray[np.float64]:
        try:
            return self._connection.call(opcode, close, combos, timeout)
        except ConnectionLost as error:
            if self._process is not None and (obituary := self._process.obituary()):
                raise ConnectionLost(f"{error}{obituary}") from None
            raise

    def _check_fee(self, fee: float, timeout: float | None) -> None:
        if self._fee is None:
            probe = self._call(Opcode.SWEEP, _PROBE_CLOSE, _PROBE_COMBO, timeout)
            self._fee = -float(probe[0])
        if fee != self._fee:
            how = f"spawn(fee={fee!r})" if self._process else f"onekernel-engine serve --fee {fee!r}"
            raise ValueError(
                f"fee is {fee!r}, but the engine at {self.url} charges {self._fee!r} per trade, fixed when it started "
                f"(classic frames carry no fee); start one with the other fee: {how}"
            )


def connect(url: str, *, timeout: float = 300.0) -> Engine:
    """Connect to a running engine: ``unix:/path/to.sock`` or ``tcp://host:port``.

    timeout: seconds for connecting, and for each call that names no other. ValueError for a URL that is not understood,
    ConnectionLost if nobody listens there, EngineTimeout if nobody answers.
    """
    return Engine(Connection(url, timeout))


def spawn(
    *,
    transport: Transport = "unix",
    kernel: str | None = None,
    fee: float = 0.09,
    timeout: float = 300.0,
    timings: str | os.PathLike[str] | None = None,
    engine: str | os.PathLike[str] | None = None,
) -> Engine:
    """Start an engine of one's own and connect to it; closing it stops the engine.

    transport: "unix" (a socket in a private directory) or "tcp" (a free port of 127.0.0.1).
    kernel: one of ``onekernel.KERNELS``; None takes the engine's default.
    fee: percent per closed trade that this engine charges; its sweeps are asked for with the same.
    timeout: seconds for the engine to be ready, and for each call that names no other.
    timings: a file to which the engine appends one JSON line per request (compute time and bytes).
    engine: path of the engine program; None takes :func:`onekernel.engine_path`.

    EngineNotFound if there is no engine program; ConnectionLost with its last words if it ends before it is ready.
    """
    charged, seconds = as_fee(fee), check_timeout(timeout)
    process = EngineProcess(
        transport=transport, kernel=kernel, fee=charged, timeout=seconds, timings=timings, engine=engine
    )
    try:
        return Engine(Connection(process.url, seconds), charged, process)
    except BaseException:
        process.stop()
        raise
