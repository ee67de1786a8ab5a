"""The report as tables, in their order, from the study alone."""

from collections.abc import Callable

from onekernel_study import published
from onekernel_study.schema import Study
from onekernel_study.table import Table
from onekernel_study.tables_boundary import echo, echo_fits, placement, serialization, spawn
from onekernel_study.tables_derived import break_even, derived, granularity
from onekernel_study.tables_fast import fast_calls, fast_engine, fast_policies, levels, taxes
from onekernel_study.tables_live import live
from onekernel_study.tables_peers import peers_by_bar, peers_by_combo, peers_by_sweep
from onekernel_study.tables_statistics import claims, cold_start, latencies
from onekernel_study.tables_sweep import equivalence, wall_times, where_time_goes


def all_tables(study: Study) -> tuple[Table, ...]:
    """Every table of the report, in its order."""
    makers: tuple[Callable[[Study], Table], ...] = (
        equivalence,
        wall_times,
        where_time_goes,
        echo,
        echo_fits,
        placement,
        serialization,
        spawn,
        derived,
        granularity,
        break_even,
        fast_engine,
        taxes,
        levels,
        fast_calls,
        fast_policies,
        live,
        peers_by_sweep,
        peers_by_combo,
        peers_by_bar,
        latencies,
        cold_start,
        claims,
        environment,
    )
    return tuple(maker(study) for maker in makers)


def environment(study: Study) -> Table:
    """The machine of these figures and that of the published ones."""
    machine = study.environment
    memory = "unknown" if machine.memory_bytes is None else f"{machine.memory_bytes / 2**30:.1f} GiB"
    load = ", ".join(f"{value:.2f}" for value in machine.load_average_at_start)
    return Table(
        "Environment",
        ("what", "value"),
        (
            ("published figures", published.MACHINE),
            ("measured on", f"{machine.cpu_model}, {machine.cores} cores, {memory}"),
            ("kernel, governor", f"{machine.kernel_release}, {machine.governor or 'governor not readable'}"),
            ("affinity, load at start", f"cores {', '.join(map(str, machine.affinity))}; {load}"),
            ("engine", f"{machine.engine_version}, {machine.engine_compiler}"),
            ("packages", ", ".join(f"{each.package} {each.version}" for each in machine.versions)),
            ("numba threads", str(machine.numba_threads)),
            ("clock", f"{machine.clock.name}, {machine.clock.cost_ns:g} ns a reading"),
            ("date, duration", f"{machine.date}, {study.seconds:.0f} s{', quick' if study.quick else ''}"),
        ),
        n_left=2,
    )
