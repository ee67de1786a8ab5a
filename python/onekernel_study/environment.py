"""The machine and the software, as far as they matter to the figures."""

import datetime
import itertools
import json
import os
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path

import onekernel as ok

from onekernel_study.percentiles import median
from onekernel_study.schema import Clock, Environment, Version

PACKAGES = ("onekernel", "numpy", "numba", "llvmlite", "orjson", "msgpack", "pyarrow")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def describe() -> Environment:
    """Describes this machine; called before the first measurement, so that the load average is not the study's own."""
    load = os.getloadavg()
    engine = engine_info()
    return Environment(
        date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        cpu_model=cpu_model(),
        cores=os.cpu_count() or 0,
        affinity=tuple(sorted(os.sched_getaffinity(0))),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        kernel_release=f"{platform.system()} {platform.release()} {platform.machine()}",
        governor=GOVERNOR.read_text().strip() if GOVERNOR.is_file() else None,
        load_average_at_start=load,
        numba_threads=1,
        clock=clock(),
        engine_version=engine["version"],
        engine_compiler=engine["compiler"],
        versions=(
            Version("python", platform.python_version()),
            *(Version(package, metadata.version(package)) for package in PACKAGES),
        ),
    )


def engine_info() -> dict[str, str]:
    """What `onekernel-engine info --json` says; the fields that are text."""
    command = [str(ok.engine_path()), "info", "--json"]
    printed = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout
    return {name: value for name, value in json.loads(printed).items() if isinstance(value, str)}


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name, as the system gives it."""
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.lower().startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def clock(n: int = 20_000) -> Clock:
    """Measures the clock with itself: n back-to-back readings."""
    readings = [time.perf_counter_ns() for _ in range(n)]
    steps = [after - before for before, after in itertools.pairwise(readings)]
    smallest = min((step for step in steps if step > 0), default=0)
    return Clock(f"perf_counter_ns: {time.get_clock_info('perf_counter').implementation}", median(steps), smallest)
