"""The tables of `make bench`."""

from onekernel_study.bench_schema import Bench, CaseRow, KernelRow
from onekernel_study.table import WITHHELD, Table
from onekernel_study.tables_fast import level_table
from onekernel_study.wording import number, percent

TITLES = {
    "bars": "Longer series",
    "combos": "More combos",
    "lengths": "Longer windows",
    "worst": "Worst cases",
    "real": "Real prices",
}


def bench_tables(bench: Bench) -> tuple[Table, ...]:
    """Every table, in order."""
    groups = [group for group in TITLES if any(row.group == group for row in bench.cases)]
    return (ladder(bench), levels(bench), *(cases(bench, group) for group in groups), memory(bench))


def ladder(bench: Bench) -> Table:
    """Every kernel on the published sweep."""
    return Table(
        f"Kernels: {bench.workload.n_bars:,} bars, {bench.workload.n_combos} combos, {bench.rounds} rounds in turns",
        ("kernel", "target", "threads", "n", "median ms", "p10", "p90", "CPU ms", "x numba", "x numba, CPU", "bits"),
        tuple(_kernel(row) for row in bench.kernels),
        ("x numba: how many times as fast as numba on one thread, medians of this run; CPU: by CPU time",),
        n_left=2,
    )


def _kernel(row: KernelRow) -> tuple[str, ...]:
    return (
        row.name,
        row.target,
        str(row.threads),
        str(row.n),
        _ms(row.median_s) or WITHHELD,
        _ms(row.p10_s),
        _ms(row.p90_s),
        _ms(row.cpu_s),
        number(row.ratio_to_numba, 1),
        number(row.cpu_ratio_to_numba, 1),
        "equal" if row.bitwise else "DIFFERENT",
    )


def levels(bench: Bench) -> Table:
    """How certified decided on the published sweep."""
    counts = next((row.levels for row in bench.kernels if row.levels), None)
    return level_table(counts, "How certified decided on the published sweep")


def cases(bench: Bench, group: str) -> Table:
    """One group of workloads, certified beside exact."""
    return Table(
        f"{TITLES[group]}: certified and exact, one thread, nanoseconds per bar and combo",
        ("case", "bars", "combos", "certified", "exact", "certified / exact", "by CPU", "beyond the bound", "bits"),
        tuple(_case(row) for row in bench.cases if row.group == group),
        tuple(dict.fromkeys(f"answers held to {row.judge}" for row in bench.cases if row.group == group)),
    )


def _case(row: CaseRow) -> tuple[str, ...]:
    counts = row.levels
    total = counts.by_bound + counts.by_dot + counts.by_reference + counts.by_exact if counts else 0
    return (
        row.case,
        f"{row.n_bars:,}",
        f"{row.n_combos:,}",
        number(row.certified_ns, 3, WITHHELD),
        number(row.exact_ns, 3, "not run"),
        number(row.certified_over_exact, 3),
        number(row.certified_over_exact_cpu, 3),
        percent(1.0 - counts.by_bound / total) if counts and total else "",
        "equal" if row.bitwise else "DIFFERENT",
    )


def memory(bench: Bench) -> Table:
    """The peak beyond the series."""
    return Table(
        "Peak memory of one sweep beyond its series",
        ("kernel", "threads", "bars", "combos", "MB", "of it results", "bytes per combo", "s"),
        tuple(
            (
                row.kernel,
                str(row.threads),
                f"{row.n_bars:,}",
                f"{row.n_combos:,}",
                number(row.growth_bytes / 1e6, 2),
                number(row.result_bytes / 1e6, 2),
                number(row.bytes_per_combo, 0),
                number(row.seconds, 1),
            )
            for row in bench.memory
        ),
        tuple(f"not measured: {each.what}: {each.why}" for each in bench.not_measured),
    )


def _ms(value: float | None) -> str:
    return number(None if value is None else value * 1e3, 2)
