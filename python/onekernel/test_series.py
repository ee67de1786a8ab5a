import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onekernel.series import as_close, as_combos, as_fee, as_float64

VALUES = [1.5, 2.25, 3.0, 2.5, 1.25]
WHOLE = [3, 1, 4, 1, 5]
ROW = [3, 6, 2, 1, 2, 3]


def read_only(array):
    array.flags.writeable = False
    return array


def unaligned(values):
    array = np.frombuffer(b"x" + np.array(values).tobytes(), np.float64, len(values), 1)
    assert not array.flags.aligned
    return array


EXACT_FLOATS = {
    "float64": np.array(VALUES),
    "read-only": read_only(np.array(VALUES)),
    "strided": np.repeat(VALUES, 3)[::3],
    "reversed": np.array(VALUES[::-1])[::-1],
    "column of a table": np.array([VALUES, VALUES]).T[:, 0],
    "big-endian": np.array(VALUES, ">f8"),
    "float32": np.array(VALUES, np.float32),
    "float16": np.array(VALUES, np.float16),
    "long double": np.array(VALUES, np.longdouble),
    "unaligned": unaligned(VALUES),
    "masked, nothing hidden": np.ma.array(VALUES, mask=False),
    "list": VALUES,
    "tuple": tuple(VALUES),
    "pandas": pd.Series(VALUES),
    "pandas float32": pd.Series(VALUES, dtype="float32"),
    "pandas nullable": pd.Series(VALUES, dtype="Float64"),
    "pandas arrow": pd.Series(VALUES, dtype="float64[pyarrow]"),
    "pandas index": pd.Index(VALUES),
    "pandas strided": pd.DataFrame({"a": VALUES, "b": VALUES})["a"],
    "polars": pl.Series(VALUES),
    "polars float32": pl.Series(VALUES, dtype=pl.Float32),
    "polars in two chunks": pl.concat([pl.Series(VALUES[:2]), pl.Series(VALUES[2:])], rechunk=False),
    "arrow": pa.array(VALUES),
    "arrow float32": pa.array(VALUES, pa.float32()),
    "arrow sliced": pa.array([9.0, *VALUES, 9.0])[1:-1],
    "arrow in two chunks": pa.chunked_array([VALUES[:2], VALUES[2:]]),
}
EXACT_WHOLE = {
    "int64": np.array(WHOLE),
    "int8": np.array(WHOLE, np.int8),
    "big-endian uint16": np.array(WHOLE, ">u2"),
    "list": WHOLE,
    "pandas nullable": pd.Series(WHOLE, dtype="Int64"),
    "pandas arrow": pd.Series(WHOLE, dtype="int64[pyarrow]"),
    "polars": pl.Series(WHOLE, dtype=pl.UInt8),
    "arrow": pa.array(WHOLE, pa.int16()),
}


@pytest.mark.parametrize("close", EXACT_FLOATS.values(), ids=EXACT_FLOATS.keys())
def test_every_kind_of_floats_gives_the_same_array(close):
    prices = as_close(close)
    assert prices.dtype == np.float64
    assert prices.dtype.isnative
    assert prices.flags.c_contiguous
    assert prices.flags.aligned
    assert prices.tolist() == VALUES


@pytest.mark.parametrize("close", EXACT_WHOLE.values(), ids=EXACT_WHOLE.keys())
def test_every_kind_of_integers_gives_the_same_array(close):
    assert as_close(close).tolist() == WHOLE


@pytest.mark.parametrize("close", [np.array(VALUES), read_only(np.array(VALUES)), np.array([0.0, *VALUES])[1:]])
def test_a_contiguous_float64_array_is_not_copied(close):
    assert np.shares_memory(as_close(close), close)


def test_pandas_polars_and_arrow_floats_are_not_copied():
    frame = pd.Series(VALUES)
    assert np.shares_memory(as_close(frame), frame.to_numpy())
    series = pl.Series(VALUES)
    assert np.shares_memory(as_close(series), series.to_numpy(allow_copy=False))
    array = pa.array(VALUES)
    assert np.shares_memory(as_close(array), array.to_numpy(zero_copy_only=True))


