"""What changed between two studies: runs of one machine, or two machines. `onekernel study --compare A.json B.json`.

Every figure is compared as B / A. Where both have an interval, the quotient has one too: from the lowest B over the
highest A to the highest B over the lowest A, which is wider than 95 %. A change is called one where that interval
leaves 1 out, and further by more than intervals of a few rounds can be off.
"""

import dataclasses
import json
import sys
from collections.abc import Iterator

from rich.text import Text

from onekernel_study.intervals import Interval, median_interval
from onekernel_study.report_terminal import console, print_table
from onekernel_study.schema import Study
from onekernel_study.table import Table
from onekernel_study.wording import interval, number, significant

MARGIN = 0.02  # a change smaller than this is none, however narrow the intervals are


@dataclasses.dataclass(frozen=True)
class Figure:
    """One figure of a study; low and high are None where its document has no interval for it."""

    value: float
    unit: str
    low: float | None
    high: float | None


@dataclasses.dataclass(frozen=True)
class Change:
    """One figure in both studies. changed is None where an interval is missing, so that nothing can be said."""

    name: str
    unit: str
    before: float
    after: float
    quotient: float
    quotient_low: float | None
    quotient_high: float | None
    changed: bool | None


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two studies side by side."""

    environment: tuple[tuple[str, str, str], ...]  # what differs: its name, before, after
    changes: tuple[Change, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    claims: tuple[tuple[str, bool | None, bool | None], ...]  # that hold in one and not in the other

    @property
    def changed(self) -> tuple[Change, ...]:
        """The figures that changed beyond the intervals, the largest change first."""
        found = [each for each in self.changes if each.changed]
        return tuple(sorted(found, key=lambda each: -max(each.quotient, 1.0 / each.quotient)))


def compare(before: Study, after: Study) -> Comparison:
    """What changed from one study to another."""
    a, b = dict(figures(before)), dict(figures(after))
    held, holds = ({each.name: each.holds for each in study.claims} for study in (before, after))
    return Comparison(
        environment=tuple(_environment(before, after)),
        changes=tuple(_change(name, a[name], b[name]) for name in a if name in b),
        only_before=tuple(name for name in a if name not in b),
        only_after=tuple(name for name in b if name not in a),
        claims=tuple((name, held[name], holds[name]) for name in held if name in holds and held[name] != holds[name]),
    )


def figures(study: Study) -> Iterator[tuple[str, Figure]]:
    """Every figure that is compared, by a name that is the same in every study; none that is not above zero."""
    for name, value, unit, bounds in _all(study):
        if value is not None and value > 0:
            low, high = bounds or (None, None)
            yield name, Figure(value, unit, low, high)


def _all(study: Study) -> Iterator[tuple[str, float | None, str, Interval | None]]:
    for row in study.architectures:
        yield f"architectures.{row.name}.ratio", row.ratio_to_in_process, "x", _both(row.ratio_low, row.ratio_high)
        yield f"architectures.{row.name}.median", row.median_s, "s", median_interval(row.runs_s)
    for fast in study.fast_engine.rows:
        yield f"fast_engine.{fast.name}.ratio", fast.ratio_to_in_process, "x", _both(fast.ratio_low, fast.ratio_high)
    for live in study.live:
        speed = _both(live.unix_over_this_low, live.unix_over_this_high)
        yield f"live.{live.name}.unix_over_this", live.unix_over_this, "x", speed
        yield f"live.{live.name}.p50", live.p50_us, "us", None
    for peer in study.peers:
        name = f"peers.{peer.name}.{peer.granularity}.ratio"
        yield name, peer.ratio_to_in_process, "x", _both(peer.ratio_low, peer.ratio_high)
    for each in study.latencies:
        p50 = None if each.latency is None else each.latency.p50_us
        yield f"latencies.{each.name}.p50", p50, "us", _both(each.p50_low_us, each.p50_high_us)
    for point in study.echo:
        yield f"echo.{point.transport}.{point.floats}.p50", point.p50_us, "us", None
    for format_ in study.serialization:
        yield f"serialization.{format_.format}.encode_p50", format_.encode_p50_us, "us", None
    for spawn in study.spawn:
        yield f"spawn.{spawn.what}.p50", spawn.p50_ms, "ms", None
    for cold in study.cold_start:
        yield f"cold_start.{cold.what}.p50", cold.p50_ms, "ms", None


def _both(low: float | None, high: float | None) -> Interval | None:
    return None if low is None or high is None else (low, high)


def _change(name: str, a: Figure, b: Figure) -> Change:
    quotient = b.value / a.value
    if a.low is None or a.high is None or b.low is None or b.high is None or a.low <= 0:
        return Change(name, a.unit, a.value, b.value, quotient, None, None, None)
    low, high = b.low / a.high, b.high / a.low
    changed = low > 1.0 + MARGIN or high < 1.0 - MARGIN
    return Change(name, a.unit, a.value, b.value, quotient, low, high, changed)


def _environment(before: Study, after: Study) -> Iterator[tuple[str, str, str]]:
    a, b = before.environment, after.environment
    for name in ("cpu_model", "cores", "affinity", "kernel_release", "governor", "engine_version", "engine_compiler"):
        yield from _differing(name, getattr(a, name), getattr(b, name))
    yield from _differing("load_average_at_start", a.load_average_at_start, b.load_average_at_start)
    yield from _differing("quick", before.quick, after.quick)
    yield from _differing("workload", before.workload, after.workload)
    old, new = ({each.package: each.version for each in machine.versions} for machine in (a, b))
    for package in sorted(old.keys() | new.keys()):
        yield from _differing(package, old.get(package, "not there"), new.get(package, "not there"))


def _differing(name: str, a: object, b: object) -> Iterator[tuple[str, str, str]]:
    if a != b:
        yield name, str(a), str(b)


def print_changes(before: Study, after: Study, name_a: str, name_b: str, as_json: bool) -> None:
    """Writes the comparison to standard output, as tables or as one JSON document."""
    found = compare(before, after)
    if as_json:
        body = {"before": name_a, "after": name_b, "changed": [each.name for each in found.changed]}
        json.dump({**body, **dataclasses.asdict(found)}, sys.stdout, indent=1, allow_nan=False)
        sys.stdout.write("\n")
        return
    screen = console(sys.stdout)
    if found.environment:
        columns = ("what", "before", "after")
        print_table(screen, Table("What differs in machine and software", columns, found.environment, n_left=3))
    print_table(screen, _table("Changed beyond the intervals", found.changed, name_a, name_b))
    print_table(screen, _table("Compared", found.changes, name_a, name_b))
    for name, held, holds in found.claims:
        screen.print(Text(f"claim {name}: {_said(held)} before, {_said(holds)} after"))
    for names, where in ((found.only_before, name_a), (found.only_after, name_b)):
        if names:
            screen.print(Text(f"only in {where}: {', '.join(names)}"))
    known = [each for each in found.changes if each.changed is not None]
    screen.print(Text(_summary(len(found.changed), len(known), len(found.changes) - len(known))))


def _summary(changed: int, known: int, unknown: int) -> str:
    first = (
        f"{changed} of {known} figures with an interval changed beyond it."
        if changed
        else f"No change beyond the intervals in any of {known} figures that have one."
    )
    return f"{first} {unknown} more have no interval in the documents, so nothing is said about them."


def _said(holds: bool | None) -> str:
    return "not measured" if holds is None else "holds" if holds else "does not hold"


def _table(title: str, changes: tuple[Change, ...], name_a: str, name_b: str) -> Table:
    rows = tuple(
        (
            each.name,
            each.unit,
            significant(each.before),
            significant(each.after),
            number(each.quotient, 3),
            interval(each.quotient_low, each.quotient_high, 3),
            {True: "changed", False: "no change", None: "unknown"}[each.changed],
        )
        for each in changes
    )
    notes = (f"before: {name_a}; after: {name_b}", f"changed: the interval leaves out 1 by more than {MARGIN:.0%}")
    return Table(title, ("figure", "unit", "before", "after", "after/before", "interval", ""), rows, notes, n_left=2)
