"""The document that `make bench` leaves in bench.json, field by field. Schema "onekernel-bench/1".

Times are medians over `n` single sweeps. CPU times are those of the whole process: on a machine that is shared with
others they say more than wall times. A time is None where an answer was not equal to the bit; `complaint` says where.
"""

from dataclasses import dataclass

from onekernel_study.schema import Environment, Levels, WorkloadFacts

SCHEMA = "onekernel-bench/1"


@dataclass(frozen=True)
class KernelRow:
    """One kernel on the published sweep. Ratios: numba's median over this one's, so 200 means 200 times as fast."""

    name: str
    target: str  # the instruction set that ran, as the kernel reports it; "llvm" for numba
    threads: int
    n: int
    median_s: float | None
    p10_s: float | None
    p90_s: float | None
    smallest_s: float | None
    largest_s: float | None
    cpu_s: float | None  # median CPU time of one sweep
    ratio_to_numba: float | None
    cpu_ratio_to_numba: float | None
    bitwise: bool  # every pnl of every run equal to numba's as a 64-bit pattern, and every count of trades equal
    levels: Levels | None
    complaint: str | None


@dataclass(frozen=True)
class CaseRow:
    """certified and, where it was run, exact on one workload, one thread each, in turns."""

    group: str  # "bars", "combos", "lengths", "worst" or "real"
    case: str
    n_bars: int
    n_combos: int
    judge: str  # whose answers these were held to
    n_certified: int
    n_exact: int
    certified_s: float | None
    exact_s: float | None
    certified_cpu_s: float | None
    exact_cpu_s: float | None
    certified_ns: float | None  # per bar and combo
    exact_ns: float | None
    certified_over_exact: float | None  # of the wall times
    certified_over_exact_cpu: float | None
    bitwise: bool
    levels: Levels | None
    complaint: str | None


@dataclass(frozen=True)
class NotMeasured:
    """What was left out, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class MemoryRow:
    """How far the peak of resident memory rises during one sweep in a fresh process that already holds the series."""

    kernel: str
    threads: int
    n_bars: int
    n_combos: int
    growth_bytes: int  # results included
    result_bytes: int
    bytes_per_combo: float
    series_bytes: int
    seconds: float


@dataclass(frozen=True)
class Bench:
    """The whole document."""

    schema: str
    quick: bool
    rounds: int
    seconds: float
    workload: WorkloadFacts
    all_ok: bool
    kernels: tuple[KernelRow, ...]
    cases: tuple[CaseRow, ...]
    memory: tuple[MemoryRow, ...]
    not_measured: tuple[NotMeasured, ...]
    environment: Environment
