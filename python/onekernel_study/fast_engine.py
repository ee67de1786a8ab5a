"""The section of the study about a fast engine: its rows, its puts and its floors, with engines of their own."""

from contextlib import ExitStack

import onekernel as ok
from onekernel.session_connection import SPIN_US

from onekernel_study.echo import BrokenEchoError
from onekernel_study.fast_calls import measure_floors, measure_puts
from onekernel_study.fast_policies import measure_policies
from onekernel_study.fast_rows import FAST_TRANSPORTS, KERNEL, THREADS, complaints, measure_fast_rows
from onekernel_study.plan import FastCounts
from onekernel_study.progress import Progress
from onekernel_study.runner import Trial
from onekernel_study.schema import FastCall, FastEngine, FastPolicy, Levels


def measure_fast_engine(main: Trial, counts: FastCounts, progress: Progress) -> FastEngine:
    """Measures the section; what fails is told in its complaints."""
    spin = f"{SPIN_US:g}"
    with ExitStack() as stack:
        engines: dict[str, ok.Engine] = {
            transport: stack.enter_context(
                ok.spawn(
                    transport=transport,
                    fee=main.workload.fee,
                    spin_us=SPIN_US,
                    arguments=("--spin-us", "0", "--shm-spin-us", spin),
                )
            )
            for transport in FAST_TRANSPORTS
        }
        measured = measure_fast_rows(engines, main, counts.sweeps, progress)
        put: tuple[FastCall, ...] = ()
        floors: tuple[FastCall, ...] = ()
        policies: tuple[FastPolicy, ...] = ()
        broken: list[str] = []
        try:
            progress.show("putting series")
            put = measure_puts(engines["unix"], main.workload.close, counts.puts)
            progress.show("floors of session frames")
            floors = measure_floors(engines, counts.calls)
            progress.show("waiting policies")
            policies = measure_policies(counts.calls)
        except BrokenEchoError as error:
            broken.append(f"session frames: {error}")
    told = measured.in_process
    return FastEngine(
        kernel=KERNEL,
        target=told.target or "unknown",
        threads=told.threads or THREADS,
        shm_spin_us=SPIN_US,
        rows=measured.rows,
        put=put,
        floors=floors,
        policies=policies,
        levels=None if told.levels is None else Levels(*told.levels),
        complaints=(*complaints(measured.rows), *broken),
    )
