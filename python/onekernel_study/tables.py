"""The report as tables of text, from the study alone; how they are drawn is the business of the report_* modules."""

from collections.abc import Callable
from dataclasses import dataclass

from onekernel_study import published
from onekernel_study.agreement import RULE, agreement
from onekernel_study.published import Figure
from onekernel_study.rows import NUMBA
from onekernel_study.schema import Architecture, Study
from onekernel_study.verdict import boundary_share, spread
from onekernel_study.wording import count, number, percent

WITHHELD = "withheld"


@dataclass(frozen=True)
class Table:
    """A titled table. The first `n_left` columns are words and stand to the left, the others are numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    n_left: int = 1


def all_tables(study: Study) -> tuple[Table, ...]:
    """Every table of the report, in its order."""
    makers: tuple[Callable[[Study], Table], ...] = (
        equivalence,
        wall_times,
        where_time_goes,
        echo,
        echo_fits,
        placement,
        serialization,
        spawn,
        derived,
        granularity,
        break_even,
        environment,
    )
    return tuple(maker(study) for maker in makers)


def equivalence(study: Study) -> Table:
    """The gate, row by row."""
    facts = study.equivalence
    titles = {row.name: row.title for row in study.architectures}
    print_of = facts.fingerprint
    expected = (
        f", published {print_of.expected_pnl_pct} over {print_of.expected_trades:,}: {'ok' if print_of.ok else 'WRONG'}"
        if print_of.expected_trades is not None
        else ""
    )
    return Table(
        "Equivalence: every run's own answer against the numba reference",
        ("row", "what", "answers", "bitwise", "trades", "max |pnl diff|", "pnl within 1e-6"),
        tuple(
            (
                row.name,
                titles[row.name],
                str(row.answers_checked),
                "equal" if row.bitwise else "DIFFERENT",
                "equal" if row.trades_equal else "DIFFERENT",
                "none" if row.max_abs_pnl_diff is None else f"{row.max_abs_pnl_diff:.3g}",
                "yes" if row.published_gate else "NO",
            )
            for row in facts.rows
        ),
        (
            f"combo 0: pnl {print_of.pnl_pct:.2f} over {print_of.trades:,} trades{expected}",
            f"echoes returned what was sent: {_yes(facts.echo_ok)}; "
            f"decoded arrays equal to the original: {_yes(facts.serialization_ok)}",
            *facts.complaints,
        ),
        n_left=2,
    )


def wall_times(study: Study) -> Table:
    """Medians beside the published ones."""
    boxed = [row.name for row in study.architectures if row.time_boxed and row.withheld is None]
    return Table(
        f"Architectures: {study.workload.n_combos} combos over {study.workload.n_bars:,} bars, wall time",
        ("row", "runs", "median s", "spread", "ratio", "published s", "published ratio", "ratio agrees"),
        tuple(_wall_time(row) for row in study.architectures),
        (
            "spread: (largest - smallest) / median. " + RULE,
            *([f"measured fewer times, since one run takes long: {', '.join(boxed)}"] if boxed else []),
            *(f"{row.name} withheld: {row.withheld}" for row in study.architectures if row.withheld),
        ),
    )


def _wall_time(row: Architecture) -> tuple[str, ...]:
    seconds = published.figure(f"architectures.{row.name}.median_s")
    ratio = published.figure(f"architectures.{row.name}.ratio")
    return (
        row.name,
        WITHHELD if row.withheld else str(len(row.runs_s)),
        number(row.median_s, 3),
        percent(spread(row)) if len(row.runs_s) > 1 else "",
        number(row.ratio_to_in_process, 3),
        _shown(seconds, 3),
        _shown(ratio, 2),
        agreement(row.ratio_to_in_process, ratio),
    )


def where_time_goes(study: Study) -> Table:
    """Compute and boundary of every row."""
    rows = []
    for row in study.architectures:
        if row.withheld or row.boundary_s is None or not row.median_s:
            rows.append((row.name, WITHHELD, *("",) * 6))
            continue
        each = row.boundary_s / row.crossings * 1e6 if row.crossings else None
        rows.append(
            (
                row.name,
                number(row.compute_s, 3),
                number(row.boundary_s * 1e3, 2),
                percent(boundary_share(row)),
                str(row.crossings),
                number(each, 0, "-"),
                number(row.bytes_out, 0),
                number(row.bytes_in, 0),
            )
        )
    return Table(
        "Where the time goes: the engine's own compute, and the rest",
        ("row", "compute s", "boundary ms", "of wall", "crossings", "us each", "bytes out", "bytes in"),
        tuple(rows),
        (
            "boundary = wall - compute of the same run, then the median; in process the call itself is the compute",
            "bytes are those of one sweep, length prefixes included",
        ),
    )


def echo(study: Study) -> Table:
    """The echo curve."""
    rows = []
    for point in study.echo:
        figure = published.figure(f"echo.{point.transport}.{point.floats}.p50_us")
        rows.append(
            (
                point.transport,
                f"{point.floats:,}",
                f"{point.bytes:,}",
                f"{point.n:,}",
                number(point.p50_us, 1, WITHHELD),
                number(point.p90_us, 1),
                number(point.p99_us, 1),
                _shown(figure, 1),
                agreement(point.p50_us, figure),
            )
        )
    return Table(
        "Echo: a crossing that computes nothing, microseconds",
        ("transport", "floats", "bytes one way", "n", "p50", "p90", "p99", "published", "agrees"),
        tuple(rows),
        ("nearest-rank percentiles of single calls; every reply compared in full with what was sent",),
    )


def echo_fits(study: Study) -> Table:
    """Floor and bandwidth."""
    rows = []
    for fit in study.echo_fits:
        floor = published.figure(f"echo.{fit.transport}.1.p50_us")
        bandwidth = published.figure(f"echo.{fit.transport}.bandwidth_gb_s")
        rows.append(
            (
                fit.transport,
                number(fit.floor_us, 2),
                number(fit.p50_one_float_us, 2),
                _shown(floor, 2),
                number(fit.bandwidth_gb_s, 2),
                _shown(bandwidth, 1),
                agreement(fit.bandwidth_gb_s, bandwidth),
                percent(fit.worst_residual_percent / 100.0),
            )
        )
    methods = dict.fromkeys(fit.method for fit in study.echo_fits)
    return Table(
        "Floor and bandwidth: time = floor + bytes / bandwidth",
        ("transport", "floor us", "p50 of 1 float", "published", "GB/s", "published", "GB/s agrees", "worst residual"),
        tuple(rows),
        tuple(methods),
    )


def placement(study: Study) -> Table:
    """What the floor owes to the scheduler."""
    rows = [
        (
            each.transport,
            each.placement,
            f"{each.n:,}",
            number(each.p50_us, 1),
            number(each.p90_us, 1),
            number(each.p99_us, 1),
        )
        for each in study.echo_placement
    ]
    return Table(
        "Echo of one float, client and engine pinned, microseconds",
        ("transport", "client and engine on", "n", "p50", "p90", "p99"),
        tuple(rows),
        ("in the curve above nothing is pinned: its floor is what the scheduler made of it",),
        n_left=2,
    )


def serialization(study: Study) -> Table:
    """The tax of each format."""
    rows = []
    for each in study.serialization:
        figure = published.figure(f"serialization.{each.format}.encode_p50_us")
        ratio = published.figure(f"serialization.{each.format}.ratio")
        rows.append(
            (
                each.title,
                number(each.encode_p50_us, 1, WITHHELD),
                number(each.decode_p50_us, 1, WITHHELD),
                f"{each.bytes:,}",
                number(each.ratio_to_raw, 2),
                _shown(figure, 1),
                _shown(ratio, 0),
                agreement(each.ratio_to_raw, ratio),
            )
        )
    n = min((each.n for each in study.serialization), default=0)
    return Table(
        f"Serialization: {study.workload.n_bars:,} floats, p50 microseconds of {n}",
        ("format", "encode", "decode", "bytes", "ratio", "published us", "published ratio", "ratio agrees"),
        tuple(rows),
        (
            "ratio: encode over the encode of raw doubles copied, as published",
            "decode ends with a float64 array that equals the original bit for bit, checked every time",
            "not copied: encode gives a header and views of the arrays, decode a view of the bytes",
        ),
    )


def spawn(study: Study) -> Table:
    """Processes."""
    return Table(
        "Spawn: start, one tiny piece of work, exit",
        ("what", "p50 ms", "n"),
        tuple((each.what, number(each.p50_ms, 2), str(each.n)) for each in study.spawn),
    )


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
                _shown(compute, 0),
                agreement(each.compute_us, compute),
                number(each.g, 0),
                _shown(g, 0),
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
        notes.append(
            f"a call that ships the series costs {facts.series_crossing_us:.1f} us (Unix socket, from the fit)"
        )
    return Table(
        "Break-even: calls that one sweep may be split into",
        ("kernel", "empty: 1 %", "10 %", "50 %", "with the series: 1 %", "10 %", "50 %"),
        tuple(rows),
        tuple(notes),
    )


def environment(study: Study) -> Table:
    """The machine of these figures and that of the published ones."""
    machine = study.environment
    memory = "unknown" if machine.memory_bytes is None else f"{machine.memory_bytes / 2**30:.1f} GiB"
    load = ", ".join(f"{value:.2f}" for value in machine.load_average_at_start)
    return Table(
        "Environment",
        ("what", "value"),
        (
            ("published figures", published.MACHINE),
            ("measured on", f"{machine.cpu_model}, {machine.cores} cores, {memory}"),
            ("kernel, governor", f"{machine.kernel_release}, {machine.governor or 'governor not readable'}"),
            ("affinity, load at start", f"cores {', '.join(map(str, machine.affinity))}; {load}"),
            ("engine", f"{machine.engine_version}, {machine.engine_compiler}"),
            ("packages", ", ".join(f"{each.package} {each.version}" for each in machine.versions)),
            ("numba threads", str(machine.numba_threads)),
            ("clock", f"{machine.clock.name}, {machine.clock.cost_ns:g} ns a reading"),
            ("date, duration", f"{machine.date}, {study.seconds:.0f} s{', quick' if study.quick else ''}"),
        ),
        n_left=2,
    )


def _yes(passed: bool) -> str:
    return "yes" if passed else "NO"


def _shown(figure: Figure | None, decimals: int) -> str:
    return "" if figure is None else number(figure.value, decimals)
