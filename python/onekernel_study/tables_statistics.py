"""The tables about distributions and first calls, and the article's claims."""

from onekernel_study.schema import Study
from onekernel_study.schema_statistics import LatencyRow
from onekernel_study.table import WITHHELD, Table
from onekernel_study.wording import interval, number


def latencies(study: Study) -> Table:
    """Echoes of one float."""
    names = {each.placement for each in study.latencies}
    absent = [name for name in ("two cores", "siblings") if name not in names]
    return Table(
        "Latency of an echo of one float, microseconds",
        ("loop", "placement", "n", "rate/s", "p50", "95 %", "p90", "p99", "p99.9", "max", "client CPU", "engine CPU"),
        tuple(_latency(row) for row in study.latencies),
        (
            "open: each call is timed from when it was due, so a stall counts for every call that it delays",
            "rate/s: what was reached; an open loop's client CPU has the spinning until the next call is due",
            *([f"this machine, or the cores that may be used, has no {' and no '.join(absent)}"] if absent else []),
            *(f"{row.name} withheld: {row.withheld}" for row in study.latencies if row.withheld),
        ),
        n_left=2,
    )


def _latency(row: LatencyRow) -> tuple[str, ...]:
    loop = f"{row.transport} {row.loop}" + ("" if row.rate_per_s is None else f" {row.rate_per_s:,.0f}/s")
    if row.latency is None:
        return (loop, row.placement, WITHHELD, *("",) * 9)
    facts = row.latency
    return (
        loop,
        row.placement,
        f"{facts.n:,}",
        number(row.achieved_per_s, 0),
        number(facts.p50_us, 1),
        interval(row.p50_low_us, row.p50_high_us, 1),
        *(number(value, 1) for value in (facts.p90_us, facts.p99_us, facts.p999_us, facts.max_us)),
        number(row.client_cpu_us_per_call, 1),
        number(row.server_cpu_us_per_call, 1),
    )


def cold_start(study: Study) -> Table:
    """What is waited for once."""
    return Table(
        "First calls: a sweep of one combo over 500 bars",
        ("what", "median ms", "n"),
        tuple((each.what, number(each.p50_ms, 2), str(each.n)) for each in study.cold_start),
        ("each in a fresh process; numba compiles in its first call unless its cache on disk has the machine code",),
    )


def claims(study: Study) -> Table:
    """The article's claims."""
    return Table(
        "The article's claims",
        ("claim", "here", "measured"),
        tuple((each.name, HOLDS[each.holds], each.measured) for each in study.claims),
        tuple(f"{each.name}: {each.claim} Published: {each.published}. Rule: {each.basis}." for each in study.claims),
        n_left=3,
    )


HOLDS = {True: "holds", False: "does not hold", None: "not measured"}
