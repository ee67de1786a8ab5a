"""The article's claims, each held against this run: the rule stands in the claim's basis, the figure beside it.

"About" is taken as within a factor, since machines differ; which factor is said each time.
"""

from collections.abc import Callable

from onekernel_study.intervals import ratio_interval
from onekernel_study.reading import Rows, boundary_share, passed_rows
from onekernel_study.schema import Study
from onekernel_study.schema_statistics import Claim
from onekernel_study.wording import count, percent, seconds

ABOUT = 3.0  # "about 0.1 %" and "three orders of magnitude" hold within this factor
PREDICTED = 2.0  # a prediction holds within this factor
CULPRIT = 0.9  # the part of a cost that goes when its culprit goes

Finding = tuple[str, bool]  # this run's figure, and whether the claim holds


def claims(study: Study) -> tuple[Claim, ...]:
    """Every claim; one whose rows were not measured, or were withheld, holds is None."""
    rows = passed_rows(study)
    return tuple(_held(name, *words, find(study, rows)) for name, (words, find) in CLAIMS.items())


def _held(name: str, claim: str, published: str, basis: str, found: Finding | None) -> Claim:
    measured, holds = found or ("not measured: a row that it needs was withheld or left out", None)
    return Claim(name, claim, published, measured, holds, basis)


def _once(study: Study, rows: Rows) -> Finding | None:
    batch = rows.get("cpp_batch_unix")
    if batch is None or batch.boundary_s is None or not batch.median_s:
        return None
    share = boundary_share(batch)
    return f"{percent(share)} ({seconds(batch.boundary_s)} of {seconds(batch.median_s)})", share <= 0.001 * ABOUT


def _json(study: Study, rows: Rows) -> Finding | None:
    ratio = next((each.ratio_to_raw for each in study.serialization if each.format == "json"), None)
    return None if ratio is None else (f"{count(ratio)} times raw", ratio >= 1000.0 / ABOUT)


def _chatty(study: Study, rows: Rows) -> Finding | None:
    figures = {each.name: each.value for each in study.derived}
    extra, predicted = figures.get("chatty_over_batch"), figures.get("chatty_over_batch_predicted")
    if extra is None or not predicted:
        return None
    said = f"{seconds(extra / 1e3)} over one call, by the echo curve {seconds(predicted / 1e3)}"
    return said, 1.0 / PREDICTED <= extra / predicted <= PREDICTED


def _stateless(study: Study, rows: Rows) -> Finding | None:
    fast = {row.name: row for row in study.fast_engine.rows if row.withheld is None}
    chatty, kept = rows.get("cpp_chatty_unix"), fast.get("certified_chatty_unix")
    if chatty is None or not chatty.boundary_s or kept is None or kept.boundary_p50_us is None:
        return None
    kept_s = kept.boundary_p50_us / 1e6
    gone = 1.0 - kept_s / chatty.boundary_s
    said = (
        f"{seconds(chatty.boundary_s)} with the series in every call, {seconds(kept_s)} without: {percent(gone)} less"
    )
    return said, gone >= CULPRIT


def _spawn(study: Study, rows: Rows) -> Finding | None:
    once, each = rows.get("cpp_spawn_stdin"), rows.get("spawn_per_combo")
    if once is None or each is None or not once.boundary_s or not each.boundary_s or not each.crossings:
        return None
    per_call = each.boundary_s / each.crossings
    said = f"{seconds(once.boundary_s)} a call for all combos, {seconds(per_call)} a call for one combo"
    return said, 1.0 / PREDICTED <= per_call / once.boundary_s <= PREDICTED


def _bar(study: Study, rows: Rows, crossing: str) -> tuple[str, float] | None:
    """What a series of calls takes over a crossing, in words, and as a multiple of the naive sweep's compute."""
    fed = next((row for row in study.live if row.name == f"live_python_{crossing}_1"), None)
    naive = rows.get("cpp_in_process")
    if fed is None or fed.series_s is None or naive is None or not naive.compute_s:
        return None
    times = fed.series_s / naive.compute_s
    return (
        f"{seconds(fed.series_s)} a series, {times:.2f} of the {seconds(naive.compute_s)} that a sweep computes",
        times,
    )


