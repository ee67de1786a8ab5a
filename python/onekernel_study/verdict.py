"""The verdict in words: every sentence is computed from the study's own numbers and changes with them."""

import math
from collections.abc import Callable, Mapping

from onekernel_study.derived import AFTER_COMPUTE
from onekernel_study.rows import BASELINE
from onekernel_study.schema import Architecture, EchoFit, Study
from onekernel_study.wording import count, percent, seconds

NEGLIGIBLE, AFFORDABLE, HALF = 0.01, 0.10, 0.50
CHANCE = 0.05
PREDICTS = 0.75  # a prediction below this part of the measurement is called none
Rows = Mapping[str, Architecture]


def sentences(study: Study) -> list[str]:
    """The verdict, one paragraph per subject. Where the gate failed there is none, and the complaints stand instead."""
    if not study.equivalence.all_ok:
        return ["No verdict: the gate failed, so these times compare different things.", *study.equivalence.complaints]
    rows = {row.name: row for row in study.architectures if row.withheld is None}
    about: tuple[Callable[[Study, Rows], str | None], ...] = (
        library_or_service,
        shares,
        chunky_or_chatty,
        fix_first,
        kernel_against_numba,
        bounds_checks,
        break_even,
        transports,
        placement,
        noise,
    )
    return [text for subject in about if (text := subject(study, rows))]


def boundary_share(row: Architecture) -> float:
    """The part of a row's wall time that is not the engine's compute; 0 where it has no crossing."""
    return (row.boundary_s or 0.0) / row.median_s if row.median_s else 0.0


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
    after = next((each.value for each in study.derived if each.name == AFTER_COMPUTE), None)
    size = max(study.echo, key=lambda point: (point.transport == "unix", point.floats), default=None)
    if after is None or size is None or size.p50_us is None:
        return said
    return (
        f"{said} It is measured back to back; the echo of the whole series takes {seconds(after / 1e6)} right after "
        f"computing one combo, and {seconds(size.p50_us / 1e6)} ({size.floats:,} floats) in the curve."
    )


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


def kernel_against_numba(study: Study, rows: Rows) -> str | None:
    """The naive C++ kernel against numba, both in process, whichever is faster."""
    numba, native = rows.get(BASELINE), rows.get("cpp_in_process")
    if numba is None or native is None or not numba.median_s or not native.median_s:
        return None
    return (
        f"Naive C++ against numba, both in process: {native.median_s / numba.median_s:.2f} of its time "
        f"({seconds(native.median_s)} against {seconds(numba.median_s)}); {in_rounds(native, numba)}."
    )


def bounds_checks(study: Study, rows: Rows) -> str | None:
    """Are the bounds checks what separates the two languages?"""
    checked, unchecked, numba = (rows.get(name) for name in ("cpp_batch_unix", "cpp_batch_unchecked", BASELINE))
    if checked is None or unchecked is None or numba is None:
        return None
    if not checked.compute_s or not unchecked.compute_s or not numba.compute_s:
        return None
    cost, gap = checked.compute_s - unchecked.compute_s, checked.compute_s - numba.compute_s
    said = (
        f"Bounds checks: without them the engine computes for {seconds(unchecked.compute_s)} instead of "
        f"{seconds(checked.compute_s)} ({unchecked.compute_s / checked.compute_s:.2f} of it); "
        f"{in_rounds(unchecked, checked)}"
    )
    if gap <= 0:
        return f"{said}. There is no gap to numba for them to explain: numba takes {seconds(numba.compute_s)}."
    if cost <= 0:
        return f"{said}. They explain nothing of the {seconds(gap)} that numba is ahead."
    return f"{said}. Of the {seconds(gap)} that numba is ahead they explain {percent(min(1.0, cost / gap))}."


def in_rounds(one: Architecture, other: Architecture) -> str:
    """How often the one was faster than the other in the same round, and whether chance could do that too."""
    pairs = list(zip(one.runs_s, other.runs_s, strict=False))
    faster = sum(a < b for a, b in pairs)
    p = sign_test(faster, len(pairs))
    doubt = "" if p < CHANCE else ", so the difference is not certain"
    return f"faster in {faster} of {len(pairs)} rounds (sign test: p = {p:.2g}){doubt}"


