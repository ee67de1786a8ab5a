"""``onekernel parity``: a file of prices in batch and live, compared."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from .crossing import Over
from .in_process import sweep
from .live_session import LiveSession, live
from .parity import first_difference, replay
from .trade_list import trades


def run(
    file: str, close: npt.NDArray[np.float64], combos: npt.NDArray[np.int64], fee: float, over: Over, chunk: int,
    as_json: bool,
) -> bool:  # fmt: skip
    """Compare, say on standard output what was compared, and return whether all agrees."""
    began = time.monotonic()
    swept, batch = sweep(close, combos, fee=fee), trades(close, combos, fee=fee)
    batch_seconds = time.monotonic() - began
    with _session(combos, fee, over) as session:
        began = time.monotonic()
        changes = replay(session, close, chunk)
        live_seconds = time.monotonic() - began
        difference = first_difference(batch, swept, changes, session.result())
    told: dict[str, Any] = {
        "file": file,
        "over": over.value,
        "chunk": chunk,
        "bars": len(close),
        "combos": len(combos),
        "changes": len(changes),
        "trades": len(batch.closed),
        "fee_pct": fee,
        "batch_seconds": batch_seconds,
        "live_seconds": live_seconds,
        "same": difference is None,
        "difference": None if difference is None else asdict(difference),
    }
    if as_json:
        print(json.dumps(told, indent=1))
    else:
        _write_text(told, None if difference is None else str(difference))
    return difference is None


@contextmanager
def _session(combos: npt.NDArray[np.int64], fee: float, over: Over) -> Iterator[LiveSession]:
    if over is Over.inproc:
        with live(combos, fee=fee) as session:
            yield session
        return
    from .opening import spawn

    with spawn(transport=over.value) as engine, engine.live(combos, fee=fee) as session:
        yield session


def _write_text(told: dict[str, Any], difference: str | None) -> None:
    how = "bar by bar" if told["chunk"] == 1 else f"{told['chunk']:,} bars a call"
    print(f"batch  {told['file']}: {told['bars']:,} bars, {told['combos']:,} combos, {told['batch_seconds']:.3f} s")
    print(f"live   {told['over']}, {how}, {told['live_seconds']:.3f} s")
    if difference is None:
        print(
            f"same   {told['changes']:,} changes of position, {told['trades']:,} trades, "
            f"and pnl and trades of {told['combos']:,} combos, to the bit"
        )
    else:
        print(f"DIFFERENT  {difference}")
