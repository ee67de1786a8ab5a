"""The few figures that stand first: on the page in its head, in the paper in its abstract."""

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel_study.reading import boundary_share, passed_rows, unix_fit
from onekernel_study.schema import Study
from onekernel_study.wording import count, percent, seconds


@dataclass(frozen=True)
class Highlight:
    """One figure with what it is; `said` is the same as the end of a sentence."""

    value: str
    label: str
    said: str


def highlights(study: Study) -> tuple[Highlight, ...]:
    """At most five; what this run does not have is left out."""
    return tuple(_found(study))


def _found(study: Study) -> Iterator[Highlight]:
    rows, fit = passed_rows(study), unix_fit(study)
    if fit is not None:
        floor = seconds(fit.floor_us / 1e6)
        yield Highlight(floor, "an empty crossing, Unix socket", f"an empty crossing of a Unix socket costs {floor}")
    batch, chatty = rows.get("cpp_batch_unix"), rows.get("cpp_chatty_unix")
    if batch is not None and batch.boundary_s is not None:
        share = percent(boundary_share(batch))
        yield Highlight(
            share,
            "of the sweep at the boundary, one call",
            f"a whole sweep in one call spends {share} of its time at the boundary",
        )
    if batch and chatty and batch.boundary_s is not None and chatty.boundary_s is not None:
        more = seconds(chatty.boundary_s - batch.boundary_s)
        calls = count(chatty.crossings or 0)
        yield Highlight(more, f"added by {calls} calls instead of one", f"{calls} calls instead of that one add {more}")
    json_row = next((each for each in study.serialization if each.format == "json"), None)
    if json_row is not None and json_row.ratio_to_raw is not None:
        ratio = count(json_row.ratio_to_raw)
        yield Highlight(f"{ratio}x", "JSON over raw doubles, encoding", f"encoding as JSON takes {ratio} times raw")
    fast = next((row for row in study.fast_engine.rows if row.p50_us is not None and row.crossings == 0), None)
    if fast is not None and fast.p50_us is not None:
        said = seconds(fast.p50_us / 1e6)
        yield Highlight(said, "the fast engine's sweep in process", f"the fast engine sweeps in {said} in process")
