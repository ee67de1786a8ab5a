"""What somebody waits for once: the first call in a fresh process, and what comes before it."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onekernel as ok

from onekernel_study.percentiles import median
from onekernel_study.progress import Progress
from onekernel_study.schema_statistics import ColdStart
from onekernel_study.stopwatch import timed

TIMEOUT_S = 120.0
CLOSE = np.exp(np.linspace(0.0, 1.0, 500))
GRID = ok.hma_grid(6, 6, 1)
# Runs in a process of its own: times the import of a module and its first two calls on a short series.
PROGRAM = """
import json, sys, time
import numpy
import onekernel as ok
close = numpy.exp(numpy.linspace(0.0, 1.0, 500))
grid = ok.hma_grid(6, 6, 1)
start = time.perf_counter_ns()
if sys.argv[1] == "numba":
    from onekernel import reference
    sweep = reference.sweep
else:
    sweep = ok.sweep
import_ns = time.perf_counter_ns() - start
calls = []
for _ in range(2):
    start = time.perf_counter_ns()
    sweep(close, grid, fee=0.09)
    calls.append(time.perf_counter_ns() - start)
print(json.dumps([import_ns, *calls]))
"""
WHAT = ("import", "first call", "second call")


def measure_cold_start(n: int, progress: Progress) -> tuple[ColdStart, ...]:
    """Imports, first and second calls in n fresh processes each, and n starts of an engine with its first call."""
    samples: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="onekernel-cold-") as scratch:
        filled = Path(scratch) / "filled"
        progress.show("first calls: filling numba's cache")
        _in_a_fresh_process("numba", filled)
        for number in range(n):
            progress.show(f"first calls, {number + 1} of {n}")
            taken = {
                "numba, nothing cached": _in_a_fresh_process("numba", Path(scratch) / f"empty{number}"),
                "numba, machine code cached": _in_a_fresh_process("numba", filled),
                "native module": _in_a_fresh_process("native", filled),
                "engine process": _engine(),
            }
            for kind, figures in taken.items():
                for what, milliseconds in figures.items():
                    samples.setdefault(f"{kind}: {what}", []).append(milliseconds)
    return tuple(ColdStart(what, median(ms), len(ms)) for what, ms in samples.items())


def _in_a_fresh_process(kind: str, cache: Path) -> dict[str, float]:
    """Milliseconds by what they were spent on; `cache` is where numba keeps machine code."""
    command = [sys.executable, "-c", PROGRAM, kind]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_S)
    return dict(zip(WHAT, (ns / 1e6 for ns in json.loads(done.stdout)), strict=True))


def _engine() -> dict[str, float]:
    """Milliseconds until an engine is there and connected, and of its first two calls."""
    start_ns, engine = timed(ok.spawn)
    with engine:
        calls = [timed(lambda: engine.sweep(CLOSE, GRID, fee=0.09))[0] for _ in range(2)]
    return dict(zip(("start", *WHAT[1:]), (ns / 1e6 for ns in (start_ns, *calls)), strict=True))
