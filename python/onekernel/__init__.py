"""onekernel: one compiled kernel for research sweeps and live trading.

    import onekernel as ok

    grid = ok.hma_grid(6, 200, 80)                      # int64 (80, 6)
    result = ok.sweep(close, grid, fee=0.09)            # in this process
    with ok.live(grid, fee=0.09, history=close) as live:
        changes = live.bar(price)                       # one more bar; the same bits as a sweep over all so far
    with ok.spawn() as engine:                          # in an engine of its own
        series = engine.put("btc-1m", close)
        result = engine.sweep(series, grid, fee=0.09)   # only the parameters cross; the same bits

Names are loaded when they are first used, so that `import onekernel` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import classic, errors, readers, records, reference, workload
    from ._native import DEFAULT_KERNEL, KERNELS, Change, __version__
    from .engine import Engine
    from .errors import (
        AccessDenied,
        ConnectionLost,
        EngineError,
        EngineNotFound,
        EngineTimeout,
        ForkError,
        OneKernelError,
        OutOfOrder,
        ProtocolError,
        ReadError,
        SeriesExists,
        SeriesNotFound,
        SessionClosed,
        SessionInUse,
        StaleEpoch,
    )
    from .grid import hma_combos, hma_grid
    from .hello import Hello, Limits, Statistics
    from .in_process import sweep
    from .live_session import LiveSession, live, restore
    from .locate import engine_path
    from .opening import connect, spawn
    from .result import LevelCounts, SweepResult
    from .shared_series import SharedSeries
    from .stored_series import Series
    from .trade_list import TradeList, trades

_HOME = {
    "DEFAULT_KERNEL": "_native",
    "KERNELS": "_native",
    "Change": "_native",
    "__version__": "_native",
    "Engine": "engine",
    "AccessDenied": "errors",
    "ConnectionLost": "errors",
    "EngineError": "errors",
    "EngineNotFound": "errors",
    "EngineTimeout": "errors",
    "ForkError": "errors",
    "OneKernelError": "errors",
    "OutOfOrder": "errors",
    "ProtocolError": "errors",
    "ReadError": "errors",
    "SeriesExists": "errors",
    "SeriesNotFound": "errors",
    "SessionClosed": "errors",
    "SessionInUse": "errors",
    "StaleEpoch": "errors",
    "hma_combos": "grid",
    "hma_grid": "grid",
    "Hello": "hello",
    "Limits": "hello",
    "Statistics": "hello",
    "sweep": "in_process",
    "LiveSession": "live_session",
    "live": "live_session",
    "restore": "live_session",
    "engine_path": "locate",
    "connect": "opening",
    "spawn": "opening",
    "LevelCounts": "result",
    "SweepResult": "result",
    "Series": "stored_series",
    "SharedSeries": "shared_series",
    "TradeList": "trade_list",
    "trades": "trade_list",
}
_MODULES = {"classic", "errors", "readers", "records", "reference", "workload"}

__all__ = [
    "DEFAULT_KERNEL",
    "KERNELS",
    "AccessDenied",
    "Change",
    "ConnectionLost",
    "Engine",
    "EngineError",
    "EngineNotFound",
    "EngineTimeout",
    "ForkError",
    "Hello",
    "LevelCounts",
    "Limits",
    "LiveSession",
    "OneKernelError",
    "OutOfOrder",
    "ProtocolError",
    "ReadError",
    "Series",
    "SeriesExists",
    "SeriesNotFound",
    "SessionClosed",
    "SessionInUse",
    "SharedSeries",
    "StaleEpoch",
    "Statistics",
    "SweepResult",
    "TradeList",
    "__version__",
    "classic",
    "connect",
    "engine_path",
    "errors",
    "hma_combos",
    "hma_grid",
    "live",
    "readers",
    "records",
    "reference",
    "restore",
    "spawn",
    "sweep",
    "trades",
    "workload",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name in _MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
