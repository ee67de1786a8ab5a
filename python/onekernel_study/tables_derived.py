"""The tables of what follows: the article's derived figures, granularity and break-even."""

from onekernel_study import published
from onekernel_study.agreement import agreement
from onekernel_study.names import NUMBA
from onekernel_study.schema import Study
from onekernel_study.table import Table, shown
from onekernel_study.wording import count, number


def derived(study: Study) -> Table:
    """What the article derived, measured."""
    rows = []
    for each in study.derived:
        figure = published.figure(f"derived.{each.name}")
        kind = "" if figure is None else "derived" if figure.derived else "measured"
        shown = number(each.value, 3 if each.unit == "s" else 2)
        rows.append(
            (
                each.what,
                each.basis,
                shown,
                each.unit,
                f"{figure.value:g}" if figure else "",
                kind,
                agreement(each.value, figure),
            )
        )
    return Table(
        "What the article derived, measured here",
        ("figure", "basis here", "value", "unit", "published", "basis there", "agrees"),
        tuple(rows),
        n_left=2,
    )


def granularity(study: Study) -> Table:
    """How much compute a call carries."""
    rows = []
    for each in study.break_even.granularity:
        # The published G is that of one combo of its in-process row, which is numba.
        comparable = (each.kernel, each.unit) == (NUMBA, "combo")
        g = published.figure("derived.granularity_per_combo") if comparable else None
        compute = published.figure("derived.compute_per_combo") if comparable else None
        rows.append(
            (
                each.kernel,
                each.unit,
                number(each.compute_us, 0),
                shown(compute, 0),
                agreement(each.compute_us, compute),
                number(each.g, 0),
                shown(g, 0),
                agreement(each.g, g),
            )
        )
    floor = study.break_even.floor_us
    return Table(
        "Granularity: G = compute per call / floor",
        ("kernel", "call", "compute us", "published", "agrees", "G", "published", "agrees"),
        tuple(rows),
        () if floor is None else (f"floor {floor:.2f} us: the Unix socket's, from the fit",),
        n_left=2,
    )


def break_even(study: Study) -> Table:
    """Into how many calls a sweep may be split."""
    facts = study.break_even
    rows = [
        (
            each.kernel,
            count(each.calls_at_1_percent),
            count(each.calls_at_10_percent),
            count(each.calls_at_50_percent),
            count(each.shipping_calls_at_1_percent),
            count(each.shipping_calls_at_10_percent),
            count(each.shipping_calls_at_50_percent),
        )
        for each in facts.granularity
        if each.unit == "sweep"
    ]
    notes = ["that many calls take 1, 10 or 50 % of the total: empty ones, or ones that ship the series each time"]
    if facts.series_crossing_us is not None:
        notes.append(f"a call with the series costs {facts.series_crossing_us:.1f} us, {facts.series_crossing_basis}")
    return Table(
        "Break-even: calls that one sweep may be split into",
        ("kernel", "empty: 1 %", "10 %", "50 %", "with the series: 1 %", "10 %", "50 %"),
        tuple(rows),
        tuple(notes),
    )
