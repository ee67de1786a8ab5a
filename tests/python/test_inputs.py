"""The same prices in every form a user may hold give the same result, in process and through an engine."""

import numpy as np
import onekernel as ok
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

FORMS = {
    "read-only": lambda close: np.frombuffer(close.tobytes()),
    "strided": lambda close: np.repeat(close, 2)[::2],
    "reversed": lambda close: close[::-1].copy()[::-1],
    "big-endian": lambda close: close.astype(">f8"),
    "list": lambda close: close.tolist(),
    "pandas": pd.Series,
    "pandas nullable": lambda close: pd.Series(close, dtype="Float64"),
    "pandas arrow": lambda close: pd.Series(close, dtype="float64[pyarrow]"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunks": lambda close: pa.chunked_array([close[:100], close[100:]]),
}
NARROW = {
    "float32": lambda close: close.astype(np.float32),
    "float16": lambda close: close.astype(np.float16),
    "int64": lambda close: np.rint(close).astype(np.int64),
    "int16": lambda close: np.rint(close).astype(np.int16),
    "pandas Int32": lambda close: pd.Series(np.rint(close).astype(np.int32), dtype="Int32"),
    "polars Float32": lambda close: pl.Series(close, dtype=pl.Float32),
    "arrow uint16": lambda close: pa.array(np.rint(close), pa.uint16()),
}


def as_bytes(values):
    return np.asarray(values).tobytes()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_gives_the_same_bits(form, real_close, grid, engine, assert_same_bits):
    values = form(real_close)
    before = as_bytes(values)
    expected = ok.sweep(real_close, grid, fee=0.09)
    assert_same_bits(ok.sweep(values, grid, fee=0.09), expected)
    assert_same_bits(engine.sweep(values, grid, fee=0.09), expected)
    assert as_bytes(values) == before


@pytest.mark.parametrize("form", NARROW.values(), ids=NARROW.keys())
def test_narrower_numbers_give_the_bits_of_their_float64(form, real_close, grid, engine, assert_same_bits):
    values = form(real_close)
    before = as_bytes(values)
    expected = ok.sweep(np.array(np.asarray(values), dtype=np.float64), grid, fee=0.09)
    assert_same_bits(ok.sweep(values, grid, fee=0.09), expected)
    assert_same_bits(engine.sweep(values, grid, fee=0.09), expected)
    assert as_bytes(values) == before


def test_an_engine_refuses_the_prices_that_a_sweep_refuses(grid, engine):
    with pytest.raises(ValueError, match=r"close\[1\] is nan"):
        engine.sweep([1.0, np.nan], grid, fee=0.09)
    with pytest.raises(ValueError, match="window 'half' is 0"):
        engine.sweep([1.0], [[0, 1, 1, 1, 1, 1]], fee=0.09)
    with pytest.raises(TypeError):
        engine.sweep(["1.0"], grid, fee=0.09)
