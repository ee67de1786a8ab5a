"""The verdict on somebody's own workload: what each crossing would take of its wall time, and what to change first."""

from collections.abc import Sequence
from dataclasses import dataclass

from onekernel_study.curves import Curve, named
from onekernel_study.wording import count, percent, seconds

SHARE = 0.10  # the share of wall time from which on the break-even is reckoned
NEGLIGIBLE = 0.01


@dataclass(frozen=True)
class Workload:
    """calls of compute_s each, each of which ships payload_bytes and gets a small reply."""

    compute_s: float
    calls: int
    payload_bytes: int

    def __post_init__(self) -> None:
        if self.calls < 1:
            raise ValueError(f"{self.calls} calls: there must be at least one")


@dataclass(frozen=True)
class CrossingCost:
    """What one crossing would cost this workload."""

    name: str
    title: str
    call_s: float  # of the boundary alone
    boundary_s: float  # all calls
    share: float  # boundary over boundary and compute
    break_even_compute_s: float  # compute per call at which the boundary takes SHARE of the wall time
    break_even_calls: float  # calls into which the same compute may be split until it does
    basis: str
    arithmetic: str


@dataclass(frozen=True)
class Change:
    """Something to change, and what it saves of the whole workload."""

    what: str
    saves_s: float
    arithmetic: str


@dataclass(frozen=True)
class Advice:
    """The verdict."""

    workload: Workload
    current: str
    crossings: tuple[CrossingCost, ...]
    changes: tuple[Change, ...]
    summary: str


def advise(curves: Sequence[Curve], workload: Workload, current: str) -> Advice:
    """Reckons every crossing, the cheapest first; ValueError where there is no crossing named `current`."""
    now = named(curves, current)
    costs = sorted((_cost(curve, workload) for curve in curves), key=lambda cost: cost.boundary_s)
    changes = _changes(curves, now, workload)
    return Advice(workload, current, tuple(costs), changes, _summary(_cost(now, workload), changes, workload))


def _cost(curve: Curve, work: Workload) -> CrossingCost:
    call_s = curve.seconds(work.payload_bytes)
    boundary_s, compute_s = work.calls * call_s, work.calls * work.compute_s
    share = boundary_s / (boundary_s + compute_s)
    factor = (1.0 - SHARE) / SHARE
    return CrossingCost(
        name=curve.name,
        title=curve.title,
        call_s=call_s,
        boundary_s=boundary_s,
        share=share,
        break_even_compute_s=factor * call_s,
        break_even_calls=compute_s / (factor * call_s) if call_s else float(work.calls),
        basis=curve.basis,
        arithmetic=(
            f"{seconds(curve.floor_s)} + {work.payload_bytes:,} B x {curve.s_per_byte * 1e9:.3g} ns = "
            f"{seconds(call_s)} a call; x {work.calls:,} = {seconds(boundary_s)}; / ({seconds(boundary_s)} + "
            f"{seconds(compute_s)} of compute) = {percent(share)}"
        ),
    )


def _changes(curves: Sequence[Curve], now: Curve, work: Workload) -> tuple[Change, ...]:
    """What could be changed, each by itself, the greatest saving first."""
    n, size, call_s = work.calls, work.payload_bytes, now.seconds(work.payload_bytes)
    found = [
        _change(
            "batch: all work in one call",
            (n - 1) * call_s,
            f"{n - 1:,} calls fewer x {seconds(call_s)}",
        ),
        _change(
            "preload: keep the payload at the other side, send parameters only",
            n * (call_s - now.floor_s) - (call_s - now.floor_s),
            f"{seconds(call_s - now.floor_s)} of payload a call x {n:,} calls, but once",
        ),
        _change(
            "binary: raw bytes instead of text or messages",
            n * size * now.encoding_s_per_byte,
            f"{size:,} B x {now.encoding_s_per_byte * 1e9:.3g} ns of encoding x {n:,} calls",
        ),
    ]
    crossing = [curve for curve in curves if curve.name not in ("in_process", now.name)]
    if crossing:
        best = min(crossing, key=lambda curve: curve.carrying(size))
        saved = n * (now.carrying(size) - best.carrying(size))
        said = f"({seconds(now.carrying(size))} - {seconds(best.carrying(size))}, without encoding) x {n:,} calls"
        found.append(_change(f"transport: {best.title} instead of {now.title}", saved, said))
    saving = [change for change in found if change.saves_s > 0]
    return tuple(sorted(saving, key=lambda change: -change.saves_s))


def _change(what: str, saves_s: float, arithmetic: str) -> Change:
    return Change(what, saves_s, f"{arithmetic} = {seconds(saves_s)}")


def _summary(cost: CrossingCost, changes: Sequence[Change], work: Workload) -> str:
    said = (
        f"Over {cost.name} the boundary takes {percent(cost.share)} of the wall time ({seconds(cost.boundary_s)} "
        f"beside {seconds(work.calls * work.compute_s)} of compute). It stays below {SHARE:.0%} where a call "
        f"computes for at least {seconds(cost.break_even_compute_s)}, or where this compute is split into at most "
        f"{count(cost.break_even_calls)} calls."
    )
    if cost.share < NEGLIGIBLE:
        return f"{said} That decides nothing: choose by isolation, sharing and language."
    if not changes:
        return f"{said} Nothing that is known here costs less; only a function call does."
    first = changes[0]
    after = (cost.boundary_s - first.saves_s) / (cost.boundary_s - first.saves_s + work.calls * work.compute_s)
    return f"{said} Change first: {first.what}; it saves {seconds(first.saves_s)} and leaves {percent(after)}."
