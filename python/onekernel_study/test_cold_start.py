"""First calls in fresh processes."""

import io

from onekernel_study.cold_start import measure_cold_start
from onekernel_study.progress import Progress


def test_numba_compiles_once_and_then_no_more() -> None:
    found = {each.what: each for each in measure_cold_start(1, Progress(io.StringIO()))}
    kinds = ("numba, nothing cached", "numba, machine code cached", "native module")
    names = {f"{kind}: {what}" for kind in kinds for what in ("import", "first call", "second call")}
    assert found.keys() == names | {f"engine process: {what}" for what in ("start", "first call", "second call")}
    assert all(each.n == 1 and each.p50_ms > 0 for each in found.values())
    # Compiling takes about a second and a call microseconds: no noise turns that round.
    first = found["numba, nothing cached: first call"].p50_ms
    assert first > 10 * found["numba, nothing cached: second call"].p50_ms
