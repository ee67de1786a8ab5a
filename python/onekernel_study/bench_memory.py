"""What a large sweep needs beyond its series: the peak of resident memory, in a process of its own.

The peak is the kernel's VmHWM, set back before the sweep. ru_maxrss would not do: it cannot be set back, so it still
holds the temporaries that made the series, and it is inherited from the process that started this one.
"""

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path

import onekernel as ok
from onekernel.workload import PUBLISHED_FEE

from onekernel_study.bench_cases import walk
from onekernel_study.bench_schema import MemoryRow, NotMeasured

RESET_PEAK = "5"  # proc(5), clear_refs


def measure_memory(
    n_bars: int, n_combos: int, threads: int, kernel: str = "certified"
) -> tuple[list[MemoryRow], list[NotMeasured]]:
    """One row, or why there is none."""
    command = [sys.executable, "-m", "onekernel_study.bench_memory", str(n_bars), str(n_combos), str(threads), kernel]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return [], [NotMeasured(f"peak memory of {n_combos:,} combos x {n_bars:,} bars", words[-1])]
    return [MemoryRow(**json.loads(done.stdout))], []


def sweep_here(n_bars: int, n_combos: int, threads: int, kernel: str) -> MemoryRow:
    """Measures in this process."""
    close, combos = walk(n_bars), ok.hma_grid(6, 200, n_combos)
    ok.sweep(close[:2_000], combos[:100], fee=PUBLISHED_FEE, kernel=kernel, threads=threads)
    Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    before = _status_bytes("VmRSS")
    started = time.monotonic()
    result = ok.sweep(close, combos, fee=PUBLISHED_FEE, kernel=kernel, threads=threads)
    seconds = time.monotonic() - started
    growth = max(0, _status_bytes("VmHWM") - before)
    results = result.pnl.nbytes + result.trades.nbytes
    return MemoryRow(kernel, threads, n_bars, n_combos, growth, results, growth / n_combos, close.nbytes, seconds)


def _status_bytes(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {name}")


if __name__ == "__main__":
    bars, combos_wanted, threads_wanted = map(int, sys.argv[1:4])
    print(json.dumps(dataclasses.asdict(sweep_here(bars, combos_wanted, threads_wanted, sys.argv[4]))))
