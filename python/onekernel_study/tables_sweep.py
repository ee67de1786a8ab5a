"""The tables about whole sweeps: the gate, the wall times, and where the time goes."""

from onekernel_study import published
from onekernel_study.agreement import RULE, agreement
from onekernel_study.reading import boundary_share, spread
from onekernel_study.schema import Architecture, Study
from onekernel_study.table import WITHHELD, Table, shown
from onekernel_study.wording import interval, number, percent


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
        ("row", "runs", "median s", "spread", "ratio", "95 %", "published s", "published ratio", "ratio agrees"),
        tuple(_wall_time(row) for row in study.architectures),
        (
            "95 %: interval of the ratio, bootstrap over the rounds in pairs. spread: (largest - smallest) / median",
            RULE,
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
        interval(row.ratio_low, row.ratio_high, 3),
        shown(seconds, 3),
        shown(ratio, 2),
        agreement(row.ratio_to_in_process, ratio),
    )


def where_time_goes(study: Study) -> Table:
    """Compute and boundary of every row."""
    rows = []
    for row in study.architectures:
        if row.withheld or row.boundary_s is None or not row.median_s:
            rows.append((row.name, WITHHELD, *("",) * 7))
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
                number(row.client_cpu_s, 3),
                number(row.bytes_out, 0),
                number(row.bytes_in, 0),
            )
        )
    return Table(
        "Where the time goes: the engine's own compute, and the rest",
        ("row", "compute s", "boundary ms", "of wall", "crossings", "us each", "client CPU s", "bytes out", "bytes in"),
        tuple(rows),
        (
            "boundary = wall - compute of the same run, then the median; in process the call itself is the compute",
            "bytes are those of one sweep, length prefixes included",
        ),
    )


def _yes(passed: bool) -> str:
    return "yes" if passed else "NO"
