"""What `onekernel verdict` does with somebody's own workload. Returns the exit code: 0, 1 failed, 2 bad usage."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rich.text import Text

from onekernel_study import document
from onekernel_study.advice import SHARE, Advice, Workload, advise
from onekernel_study.curves import Curve, curves
from onekernel_study.own_function import Timed, load, measure
from onekernel_study.progress import Progress
from onekernel_study.quantities import parse_bytes, parse_seconds
from onekernel_study.report_terminal import console, print_table
from onekernel_study.table import Table
from onekernel_study.wording import count, percent, seconds

Number = TypeVar("Number", int, float)
DEFAULT_STUDY = Path("out/study.json")


@dataclasses.dataclass(frozen=True)
class Asked:
    """The options, as they were written."""

    study_json: Path | None
    compute: str | None
    calls: int
    payload: str | None
    python: str | None
    arguments: str | None
    crossing: str
    as_json: bool


def verdict(asked: Asked) -> int:
    """Prints what each crossing would take of this workload's time, and what to change first."""
    try:
        measured, workload = _workload(asked)
        found, source = _curves(asked.study_json)
        advice = advise(found, workload, asked.crossing)
    except (ValueError, OSError) as error:  # a DocumentError is a ValueError
        print(f"onekernel verdict: {error}", file=sys.stderr)
        return 2
    if asked.as_json:
        body = {"source": source, "function": measured and dataclasses.asdict(measured), **dataclasses.asdict(advice)}
        json.dump(body, sys.stdout, indent=1, allow_nan=False)
        sys.stdout.write("\n")
    else:
        _print(advice, measured, source)
    return 0


def _workload(asked: Asked) -> tuple[Timed | None, Workload]:
    if asked.python is None:
        if asked.compute is None:
            raise ValueError("--compute is missing: how long one call computes, such as --compute 0.2ms")
        payload = 0 if asked.payload is None else _option("--payload", parse_bytes, asked.payload)
        return None, Workload(_option("--compute", parse_seconds, asked.compute), asked.calls, payload)
    if asked.compute is not None:
        raise ValueError("--compute and --python exclude one another: the function's time is measured")
    function, arguments = load(asked.python, asked.arguments)
    measured = measure(asked.python, function, arguments)
    payload = measured.payload_bytes if asked.payload is None else _option("--payload", parse_bytes, asked.payload)
    return measured, Workload(measured.median_s, asked.calls, payload)


def _option(name: str, parse: Callable[[str], Number], text: str) -> Number:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _curves(study_json: Path | None) -> tuple[tuple[Curve, ...], str]:
    """From the study, or, where none was named and none lies in out/, measured now."""
    path = study_json or DEFAULT_STUDY
    if study_json is None and not path.exists():
        from onekernel_study.short_curves import short_curves

        return short_curves(Progress()), "a short measurement just now, since there is no out/study.json"
    study = document.read(path)
    if not study.equivalence.all_ok:
        raise ValueError(f"{path}: its gate failed, so its times say nothing")
    return curves(study), f"{path}, measured {study.environment.date} on {study.environment.cpu_model}"


def _print(advice: Advice, measured: Timed | None, source: str) -> None:
    screen = console(sys.stdout)
    work = advice.workload
    if measured is not None:
        print_table(screen, _function_table(measured))
    title = f"{work.calls:,} calls, {seconds(work.compute_s)} of compute and {work.payload_bytes:,} bytes each"
    columns = ("crossing", "a call", "all calls", "of wall time", f"{SHARE:.0%} at compute", f"{SHARE:.0%} at calls")
    rows = tuple(
        (
            each.name,
            seconds(each.call_s),
            seconds(each.boundary_s),
            percent(each.share),
            seconds(each.break_even_compute_s),
            count(each.break_even_calls) if each.call_s else "any",
        )
        for each in advice.crossings
    )
    notes = (
        f"{SHARE:.0%} at: from this compute per call on, or up to so many calls, the boundary stays below {SHARE:.0%}",
        f"from {source}",
        *(f"{each.name}: {each.arithmetic} [{each.basis}]" for each in advice.crossings if each.call_s),
    )
    print_table(screen, Table(title, columns, rows, notes))
    changes = tuple((each.what, seconds(each.saves_s)) for each in advice.changes)
    how = tuple(f"{each.what.partition(':')[0]}: {each.arithmetic}" for each in advice.changes)
    print_table(screen, Table("What to change, each by itself", ("change", "saves"), changes, how))
    screen.print(Text(advice.summary))


def _function_table(measured: Timed) -> Table:
    title = f"{measured.name}: {seconds(measured.median_s)} a call"
    rows = tuple(
        (
            f"{what}, {each.format}",
            "-" if each.bytes is None else f"{each.bytes:,}",
            "-" if each.encode_s is None else seconds(each.encode_s),
            "-" if each.decode_s is None else seconds(each.decode_s),
        )
        for what, found in (("arguments", measured.arguments), ("result", measured.result))
        for each in found
    )
    times = f"median of {measured.n:,} calls; the first one took {seconds(measured.first_s)}"
    without = tuple(f"{each.format}: {each.reason}" for each in (*measured.arguments, *measured.result) if each.reason)
    return Table(title, ("form", "bytes", "encode", "decode"), rows, (times, *without))
