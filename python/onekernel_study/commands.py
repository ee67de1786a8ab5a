"""What `onekernel study` and `onekernel verdict` call. Each returns the exit code: 0, 1 failed, 2 bad usage."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onekernel.errors import OneKernelError

from onekernel_study import document, reports
from onekernel_study import verdict as words
from onekernel_study.progress import Progress
from onekernel_study.report_terminal import print_report, print_verdict

if TYPE_CHECKING:
    from onekernel_study.peers.contract import Spec
    from onekernel_study.plan import Plan
    from onekernel_study.rows import Row
    from onekernel_study.workload import Workload


def study(out: Path, quick: bool) -> int:
    """Measures the published workload, writes out/study.json and the reports beside it, prints the tables."""
    # Imported here, so that a verdict can be read where numba and the compared formats are not installed.
    from onekernel_study import workload
    from onekernel_study.peers.registry import PEERS
    from onekernel_study.plan import NORMAL, QUICK
    from onekernel_study.rows import ROWS

    return study_of(workload.published(), out, QUICK if quick else NORMAL, ROWS, PEERS)


def study_of(workload: Workload, out: Path, plan: Plan, rows: Sequence[Row], peers: Sequence[Spec]) -> int:
    """The same for any workload, plan, rows and peers."""
    from onekernel_study.study import run

    progress = Progress()
    try:
        result = run(workload, plan, progress, rows, peers)
        document.write(result, out / "study.json")
        for note in reports.write(out / "study.json", out):
            progress.clear()
            print(f"onekernel study: {note}", file=sys.stderr)
    except (OneKernelError, OSError) as error:
        progress.clear()
        print(f"onekernel study: {error}", file=sys.stderr)
        return 1
    progress.clear()
    print_report(result, sys.stdout)
    return _outcome(result.equivalence.complaints)


def report(study_json: Path) -> int:
    """Makes the reports of an existing study.json again, beside it."""
    try:
        notes = reports.write(study_json, study_json.parent)
    except (document.DocumentError, OSError) as error:
        print(f"onekernel report: {error}", file=sys.stderr)
        return 2
    for note in notes:
        print(f"onekernel report: {note}", file=sys.stderr)
    return 1 if notes else 0


def verdict(study_json: Path, as_json: bool = False) -> int:
    """Prints the verdict of an existing study.json again."""
    try:
        result = document.read(study_json)
    except (document.DocumentError, OSError) as error:
        print(f"onekernel verdict: {error}", file=sys.stderr)
        return 2
    if as_json:
        claims = [dataclasses.asdict(claim) for claim in result.claims]
        json.dump({"verdict": words.sentences(result), "claims": claims}, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        print_verdict(words.sentences(result), sys.stdout)
    return _outcome(result.equivalence.complaints)


def workload_verdict(**asked: Any) -> int:
    """The verdict for a workload of one's own; the names are those of commands_workload.Asked."""
    from onekernel_study import commands_workload

    return commands_workload.verdict(commands_workload.Asked(**asked))


def compare(before: Path, after: Path, as_json: bool) -> int:
    """Prints what changed between two files study.json."""
    from onekernel_study.compare import print_changes

    try:
        print_changes(document.read(before), document.read(after), str(before), str(after), as_json)
    except (document.DocumentError, OSError) as error:
        print(f"onekernel study --compare: {error}", file=sys.stderr)
        return 2
    return 0


def echo(url: str, sizes: Sequence[int], calls: int, rate_per_s: float | None, as_json: bool) -> int:
    """Measures a running engine from outside."""
    from onekernel_study.echo_url import echo_url

    return echo_url(url, sizes, calls, rate_per_s, as_json)


def _outcome(complaints: Sequence[str]) -> int:
    for complaint in complaints:
        print(f"gate failed: {complaint}", file=sys.stderr)
    return 1 if complaints else 0
