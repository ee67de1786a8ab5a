import io

import numpy as np
import pytest
from onekernel import workload

from onekernel_study.progress import Progress
from onekernel_study.serialization import FORMATS, RAW, Format, measure_serialization

QUIET = Progress(io.StringIO())


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_every_format_gives_any_doubles_back_to_the_bit(each: Format) -> None:
    rng = np.random.default_rng(3)
    finite = rng.integers(0, 2**64, 5_000, np.uint64).view(np.float64)
    values = np.concatenate([finite[np.isfinite(finite)], [0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1]])
    decoded = each.decode(each.encode(values))
    assert decoded.dtype == np.float64
    assert decoded.tobytes() == values.tobytes()


def test_the_figures_of_all_formats() -> None:
    close = workload.published()[0][:2_000]
    rows = {row.format: row for row in measure_serialization(close, 4, QUIET)}
    assert set(rows) == {"raw_copied", "raw_not_copied", "pickle5", "json", "orjson", "msgpack", "arrow_ipc"}
    assert rows[RAW].ratio_to_raw == 1.0
    assert rows[RAW].bytes == rows["raw_not_copied"].bytes == 13 + 8 * 2_000
    for row in rows.values():
        assert row.withheld is None
        assert row.n == 4
        assert row.encode_p50_us is not None
        assert row.decode_p50_us is not None
        assert rows[RAW].encode_p50_us is not None
        assert row.ratio_to_raw == pytest.approx(row.encode_p50_us / rows[RAW].encode_p50_us)


def test_a_format_that_loses_bits_is_withheld() -> None:
    lossy = Format(
        "lossy",
        "float32",
        lambda close: close.astype(np.float32).tobytes(),
        lambda packed: np.frombuffer(packed, np.float32).astype(np.float64),
    )
    raw, bad = measure_serialization(workload.published()[0][:100], 2, QUIET, (FORMATS[0], lossy))
    assert raw.withheld is None
    assert bad.withheld is not None
    assert "float 0 of 100 came back as" in bad.withheld
    assert (bad.encode_p50_us, bad.decode_p50_us, bad.ratio_to_raw) == (None, None, None)
