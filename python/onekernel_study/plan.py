"""How often everything is measured: the normal plan and the quick one."""

from dataclasses import dataclass

from onekernel_study.derived import CallCounts
from onekernel_study.latencies import LatencyCounts
from onekernel_study.live import LiveCounts
from onekernel_study.peers.measure import PeerCounts

SWEEP_CALLS = 80
BARS = 150_000
RATES = (1_000.0, 5_000.0, 10_000.0)  # calls per second of the open loops


@dataclass(frozen=True)
class FastCounts:
    """How often the fast engine is asked: sweeps per row, puts each way, single calls of each kind."""

    sweeps: int
    puts: int
    calls: int


@dataclass(frozen=True)
class Plan:
    """Counts only: what is measured does not depend on the plan. Boxed rounds are those of the time-boxed rows."""

    quick: bool
    rounds: int
    boxed_rounds: int
    echo_calls: dict[int, int]
    serialization_repeats: int
    spawns: int
    calls: CallCounts
    placement_calls: int
    fast: FastCounts
    live: LiveCounts
    peers: PeerCounts
    latencies: LatencyCounts
    cold_starts: int


NORMAL = Plan(
    quick=False,
    rounds=10,
    boxed_rounds=3,
    echo_calls={1: 10_000, 10: 10_000, 100: 10_000, 1_000: 10_000, 10_000: 3_000, 100_000: 500, 150_000: 500},
    serialization_repeats=50,
    spawns=40,
    calls=CallCounts(per_sweep=SWEEP_CALLS, sweeps=50, after_compute=30, per_bar=BARS, per_bar_full=BARS),
    placement_calls=5_000,
    fast=FastCounts(sweeps=50, puts=50, calls=5_000),
    live=LiveCounts(fast=15_000, socket=15_000, socket_grid=3_000),
    peers=PeerCounts(rounds=10, box_s=1.0),
    latencies=LatencyCounts(closed=12_000, rates_per_s=RATES, open_s=1.0),
    cold_starts=3,
)

QUICK = Plan(
    quick=True,
    rounds=3,
    boxed_rounds=1,
    echo_calls={1: 2_000, 10: 2_000, 100: 2_000, 1_000: 2_000, 10_000: 1_000, 100_000: 200, 150_000: 200},
    serialization_repeats=10,
    spawns=10,
    calls=CallCounts(per_sweep=SWEEP_CALLS, sweeps=20, after_compute=10, per_bar=20_000, per_bar_full=BARS),
    placement_calls=2_000,
    fast=FastCounts(sweeps=10, puts=15, calls=1_000),
    live=LiveCounts(fast=15_000, socket=1_000, socket_grid=500),
    peers=PeerCounts(rounds=3, box_s=0.2),
    latencies=LatencyCounts(closed=3_000, rates_per_s=RATES[:2], open_s=0.5),
    cold_starts=1,
)
