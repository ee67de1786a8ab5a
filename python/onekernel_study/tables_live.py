"""The table about live sessions: a call per bar, beside the article's derived figure."""

from onekernel_study import published
from onekernel_study.schema import Study
from onekernel_study.table import WITHHELD, Table
from onekernel_study.wording import interval, number

PER_BAR_SERIES_S = published.FIGURES["derived.per_bar_series"].value


def live(study: Study) -> Table:
    """Every way of feeding a live session bar by bar."""
    return Table(
        "A call per bar: live sessions, microseconds per call",
        ("client", "crossing", "combos", "n", "p50", "p90", "p99", "series", "of published", "unix / this", "95 %"),
        tuple(
            (
                row.client,
                row.crossing,
                str(row.n_combos),
                WITHHELD if row.withheld else f"{row.n:,}",
                number(row.p50_us, 2),
                number(row.p90_us, 2),
                number(row.p99_us, 2),
                "-" if row.series_s is None else f"{row.series_s:.2f} s",
                "-" if row.series_s is None else f"{100 * row.series_s / PER_BAR_SERIES_S:.1f} %",
                number(row.unix_over_this, 1),
                interval(row.unix_over_this_low, row.unix_over_this_high, 1),
            )
            for row in study.live
        ),
        (
            f"series: all {study.workload.n_bars:,} bars at the mean per call; of published: the article's derived "
            f"{PER_BAR_SERIES_S:g} s for a Unix socket that computes nothing",
            "unix / this: how many times as long the same client takes over the Unix socket, medians of rounds",
            "every call's changes are compared with the sweep's trades; reading the clock is in the figures",
        ),
        n_left=2,
    )