def sign_test(successes: int, n: int) -> float:
    """The two-sided probability of a split at least this uneven in n tosses of a fair coin."""
    tail = sum(math.comb(n, k) for k in range(min(successes, n - successes) + 1))
    return min(1.0, tail / 2.0 ** (n - 1))


def break_even(study: Study, rows: Rows) -> str | None:
    """How much work a call must carry, and into how many calls a sweep may be split."""
    facts = study.break_even
    if facts.floor_us is None or facts.series_crossing_us is None:
        return None
    needed = [f"{seconds((1.0 - s) / s * facts.floor_us / 1e6)} for {s:.0%}" for s in (0.01, 0.10, 0.50)]
    splits = [
        f"{each.kernel} {count(each.calls_at_10_percent)} ({count(each.shipping_calls_at_10_percent)} with the series)"
        for each in facts.granularity
        if each.unit == "sweep"
    ]
    return (
        f"Break-even: an empty crossing costs {seconds(facts.floor_us / 1e6)}, so the boundary stays below a share of "
        f"the total where each call computes for at least {', '.join(needed)}. One sweep reaches 10% when it is split "
        f"into so many calls: {'; '.join(splits)}."
    )


def transports(study: Study, rows: Rows) -> str | None:
    """The Unix socket against TCP on the loopback."""
    fits = {fit.transport: fit for fit in study.echo_fits}
    unix, tcp = fits.get("unix"), fits.get("tcp")
    if unix is None or tcp is None or unix.floor_us <= 0:
        return None
    return (
        f"Unix socket or TCP loopback: an empty crossing costs {seconds(unix.floor_us / 1e6)} or "
        f"{seconds(tcp.floor_us / 1e6)} ({tcp.floor_us / unix.floor_us:.2f} times), the bytes go at "
        f"{unix.bandwidth_gb_s:.2f} or {tcp.bandwidth_gb_s:.2f} GB/s, both ways together."
    )


def placement(study: Study, rows: Rows) -> str | None:
    """What the scheduler's choice of cores does to the floor."""
    pinned = {each.placement: each.p50_us for each in study.echo_placement if each.transport == "unix"}
    fit = unix_fit(study)
    if fit is None or "one core" not in pinned or "two cores" not in pinned:
        return None
    low, high = sorted(pinned, key=lambda name: pinned[name])
    return (
        f"The floor is also the scheduler's: pinned to {low} a one-float echo takes {seconds(pinned[low] / 1e6)}, "
        f"on {high} {seconds(pinned[high] / 1e6)} ({pinned[high] / pinned[low]:.1f} times); unpinned, as "
        f"everything else here, {seconds(fit.p50_one_float_us / 1e6)}."
    )


def noise(study: Study, rows: Rows) -> str | None:
    """How far these figures can be trusted."""
    measured = [row for row in rows.values() if len(row.runs_s) > 1]
    if not measured:
        return None
    widest = max(measured, key=spread)
    machine = study.environment
    busy = machine.load_average_at_start[0] > 0.5 * len(machine.affinity)
    load = (
        f" The machine was not idle at the start: load average {machine.load_average_at_start[0]:.2f} on "
        f"{len(machine.affinity)} cores."
        if busy
        else ""
    )
    return (
        f"Noise: the wall times of {widest.name} scatter most, by {percent(spread(widest))} (largest minus smallest, "
        f"over the median). Boundaries do not share that noise, since each is taken within its own run.{load}"
    )


def spread(row: Architecture) -> float:
    """Largest minus smallest run over the median: a generous measure, since there are few runs."""
    return (max(row.runs_s) - min(row.runs_s)) / row.median_s if row.runs_s and row.median_s else 0.0


def unix_fit(study: Study) -> EchoFit | None:
    """The echo fit of the Unix socket, if there is one."""
    return next((fit for fit in study.echo_fits if fit.transport == "unix"), None)


def _carried(row: Architecture) -> int:
    return (row.bytes_out or 0) + (row.bytes_in or 0)


def _saving(rows: Rows, habit: str, better: str) -> float | None:
    worse, best = rows.get(habit), rows.get(better)
    if worse is None or best is None or worse.boundary_s is None or best.boundary_s is None:
        return None
    return worse.boundary_s - best.boundary_s
