"""The tables of peers, latencies, first calls and claims."""

from onekernel_study.schema import Study
from onekernel_study.schema_peers import Peer
from onekernel_study.schema_statistics import LatencyRow
from onekernel_study.table import WITHHELD, Table
from onekernel_study.wording import number, percent

NOT_MEASURED = "not measured"


def peers(study: Study) -> tuple[Table, ...]:
    """One table per granularity."""
    titles = {"sweep": "one call per sweep", "combo": "a call per combo, each with the series", "bar": "a call per bar"}
    tables = []
    for granularity, words in titles.items():
        here = [peer for peer in study.peers if peer.granularity == granularity]
        if here:
            tables.append(_peers(words, here))
    return tuple(tables)


def _peers(words: str, here: list[Peer]) -> Table:
    reasons = [f"{each.name}: {each.withheld or each.reason}" for each in here if each.withheld or each.reason]
    return Table(
        f"Peers, {words}",
        ("peer", "transport", "encoding", "n", "sweep s", "ratio", "95 %", "boundary", "p50 us", "p99 us", "p99.9 us",
         "max us", "CPU us, client", "server"),
        tuple(_peer(each) for each in here),
        (
            "sweep s: wall time of all calls, median of n rounds; * derived from fewer calls. ratio: over the "
            "in-process native row. boundary: wall less compute, of wall. us: single calls",
            *reasons,
        ),
        n_left=3,
    )  # fmt: skip


def _peer(each: Peer) -> tuple[str, ...]:
    head = (each.name, each.transport, each.encoding)
    if each.withheld or not each.measured:
        return (*head, WITHHELD if each.withheld else NOT_MEASURED, *("",) * 10)
    tail = each.latency
    times = ("",) * 4 if tail is None else _times(tail.p50_us, tail.p99_us, tail.p999_us, tail.max_us)
    return (
        *head,
        str(each.n),
        number(each.sweep_s, 4) + ("*" if each.sweep_derived else ""),
        number(each.ratio_to_in_process, 2),
        _interval(each.ratio_low, each.ratio_high, 2),
        "" if each.boundary_share is None else percent(each.boundary_share),
        *times,
        number(each.client_cpu_us_per_call, 1),
        number(each.server_cpu_us_per_call, 1),
    )


def latencies(study: Study) -> Table:
    """Percentiles of echoes of one float, in closed and open loops."""
    return Table(
        "Latency of an echo of one float, microseconds",
        ("row", "loop", "placement", "rate per s", "reached", "n", "p50", "95 % of p50", "p90", "p99", "p99.9", "max",
         "CPU us, client", "server"),
        tuple(_latency(each) for each in study.latencies),
        (
            "open loop: timed from when a call was due, so a stall counts for every call that it delays",
            *(f"{each.name} withheld: {each.withheld}" for each in study.latencies if each.withheld),
        ),
        n_left=3,
    )  # fmt: skip


def _latency(each: LatencyRow) -> tuple[str, ...]:
    head = (each.name, each.loop, each.placement, number(each.rate_per_s, 0, "-"), number(each.achieved_per_s, 0, "-"))
    tail = each.latency
    if tail is None:
        return (*head, WITHHELD, *("",) * 8)
    return (
        *head,
        f"{tail.n:,}",
        number(tail.p50_us, 1),
        _interval(each.p50_low_us, each.p50_high_us, 1),
        *_times(tail.p90_us, tail.p99_us, tail.p999_us, tail.max_us),
        number(each.client_cpu_us_per_call, 1),
        number(each.server_cpu_us_per_call, 1),
    )


def cold_start(study: Study) -> Table:
    """What is paid once."""
    return Table(
        "The first call, in a fresh process each time",
        ("what", "p50 ms", "n"),
        tuple((each.what, number(each.p50_ms, 1), str(each.n)) for each in study.cold_start),
    )


def claims(study: Study) -> Table:
    """The article's claims."""
    words = {True: "holds", False: "does not hold", None: NOT_MEASURED}
    return Table(
        "The article's claims, here",
        ("claim", "here", "measured", "published", "rule"),
        tuple((each.claim, words[each.holds], each.measured, each.published, each.basis) for each in study.claims),
        n_left=5,
    )


def _times(*values: float) -> tuple[str, ...]:
    return tuple(number(value, 1) for value in values)


def _interval(low: float | None, high: float | None, decimals: int) -> str:
    return "" if low is None or high is None else f"{number(low, decimals)} to {number(high, decimals)}"
