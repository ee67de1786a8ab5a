"""The part of the verdict about a fast engine: what the same crossings weigh once the compute is short."""

from onekernel_study.names import BASELINE
from onekernel_study.reading import Rows
from onekernel_study.schema import FastRow, Study
from onekernel_study.tables_fast import tax
from onekernel_study.wording import percent, seconds


def fast_engine(study: Study, rows: Rows) -> str | None:
    """The tax of each crossing on the slow and on the fast engine, side by side."""
    fast = {row.name: row for row in study.fast_engine.rows if row.withheld is None}
    alone, shipped = fast.get("certified_in_process"), fast.get("certified_shipped_unix")
    batch, baseline = rows.get("cpp_batch_unix"), rows.get(BASELINE)
    if alone is None or not alone.p50_us or shipped is None or batch is None or batch.compute_s is None:
        return None
    slow_tax, fast_tax = tax(batch.boundary_s, batch.compute_s), _tax(shipped)
    if slow_tax is None or fast_tax is None:
        return None
    against = (
        f", {baseline.median_s * 1e6 / alone.p50_us:.0f} times as fast as numba"
        if baseline is not None and baseline.median_s is not None
        else ""
    )
    stored = [
        f"{percent(share)} over {name.rpartition('_')[2]}"
        for name, row in fast.items()
        if name.startswith("certified_preloaded_") and (share := _tax(row)) is not None
    ]
    chatty = [
        f"{percent(share)} over {name.rpartition('_')[2]}"
        for name, row in fast.items()
        if name.startswith("certified_chatty_") and row.crossings and (share := _tax(row)) is not None
    ]
    return (
        f"A fast engine: {study.fast_engine.kernel} sweeps in {seconds(alone.p50_us / 1e6)} in process{against}, so "
        f"one call over the Unix socket with the series in it, {percent(slow_tax)} on top of the compute of checked, "
        f"is {percent(fast_tax)} on top of its own. With the series stored at the engine one call adds "
        f"{', '.join(stored) or 'nothing known'}; a call per combo adds {', '.join(chatty) or 'nothing known'}."
    )


def _tax(row: FastRow) -> float | None:
    return tax(row.boundary_p50_us, row.compute_p50_us)
