"""The paper's plots as SVG, drawn by matplotlib from the study alone; the same study gives the same bytes."""

import io
import math
import typing
from collections.abc import Callable

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from onekernel_study import published
from onekernel_study.report.bars import GRANULARITIES
from onekernel_study.schema import Study

COLORS = ("#0a58a8", "#b8480b", "#0b7350", "#7b3fa0", "#8a6500", "#a2255f")
INK = "#1a1f27"
STYLE: dict[typing.Any, typing.Any] = {  # matplotlib types the keys one by one
    "svg.hashsalt": "onekernel",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#d9dee6",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 7,
}
WIDTH = 6.7  # inches: the paper's text


def plots(study: Study) -> dict[str, str]:
    """Every plot that this study has figures for, by name."""
    makers: dict[str, tuple[float, Callable[[Axes, Study], bool]]] = {
        "ladder": (0.32 * len(study.architectures) + 0.7, _ladder),
        "echo": (3.0, _echo),
        "latency": (3.0, _latency),
        "serialization": (0.3 * len(study.serialization) + 0.7, _serialization),
        "fast": (0.28 * len(study.fast_engine.rows) + 0.7, _fast),
    }
    for granularity in GRANULARITIES:
        n = sum(peer.granularity == granularity for peer in study.peers)
        makers[f"peers_{granularity}"] = (0.3 * n + 0.7, _peers(granularity))
    drawn = {name: _drawn(study, height, make) for name, (height, make) in makers.items()}
    return {name: svg for name, svg in drawn.items() if svg}


def _drawn(study: Study, height: float, make: Callable[[Axes, Study], bool]) -> str | None:
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        if not make(figure.add_subplot(), study):
            return None
        out = io.StringIO()
        FigureCanvasSVG(figure)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        return out.getvalue()


def _ladder(axes: Axes, study: Study) -> bool:
    rows = [row for row in study.architectures if row.ratio_to_in_process is not None and row.median_s]
    if not rows:
        return False
    names = [row.name for row in rows]
    ratios = [row.ratio_to_in_process or 0.0 for row in rows]
    shares = [min(1.0, max(0.0, (row.boundary_s or 0.0) / (row.median_s or 1.0))) for row in rows]
    compute = [ratio * (1 - share) for ratio, share in zip(ratios, shares, strict=True)]
    boundary = [ratio * share for ratio, share in zip(ratios, shares, strict=True)]
    axes.barh(names, compute, 0.6, color=COLORS[0], label="compute")
    axes.barh(names, boundary, 0.6, left=compute, color=COLORS[1], label="boundary")
    for row in rows:
        if row.ratio_low is not None and row.ratio_high is not None:
            axes.plot([row.ratio_low, row.ratio_high], [row.name] * 2, color=INK, linewidth=1, marker="|", markersize=4)
    there = {row.name: published.figure(f"architectures.{row.name}.ratio") for row in rows}
    known = {name: figure.value for name, figure in there.items() if figure}
    axes.scatter(list(known.values()), list(known), color="white", edgecolors=INK, zorder=3, s=18, label="published")
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlabel("ratio to numba in process; the thin line is the 95 % interval")
    axes.legend(loc="upper right")
    return True


