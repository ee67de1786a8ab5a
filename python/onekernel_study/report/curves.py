"""The curves that the calculator answers from: for each way of crossing, time = floor + bytes / bandwidth.

Everything comes from one study: the fits of the echo curves, the two echoes right after a computation, and the peers'
rows. A curve that this run did not measure is not there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onekernel_study.names import EMPTY_AFTER_COMPUTE, SERIES_AFTER_COMPUTE, UNIX
from onekernel_study.schema import EchoFit, Study
from onekernel_study.schema_peers import Peer

TITLES = {"unix": "Unix socket", "tcp": "TCP loopback", "shm": "shared memory"}
RAW = "raw"
ECHO, AFTER_COMPUTE, PEER = "echo", "after_compute", "peer"


@dataclass(frozen=True)
class Curve:
    """One way of crossing. Bytes are those of the request and the reply together."""

    name: str
    title: str
    floor_us: float
    bandwidth_gb_s: float
    kind: str  # "echo", "after_compute" or "peer"; a peer has its own encoding in it, so that no other is added
    basis: str


@dataclass(frozen=True)
class Encoding:
    """What a format adds to raw doubles: time for encoding and decoding, and bytes."""

    name: str
    title: str
    us_per_mb: float  # encode and decode together, per 10^6 bytes of raw doubles
    size: float  # encoded bytes per byte of raw doubles


def curves(study: Study) -> tuple[Curve, ...]:
    """Every curve of the study, the echo fits first; none where the echoes were withheld."""
    fits = [_fitted(fit) for fit in study.echo_fits if fit.bandwidth_gb_s > 0]
    return (*fits, *_after_compute(study), *_peers(study))


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


def _fitted(fit: EchoFit) -> Curve:
    basis = f"fit of the echo curve; misses the measured points by at most {fit.worst_residual_percent:.1f} %"
    title = TITLES.get(fit.transport, fit.transport)
    return Curve(fit.transport, title, fit.floor_us, fit.bandwidth_gb_s, ECHO, basis)


def _after_compute(study: Study) -> Iterator[Curve]:
    """The Unix socket as it answers after a pause: caches are cold and the scheduler has moved on."""
    values = {each.name: each.value for each in study.derived}
    empty, series = values.get(EMPTY_AFTER_COMPUTE), values.get(SERIES_AFTER_COMPUTE)
    if empty is not None and series is not None and study.workload.n_bars > 1:
        carried = 2 * 8 * (study.workload.n_bars - 1)  # an echo carries its payload both ways
        title = "Unix socket, right after computing"
        basis = "through an echo of one float and one of the series, each right after a combo was computed"
        yield from _line("unix_after_compute", title, empty, series - empty, carried, AFTER_COMPUTE, basis)


def _peers(study: Study) -> Iterator[Curve]:
    """A line through a peer's call per bar, which carries next to nothing, and its call per combo, with the series."""
    found: dict[str, dict[str, Peer]] = {}
    for peer in study.peers:
        if peer.measured and peer.withheld is None and peer.boundary_s is not None and peer.calls_planned > 0:
            found.setdefault(peer.name, {})[peer.granularity] = peer
    for name, by_granularity in found.items():
        bar, combo = by_granularity.get("bar"), by_granularity.get("combo")
        if bar is None or combo is None or bar.transport == "in process":
            continue
        floor, shipped = _boundary_us(bar), _boundary_us(combo)
        basis = "through this peer's call per bar and its call per combo, which ships the series; its encoding is in it"
        yield from _line(f"peer_{name}", bar.title, floor, shipped - floor, 8 * study.workload.n_bars, PEER, basis)


def _boundary_us(peer: Peer) -> float:
    return (peer.boundary_s or 0.0) / peer.calls_planned * 1e6


def _line(
    name: str, title: str, floor_us: float, more_us: float, n_bytes: int, kind: str, basis: str
) -> Iterator[Curve]:
    # Where noise put the two points the wrong way round there is no line to answer from.
    if floor_us > 0 and more_us > 0:
        yield Curve(name, title, floor_us, n_bytes / more_us / 1e3, kind, basis)


def alternatives(curve: Curve, found: Sequence[Curve]) -> tuple[Curve, ...]:
    """What could be used instead: not the same socket under better circumstances."""
    if curve.kind == AFTER_COMPUTE:
        return ()
    return tuple(other for other in found if other.kind != AFTER_COMPUTE)


def unix_curve(found: Sequence[Curve]) -> Curve | None:
    """The Unix socket's curve, else the first there is."""
    return next((curve for curve in found if curve.name == UNIX), found[0] if found else None)
