"""What the boundary takes of a workload: the arithmetic of the page's calculator, repeated in templates/calculator.js.

    crossing = floor + bytes * size * time per byte + encoding    per call, microseconds
    share    = calls * crossing / (calls * crossing + calls * compute)
    G        = compute per call / floor

Every step is a plain operation on doubles in a fixed order, so that both give the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from onekernel_study.breakeven import SHARES, calls_at, compute_by_kernel
from onekernel_study.names import NUMBA
from onekernel_study.report.curves import PEER, RAW, Curve, Encoding, alternatives
from onekernel_study.schema import Study

NEGLIGIBLE = 0.01
_RAW = Encoding(RAW, RAW, 0.0, 1.0)
STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)  # of a slider, per decade


@dataclass(frozen=True)
class Workload:
    """What is asked: `calls` calls that each compute for `compute_us` and carry `n_bytes` of raw doubles."""

    compute_us: float
    calls: float
    n_bytes: float  # request and reply together


@dataclass(frozen=True)
class Change:
    """One thing to change, and what it saves of the total.

    batch: all work in one call, with the payload once. preload: the payload once, then calls that carry nothing.
    binary: raw doubles, without encoding. transport: the curve with the cheapest crossing.
    """

    name: str
    saves_us: float
    share: float  # of the boundary, once changed


@dataclass(frozen=True)
class Answer:
    """Times in microseconds; crossing, transfer and encoding per call, boundary and compute of all calls."""

    transfer_us: float
    encoding_us: float
    crossing_us: float
    boundary_us: float
    compute_us: float
    share: float
    granularity: float
    break_even_us: tuple[float, ...]  # compute per call at which the boundary takes each of SHARES
    split_into: tuple[float, ...]  # calls that the same compute may be split into for each of SHARES
    changes: tuple[Change, ...]  # what saves most first


def answer(work: Workload, curve: Curve, encoding: Encoding, found: Sequence[Curve]) -> Answer:
    """The answer for one way of crossing, `curve`, which is one of the curves `found` in this run.

    A peer encodes as it does, so what would be sent instead of it is sent as raw doubles.
    """
    encoding = _RAW if curve.kind == PEER else encoding
    transfer, encode = _parts(work, curve, encoding)
    crossing = curve.floor_us + transfer + encode
    boundary, compute = work.calls * crossing, work.calls * work.compute_us
    return Answer(
        transfer_us=transfer,
        encoding_us=encode,
        crossing_us=crossing,
        boundary_us=boundary,
        compute_us=compute,
        share=boundary / (boundary + compute),
        granularity=work.compute_us / curve.floor_us,
        break_even_us=tuple((1.0 - share) / share * crossing for share in SHARES),
        split_into=tuple(calls_at(share, compute, crossing) for share in SHARES),
        changes=_changes(work, curve, encoding, alternatives(curve, found)),
    )


def _parts(work: Workload, curve: Curve, encoding: Encoding) -> tuple[float, float]:
    """Microseconds for the bytes and for the encoding of one call."""
    megabytes = work.n_bytes / 1e6
    carry = megabytes * (curve.us_per_mb - curve.encoding_us_per_mb)
    return carry * encoding.size, megabytes * (encoding.us_per_mb + curve.encoding_us_per_mb)


def _changes(work: Workload, curve: Curve, encoding: Encoding, others: Sequence[Curve]) -> tuple[Change, ...]:
    transfer, encode = _parts(work, curve, encoding)
    crossing, calls = curve.floor_us + transfer + encode, work.calls
    plain = curve.us_per_mb - curve.encoding_us_per_mb
    boundary, compute = calls * crossing, calls * work.compute_us
    saved = {
        "batch": (calls - 1.0) * crossing,
        "preload": (calls - 1.0) * (transfer + encode),
        "binary": calls * (crossing - _crossing(work, replace(curve, us_per_mb=plain, encoding_us_per_mb=0.0), _RAW)),
        "transport": calls * (crossing - min(_crossing(work, other, encoding) for other in (curve, *others))),
    }
    listed = [Change(name, us, (boundary - us) / (boundary - us + compute)) for name, us in saved.items() if us > 0]
    return tuple(sorted(listed, key=lambda change: -change.saves_us))


def _crossing(work: Workload, curve: Curve, encoding: Encoding) -> float:
    transfer, encode = _parts(work, curve, encoding)
    return curve.floor_us + transfer + encode


def slider(low: int, high: int) -> list[float]:
    """What a slider can be set to: ten round values a decade, from 10**low to 10**high."""
    return [step * 10**decade for decade in range(low, high) for step in STEPS] + [float(10**high)]


@dataclass(frozen=True)
class Preset:
    """A workload to begin with."""

    title: str
    work: Workload


def presets(study: Study) -> tuple[Preset, ...]:
    """The published workload's three ways of calling, with this machine's compute of the numba row."""
    compute = compute_by_kernel(study.architectures).get(NUMBA)
    if compute is None:
        return ()
    combos, bars, series = study.workload.n_combos, study.workload.n_bars, 8.0 * study.workload.n_bars
    return (
        Preset("One call per sweep", Workload(compute, 1.0, series)),
        Preset("A call per combo", Workload(compute / combos, float(combos), series)),
        Preset("A call per bar", Workload(compute / combos / bars, float(bars), 8.0)),
    )
