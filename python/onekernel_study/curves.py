"""What one crossing costs by the bytes that it carries, per way of crossing: from a study, or measured shortly."""

from collections.abc import Sequence
from dataclasses import dataclass

from onekernel_study.reading import passed_rows
from onekernel_study.schema import Study
from onekernel_study.schema_peers import Peer

MEASURED, DERIVED = "measured", "derived"
SPAWN = "onekernel-engine stdio, echo of one float"


@dataclass(frozen=True)
class Curve:
    """seconds(bytes) = floor + bytes * per_byte, for a call that sends that many bytes and gets a small reply."""

    name: str
    title: str
    floor_s: float
    s_per_byte: float
    encoding_s_per_byte: float  # the part of s_per_byte that is encoding and decoding
    basis: str

    def seconds(self, n_bytes: float) -> float:
        """One crossing that sends n_bytes and gets a small reply."""
        return self.floor_s + n_bytes * self.s_per_byte

    def carrying(self, n_bytes: float) -> float:
        """The same without encoding and decoding."""
        return self.floor_s + n_bytes * (self.s_per_byte - self.encoding_s_per_byte)


def in_process() -> Curve:
    """A function call: nothing crosses."""
    return Curve("in_process", "in process, a function call", 0.0, 0.0, 0.0, "nothing crosses")


def curves(study: Study) -> tuple[Curve, ...]:
    """Every crossing of which this study knows a floor and a slope, the in-process one first."""
    return (in_process(), *_sockets(study), *_json(study), *_spawn(study), *_peers(study))


def _sockets(study: Study) -> list[Curve]:
    """The echo fits; their bandwidth counts bytes both ways, and so does this, since only one way is filled."""
    return [
        Curve(
            fit.transport,
            f"onekernel over {fit.transport}, raw bytes",
            max(fit.floor_us, 0.0) / 1e6,
            1.0 / fit.bandwidth_gb_s / 1e9,
            0.0,
            f"echo curve of {fit.transport}: {fit.floor_us:.3g} us + bytes / {fit.bandwidth_gb_s:.3g} GB/s",
        )
        for fit in study.echo_fits
    ]


def _json(study: Study) -> list[Curve]:
    """The Unix socket with JSON text in place of raw bytes, per byte of the raw array."""
    unix = next((fit for fit in study.echo_fits if fit.transport == "unix"), None)
    text = next((each for each in study.serialization if each.format == "json"), None)
    raw_bytes = 8 * study.workload.n_bars
    if unix is None or text is None or text.encode_p50_us is None or text.decode_p50_us is None:
        return []
    encoding = (text.encode_p50_us + text.decode_p50_us) / 1e6 / raw_bytes
    carrying = text.bytes / raw_bytes / unix.bandwidth_gb_s / 1e9
    said = (
        f"echo curve of unix, {text.bytes / raw_bytes:.2f} bytes of text per byte, and {encoding * 1e9:.3g} ns per "
        f"byte for encoding and decoding (serialization json)"
    )
    return [Curve("unix_json", "JSON over unix", unix.floor_us / 1e6, encoding + carrying, encoding, said)]


def _spawn(study: Study) -> list[Curve]:
    row = passed_rows(study).get("cpp_spawn_stdin")
    floor = next((each.p50_ms for each in study.spawn if each.what == SPAWN), None)
    if row is None or row.boundary_s is None or not row.bytes_out or floor is None:
        return []
    slope = max(row.boundary_s - floor / 1e3, 0.0) / row.bytes_out
    said = f"spawn of an engine: {floor:.3g} ms; cpp_spawn_stdin's boundary with {row.bytes_out:,} bytes"
    return [Curve("spawn", "an engine process per call", floor / 1e3, slope, 0.0, said)]


def _peers(study: Study) -> list[Curve]:
    """Per peer the line through its bar (a few bytes) and its combo (the series), without what the kernel took."""
    found = []
    for name in dict.fromkeys(row.name for row in study.peers if row.transport != "in process"):
        rows = {row.granularity: row for row in study.peers if row.name == name}
        floor, full = _boundary_s(rows.get("bar")), _boundary_s(rows.get("combo"))
        if floor is None or full is None:
            continue
        slope = max(full - floor, 0.0) / (8 * study.workload.n_bars)
        encoding = 0.0 if rows["combo"].encoding.startswith("raw") else slope
        said = f"peer {name}: {floor * 1e6:.3g} us a bar, {full * 1e6:.3g} us a call with the series, kernel taken off"
        found.append(Curve(name, rows["combo"].title, floor, slope, encoding, said))
    return found


def _boundary_s(row: Peer | None) -> float | None:
    """Seconds of one crossing."""
    return None if row is None or row.boundary_s is None else row.boundary_s / row.calls_planned


def named(found: Sequence[Curve], name: str) -> Curve:
    """The crossing of that name; ValueError with all names where there is none."""
    for curve in found:
        if curve.name == name:
            return curve
    raise ValueError(f"there is no crossing {name!r} here; there are: {', '.join(curve.name for curve in found)}")