@pytest.mark.parametrize("close", [np.array(VALUES, ">f8"), np.array(VALUES, np.float32), np.array(VALUES)[::-1]])
def test_the_input_is_not_changed(close):
    before = close.tobytes(), close.dtype, close.flags.writeable
    as_close(close)[:] = 7.0
    assert (close.tobytes(), close.dtype, close.flags.writeable) == before


NOT_REAL = {
    "bool": (np.array([True, False]), "bool"),
    "complex": (np.array([1 + 2j]), "complex128"),
    "strings": (["1.0", "2.0"], "<U3"),
    "bytes": (b"1.0", r"\|S3"),
    "objects": ([1.0, None], "object"),
    "decimals": ([decimal.Decimal("1.5")], "object"),
    "datetimes": (np.array(["2024-01-01"], "datetime64[D]"), r"datetime64\[D\]"),
    "timedeltas": (np.array([1], "timedelta64[s]"), r"timedelta64\[s\]"),
    "nothing": (None, "object"),
    "pandas bool": (pd.Series([True]), "bool"),
    "pandas nullable bool": (pd.Series([True], dtype="boolean"), "boolean"),
    "pandas text": (pd.Series(["1.0"]), "str"),
    "pandas category": (pd.Series([1.0]).astype("category"), "category"),
    "pandas datetimes": (pd.Series(pd.to_datetime(["2024-01-01"], utc=True)), "datetime64"),
    "pandas arrow bool": (pd.Series([True], dtype="bool[pyarrow]"), "bool"),
    "polars bool": (pl.Series([True]), "Boolean"),
    "polars text": (pl.Series(["1.0"]), "String"),
    "polars decimals": (pl.Series([decimal.Decimal("1.5")]), "Decimal"),
    "arrow bool": (pa.array([True]), "bool"),
    "arrow text": (pa.array(["1.0"]), "string"),
    "arrow timestamps": (pa.array([1], pa.timestamp("s")), "timestamp"),
}


@pytest.mark.parametrize(("close", "dtype"), NOT_REAL.values(), ids=NOT_REAL.keys())
def test_what_holds_no_real_numbers_is_refused_with_its_dtype(close, dtype):
    with pytest.raises(TypeError, match=f"close holds .*{dtype}.* values; it must hold real numbers"):
        as_close(close)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0])
@pytest.mark.parametrize("index", [0, 2, 4])
def test_the_first_bad_price_is_named(bad, index):
    close = np.array(VALUES)
    close[index:] = bad
    with pytest.raises(ValueError, match=rf"close\[{index}\] is {bad}; a price must be finite and above zero"):
        as_close(close)


@pytest.mark.parametrize("index", [0, 1023, 1024, 4095, 4096, 9999])
def test_a_bad_value_in_a_long_array_is_named(index):
    close, combos = np.ones(10_000), np.ones((10_000, 6), np.int64)
    assert as_close(close) is close
    assert as_combos(combos) is combos
    close[index:], combos[index:, 2] = np.nan, 0
    with pytest.raises(ValueError, match=rf"close\[{index}\] is nan"):
        as_close(close)
    with pytest.raises(ValueError, match=rf"combo {index}: window 'smooth' is 0"):
        as_combos(combos)


MISSING = {
    "pandas nullable": pd.Series([1.5, None, 2.0], dtype="Float64"),
    "pandas nullable int": pd.Series([1, None, 2], dtype="Int64"),
    "pandas arrow": pd.Series([1.5, None, 2.0], dtype="float64[pyarrow]"),
    "polars": pl.Series([1.5, None, 2.0]),
    "polars int": pl.Series([1, None, 2]),
    "arrow": pa.array([1.5, None, 2.0]),
    "arrow int": pa.array([1, None, 2]),
    "arrow chunks": pa.chunked_array([[1.5], [None, 2.0]]),
    "masked": np.ma.array([1.5, 7.0, 2.0], mask=[False, True, False]),
}


@pytest.mark.parametrize("close", MISSING.values(), ids=MISSING.keys())
def test_a_missing_price_is_named(close):
    with pytest.raises(ValueError, match=r"close\[1\] is nan"):
        as_close(close)


