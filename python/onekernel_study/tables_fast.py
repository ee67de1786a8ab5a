"""The tables about a fast engine: where the boundary stops being small beside the compute."""

from onekernel_study.reading import passed_rows
from onekernel_study.schema import FastCall, FastRow, Levels, Study
from onekernel_study.table import WITHHELD, Table
from onekernel_study.wording import interval, number, percent

# What crosses in the same way on the slow engine: the published rows over the Unix socket.
COUNTERPARTS = (
    ("one call, the series in it", "cpp_batch_unix", "certified_shipped_unix"),
    ("one call, the series stored", None, "certified_preloaded_unix"),
    ("a call per combo, each with the series", "cpp_chatty_unix", None),
    ("a call per combo, the series stored", None, "certified_chatty_unix"),
)


def fast_engine(study: Study) -> Table:
    """Every crossing of the fast engine."""
    facts = study.fast_engine
    rows = tuple(_row(row) for row in facts.rows)
    return Table(
        f"A fast engine: {facts.kernel} ({facts.target}), {facts.threads} thread, one sweep in microseconds",
        ("row", "n", "p50", "p90", "p99", "compute", "boundary", "ratio", "95 %", "CPU", "calls", "bytes out"),
        rows,
        (
            "ratio: median over that of the same sweep in process; boundary = wall - compute; CPU: of the client",
            f"shm: both sides spin for {facts.shm_spin_us:g} us before they sleep; sockets do not spin",
            *facts.complaints,
        ),
    )


def _row(row: FastRow) -> tuple[str, ...]:
    return (
        row.name,
        WITHHELD if row.withheld else str(row.n),
        number(row.p50_us, 0),
        number(row.p90_us, 0),
        number(row.p99_us, 0),
        number(row.compute_p50_us, 0),
        number(row.boundary_p50_us, 0),
        number(row.ratio_to_in_process, 3),
        interval(row.ratio_low, row.ratio_high, 2),
        number(row.client_cpu_us, 0),
        str(row.crossings),
        f"{row.bytes_out:,}",
    )


def taxes(study: Study) -> Table:
    """The same crossings on the slow engine and on the fast one."""
    slow = {name: tax(row.boundary_s, row.compute_s) for name, row in passed_rows(study).items()}
    fast = {row.name: tax(row.boundary_p50_us, row.compute_p50_us) for row in study.fast_engine.rows}
    rows = []
    for what, published, certified in COUNTERPARTS:
        on_slow, on_fast = slow.get(published or ""), fast.get(certified or "")
        rows.append((what, *("-" if share is None else percent(share) for share in (on_slow, on_fast))))
    return Table(
        "Boundary over compute, Unix socket",
        ("crossing", "checked", study.fast_engine.kernel),
        tuple(rows),
    )


def tax(boundary: float | None, compute: float | None) -> float | None:
    """The boundary as a share of the compute."""
    return None if boundary is None or not compute else boundary / compute


def fast_calls(study: Study) -> Table:
    """Puts and floors."""
    facts = study.fast_engine
    return Table(
        "Single calls in session frames, microseconds",
        ("call", "transport", "bytes one way", "n", "p50", "p90", "p99"),
        tuple(_call(each) for each in (*facts.put, *facts.floors)),
        ("from Python unless said otherwise", "every put has new content; every reply is compared with what was due"),
        n_left=2,
    )


def _call(each: FastCall) -> tuple[str, ...]:
    times = (number(value, 2) for value in (each.p50_us, each.p90_us, each.p99_us))
    return (each.title, each.transport, f"{each.bytes:,}", f"{each.n:,}", *times)


def fast_policies(study: Study) -> Table:
    """What a small call costs under each waiting policy."""
    return Table(
        "A sweep of one combo over a few stored bars by waiting policy, from Python, microseconds",
        ("transport", "client spins", "engine spins", "n", "p50", "p90", "compute", "client CPU", "engine CPU"),
        tuple(
            (
                each.transport,
                f"{each.client_spin_us:g}",
                f"{each.engine_spin_us:g}",
                f"{each.n:,}",
                *(
                    number(value, 1)
                    for value in (
                        each.p50_us,
                        each.p90_us,
                        each.compute_p50_us,
                        each.client_cpu_us,
                        each.engine_cpu_us,
                    )
                ),
            )
            for each in study.fast_engine.policies
        ),
        ("CPU: processor time per call of that process; who spins answers sooner and keeps a core busy for it",),
    )


def levels(study: Study) -> Table:
    """How the fast kernel decided."""
    counts = study.fast_engine.levels
    return level_table(counts, f"How {study.fast_engine.kernel} decided")


def level_table(counts: Levels | None, title: str) -> Table:
    """The decisions of one sweep by level, from cheap to dear."""
    if counts is None:
        return Table(title, ("level", "decisions", "share"), ())
    made = {
        "by the bound": counts.by_bound,
        "by a dot product": counts.by_dot,
        "by the reference arithmetic": counts.by_reference,
        "by exact, for the block": counts.by_exact,
    }
    total = sum(made.values())
    return Table(
        title,
        ("level", "decisions", "share"),
        tuple((name, f"{n:,}", f"{100 * n / total:.4f} %" if total else "") for name, n in made.items()),
        (f"{counts.flips:,} flips; {counts.blocks_exact:,} of {counts.blocks:,} blocks went to exact",),
    )
