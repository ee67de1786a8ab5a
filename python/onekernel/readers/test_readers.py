"""Every way in which a file of prices can be good or bad, and the one line that says so."""

import decimal
import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from onekernel import ReadError
from onekernel.readers import read_prices

CLOSE = [100.25, 101.5, 99.125, 0.00162008]
DATES = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"]


@pytest.fixture
def write(tmp_path):
    def write(content, name="prices.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def csv_of(close=CLOSE, dates=DATES):
    rows = zip(dates, close, strict=True)
    return "date,open,close\n" + "".join(f"{date},1,{price}\n" for date, price in rows)


def refused(path, *args, **kwargs):
    """Return the reason without the path, which always comes first; there is one line of it."""
    with pytest.raises(ReadError) as caught:
        read_prices(path, *args, **kwargs)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


GOOD_CSV = {
    "plain": csv_of(),
    "byte order mark": "\ufeff" + csv_of(),
    "CRLF": csv_of().replace("\n", "\r\n"),
    "quoted": csv_of()
    .replace("2024", '"2024')
    .replace(",1,", '","1","')
    .replace("\n", '"\n')
    .replace('close"', "close"),
    "semicolons": csv_of().replace(",", ";"),
    "tabs": csv_of().replace(",", "\t"),
    "bars": csv_of().replace(",", "|"),
    "no last newline": csv_of().rstrip("\n"),
    "blank last lines": csv_of() + "\n\n\n",
    "blank lines in between": csv_of().replace("\n", "\n\n"),
    "spaces": csv_of().replace(",", ", "),
    "line break in quotes": csv_of().replace(",1,", ',"1\n2",'),
    "no timestamps": "close\n" + "".join(f"{price}\n" for price in CLOSE),
}


@pytest.mark.parametrize("content", GOOD_CSV.values(), ids=GOOD_CSV.keys())
def test_good_csv(write, content):
    prices = read_prices(write(content))
    assert prices.close.tolist() == CLOSE
    assert prices.close.dtype == np.float64
    assert prices.notes == ()


def test_gzipped_csv(write):
    assert read_prices(write(gzip.compress(csv_of().encode()), "prices.csv.gz")).close.tolist() == CLOSE


def test_a_delimiter_that_is_given(write):
    path = write("a,b;close\n1,2;3.5\n")
    assert read_prices(path, delimiter=";").close.tolist() == [3.5]
    assert read_prices(write("close\ttime\n1\t2\n"), delimiter="tab").close.tolist() == [1.0]
    assert "the delimiter '::' is not one character" in refused(path, delimiter="::")


def test_numbers_are_the_nearest_doubles(write):
    texts = ["0.1", "1e-5", "123456789.123456789", "2.2250738585072011e-308", "9007199254740993"]
    assert read_prices(write("close\n" + "\n".join(texts))).close.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("abc", "close is 'abc', which is not a number"),
        ("1,5", "has 4 fields, the header has 3"),
        ('"1,5"', "close is '1,5', which is not a number"),
        ("1_000", "close is '1_000', which is not a number"),
        ("", "close is empty"),
        ("  ", "close is empty"),
        ("nan", "close is nan; a price must be finite and above zero"),
        ("NaN", "close is nan; a price must be finite and above zero"),
        ("inf", "close is inf; a price must be finite and above zero"),
        ("1e999", "close is inf; a price must be finite and above zero"),
        ("0", "close is 0.0; a price must be finite and above zero"),
        ("-3.5", "close is -3.5; a price must be finite and above zero"),
    ],
)
def test_a_bad_cell_is_named_with_its_line(write, cell, reason):
    assert refused(write(csv_of(["1.5", cell, "2.5", cell]))) == f"line 3: {reason}"


def test_the_line_is_that_of_an_editor(write):
    content = 'note,close\n\n"two\nlines",1.5\n\n\nx,oops\n'
    assert refused(write(content)) == "line 7: close is 'oops', which is not a number"


def test_the_first_of_many_bad_cells_is_named(write):
    close = ["1.5"] * 5000 + ["x"] + ["1.5"] * 5000 + [""]
    assert refused(write("close,a\n" + "".join(f"{price},1\n" for price in close))).startswith(
        "line 5002: close is 'x'"
    )


@pytest.mark.parametrize(("row", "count"), [("2024-01-02", 1), ("2024-01-02,1,2,3", 4)])
def test_a_row_with_another_number_of_fields_is_named(write, row, count):
    assert (
        refused(write(f"date,open,close\n2024-01-01,1,1.5\n{row}\n")) == f"line 3: has {count} fields, the header has 3"
    )


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_csv(write, content):
    assert refused(write(content)) == "is empty"


