"""The document that a study leaves in study.json, field by field. Schema "onekernel-study/3".

The dataclasses here ARE the description: `document.py` writes them as JSON and checks a JSON document against them,
so a field that is missing, unknown or of another type is an error that names its place. `None` is JSON's null. Times
carry their unit in the name; bytes are payload as really sent, length prefixes included, unless said otherwise.
"""

from dataclasses import dataclass

from onekernel_study.schema_live import LiveRow
from onekernel_study.schema_peers import Peer
from onekernel_study.schema_statistics import Claim, ColdStart, LatencyRow

SCHEMA = "onekernel-study/3"


@dataclass(frozen=True)
class WorkloadFacts:
    """What was swept."""

    description: str
    n_bars: int
    n_combos: int
    fee_percent: float  # per closed trade, round trip


@dataclass(frozen=True)
class FingerprintFacts:
    """Combo 0 of the reference. The expected fields are None for a workload that has no published fingerprint."""

    pnl_pct: float
    trades: int
    expected_pnl_pct: float | None
    expected_trades: int | None
    ok: bool


@dataclass(frozen=True)
class EquivalenceRow:
    """One architecture's answers, of every run and of the tie probe, against the numba reference on the same bytes."""

    name: str
    bitwise: bool  # every pnl of every run equal as a 64-bit pattern
    max_abs_pnl_diff: float | None  # None where no finite number says it
    trades_equal: bool
    published_gate: bool  # pnl within 1e-6 and trades equal
    answers_checked: int
    complaint: str | None  # None exactly where the row passed


@dataclass(frozen=True)
class Equivalence:
    """The gate. all_ok covers the rows, the fast engine's, the fingerprint, every echo and every decoded array."""

    all_ok: bool
    fingerprint: FingerprintFacts
    rows: tuple[EquivalenceRow, ...]
    echo_ok: bool  # every echo returned the bytes that were sent
    serialization_ok: bool  # every format gave the array back, bit for bit
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Architecture:
    """One row of the comparison. Where the gate failed, `withheld` says why and no time is given.

    compute_s and boundary_s are medians over the runs, each taken within its own run (boundary = wall - compute), so
    they need not add up to median_s exactly.
    """

    name: str
    title: str
    kernel: str
    time_boxed: bool  # measured in fewer rounds than the others because one run takes long
    withheld: str | None
    runs_s: tuple[float, ...]  # wall time of each run, in the order measured
    median_s: float | None
    ratio_to_in_process: float | None
    ratio_low: float | None  # 95 % interval of the ratio: bootstrap over the interleaved rounds, in pairs
    ratio_high: float | None
    compute_s: float | None  # the engine's own measurement; in process it is the call itself
    boundary_s: float | None
    client_cpu_s: float | None  # CPU time of the measuring process; in process that is the compute, whatever else ran
    crossings: int | None  # requests with their replies, per run
    bytes_out: int | None  # to the engine, per run
    bytes_in: int | None  # from the engine, per run
    encode_s: float | None  # the client's encoding within the boundary, where it is text; else None


@dataclass(frozen=True)
class EchoPoint:
    """One size over one transport. Percentiles are nearest-rank over the n single calls; None where withheld."""

    transport: str
    floats: int
    bytes: int  # payload one way: 8 * floats
    n: int
    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    withheld: str | None


@dataclass(frozen=True)
class EchoFit:
    """seconds = floor + bytes / bandwidth through the p50 of every size; bytes both ways."""

    transport: str
    floor_us: float
    bandwidth_gb_s: float
    p50_one_float_us: float
    worst_residual_percent: float  # the largest |fitted - measured| / measured
    method: str


@dataclass(frozen=True)
class Placement:
    """One-float echoes with client and engine pinned, for comparison with the curve, where neither is."""

    transport: str
    placement: str  # "one core" (shared by both) or "two cores" (one each)
    n: int
    p50_us: float
    p90_us: float
    p99_us: float


@dataclass(frozen=True)
class Serialization:
    """One format for the series. ratio_to_raw: its encode p50 over that of raw_copied, as published."""

    format: str
    title: str
    encode_p50_us: float | None
    decode_p50_us: float | None  # ends with a float64 array equal to the original bit for bit
    bytes: int
    ratio_to_raw: float | None
    n: int
    withheld: str | None


@dataclass(frozen=True)
class Spawn:
    """Start, one tiny piece of work, exit."""

    what: str
    p50_ms: float
    n: int


@dataclass(frozen=True)
class DerivedFigure:
    """A figure that the article derived (or that needs two rows), measured here."""

    name: str
    what: str
    unit: str
    value: float
    basis: str  # "measured", or "derived from ..." where this run scaled or predicted it


