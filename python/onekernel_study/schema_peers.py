"""The part of study.json about peers: what teams deploy between a program and its kernel."""

from dataclasses import dataclass

from onekernel_study.schema_statistics import Latency


@dataclass(frozen=True)
class Peer:
    """One way of calling the same native kernel, at one granularity. (name, granularity) is unique.

    sweep: one call carries the series and every combo. combo: a call per combo, each carries the series. bar: a call
    per bar carries one close and returns one number (see peers/service.py), which costs next to nothing to compute.

    A row that was not measured says why in `reason` and has None for every figure; so does one whose answers failed
    the gate, in `withheld`. Where a whole sweep would take too long, calls_made < calls_planned, `reason` says so, and
    sweep_s, compute_s and boundary_s are scaled to all planned calls (sweep_derived).
    """

    name: str
    title: str
    library: str  # the package that carries the calls
    library_version: str | None
    transport: str  # "in process", "unix", "tcp", "pipe" or "shared memory"
    encoding: str  # what the arrays are while they cross
    granularity: str  # "sweep", "combo" or "bar"
    measured: bool
    reason: str | None
    withheld: str | None
    n: int  # rounds, interleaved with the other peers' of this granularity
    calls_planned: int  # calls that one whole sweep (or series of bars) takes
    calls_made: int  # calls per round that were really made
    latency: Latency | None  # of single calls, all rounds together
    sweep_s: float | None  # wall time of the whole sweep, all its calls: median of the rounds
    sweep_derived: bool
    ratio_to_in_process: float | None  # sweep_s over that of the in-process native row of this granularity
    ratio_low: float | None  # 95 % interval, of the rounds in pairs
    ratio_high: float | None
    compute_s: float | None  # inside the kernel, as the peer measured it
    boundary_s: float | None  # wall - compute
    boundary_share: float | None  # boundary over wall
    boundary_share_checked: float | None  # derived: the same boundary beside the naive kernel's compute
    client_cpu_us_per_call: float | None
    server_cpu_us_per_call: float | None  # None where nothing serves
    bitwise: bool  # every answer that was timed, equal to the reference's bit for bit