@pytest.mark.parametrize("content", ["date,close", "date,close\n", "date,close\r\n\r\n"])
def test_a_csv_with_only_a_header(write, content):
    assert refused(write(content)) == "has no rows of data"


def test_a_missing_column_is_named_with_those_there_are(write):
    path = write("Date,Open,Close\n2024-01-01,1,2\n")
    assert refused(path) == "has no column 'close'; did you mean 'Close'? It has: Date, Open, Close"
    assert refused(path, "price") == "has no column 'price'; it has: Date, Open, Close"
    assert refused(path, "Close", timestamp_column="when").startswith("has no column 'when'")


def test_a_column_that_is_there_twice(write):
    assert refused(write("close,close\n1,2\n")).startswith("has 2 columns named 'close'")


def test_many_columns_are_not_all_listed(write):
    reason = refused(write(",".join(f"c{number}" for number in range(500)) + "\n"))
    assert reason.endswith("c18, c19 and 480 more")


@pytest.mark.parametrize("content", [csv_of().encode("utf-16"), b"date,close\xff\n1,2\n"])
def test_text_that_is_not_utf8(write, content):
    assert "is not UTF-8 text" in refused(write(content))


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-12], lambda data: b"no gzip", lambda data: data[:-8] + bytes(8)]
)
def test_a_damaged_gzip_file(write, damage):
    content = gzip.compress(("date,close\n" + "2024-01-01,1.5\n" * 3).encode())
    assert "is a damaged gzip file" in refused(write(damage(content), "prices.csv.gz"))


ORDERED = {
    "dates": DATES,
    "datetimes": ["2024-01-01 09:00:00", "2024-01-01 09:00:01", "2024-01-01 09:00:01.5", "2024-01-02 00:00"],
    "ISO with T and zone": [f"2024-01-01T0{hour}:00:00Z" for hour in range(4)],
    "offsets": [
        "2024-01-01 09:00:00+02:00",
        "2024-01-01 08:00:00+00:00",
        "2024-01-01 09:00:00+00:00",
        "2024-01-02 00:00:00-05:00",
    ],
    "milliseconds": ["1509836520000", "1509836580000", "1509836640000", "1509836700000"],
    "numbers that order otherwise as text": ["8", "9", "10", "11"],
    "seconds with a fraction": ["1.5", "1.75", "2.0", "10"],
    "not evenly spaced": ["2024-01-01", "2024-01-02", "2024-02-01", "2025-01-01"],
}


@pytest.mark.parametrize("stamps", ORDERED.values(), ids=ORDERED.keys())
@pytest.mark.parametrize("name", ["timestamp", "Timestamp_MS", "DATE", "datetime", "Time"])
def test_the_order_of_timestamps_is_checked(write, name, stamps):
    good = write(csv_of(dates=stamps).replace("date", name, 1))
    prices = read_prices(good)
    assert (prices.timestamp_column, prices.notes) == (name, ())
    swapped = [stamps[0], stamps[2], stamps[1], stamps[3]]
    reason = refused(write(csv_of(dates=swapped).replace("date", name, 1)))
    assert reason == f"line 4: {name} {stamps[1]} comes after {stamps[2]}: the timestamps are not sorted"
    doubled = [stamps[0], stamps[1], stamps[1], stamps[3]]
    reason = refused(write(csv_of(dates=doubled).replace("date", name, 1)))
    assert reason == f"line 4: {name} {stamps[1]} stands twice: duplicate timestamps"


def test_a_file_from_new_to_old_is_told_so(write):
    reason = refused(write(csv_of(dates=DATES[::-1])))
    assert reason == "line 3: date 2024-01-03 comes after 2024-01-04: the file runs from new to old; sort it"


def test_a_timestamp_column_that_is_given(write):
    path = write("when,date,close\n2,2024-01-01,1.5\n1,2024-01-02,2.5\n")
    assert read_prices(path).timestamp_column == "date"
    assert refused(path, timestamp_column="when").startswith("line 3: when 1 comes after 2")


@pytest.mark.parametrize(
    ("cell", "reason"), [("", "date is empty"), ("soon", "date is 'soon', which is not an ISO date or time")]
)
@pytest.mark.parametrize("line", [3, 4])
def test_a_bad_timestamp_is_named(write, cell, reason, line):
    dates = list(DATES)
    dates[line - 2] = cell
    assert refused(write(csv_of(dates=dates))) == f"line {line}: {reason}"


def test_timestamps_that_are_not_understood_are_not_checked_but_said_to_be(write):
    path = write(csv_of(dates=["01/02/2024", "01/01/2024", "x", "y"]))
    prices = read_prices(path)
    assert prices.timestamp_column is None
    assert prices.notes == (f"{path}: the order of 'date' was not checked: it holds text such as '01/02/2024'",)
    assert (
        refused(path, timestamp_column="date") == "column 'date' holds text such as '01/02/2024', which is no timestamp"
    )