@pytest.mark.parametrize(
    "close", [[], np.empty(0), pd.Series(dtype=float), pl.Series(dtype=pl.Float64), pa.array([1.5])[:0]]
)
def test_an_empty_series_is_refused(close):
    with pytest.raises(ValueError, match="close is empty"):
        as_close(close)


@pytest.mark.parametrize(
    "close", [1.5, np.ones((2, 1)), [[1.0, 2.0]], pd.DataFrame({"a": VALUES}), pl.DataFrame({"a": VALUES})]
)
def test_anything_but_one_dimension_is_refused(close):
    with pytest.raises(ValueError, match="close must have one dimension"):
        as_close(close)


def test_an_arrow_table_is_refused():
    with pytest.raises(ValueError, match="Arrow Array or ChunkedArray"):
        as_close(pa.table({"close": VALUES}))


def test_extreme_prices_are_prices():
    close = np.array([5e-324, 1.7e308])
    assert as_close(close) is not None


def test_float64_values_for_an_echo_are_not_checked():
    values = np.array([np.nan, -np.inf, 0.0])
    assert np.shares_memory(as_float64(values), values)


@pytest.mark.parametrize(
    "combos",
    [
        [ROW, ROW],
        np.array([ROW, ROW], np.int32),
        np.array([ROW, ROW], np.uint64),
        np.array([ROW, ROW], ">i8"),
        np.array([ROW, ROW], np.float64),
        np.array([ROW, ROW], order="F"),
        np.array([ROW, ROW, ROW, ROW])[::2],
        pd.DataFrame([ROW, ROW]),
        pl.DataFrame([ROW, ROW], orient="row"),
    ],
)
def test_every_kind_of_combos_gives_the_same_rows(combos):
    rows = as_combos(combos)
    assert rows.dtype == np.int64
    assert rows.flags.c_contiguous
    assert rows.tolist() == [ROW, ROW]


def test_int64_rows_are_not_copied():
    combos = read_only(np.array([ROW]))
    assert np.shares_memory(as_combos(combos), combos)


def test_no_combos_are_no_error():
    assert as_combos(np.empty((0, 6), np.int64)).shape == (0, 6)


@pytest.mark.parametrize(
    "combos", [[ROW, [3.5, 6, 2, 1, 2, 3]], [ROW, [np.inf, 6, 2, 1, 2, 3]], [ROW, [np.nan, 6, 2, 1, 2, 3]]]
)
def test_a_window_that_is_no_whole_number_is_named(combos):
    with pytest.raises(ValueError, match="combo 1: window 'half' is .* not a whole 64-bit number"):
        as_combos(combos)


@pytest.mark.parametrize("window", [np.uint64(2**63), 2.0**63])
def test_a_window_that_int64_cannot_hold_is_named(window):
    combos = np.array([[1, 1, 1, 1, 1, window]])
    with pytest.raises(ValueError, match="combo 0: window 'full3' is 9.* not a whole 64-bit number"):
        as_combos(combos)


@pytest.mark.parametrize("window", [0, -1, -(2**63)])
def test_a_window_below_one_is_named(window):
    with pytest.raises(ValueError, match=f"combo 1: window 'third' is {window}, but a window is at least 1 bar long"):
        as_combos([ROW, [3, 6, 2, window, 2, 3], [0] * 6])


@pytest.mark.parametrize("combos", [ROW, [], [[1, 2, 3]], np.ones((1, 6, 1), np.int64)])
def test_combos_of_another_shape_are_refused(combos):
    with pytest.raises(ValueError, match=r"combos must have the shape \(n, 6\)"):
        as_combos(combos)


@pytest.mark.parametrize("combos", [[["1"] * 6], [[True] * 6], [[None] * 6]])
def test_combos_that_are_no_numbers_are_refused(combos):
    with pytest.raises(TypeError, match="a window is a whole number of bars"):
        as_combos(combos)


def test_a_fee_is_a_finite_number():
    assert as_fee(1) == 1.0
    assert np.copysign(1.0, as_fee(-0.0)) == 1.0
    assert as_fee(np.float32(0.5)) == 0.5
    for fee in (np.nan, np.inf):
        with pytest.raises(ValueError, match="fee is .* finite"):
            as_fee(fee)
    for fee in ("0.09", None, [0.09]):
        with pytest.raises(TypeError):
            as_fee(fee)
