"""The verdict in words: every sentence is computed from the study's own numbers and changes with them."""

from collections.abc import Callable

from onekernel_study.names import EMPTY_AFTER_COMPUTE, SERIES_AFTER_COMPUTE, UNIX
from onekernel_study.reading import Rows, boundary_share, passed_rows, unix_fit
from onekernel_study.schema import Architecture, EchoPoint, Study
from onekernel_study.verdict_fast import fast_engine
from onekernel_study.verdict_floor import break_even, noise, placement, transports
from onekernel_study.verdict_kernel import bounds_checks, kernel_against_numba
from onekernel_study.wording import count, percent, seconds

NEGLIGIBLE, AFFORDABLE, HALF = 0.01, 0.10, 0.50
PREDICTS = 0.75  # a prediction below this part of the measurement is called none


def sentences(study: Study) -> list[str]:
    """The verdict, one paragraph per subject. Where the gate failed there is none, and the complaints stand instead."""
    if not study.equivalence.all_ok:
        return ["No verdict: the gate failed, so these times compare different things.", *study.equivalence.complaints]
    rows = passed_rows(study)
    about: tuple[Callable[[Study, Rows], str | None], ...] = (
        library_or_service,
        shares,
        chunky_or_chatty,
        fix_first,
        kernel_against_numba,
        bounds_checks,
        break_even,
        fast_engine,
        transports,
        placement,
        noise,
    )
    return [text for subject in about if (text := subject(study, rows))]


def library_or_service(study: Study, rows: Rows) -> str | None:
    """The headline: what one call per sweep over the Unix socket costs against its compute."""
    batch = rows.get("cpp_batch_unix")
    if batch is None or batch.boundary_s is None or batch.median_s is None:
        return None
    share = boundary_share(batch)
    measured = (
        f"one call per sweep over the Unix socket spends {seconds(batch.boundary_s)} of {seconds(batch.median_s)} "
        f"at the boundary, {percent(share)}"
    )
    if share < NEGLIGIBLE:
        return (
            f"Library or service: {measured}. That is below {NEGLIGIBLE:.0%}, so speed does not decide: take a "
            "service where isolation, sharing or another language asks for it, the library where nothing does."
        )
    if share < AFFORDABLE:
        return f"Library or service: {measured}. A service is affordable; the library saves that much."
    if share < HALF:
        return f"Library or service: {measured}. Take the library, unless a service is needed for another reason."
    return f"Library or service: {measured}. The library: crossing costs more than computing."


def shares(study: Study, rows: Rows) -> str | None:
    """Every way of crossing, the cheapest first."""
    crossing = sorted((row for row in rows.values() if row.crossings), key=boundary_share)
    if not crossing:
        return None
    said = [
        f"{row.name} {percent(boundary_share(row))} ({seconds(row.boundary_s or 0.0)} in {count(row.crossings or 0)}"
        f" crossing{'s' if row.crossings != 1 else ''})"
        for row in crossing
    ]
    return f"Share of the wall time spent at the boundary: {', '.join(said)}."


def chunky_or_chatty(study: Study, rows: Rows) -> str | None:
    """What a call per combo adds, and whether the crossings or the bytes in them are to blame."""
    batch, chatty, fit = rows.get("cpp_batch_unix"), rows.get("cpp_chatty_unix"), unix_fit(study)
    if batch is None or chatty is None or fit is None or batch.boundary_s is None or chatty.boundary_s is None:
        return None
    extra = chatty.boundary_s - batch.boundary_s
    calls = (chatty.crossings or 0) - (batch.crossings or 0)
    n_bytes = _carried(chatty) - _carried(batch)
    floors, payload = calls * fit.floor_us / 1e6, n_bytes / fit.bandwidth_gb_s / 1e9
    if extra <= 0:
        return f"Chunky or chatty: {count(calls)} more crossings cost nothing that could be measured in this run."
    predicted = floors + payload
    blame, remedy = (
        (
            "the bytes weigh more",
            "keep the series at the engine and send parameters only, or send all combos in one call",
        )
        if payload > floors
        else ("the crossings themselves weigh more", "send all combos in one call; leaving out the series helps less")
    )
    return (
        f"Chunky or chatty: {count(calls)} more crossings, each with the series, cost {seconds(extra)} per sweep "
        f"({percent(extra / (chatty.median_s or extra))} of it). The echo curve predicts {seconds(predicted)}: "
        f"{seconds(payload)} for the bytes and {seconds(floors)} for the crossings, so {blame}: {remedy}."
        f"{_beyond_the_curve(study, predicted, extra)}"
    )


def _beyond_the_curve(study: Study, predicted: float, extra: float) -> str:
    """What the echo curve leaves open: it is measured back to back, a sweep's crossing follows a computation."""
    if predicted >= PREDICTS * extra:
        return ""
    said = f" That is {percent(predicted / extra)} of what was measured, so the curve is no prediction here."
    after = {each.name: each.value for each in study.derived}
    if EMPTY_AFTER_COMPUTE not in after or SERIES_AFTER_COMPUTE not in after:
        return said
    return (
        f"{said} It is measured back to back; right after computing one combo an echo of one float takes "
        f"{seconds(after[EMPTY_AFTER_COMPUTE] / 1e6)} and one of the series "
        f"{seconds(after[SERIES_AFTER_COMPUTE] / 1e6)}, where the curve has "
        f"{_in_the_curve(study, min)} and {_in_the_curve(study, max)}."
    )


def _in_the_curve(study: Study, which: Callable[..., EchoPoint]) -> str:
    """The p50 of the smallest or largest echo over the Unix socket."""
    unix = [point for point in study.echo if point.transport == UNIX and point.p50_us is not None]
    return seconds((which(unix, key=lambda point: point.floats).p50_us or 0.0) / 1e6)


def fix_first(study: Study, rows: Rows) -> str | None:
    """The changes a user could make, the most costly habit first, beside what the compute itself takes."""
    batch = rows.get("cpp_batch_unix")
    if batch is None or batch.compute_s is None or batch.boundary_s is None:
        return None
    changes = {
        "from JSON to raw bytes under chatty": _saving(rows, "json_chatty_unix", "cpp_chatty_unix"),
        "from a process per combo to a standing engine": _saving(rows, "spawn_per_combo", "cpp_chatty_unix"),
        "from a call per combo to one per sweep": _saving(rows, "cpp_chatty_unix", "cpp_batch_unix"),
        "from a process per sweep to a standing engine": _saving(rows, "cpp_spawn_stdin", "cpp_batch_unix"),
    }
    saved = sorted(((s, change) for change, s in changes.items() if s is not None and s > 0), reverse=True)
    listed = ", ".join(f"{change} saves {seconds(s)}" for s, change in saved)
    advice = (
        f"Where one call per sweep is already the habit, the kernel comes next: its compute is "
        f"{count(batch.compute_s / batch.boundary_s)} times the boundary."
        if 0 < batch.boundary_s < batch.compute_s
        else "Where one call per sweep is already the habit, the boundary is still the larger part."
        if batch.boundary_s > 0
        else "Where one call per sweep is already the habit, only the kernel is left."
    )
    return f"What to fix first, per sweep: {listed or 'no change saves anything that could be measured'}. {advice}"


def _carried(row: Architecture) -> int:
    return (row.bytes_out or 0) + (row.bytes_in or 0)


def _saving(rows: Rows, habit: str, better: str) -> float | None:
    worse, best = rows.get(habit), rows.get(better)
    if worse is None or best is None or worse.boundary_s is None or best.boundary_s is None:
        return None
    return worse.boundary_s - best.boundary_s