def test_date_and_time_apart_are_not_mistaken_for_duplicates(write):
    content = "date,time,close\n2024-01-01,09:00,1.5\n2024-01-01,09:01,2.5\n"
    assert read_prices(write(content)).timestamp_column is None


# Typed files.


def table(close, **columns):
    return pa.table({**columns, "close": close})


@pytest.fixture(params=["parquet", "feather", "arrow", "ipc stream"])
def write_table(request, tmp_path):
    def write_table(content):
        path = tmp_path / f"prices.{request.param.split()[0]}"
        if request.param == "parquet":
            pq.write_table(content, path, row_group_size=3)
        elif request.param == "feather":
            pyarrow.feather.write_feather(content, path)
        else:
            make = pa.ipc.new_stream if "stream" in request.param else pa.ipc.new_file
            with make(path, content.schema) as writer:
                writer.write_table(content, max_chunksize=3)
        return path

    return write_table


GOOD_COLUMNS = {
    "float64": pa.array(CLOSE),
    "large ints": pa.array([1, 2, 3, 4], pa.int64()),
    "uint16": pa.array([1, 2, 3, 4], pa.uint16()),
    "float32": pa.array(CLOSE, pa.float32()),
    "dictionary": pa.array(CLOSE).dictionary_encode(),
    "decimal": pa.array([decimal.Decimal(str(price)) for price in CLOSE], pa.decimal128(20, 8)),
}


@pytest.mark.parametrize("close", GOOD_COLUMNS.values(), ids=GOOD_COLUMNS.keys())
def test_good_typed_columns(write_table, close):
    prices = read_prices(write_table(table(close)))
    assert prices.close.tolist() == [float(price) for price in close.to_pylist()]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "close is empty"),
        (float("nan"), "close is nan; a price must be finite and above zero"),
        (float("inf"), "close is inf; a price must be finite and above zero"),
        (0.0, "close is 0.0; a price must be finite and above zero"),
        (-1.5, "close is -1.5; a price must be finite and above zero"),
    ],
)
def test_a_bad_typed_value_is_named_with_its_row(write_table, value, reason):
    assert refused(write_table(table([1.5] * 4 + [value, 2.5, value]))) == f"row 5: {reason}"


@pytest.mark.parametrize(
    ("close", "held"),
    [(["1.5"], "text"), ([True], "bool values"), (pa.array([1], pa.timestamp("ms")), "timestamp[ms] values")],
)
def test_a_typed_column_without_numbers(write_table, close, held):
    assert refused(write_table(table(close))) == f"column 'close' holds {held}, not numbers"


def test_a_typed_file_without_rows_or_without_the_column(write_table):
    path = write_table(table(pa.array([], pa.float64())))
    assert refused(path) == "has no rows of data"
    assert refused(path, "CLOSE") == "has no column 'CLOSE'; did you mean 'close'? It has: close"


TYPED_STAMPS = {
    "timestamps": pa.array([1, 2, 2, 3, 4], pa.timestamp("ms")),
    "nanoseconds with a zone": pa.array([1, 2, 2, 3, 4], pa.timestamp("ns", "UTC")),
    "days": pa.array([1, 2, 2, 3, 4], pa.date32()),
    "dates of 64 bits": pa.array([86400000 * day for day in (1, 2, 2, 3, 4)], pa.date64()),
}


@pytest.mark.parametrize("stamps", TYPED_STAMPS.values(), ids=TYPED_STAMPS.keys())
def test_typed_timestamps_are_found_by_their_type(write_table, stamps):
    reason = refused(write_table(table([1.5] * 5, volume=[1] * 5, bar_end=stamps)))
    assert reason.startswith("row 3: bar_end 19")
    assert reason.endswith("stands twice: duplicate timestamps")


def test_typed_timestamps_of_any_kind_are_found_by_their_name(write_table):
    for stamps in (
        pa.array([1, 2, 2]),
        pa.array([1.0, 2.0, 2.0]),
        pa.array(["2024-01-01", "2024-01-02", "2024-01-02"]),
    ):
        assert refused(write_table(table([1.5] * 3, Time=stamps))).startswith("row 3: Time 2")


def test_a_typed_time_of_the_day_is_no_timestamp(write_table):
    prices = read_prices(write_table(table([1.5, 2.5], time=pa.array([1, 1], pa.time32("ms")))))
    assert "the order of 'time' was not checked: it holds time32[ms] values" in prices.notes[0]


def test_a_pandas_index_of_dates_is_found(tmp_path):
    index = pd.to_datetime(["2024-01-02", "2024-01-01"])
    pd.DataFrame({"close": [1.5, 2.5]}, index=index).to_parquet(tmp_path / "prices.parquet")
    assert refused(tmp_path / "prices.parquet").startswith("row 2: __index_level_0__ 2024-01-01")


