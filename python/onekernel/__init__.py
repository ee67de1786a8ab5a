"""onekernel: one compiled kernel for research sweeps and live trading.

    import onekernel as ok

    grid = ok.hma_grid(6, 200, 80)                      # int64 (80, 6)
    result = ok.sweep(close, grid, fee=0.09)            # in this process
    with ok.spawn() as engine:                          # in an engine of its own
        series = engine.put("btc-1m", close)
        result = engine.sweep(series, grid, fee=0.09)   # only the parameters cross; the same bits

Names are loaded when they are first used, so that `import onekernel` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import classic, errors, readers, reference, workload
    from ._native import DEFAULT_KERNEL, KERNELS, __version__
    from .engine import Engine
    from .errors import (
        ConnectionLost,
        EngineError,
        EngineNotFound,
        EngineTimeout,
        ForkError,
        OneKernelError,
        ProtocolError,
        ReadError,
        SeriesExists,
        SeriesNotFound,
        StaleEpoch,
    )
    from .grid import hma_combos, hma_grid
    from .hello import Hello, Limits, Statistics
    from .in_process import sweep
    from .locate import engine_path
    from .opening import connect, spawn
    from .result import LevelCounts, SweepResult
    from .shared_series import SharedSeries
    from .stored_series import Series

_HOME = {
    "DEFAULT_KERNEL": "_native",
    "KERNELS": "_native",
    "__version__": "_native",
    "Engine": "engine",
    "AccessDenied": "errors",
    "ConnectionLost": "errors",
    "EngineError": "errors",
    "EngineNotFound": "errors",
    "EngineTimeout": "errors",
    "ForkError": "errors",
    "OneKernelError": "errors",
    "ProtocolError": "errors",
    "ReadError": "errors",
    "SeriesExists": "errors",
    "SeriesNotFound": "errors",
    "StaleEpoch": "errors",
    "hma_combos": "grid",
    "hma_grid": "grid",
    "Hello": "hello",
    "Limits": "hello",
    "Statistics": "hello",
    "sweep": "in_process",
    "engine_path": "locate",
    "connect": "opening",
    "spawn": "opening",
    "LevelCounts": "result",
    "SweepResult": "result",
    "Series": "stored_series",
    "SharedSeries": "shared_series",
}
_MODULES = {"classic", "errors", "readers", "reference", "workload"}

__all__ = [
    "DEFAULT_KERNEL",
    "KERNELS",
    "AccessDenied",
    "ConnectionLost",
    "Engine",
    "EngineError",
    "EngineNotFound",
    "EngineTimeout",
    "ForkError",
    "Hello",
    "LevelCounts",
    "Limits",
    "OneKernelError",
    "ProtocolError",
    "ReadError",
    "Series",
    "SeriesExists",
    "SeriesNotFound",
    "SharedSeries",
    "StaleEpoch",
    "Statistics",
    "SweepResult",
    "__version__",
    "classic",
    "connect",
    "engine_path",
    "errors",
    "hma_combos",
    "hma_grid",
    "readers",
    "reference",
    "spawn",
    "sweep",
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
