"""The whole study, in the order it is measured."""

import time
from collections.abc import Sequence
from contextlib import ExitStack

import onekernel as ok

from onekernel_study import environment
from onekernel_study.assemble import architectures, equivalence
from onekernel_study.breakeven import break_even
from onekernel_study.derived import BrokenEchoError, figures_from_rows, measure_calls
from onekernel_study.echo import TRANSPORTS, fit_echo, measure_echo
from onekernel_study.plan import Plan
from onekernel_study.progress import Progress
from onekernel_study.rows import ROWS, Row
from onekernel_study.runner import measure_rows, trial
from onekernel_study.schema import SCHEMA, DerivedFigure, EchoPoint, Study, WorkloadFacts
from onekernel_study.serialization import measure_serialization
from onekernel_study.spawning import measure_spawns
from onekernel_study.workload import Workload


def run(workload: Workload, plan: Plan, progress: Progress, rows: Sequence[Row] = ROWS) -> Study:
    """Measures everything and returns the document; a failed gate is recorded in it, not raised."""
    started = time.monotonic()
    machine = environment.describe()
    progress.show("the reference's own sweep")
    main = trial(workload)
    measured = measure_rows(rows, main, plan.rounds, plan.boxed_rounds, progress)
    echo, calls, broken = _echo(workload, plan, progress)
    serialization = measure_serialization(workload.close, plan.serialization_repeats, progress)
    progress.show("spawning")
    spawn = measure_spawns(plan.spawns)
    table = architectures(measured)
    fits = fit_echo(echo)
    return Study(
        schema=SCHEMA,
        quick=plan.quick,
        rounds=plan.rounds,
        seconds=time.monotonic() - started,
        workload=WorkloadFacts(workload.description, len(workload.close), len(workload.combos), workload.fee),
        equivalence=equivalence(measured, main.gate, echo, serialization, broken),
        architectures=table,
        echo=echo,
        echo_fits=fits,
        serialization=serialization,
        spawn=spawn,
        derived=(*figures_from_rows(table, fits), *calls),
        break_even=break_even(table, fits, len(workload.close), len(workload.combos)),
        environment=machine,
    )


def _echo(
    workload: Workload, plan: Plan, progress: Progress
) -> tuple[tuple[EchoPoint, ...], tuple[DerivedFigure, ...], str | None]:
    """The echo curve over every transport, the small calls over the Unix socket, and what broke in them."""
    with ExitStack() as stack:
        engines: dict[str, ok.Engine] = {
            transport: stack.enter_context(ok.spawn(transport=transport, fee=workload.fee)) for transport in TRANSPORTS
        }
        curve = measure_echo(engines, plan.echo_calls, progress)
        try:
            return curve, measure_calls(engines["unix"], workload, plan.calls, progress), None
        except BrokenEchoError as error:
            return curve, (), f"calls over unix: {error}"
