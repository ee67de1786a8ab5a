"""The crossings of this machine, measured in a few seconds, for a verdict where there is no study yet."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import onekernel as ok

from onekernel_study.curves import Curve, in_process
from onekernel_study.echo import TRANSPORTS, fit_echo, measure_echo
from onekernel_study.percentiles import median
from onekernel_study.progress import Progress
from onekernel_study.stopwatch import collector_off, timed

CALLS = {1: 1_000, 1_000: 500, 100_000: 100}
JSON_FLOATS = 20_000
JSON_REPEATS = 5


def short_curves(progress: Progress) -> tuple[Curve, ...]:
    """In process, the three transports with raw bytes, and JSON over the Unix socket."""
    fits = {fit.transport: fit for fit in fit_echo(measure_echo(_engines, CALLS, progress))}
    found = [in_process()]
    for name, fit in fits.items():
        said = f"echoes just now: {fit.floor_us:.3g} us + bytes / {fit.bandwidth_gb_s:.3g} GB/s"
        per_byte = 1.0 / fit.bandwidth_gb_s / 1e9
        found.append(
            Curve(name, f"onekernel over {name}, raw bytes", max(fit.floor_us, 0.0) / 1e6, per_byte, 0.0, said)
        )
    if "unix" in fits:
        progress.show("JSON")
        encoding, text_per_byte = _json()
        carrying = text_per_byte / fits["unix"].bandwidth_gb_s / 1e9
        said = f"echoes over unix and {encoding * 1e9:.3g} ns per byte for JSON, just now"
        floor_s = max(fits["unix"].floor_us, 0.0) / 1e6
        found.append(Curve("unix_json", "JSON over unix", floor_s, encoding + carrying, encoding, said))
    progress.clear()
    return tuple(found)


def _json() -> tuple[float, float]:
    """Seconds of encoding and decoding per byte of the raw array, and bytes of text per such byte."""
    values = np.random.default_rng(1).normal(100.0, 1.0, JSON_FLOATS)
    text = json.dumps(values.tolist())
    with collector_off():
        encode_ns = [timed(lambda: json.dumps(values.tolist()))[0] for _ in range(JSON_REPEATS)]
        decode_ns = [timed(lambda: np.array(json.loads(text)))[0] for _ in range(JSON_REPEATS)]
    return (median(encode_ns) + median(decode_ns)) / 1e9 / values.nbytes, len(text) / values.nbytes


@contextmanager
def _engines() -> Iterator[dict[str, ok.Engine]]:
    with ExitStack() as stack:
        yield {transport: stack.enter_context(ok.spawn(transport=transport)) for transport in TRANSPORTS}
