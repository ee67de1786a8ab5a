"""The curves that the calculator answers from: for each way of crossing, time = floor + bytes * time per byte.

They are those of `onekernel verdict`, in the units of the page, and the Unix socket right after a computation. A curve
that this run did not measure is not there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onekernel_study import curves as measured
from onekernel_study.names import EMPTY_AFTER_COMPUTE, SERIES_AFTER_COMPUTE, UNIX
from onekernel_study.schema import Study

RAW = "raw"
PLAIN, AFTER_COMPUTE, PEER = "plain", "after_compute", "peer"


@dataclass(frozen=True)
class Curve:
    """One way of crossing. Bytes are those of the raw payload, request and reply together."""

    name: str
    title: str
    floor_us: float
    us_per_mb: float  # per 10^6 bytes
    encoding_us_per_mb: float  # the part of us_per_mb that is encoding and decoding
    kind: str  # "plain", "after_compute" or "peer"; a peer encodes by itself, so that no other encoding is added
    basis: str


@dataclass(frozen=True)
class Encoding:
    """What a format adds to raw doubles: time for encoding and decoding, and bytes."""

    name: str
    title: str
    us_per_mb: float  # encode and decode together, per 10^6 bytes of raw doubles
    size: float  # encoded bytes per byte of raw doubles


def curves(study: Study) -> tuple[Curve, ...]:
    """Every curve of the study, the sockets first; none where nothing crossed."""
    peers = {peer.name for peer in study.peers}
    # JSON over the socket is the socket with an encoding here.
    found = [curve for curve in measured.curves(study) if curve.name not in ("in_process", "unix_json")]
    own = [_curve(curve, PEER if curve.name in peers else PLAIN) for curve in found]
    return (*own, *_after_compute(study))


def _curve(curve: measured.Curve, kind: str) -> Curve:
    encoding = 1e12 * curve.encoding_s_per_byte
    title = f"{curve.title} (peer)" if kind == PEER else curve.title
    return Curve(curve.name, title, 1e6 * curve.floor_s, 1e12 * curve.s_per_byte, encoding, kind, curve.basis)


def encodings(study: Study) -> tuple[Encoding, ...]:
    """Raw doubles, which cost nothing beyond their bytes, and every format that was measured."""
    raw_bytes = 8 * study.workload.n_bars
    found = [Encoding(RAW, "raw doubles, sent as they lie in memory", 0.0, 1.0)]
    for each in study.serialization:
        if each.encode_p50_us is None or each.decode_p50_us is None or each.format == "raw_not_copied":
            continue
        per_mb = (each.encode_p50_us + each.decode_p50_us) / raw_bytes * 1e6
        found.append(Encoding(each.format, each.title, per_mb, each.bytes / raw_bytes))
    return tuple(found)


def _after_compute(study: Study) -> Iterator[Curve]:
    """The Unix socket as it answers after a pause: caches are cold and the scheduler has moved on."""
    values = {each.name: each.value for each in study.derived}
    empty, series = values.get(EMPTY_AFTER_COMPUTE), values.get(SERIES_AFTER_COMPUTE)
    carried = 2 * 8 * (study.workload.n_bars - 1)  # an echo carries its payload both ways
    # Where noise put the two points the wrong way round there is no line to answer from.
    if empty is not None and series is not None and carried > 0 and series > empty > 0:
        title = "onekernel over unix, right after computing"
        basis = "the line through an echo of one float and one of the series, each right after a combo was computed"
        yield Curve("unix_after_compute", title, empty, (series - empty) / carried * 1e6, 0.0, AFTER_COMPUTE, basis)


def alternatives(curve: Curve, found: Sequence[Curve]) -> tuple[Curve, ...]:
    """What could be used instead: not the same socket under better circumstances."""
    if curve.kind == AFTER_COMPUTE:
        return ()
    return tuple(other for other in found if other.kind != AFTER_COMPUTE)


def unix_curve(found: Sequence[Curve]) -> Curve | None:
    """The Unix socket's curve, else the first there is."""
    return next((curve for curve in found if curve.name == UNIX), found[0] if found else None)
