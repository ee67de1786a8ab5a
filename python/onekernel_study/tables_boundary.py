"""The tables about single crossings: echoes, formats and processes."""

from onekernel_study import published
from onekernel_study.agreement import agreement
from onekernel_study.schema import Study
from onekernel_study.table import WITHHELD, Table, shown
from onekernel_study.wording import number, percent


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
                shown(figure, 1),
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
                shown(floor, 2),
                number(fit.bandwidth_gb_s, 2),
                shown(bandwidth, 1),
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
                shown(figure, 1),
                shown(ratio, 0),
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
