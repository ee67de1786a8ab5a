"""The whole study, in the order it is measured."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import onekernel as ok

from onekernel_study import environment
from onekernel_study.assemble import architectures, equivalence
from onekernel_study.breakeven import break_even
from onekernel_study.claims import claims
from onekernel_study.cold_start import measure_cold_start
from onekernel_study.derived import figures_from_rows, measure_calls
from onekernel_study.echo import TRANSPORTS, BrokenEchoError, fit_echo, measure_echo
from onekernel_study.fast_engine import measure_fast_engine
from onekernel_study.latencies import complaints as latency_complaints
from onekernel_study.latencies import measure_latencies
from onekernel_study.live import complaints as live_complaints
from onekernel_study.live import measure_live
from onekernel_study.names import BASELINE
from onekernel_study.peers.contract import Spec
from onekernel_study.peers.measure import measure_peers
from onekernel_study.peers.registry import PEERS
from onekernel_study.peers.summary import complaints as peer_complaints
from onekernel_study.peers.summary import numba_sweep, peers
from onekernel_study.placement import measure_placement
from onekernel_study.plan import Plan
from onekernel_study.progress import Progress
from onekernel_study.rows import ROWS, Row
from onekernel_study.runner import measure_rows, trial
from onekernel_study.schema import SCHEMA, Architecture, DerivedFigure, EchoPoint, Placement, Study, WorkloadFacts
from onekernel_study.serialization import measure_serialization
from onekernel_study.spawning import measure_spawns
from onekernel_study.stopwatch import settle
from onekernel_study.workload import Workload


def run(
    workload: Workload,
    plan: Plan,
    progress: Progress,
    architecture_rows: Sequence[Row] = ROWS,
    specs: Sequence[Spec] = PEERS,
) -> Study:
    """Measures everything and returns the document; a failed gate is recorded in it, not raised."""
    started = time.monotonic()
    machine = environment.describe()
    progress.show("the reference's own sweep")
    main = trial(workload)
    settle()
    measured = measure_rows(architecture_rows, main, plan.rounds, plan.boxed_rounds, progress)
    echoes = _echoes(workload, plan, progress)
    serialization = measure_serialization(workload.close, plan.serialization_repeats, progress)
    progress.show("spawning")
    spawn = measure_spawns(plan.spawns)
    fast = measure_fast_engine(main, plan.fast, progress)
    live = measure_live(workload, plan.live, progress)
    table = architectures(measured)
    peer_rows = measure_peers(specs, main, plan.peers, progress)
    latencies = measure_latencies(plan.latencies, progress)
    cold_start = measure_cold_start(plan.cold_starts, progress)
    fits = fit_echo(echoes.curve)
    also = (*fast.complaints, *live_complaints(live), *peer_complaints(peer_rows), *latency_complaints(latencies))
    result = Study(
        schema=SCHEMA,
        quick=plan.quick,
        rounds=plan.rounds,
        seconds=time.monotonic() - started,
        workload=WorkloadFacts(workload.description, len(workload.close), len(workload.combos), workload.fee),
        equivalence=equivalence(measured, main.gate, echoes.curve, serialization, echoes.broken, also),
        architectures=table,
        echo=echoes.curve,
        echo_fits=fits,
        echo_placement=echoes.placement,
        serialization=serialization,
        spawn=spawn,
        derived=(*figures_from_rows(table, fits), *echoes.calls),
        break_even=break_even(table, fits, len(workload.close), len(workload.combos)),
        fast_engine=fast,
        live=live,
        peers=(
            *peers(peer_rows, _compute_s(table, "cpp_in_process")),
            *numba_sweep(peer_rows, next((row for row in table if row.name == BASELINE), None)),
        ),
        latencies=latencies,
        cold_start=cold_start,
        claims=(),
        environment=machine,
    )
    return replace(result, claims=claims(result))


def _compute_s(table: Sequence[Architecture], name: str) -> float | None:
    return next((row.compute_s for row in table if row.name == name), None)


@dataclass(frozen=True)
class _Echoes:
    """Everything that echoes measure; broken says which of the calls outside the curve came back different."""

    curve: tuple[EchoPoint, ...]
    calls: tuple[DerivedFigure, ...] = ()
    placement: tuple[Placement, ...] = ()
    broken: str | None = None


def _echoes(workload: Workload, plan: Plan, progress: Progress) -> _Echoes:
    curve = measure_echo(_engines, plan.echo_calls, progress)
    try:
        with ok.spawn(transport="unix", fee=workload.fee, protocol="classic") as engine:
            calls = measure_calls(engine, workload, plan.calls, progress)
        progress.show("echo, client and engine pinned")
        return _Echoes(curve, calls, measure_placement(plan.placement_calls))
    except BrokenEchoError as error:
        return _Echoes(curve, broken=f"calls over unix: {error}")


@contextmanager
def _engines() -> Iterator[dict[str, ok.Engine]]:
    with ExitStack() as stack:
        yield {
            # Classic frames, as published, where they can be spoken; shared memory has session frames only.
            transport: stack.enter_context(
                ok.spawn(transport=transport, protocol="session" if transport == "shm" else "classic")
            )
            for transport in TRANSPORTS
        }
