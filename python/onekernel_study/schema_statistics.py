"""The parts of study.json about how times are distributed: latencies, first calls, the article's claims."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Latency:
    """Nearest-rank percentiles over n single calls, microseconds."""

    n: int
    p50_us: float
    p90_us: float
    p99_us: float
    p999_us: float
    max_us: float


@dataclass(frozen=True)
class Histogram:
    """counts[i] calls took at least edges_us[i] and less than edges_us[i + 1]; the last bin has its upper edge too.

    The edges are spaced evenly by their logarithm, from the shortest call to the longest; one more edge than counts.
    """

    edges_us: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class LatencyRow:
    """Echoes of one float over one transport, in one kind of loop, at one placement of the two processes.

    closed: a call starts when the last one ended. open: calls are due at a fixed rate and each is timed from when it
    was DUE, so a stall counts for every call that it delays. The interval of p50 is of the bursts, which are resampled
    whole, since calls that follow one another resemble one another.
    """

    name: str  # unique: transport, loop, rate and placement in one word
    transport: str  # "unix", "tcp" or "shm"
    loop: str  # "closed" or "open"
    rate_per_s: float | None  # what was asked for; None in a closed loop
    achieved_per_s: float | None  # what was reached: less than asked for where the calls cannot keep up
    placement: str  # "free", "one core", "two cores" or "siblings" (two hardware threads of one core)
    latency: Latency | None  # None where withheld
    p50_low_us: float | None  # 95 % interval of p50
    p50_high_us: float | None
    histogram: Histogram | None
    client_cpu_us_per_call: float | None  # of the whole process: waiting for a due time by spinning is in it
    server_cpu_us_per_call: float | None
    withheld: str | None


@dataclass(frozen=True)
class ColdStart:
    """What somebody waits for once, in a fresh process each time."""

    what: str
    p50_ms: float
    n: int


@dataclass(frozen=True)
class Claim:
    """One claim of the article, and whether it holds in this run."""

    name: str
    claim: str
    published: str  # the article's figure
    measured: str  # this run's, with its unit; why not, where it was not measured
    holds: bool | None  # None where it was not measured
    basis: str  # the rule, and which rows the figure is from