@pytest.mark.parametrize("name", ["prices.parquet", "prices.feather", "prices.arrow"])
def test_damaged_typed_files(write, write_table, name):
    assert "is not a" in refused(write(b"", name))
    assert "it is empty" in refused(write(b"", name))
    assert "is not a" in refused(write(b"PAR1 but nothing more", name))
    whole = write_table(table([1.5] * 1000)).read_bytes()
    half = refused(write(whole[: len(whole) // 2], name))
    assert "is not a" in half or "is damaged" in half


def test_a_parquet_file_whose_data_is_damaged(write, tmp_path):
    pq.write_table(table(np.arange(1.0, 5000.0)), tmp_path / "good.parquet", compression="zstd")
    data = bytearray((tmp_path / "good.parquet").read_bytes())
    data[100:4000] = b"\xff" * 3900
    assert "is damaged" in refused(write(bytes(data), "prices.parquet"))


# NPY.


@pytest.fixture
def write_npy(tmp_path):
    def write_npy(array):
        np.save(tmp_path / "prices.npy", array, allow_pickle=True)
        return tmp_path / "prices.npy"

    return write_npy


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "f4", "i8", "u1"])
def test_good_npy(write_npy, dtype):
    assert read_prices(write_npy(np.array([4, 2, 3], dtype))).close.tolist() == [4.0, 2.0, 3.0]


def test_structured_npy(write_npy):
    array = np.array([(1, 1.5), (2, 2.5), (2, 3.5)], [("timestamp", "i8"), ("close", "f4")])
    assert refused(write_npy(array)) == "row 3: timestamp 2 stands twice: duplicate timestamps"
    assert read_prices(write_npy(array[:2])).close.tolist() == [1.5, 2.5]
    assert refused(write_npy(array), "price").startswith("has no column 'price'; it has: timestamp, close")
    dated = np.array([("2024-01-02", 1.5), ("2024-01-01", 2.5)], [("date", "M8[D]"), ("close", "f8")])
    assert refused(write_npy(dated)).startswith("row 2: date 2024-01-01 comes after 2024-01-02")
    dated["date"][1] = "NaT"
    assert refused(write_npy(dated)) == "row 2: date is empty"


def test_bad_npy(write, write_npy):
    assert refused(write_npy(np.array([1.5, np.nan]))) == "row 2: close is nan; a price must be finite and above zero"
    assert refused(write_npy(np.array([1.5, 0.0]))) == "row 2: close is 0.0; a price must be finite and above zero"
    assert refused(write_npy(np.empty(0))) == "has no rows of data"
    assert refused(write_npy(np.ones((3, 2)))) == "holds an array of shape (3, 2); prices have one dimension"
    assert refused(write_npy(np.array(["1.5"]))) == "close holds <U3 values; it must hold real numbers"
    assert refused(write_npy(np.array([True]))) == "close holds bool values; it must hold real numbers"
    assert "is not an NPY file: it is empty" in refused(write(b"", "prices.npy"))
    assert "is not an NPY file: pickles" in refused(write(b"\x80\x04N.", "prices.npy"))
    assert "is damaged" in refused(write(write_npy(np.ones(100)).read_bytes()[:-8], "prices.npy"))


def test_a_pickle_inside_an_npy_is_never_loaded(write_npy, tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "exploded"),)

    path = write_npy(np.array([Bomb()], dtype=object))
    assert refused(path) == "holds Python objects (a pickle), which are never loaded"
    assert not (tmp_path / "exploded").exists()


# Files as such.


def test_files_that_are_none(tmp_path, write):
    assert refused(tmp_path / "none.csv") == "no such file"
    assert refused(tmp_path / "none.xyz") == "no such file"
    assert refused(tmp_path) == "is a directory, not a file of prices"
    assert refused(write("x", "prices.xlsx")).startswith("unknown kind of file '.xlsx'; known are .csv, ")
    assert refused(write("x", "prices")).startswith("unknown kind of file ''; known are ")
    assert refused(write("x", "prices.parquet.gz")).startswith("unknown kind of file '.gz'")


def test_without_pyarrow_npy_still_works_and_the_rest_says_what_to_install(write, write_npy):
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from onekernel.readers import read_prices\n"
        "print(read_prices(sys.argv[1]).close)\n"
        "read_prices(sys.argv[2])"
    )
    paths = [str(write_npy(np.array([1.5]))), str(write(csv_of()))]
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=False)
    assert done.stdout == "[1.5]\n"
    assert "pip install 'onekernel[files]'" in done.stderr


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "prices.csv")
    with pytest.raises(ReadError, match="is no regular file"):
        read_prices(tmp_path / "prices.csv")
