"""An engine over classic frames: as published, for comparison and for engines that speak nothing else."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import numpy.typing as npt

from .classic import Opcode, decode_sweep
from .classic_connection import ClassicConnection
from .engine import Engine
from .engine_process import EngineProcess
from .hello import Hello, Statistics
from .live_session import LiveSession
from .result import SweepResult
from .series import as_close, as_combos, as_fee, as_float64
from .stored_series import Series
from .trade_list import TradeList

_NO_COMBOS = np.empty((0, 6), np.int64)
# One trade that opens and closes at the price 1: its pnl is exactly minus the fee.
_PROBE_CLOSE = np.array([2.0, 1.0, 1.0])
_PROBE_COMBO = np.array([[1, 2, 1, 1, 1, 1]], np.int64)


class ClassicEngine(Engine):
    """Sweeps and echoes only; what else an :class:`Engine` has raises ValueError here."""

    def __init__(
        self, connection: ClassicConnection, fee: float | None = None, process: EngineProcess | None = None
    ) -> None:
        super().__init__(connection, process)
        self._connection = connection
        self._fee = fee

    @property
    def hello(self) -> Hello:
        """Classic frames have no hello."""
        _needs_session("hello")

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
        """Run every combo over prices that are sent along; see :meth:`Engine.sweep`.

        fee: classic frames carry none: the engine charges the one that it was started with. A spawned engine's fee is
            known; a connected one is asked once, on the first sweep, by a sweep over three bars whose pnl is exactly
            minus the fee. If it is another than `fee`, ValueError: never a wrong result.
        kernel, threads: the engine's own; anything but None is a ValueError.
        """
        if kernel is not None or threads is not None:
            _needs_session("choice of kernel or threads")
        if isinstance(series, Series):
            _needs_session("stored series")
        prices, rows = as_close(series), as_combos(combos)
        self._check_fee(as_fee(fee), timeout)
        return decode_sweep(self._connection.request(Opcode.SWEEP, prices, rows, timeout), len(rows))

    def echo(self, values: object, timeout: float | None = None) -> npt.NDArray[np.float64]:
        """Send float64 values (n,) there and back; see :meth:`Engine.echo`."""
        return self._connection.request(Opcode.ECHO, as_float64(values, "values"), _NO_COMBOS, timeout)

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
        """Classic frames have no put."""
        _needs_session("put")

    def series(self, *, timeout: float | None = None) -> list[Series]:
        """Classic frames have no list of series."""
        _needs_session("list of series")

    def drop(self, series: Series, *, timeout: float | None = None) -> None:
        """Classic frames have no drop."""
        _needs_session("drop")

    def live(
        self,
        combos: object,
        *,
        fee: float,
        history: object = None,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> LiveSession:
        """Classic frames have no live sessions."""
        _needs_session("live sessions")

    def restore(self, snapshot: bytes, *, timeout: float | None = None) -> LiveSession:
        """Classic frames have no live sessions."""
        _needs_session("live sessions")

    def trades(
        self,
        series: object,
        combos: object,
        *,
        fee: float,
        threads: int | None = None,
        timeout: float | None = None,
    ) -> TradeList:
        """Classic frames have no lists of trades."""
        _needs_session("lists of trades")

    def statistics(self, *, timeout: float | None = None) -> Statistics:
        """Classic frames have no statistics."""
        _needs_session("statistics")

    def _check_fee(self, fee: float, timeout: float | None) -> None:
        if self._fee is None:
            probe = self._connection.request(Opcode.SWEEP, _PROBE_CLOSE, _PROBE_COMBO, timeout)
            self._fee = -float(probe[0])
        if fee != self._fee:
            how = f"spawn(fee={fee!r})" if self._process else f"onekernel-engine serve --fee {fee!r}"
            raise ValueError(
                f"fee is {fee!r}, but the engine at {self.url} charges {self._fee!r} per trade, fixed when it started "
                f"(classic frames carry no fee); start one with the other fee: {how}"
            )


def _needs_session(what: str) -> NoReturn:
    raise ValueError(f"classic frames have no {what}; connect with protocol='session'")