def _echo(axes: Axes, study: Study) -> bool:
    points = [point for point in study.echo if point.p50_us is not None]
    if not points:
        return False
    sizes = sorted({point.bytes for point in points})
    grid = [sizes[0] * (2 * sizes[-1] / sizes[0]) ** (i / 100) for i in range(101)]
    fits = {fit.transport: fit for fit in study.echo_fits}
    for color, name in zip(COLORS, dict.fromkeys(point.transport for point in points), strict=False):
        own = [point for point in points if point.transport == name]
        axes.plot([p.bytes for p in own], [p.p50_us or 0.0 for p in own], "o", color=color, markersize=4, label=name)
        if (fit := fits.get(name)) is not None:
            slope = [2 * n / fit.bandwidth_gb_s / 1e3 for n in grid]
            axes.plot(grid, [fit.floor_us + us for us in slope], color=color, linewidth=1.2)
            axes.plot(grid, [fit.floor_us] * len(grid), ":", color=color, linewidth=0.8)
            shown = [(n, us) for n, us in zip(grid, slope, strict=True) if us > fit.floor_us / 3]
            axes.plot([n for n, _ in shown], [us for _, us in shown], "--", color=color, linewidth=0.8)
    there = [(p.bytes, f.value) for p in points if (f := published.figure(f"echo.{p.transport}.{p.floats}.p50_us"))]
    axes.plot(
        [n for n, _ in there], [us for _, us in there], "o", mfc="white", mec=INK, markersize=5, label="published"
    )
    axes.set(xscale="log", yscale="log", xlabel="bytes one way", ylabel="microseconds, p50")
    axes.legend(loc="upper left")
    return True


def _latency(axes: Axes, study: Study) -> bool:
    rows = [row for row in study.latencies if row.histogram is not None and row.placement == "free"]
    for i, row in enumerate(rows):
        if row.histogram is None:
            continue
        total = sum(row.histogram.counts)
        left = [sum(row.histogram.counts[k:]) / total for k in range(len(row.histogram.counts))]
        style = "-" if row.loop == "closed" else "--"
        color = COLORS[i % len(COLORS)]
        axes.plot(row.histogram.edges_us[:-1], left, style, color=color, linewidth=1.2, label=row.name)
    axes.set(xscale="log", yscale="log", xlabel="microseconds", ylabel="share of calls at least so long")
    if rows:
        axes.legend(loc="lower left")
    return bool(rows)


def _serialization(axes: Axes, study: Study) -> bool:
    known = [row for row in study.serialization if row.encode_p50_us and row.decode_p50_us]
    places = range(len(known))
    axes.barh(
        [i - 0.2 for i in places], [row.encode_p50_us or 0.0 for row in known], 0.38, color=COLORS[0], label="encode"
    )
    axes.barh(
        [i + 0.2 for i in places], [row.decode_p50_us or 0.0 for row in known], 0.38, color=COLORS[1], label="decode"
    )
    axes.set_yticks(list(places), [row.title for row in known])
    axes.set(xscale="log", xlabel="microseconds, p50")
    _tidy(axes)
    return bool(known)


def _fast(axes: Axes, study: Study) -> bool:
    known = [row for row in study.fast_engine.rows if row.p50_us is not None and row.boundary_p50_us is not None]
    names = [row.name for row in known]
    boundary = [max(0.0, row.boundary_p50_us or 0.0) / 1e3 for row in known]
    compute = [(row.p50_us or 0.0) / 1e3 - part for row, part in zip(known, boundary, strict=True)]
    axes.barh(names, compute, 0.6, color=COLORS[0], label="compute")
    axes.barh(names, boundary, 0.6, left=compute, color=COLORS[1], label="boundary")
    axes.set_xlabel("milliseconds, p50 of one sweep")
    _tidy(axes)
    return bool(known)


def _peers(granularity: str) -> Callable[[Axes, Study], bool]:
    def draw(axes: Axes, study: Study) -> bool:
        known = [p for p in study.peers if p.granularity == granularity and p.sweep_s and not p.withheld]
        least = min((p.sweep_s or 1.0 for p in known), default=1.0)
        axes.barh([p.title for p in known], [p.sweep_s or 0.0 for p in known], 0.6, color=COLORS[0], label="wall")
        axes.set(xscale="log", xlabel=f"seconds, all calls; {GRANULARITIES[granularity]}")
        most = max((p.sweep_s or 1.0 for p in known), default=1.0)
        axes.set_xlim(10.0 ** math.floor(math.log10(least)), 10.0 ** math.ceil(math.log10(most * 1.01)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        _tidy(axes, legend=False)
        return bool(known)

    return draw


def _tidy(axes: Axes, legend: bool = True) -> None:
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    if legend:
        axes.legend(loc="best")