@dataclass(frozen=True)
class Granularity:
    """How much compute one call carries: G = compute per call / floor.

    calls_at_*: into how many calls one sweep may be split until the boundary takes that share of the total, with
    calls that carry nothing (floor only) and with calls that each ship the series.
    """

    kernel: str
    unit: str  # "combo" or "sweep"
    compute_us: float
    g: float
    calls_at_1_percent: float
    calls_at_10_percent: float
    calls_at_50_percent: float
    shipping_calls_at_1_percent: float
    shipping_calls_at_10_percent: float
    shipping_calls_at_50_percent: float


@dataclass(frozen=True)
class BreakEven:
    """The arithmetic of the Unix socket; None and empty where the echo curve was withheld."""

    floor_us: float | None
    bandwidth_gb_s: float | None
    series_crossing_us: float | None  # one call that ships the series one way
    series_crossing_basis: str  # measured by a row, or derived from the fit where that row was withheld
    granularity: tuple[Granularity, ...]


@dataclass(frozen=True)
class Levels:
    """How certified made its decisions; the fields are those of onekernel.LevelCounts."""

    by_bound: int
    by_dot: int
    by_reference: int
    by_exact: int
    flips: int
    blocks: int
    blocks_exact: int


@dataclass(frozen=True)
class FastRow:
    """One way of calling the fast engine. Times are of whole sweeps, all their calls together; None where withheld."""

    name: str
    title: str
    n: int
    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    compute_p50_us: float | None  # the engine's own measurement; in process it is the call itself
    boundary_p50_us: float | None  # wall - compute of the same sweep
    ratio_to_in_process: float | None  # of the medians
    ratio_low: float | None  # 95 % interval of the ratio: bootstrap over the interleaved rounds, in pairs
    ratio_high: float | None
    client_cpu_us: float | None  # CPU time of the measuring process
    bitwise: bool
    crossings: int
    bytes_out: int
    withheld: str | None


@dataclass(frozen=True)
class FastCall:
    """One kind of single call in session frames, or what it is compared with."""

    name: str
    title: str
    transport: str
    bytes: int  # one way, to the engine: the payload of an echo or a put, the whole frame of a sweep
    n: int
    p50_us: float
    p90_us: float
    p99_us: float


@dataclass(frozen=True)
class FastPolicy:
    """One small call under one waiting policy: how long each side looks again and again before it sleeps."""

    transport: str
    client_spin_us: float
    engine_spin_us: float
    n: int
    p50_us: float
    p90_us: float
    compute_p50_us: float  # the engine's own
    client_cpu_us: float  # processor time per call
    engine_cpu_us: float


@dataclass(frozen=True)
class FastEngine:
    """The crossings of a fast engine: session frames, one thread everywhere. Only shared memory spins."""

    kernel: str
    target: str
    threads: int
    shm_spin_us: float  # how long each side looks again and again before it sleeps
    rows: tuple[FastRow, ...]
    put: tuple[FastCall, ...]  # "memfd", "ready" and "bytes"
    floors: tuple[FastCall, ...]
    policies: tuple[FastPolicy, ...]
    levels: Levels | None  # of the sweep in process
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Clock:
    """The clock of every time in this document."""

    name: str
    cost_ns: float  # median of back-to-back readings
    resolution_ns: float  # smallest step seen between two different readings


@dataclass(frozen=True)
class Environment:
    """The machine and the software that made these figures."""

    date: str  # UTC, ISO 8601
    cpu_model: str
    cores: int
    affinity: tuple[int, ...]  # the cores this process may use; nothing was pinned beyond that
    memory_bytes: int | None
    kernel_release: str
    governor: str | None
    load_average_at_start: tuple[float, ...]
    numba_threads: int
    clock: Clock
    engine_version: str
    engine_compiler: str
    versions: tuple["Version", ...]


@dataclass(frozen=True)
class Version:
    """One package whose version matters to the figures."""

    package: str
    version: str


@dataclass(frozen=True)
class Study:
    """The whole document."""

    schema: str
    quick: bool
    rounds: int
    seconds: float  # how long the study took
    workload: WorkloadFacts
    equivalence: Equivalence
    architectures: tuple[Architecture, ...]
    echo: tuple[EchoPoint, ...]
    echo_fits: tuple[EchoFit, ...]
    echo_placement: tuple[Placement, ...]
    serialization: tuple[Serialization, ...]
    spawn: tuple[Spawn, ...]
    derived: tuple[DerivedFigure, ...]
    break_even: BreakEven
    fast_engine: FastEngine
    live: tuple[LiveRow, ...]
    peers: tuple[Peer, ...]
    latencies: tuple[LatencyRow, ...]
    cold_start: tuple[ColdStart, ...]
    claims: tuple[Claim, ...]
    environment: Environment
