import os
from pathlib import Path

import onekernel as ok

from onekernel_study import environment


def test_it_describes_this_machine() -> None:
    described = environment.describe()
    assert described.cpu_model
    assert described.cores == os.cpu_count()
    assert set(described.affinity) == os.sched_getaffinity(0)
    assert described.memory_bytes is not None
    assert described.memory_bytes > 2**28
    assert described.engine_version == ok.__version__
    assert described.engine_compiler
    assert {each.package for each in described.versions} >= {"python", "numpy", "numba", "llvmlite", "onekernel"}
    assert len(described.load_average_at_start) == 3


def test_the_clock_is_measured_with_itself() -> None:
    clock = environment.clock(1_000)
    assert 0 < clock.resolution_ns < 1e6
    assert 0 <= clock.cost_ns < 1e6
    assert clock.name.startswith("perf_counter_ns: ")


def test_the_processor_is_read_as_the_system_names_it(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: A Processor: 3 GHz\n")
    assert environment.cpu_model(cpuinfo) == "A Processor: 3 GHz"
    assert environment.cpu_model(tmp_path / "absent")
