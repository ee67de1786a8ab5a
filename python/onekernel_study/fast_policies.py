"""What waiting costs: the same call under every waiting policy, as latency and as processor time of both sides.

A side that spins answers sooner and burns a core meanwhile; one that blocks has to be woken. Which is better depends on
who pays for the core, so both are told.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time_ns

import numpy as np
import onekernel as ok
from onekernel.result import SweepResult

from onekernel_study.crossings import Close, Combos
from onekernel_study.echo import BrokenEchoError
from onekernel_study.fast_rows import FAST_TRANSPORTS, THREADS
from onekernel_study.percentiles import percentile
from onekernel_study.runner import rotated
from onekernel_study.schema import FastPolicy
from onekernel_study.stopwatch import collector_off, timed

SPINS_US = (0.0, 50.0)
BURSTS = 10
SETTLING = 5  # calls at the start of each burst that do not count
FEW_BARS = 8


@dataclass
class _Policy:
    """One engine and its client, and what was measured of them."""

    transport: str
    client_spin_us: float
    engine_spin_us: float
    engine: ok.Engine
    series: ok.Series
    walls_ns: list[int]
    compute_ns: list[int]
    client_cpu_ns: int = 0
    engine_cpu_ns: int = 0


def measure_policies(n: int) -> tuple[FastPolicy, ...]:
    """At least n sweeps of one combo over a few stored bars per transport and policy, in bursts that take turns."""
    few, combo = np.linspace(100.0, 101.0, FEW_BARS), ok.hma_combos([4])
    due = ok.sweep(few, combo, fee=0.0, kernel="checked", threads=THREADS)
    length = -(-n // BURSTS)
    with ExitStack() as stack, collector_off():
        policies = [
            _open(stack, transport, client_us, engine_us, few)
            for transport in FAST_TRANSPORTS
            for client_us in SPINS_US
            for engine_us in SPINS_US
        ]
        for burst in range(BURSTS):
            for policy in rotated(policies, burst):
                for number in range(-SETTLING, length):
                    if number == 0:
                        client_ns, engine_ns = process_time_ns(), cpu_ns(policy.engine)
                    wall_ns, result = timed(partial(_call, policy, combo))
                    if result.pnl.tobytes() != due.pnl.tobytes() or result.trades.tobytes() != due.trades.tobytes():
                        raise BrokenEchoError(f"a sweep over {policy.transport} returned {result}, not {due}")
                    if number >= 0:
                        policy.walls_ns.append(wall_ns)
                        policy.compute_ns.append(result.compute_ns or 0)
                policy.client_cpu_ns += process_time_ns() - client_ns
                policy.engine_cpu_ns += cpu_ns(policy.engine) - engine_ns
    return tuple(_summary(policy) for policy in policies)


def cpu_ns(engine: ok.Engine) -> int:
    """The processor time that an engine's threads have used, in nanoseconds."""
    tasks = Path(f"/proc/{engine.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def _open(stack: ExitStack, transport: str, client_us: float, engine_us: float, few: Close) -> _Policy:
    spin = f"{engine_us:g}"
    engine = stack.enter_context(
        ok.spawn(
            transport=transport,  # type: ignore[arg-type]
            spin_us=client_us,
            arguments=("--spin-us", spin, "--shm-spin-us", spin),
        )
    )
    return _Policy(transport, client_us, engine_us, engine, engine.put("few", few), [], [])


def _call(policy: _Policy, combo: Combos) -> SweepResult:
    return policy.engine.sweep(policy.series, combo, fee=0.0, kernel="checked", threads=THREADS)


def _summary(policy: _Policy) -> FastPolicy:
    n = len(policy.walls_ns)
    return FastPolicy(
        transport=policy.transport,
        client_spin_us=policy.client_spin_us,
        engine_spin_us=policy.engine_spin_us,
        n=n,
        p50_us=percentile(policy.walls_ns, 50) / 1e3,
        p90_us=percentile(policy.walls_ns, 90) / 1e3,
        compute_p50_us=percentile(policy.compute_ns, 50) / 1e3,
        client_cpu_us=policy.client_cpu_ns / n / 1e3,
        engine_cpu_us=policy.engine_cpu_ns / n / 1e3,
    )
