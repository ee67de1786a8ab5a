"""Rows of bars, drawn by the page with nothing but HTML: what each row says is in its text, the bar only shows it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from onekernel_study import published
from onekernel_study.schema import Architecture, FastRow, Study
from onekernel_study.schema_live import LiveRow
from onekernel_study.schema_peers import Peer
from onekernel_study.wording import count, number, percent, seconds

GRANULARITIES = {
    "sweep": "one call per sweep",
    "combo": "a call per combo, each with the series",
    "bar": "a call per bar",
}

LIVE_TRACK_FROM_US = 0.01


@dataclass(frozen=True)
class Bar:
    """One row. Widths are percent of the track; `first` and `second` stand side by side, `mark` is a line across."""

    name: str
    title: str
    value: str
    details: tuple[str, ...]
    first: float = 0.0
    second: float = 0.0
    mark: float | None = None
    missing: str | None = None  # why there is nothing to show


@dataclass(frozen=True)
class Bars:
    """A titled group of rows with what its colours mean; `second` empty where only one colour is used."""

    title: str
    first: str
    second: str
    mark: str
    rows: tuple[Bar, ...]


def ladder(study: Study) -> Bars:
    """Every architecture by its ratio to numba in process: compute and boundary apart, a mark for the published one."""
    figures = {row.name: published.figure(f"architectures.{row.name}.ratio") for row in study.architectures}
    ratios = [row.ratio_to_in_process for row in study.architectures]
    longest = _longest([*ratios, *(figure.value for figure in figures.values() if figure)])
    rows = []
    for row in study.architectures:
        figure = figures[row.name]
        mark = None if figure is None else 100 * figure.value / longest
        rows.append(_ladder_row(row, longest, mark))
    return Bars("Ratio to numba in process", "compute", "boundary", "published ratio", tuple(rows))


def _ladder_row(row: Architecture, longest: float, mark: float | None) -> Bar:
    ratio, boundary = row.ratio_to_in_process, row.boundary_s
    if row.median_s is None or boundary is None:
        return Bar(row.name, row.title, "withheld", (), missing=row.withheld or "not measured", mark=mark)
    seconds_there = published.figure(f"architectures.{row.name}.median_s")
    ratio_there = published.figure(f"architectures.{row.name}.ratio")
    runs = len(row.runs_s)
    details = [f"median {row.median_s:.3f} s of {runs} run{'s' if runs != 1 else ''}"]
    if row.crossings:
        details.append(f"boundary {seconds(boundary)} in {count(row.crossings)} call{'s' if row.crossings > 1 else ''}")
    if row.ratio_low is not None and row.ratio_high is not None:
        details.insert(1, f"95 % interval {row.ratio_low:.3f} to {row.ratio_high:.3f}")
    if seconds_there and ratio_there:
        details.append(f"published {seconds_there.value:.3f} s, {ratio_there.value:.2f}x")
    if ratio is None:
        return Bar(row.name, row.title, "no ratio", tuple(details), mark=mark)
    share = min(1.0, max(0.0, boundary / row.median_s))
    width = 100 * ratio / longest
    return Bar(row.name, row.title, f"{ratio:.3f}x", tuple(details), width * (1 - share), width * share, mark)


def serialization(study: Study) -> Bars:
    """Encode and decode of every format, on a logarithmic track."""
    both = {
        each.format: each.encode_p50_us + each.decode_p50_us
        for each in study.serialization
        if each.encode_p50_us is not None and each.decode_p50_us is not None
    }
    width = _logarithmic(both.values())
    rows = []
    for each in study.serialization:
        if each.encode_p50_us is None or each.decode_p50_us is None:
            reason = each.withheld or "not measured"
            rows.append(Bar(each.format, each.title, "withheld", (), missing=reason))
            continue
        details = [f"encode {seconds(each.encode_p50_us / 1e6)}", f"decode {seconds(each.decode_p50_us / 1e6)}"]
        if each.ratio_to_raw is not None:
            details.append(f"encoding {number(each.ratio_to_raw, 2)}x raw copied")
        figure = published.figure(f"serialization.{each.format}.ratio")
        if figure is not None:
            details.append(f"published {figure.value:,.0f}x")
        total = both[each.format]
        rows.append(Bar(each.format, each.title, seconds(total / 1e6), tuple(details), width(total)))
    return Bars("Encode and decode of the series, logarithmic", "encode + decode, p50", "", "", tuple(rows))


def fast_engine(study: Study) -> Bars:
    """Every crossing of the fast engine, compute and boundary apart."""
    longest = _longest([row.p50_us for row in study.fast_engine.rows])
    return Bars(
        "One sweep of the fast engine",
        "compute",
        "boundary",
        "",
        tuple(_fast_row(row, longest) for row in study.fast_engine.rows),
    )


def _fast_row(row: FastRow, longest: float) -> Bar:
    if row.p50_us is None or row.boundary_p50_us is None:
        return Bar(row.name, row.title, "withheld", (), missing=row.withheld or "not measured")
    details = []
    if row.crossings:
        details = [
            f"boundary {seconds(row.boundary_p50_us / 1e6)}",
            f"{count(row.crossings)} call{'s' if row.crossings > 1 else ''}",
        ]
    if row.ratio_to_in_process is not None:
        details.insert(0, f"{row.ratio_to_in_process:.3f}x in process")
    boundary = min(row.p50_us, max(0.0, row.boundary_p50_us))
    first, second = 100 * (row.p50_us - boundary) / longest, 100 * boundary / longest
    return Bar(row.name, row.title, seconds(row.p50_us / 1e6), tuple(details), first, second)


def live(study: Study) -> Bars:
    """Every way of feeding a live session, by the mean of a call, on a logarithmic track from 10 ns on."""
    means = [row.mean_us for row in study.live if row.mean_us is not None]
    decades = math.log10(max([*means, 1.0]) / LIVE_TRACK_FROM_US)
    return Bars(
        "One bar, one call, logarithmic", "mean of a call", "", "", tuple(_live_row(row, decades) for row in study.live)
    )


def _live_row(row: LiveRow, decades: float) -> Bar:
    title = f"{row.client}, {row.crossing}, {count(row.n_combos)} combo{'s' if row.n_combos > 1 else ''}"
    if row.mean_us is None or row.series_s is None:
        return Bar(row.name, title, "withheld", (), missing=row.withheld or "not measured")
    details = [f"{seconds(row.series_s)} a series"]
    if row.unix_over_this is not None:
        details.append(f"unix takes {number(row.unix_over_this, 1)} times as long")
    first = 100 * max(0.0, math.log10(row.mean_us / LIVE_TRACK_FROM_US)) / decades
    return Bar(row.name, title, seconds(row.mean_us / 1e6), tuple(details), first)


def peers(study: Study) -> tuple[Bars, ...]:
    """The ladder of peers, one group per granularity, each by its wall time on a logarithmic track."""
    groups = []
    for granularity, words in GRANULARITIES.items():
        here = [peer for peer in study.peers if peer.granularity == granularity]
        if here:
            width = _logarithmic(_shown_s(peer) for peer in here if _shown_s(peer) is not None)
            rows = tuple(_peer_row(peer, width(_shown_s(peer) or 0.0)) for peer in here)
            groups.append(Bars(f"{words[0].upper()}{words[1:]}", "wall time of all calls, logarithmic", "", "", rows))
    return tuple(groups)


def _shown_s(peer: Peer) -> float | None:
    return None if peer.withheld else peer.sweep_s


def _peer_row(peer: Peer, width: float) -> Bar:
    total = _shown_s(peer)
    if total is None:
        missing = peer.withheld or peer.reason or "no reason given"
        return Bar(peer.name, peer.title, "withheld" if peer.withheld else "not measured", (), missing=missing)
    details = [f"{peer.transport}, {peer.encoding}"]
    if peer.boundary_share is not None:
        details.append(f"boundary {percent(peer.boundary_share)} of wall")
    if peer.latency is not None:
        details.append(f"a call p50 {seconds(peer.latency.p50_us / 1e6)}, p99 {seconds(peer.latency.p99_us / 1e6)}")
    if peer.ratio_to_in_process is not None:
        details.append(f"{_ratio(peer.ratio_to_in_process)}x in process{_interval(peer)}")
    if peer.sweep_derived:
        details.append(f"derived from {peer.calls_made:,} of {peer.calls_planned:,} calls")
    return Bar(peer.name, peer.title, seconds(total), tuple(details), width)


def _interval(peer: Peer) -> str:
    if peer.ratio_low is None or peer.ratio_high is None:
        return ""
    return f" ({_ratio(peer.ratio_low)} to {_ratio(peer.ratio_high)})"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _longest(values: Iterable[float | None]) -> float:
    return max((value for value in values if value is not None), default=0.0) or 1.0


def _logarithmic(values: Iterable[float | None]) -> "_Logarithm":
    positive = [value for value in values if value is not None and value > 0]
    return _Logarithm(math.floor(math.log10(min(positive, default=1.0))), math.log10(max(positive, default=10.0)))


@dataclass(frozen=True)
class _Logarithm:
    """Percent of the track for a value, from the power of ten below the least to the largest."""

    low: float
    high: float

    def __call__(self, value: float) -> float:
        if value <= 0 or self.high <= self.low:
            return 0.0
        return max(1.0, 100 * (math.log10(value) - self.low) / (self.high - self.low))
