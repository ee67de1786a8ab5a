"""`make bench`: every kernel against numba in one run, how they scale, and where certified has least to gain.

usage: python -m onekernel_study.kernel_bench --out out/bench.json [--quick] [--series prices.csv ...]
Exit 0, 1 where an answer was not equal to the bit or something could not be run, 2 bad usage.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from onekernel.errors import OneKernelError, ReadError

from onekernel_study import document, environment, workload
from onekernel_study.bench_cases import GROUPS, Case, real
from onekernel_study.bench_kernels import cores, measure_kernels
from onekernel_study.bench_memory import measure_memory
from onekernel_study.bench_pairs import measure_cases
from onekernel_study.bench_schema import SCHEMA, Bench, NotMeasured
from onekernel_study.bench_tables import bench_tables
from onekernel_study.progress import Progress
from onekernel_study.report_terminal import console, print_table
from onekernel_study.schema import WorkloadFacts
from onekernel_study.workload import Workload

ROUNDS, QUICK_ROUNDS = 5, 2
BARS, COMBOS, QUICK_COMBOS = 1_000_000, 10_000, 1_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, writes the document, prints the tables; returns the exit code."""
    parser = argparse.ArgumentParser(prog="kernel_bench", description="every kernel against numba, in one run")
    parser.add_argument("--out", type=Path, required=True, help="where bench.json goes")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller cases")
    parser.add_argument("--series", type=Path, nargs="*", default=[], help="files of prices to measure too")
    options = parser.parse_args(arguments)
    try:
        prices, missing = real(options.series)
    except ReadError as error:
        print(f"kernel_bench: {error}", file=sys.stderr)
        return 2
    progress = Progress()
    try:
        bench = run(options.quick, workload.published(), prices, missing, progress)
        document.write(bench, options.out)
    except (OneKernelError, OSError) as error:
        print(f"kernel_bench: {error}", file=sys.stderr)
        return 1
    finally:
        progress.clear()
    screen = console(sys.stdout)
    for table in bench_tables(bench):
        print_table(screen, table)
    print(f"all_ok: {str(bench.all_ok).lower()}   {options.out}, {bench.seconds:.0f} s")
    return 0 if bench.all_ok else outcome(bench)


def run(
    quick: bool, sweep: Workload, prices: Sequence[Case], missing: Sequence[NotMeasured], progress: Progress
) -> Bench:
    """Measures everything; what differs is recorded in the document, not raised."""
    started = time.monotonic()
    machine = environment.describe()
    rounds = QUICK_ROUNDS if quick else ROUNDS
    kernels = measure_kernels(sweep, rounds, progress)
    groups = [*(group(quick) for group in GROUPS), prices]
    cases = tuple(row for group in groups for row in measure_cases(group, rounds, progress))
    progress.show("peak memory")
    memory, unmeasured = measure_memory(BARS, QUICK_COMBOS if quick else COMBOS, cores())
    return Bench(
        schema=SCHEMA,
        quick=quick,
        rounds=rounds,
        seconds=time.monotonic() - started,
        workload=WorkloadFacts(sweep.description, len(sweep.close), len(sweep.combos), sweep.fee),
        all_ok=all(row.bitwise for row in kernels) and all(row.bitwise for row in cases),
        kernels=kernels,
        cases=cases,
        memory=tuple(memory),
        not_measured=(*missing, *unmeasured),
        environment=machine,
    )


def outcome(bench: Bench) -> int:
    """Says on stderr which answers differed; returns 1."""
    for row in bench.kernels:
        if not row.bitwise:
            print(f"not equal: {row.name} on {row.threads} threads: {row.complaint}", file=sys.stderr)
    for case in bench.cases:
        if not case.bitwise:
            print(f"not equal: {case.case}: {case.complaint}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