def _bar_socket(study: Study, rows: Rows) -> Finding | None:
    found = _bar(study, rows, "unix")
    return None if found is None else (found[0], found[1] >= 1.0)


def _bar_memory(study: Study, rows: Rows) -> Finding | None:
    found = _bar(study, rows, "shm")
    return None if found is None else (found[0], found[1] < 1.0)


def _unchecked(study: Study, rows: Rows) -> Finding | None:
    checked, unchecked = rows.get("cpp_batch_unix"), rows.get("cpp_batch_unchecked")
    if checked is None or unchecked is None or not checked.median_s or not unchecked.median_s:
        return None
    ratio, interval = unchecked.median_s / checked.median_s, ratio_interval(unchecked.runs_s, checked.runs_s)
    if interval is None:
        return None
    return f"unchecked takes {ratio:.3f} of checked, {interval[0]:.3f} to {interval[1]:.3f}", interval[1] >= 1.0


CLAIMS: dict[str, tuple[tuple[str, str, str], Callable[[Study, Rows], Finding | None]]] = {
    "boundary_once": (
        (
            "A boundary crossed once, in bytes, costs about 0.1 % of the naive sweep.",
            "about 0.1 %",
            f"cpp_batch_unix, boundary over wall; holds up to {0.001 * ABOUT:.1%}",
        ),
        _once,
    ),
    "json_three_orders": (
        (
            "JSON costs three orders of magnitude more than raw bytes to encode.",
            "1,348 times raw",
            f"serialization json, encode over that of raw_copied; holds from {1000 / ABOUT:.0f} times",
        ),
        _json,
    ),
    "chatty_payload_times_calls": (
        (
            "Chatty calls cost what their payload costs, times the calls.",
            "107 ms, of which the echo curve predicts 81 ms",
            f"cpp_chatty_unix over cpp_batch_unix, boundaries; within a factor of {PREDICTED:g} of the prediction",
        ),
        _chatty,
    ),
    "statelessness": (
        (
            "Statelessness is the culprit: with the series kept at the engine, chatty calls cost next to nothing.",
            "1.3 ms for 80 calls instead of 107 ms (derived there)",
            f"boundaries of cpp_chatty_unix and certified_chatty_unix; holds where {CULPRIT:.0%} of the cost goes",
        ),
        _stateless,
    ),
    "spawn_is_fixed": (
        (
            "A process per call costs a fixed amount per call, whatever the call computes.",
            "24 ms a call, 1.9 s for 80 (derived there)",
            f"cpp_spawn_stdin and spawn_per_combo, boundary per call; holds within a factor of {PREDICTED:g}",
        ),
        _spawn,
    ),
    "bar_socket_is_dead": (
        (
            "A call per bar over a socket is dead on arrival.",
            "2.1 s for 150,000 calls, more than the whole sweep in process (derived there)",
            "live_python_unix_1, one combo, beside the compute of cpp_in_process, the naive sweep of all combos; holds "
            "where the calls take at least as long, as in the article",
        ),
        _bar_socket,
    ),
    "bar_shared_memory_is_not": (
        (
            "A call per bar over shared memory is not.",
            "39 ns quoted there, publish and poll in one thread",
            "live_python_shm_1, true round trips between two processes, beside the same compute; holds where the calls "
            "take less",
        ),
        _bar_memory,
    ),
    "unchecked_is_no_faster": (
        (
            "Leaving out the bounds checks makes the engine no faster.",
            "2.337 s against 2.276 s",
            "cpp_batch_unchecked over cpp_batch_unix, wall time, 95 % interval over the rounds in pairs; does not "
            "hold where all of it lies below 1",
        ),
        _unchecked,
    ),
}
