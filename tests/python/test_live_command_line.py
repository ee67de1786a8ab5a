"""``onekernel live`` and ``onekernel parity`` as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onekernel as ok
import pytest

PROGRAM = str(Path(sys.executable).with_name("onekernel"))
LENGTHS = "6:60:9"
GRID = ok.hma_grid(6, 60, 9)
FEE = 0.09
# Where the live side of `parity` may be.
OVER = ["inproc", "unix", "shm", "tcp"]


def onekernel(*arguments, lines=""):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=lines, capture_output=True, text=True, check=False)


def live(*arguments, lines=""):
    return onekernel("live", "--lengths", LENGTHS, "--fee", FEE, *arguments, lines=lines)


def text_of(close):
    return "".join(f"{price!r}\n" for price in close.tolist())


@pytest.fixture(scope="module")
def close():
    return 100 * np.exp(np.cumsum(np.random.default_rng(61).normal(0, 0.002, 800)))


@pytest.fixture
def prices(close, tmp_path):
    file = tmp_path / "prices.npy"
    np.save(file, close)
    return file


def as_told(change):
    is_first = change.entry_bar < 0
    return {
        "bar": change.bar,
        "combo": change.combo,
        "length": int(GRID[change.combo, 1]),
        "position": change.position,
        "price": change.price,
        "entry_bar": None if is_first else change.entry_bar,
        "entry": None if is_first else change.entry,
        "trade_pnl_pct": None if is_first else change.trade_pnl,
        "pnl_pct": change.pnl,
        "trades": change.trades,
    }


def test_lines_are_the_changes_and_the_summary_is_the_sweep(close, prices):
    done = live(lines=text_of(close))
    assert (done.returncode, done.stderr) == (0, "")
    *changes, summary = map(json.loads, done.stdout.splitlines())
    with ok.live(GRID, fee=FEE) as session:
        assert changes == [as_told(change) for made in session.follow(close) for change in made]
    swept = json.loads(onekernel("sweep", prices, "--lengths", LENGTHS, "--fee", FEE, "--format", "json").stdout)
    assert summary["summary"]["combos"] == swept["combos"]
    assert (summary["summary"]["n_bars"], summary["summary"]["file"]) == (800, "standard input")


def test_json_lines_and_a_history(close, prices, tmp_path):
    np.save(tmp_path / "history.npy", close[:500])
    lines = "".join(
        json.dumps({name: price, "timestamp": f"2024-01-01T{bar:04}"}) + "\n\n"
        for bar, (price, name) in enumerate(zip(close[500:].tolist(), ["close", "price"] * 150, strict=True), 500)
    )
    done = live("--history", tmp_path / "history.npy", lines=lines)
    assert (done.returncode, done.stderr) == (0, "")
    *changes, summary = map(json.loads, done.stdout.splitlines())
    assert len(changes) > 100
    assert all(change["bar"] >= 500 for change in changes)
    assert all(change["timestamp"] == f"2024-01-01T{change['bar']:04}" for change in changes)
    pnl = np.array([combo["pnl_pct"] for combo in summary["summary"]["combos"]])
    assert pnl.tobytes() == ok.sweep(close, GRID, fee=FEE).pnl.tobytes()
    assert summary["summary"]["file"] == f"{tmp_path / 'history.npy'} and standard input"


def test_a_summary_in_other_forms(close, prices):
    as_csv = live("--format", "csv", lines=text_of(close)).stdout
    expected = onekernel("sweep", prices, "--lengths", LENGTHS, "--fee", FEE, "--format", "csv").stdout
    assert as_csv.endswith("\n" + expected)
    assert "standard input, 800 bars" in live("--format", "table", lines=text_of(close)).stdout


def test_a_change_is_told_before_the_next_price_comes(close):
    command = [PROGRAM, "live", "--lengths", LENGTHS, "--fee", str(FEE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        with ok.live(GRID, fee=FEE) as session:
            for price in close[:200].tolist():
                program.stdin.write(f"{price!r}\n")
                program.stdin.flush()
                for change in session.bar(price):
                    assert json.loads(program.stdout.readline()) == as_told(change)
        assert session.__repr__().endswith("closed>")
        program.stdin.close()
        assert "summary" in json.loads(program.stdout.readline())
        assert program.wait() == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("abc", "'abc' is no number; write a price, or a JSON object with 'close'"),
        ("1_000", "'1_000' is no number"),
        ("nan", "bar 100: the price is nan; it must be finite and above zero"),
        ("-1.5", "bar 100: the price is -1.5; it must be"),
        ('{"close": ', "is no JSON object: "),
        ('{"open": 1}', "the object must have 'close' or 'price'"),
        ('{"close": 1, "price": 1}', "the object must have 'close' or 'price', not both"),
        ('{"close": "1"}', 'close is "1"; it must be a number'),
        ('{"close": true}', "close is true; it must be a number"),
        ('{"price": NaN}', "is no JSON object: NaN is no number in JSON"),
        ('{"price": 1' + "0" * 400 + "}", "int too large"),
    ],
)
def test_a_bad_line_is_named_and_what_was_written_stays(close, line, message):
    good = live(lines=text_of(close[:100])).stdout.splitlines()[:-1]
    assert len(good) > 10
    done = live(lines=text_of(close[:100]) + line + "\n5.0\n")
    assert done.returncode == 2
    assert done.stdout.splitlines() == good
    assert done.stderr.startswith(f"onekernel: line 101: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_nothing_to_read():
    (line,) = live().stdout.splitlines()
    assert json.loads(line)["summary"]["n_bars"] == 0


def test_a_reader_that_hangs_up_is_no_error(close):
    reading, writing = os.pipe()
    os.close(reading)
    command = [PROGRAM, "live", "--lengths", LENGTHS, "--fee", str(FEE)]
    done = subprocess.run(command, input=text_of(close).encode(), stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_bad_options_of_live(tmp_path):
    assert "--lengths" in onekernel("live", "--lengths", "x", "--fee", "1").stderr
    done = live("--history", tmp_path / "none.npy")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in done.stderr


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("chunk", [1, 64])
def test_parity(prices, close, over, chunk):
    arguments = ("parity", prices, "--lengths", LENGTHS, "--fee", FEE, "--over", over, "--chunk", chunk)
    done = onekernel(*arguments, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    made = ok.trades(close, GRID, fee=FEE)
    assert (told["same"], told["difference"]) == (True, None)
    assert (told["bars"], told["combos"], told["over"], told["chunk"]) == (800, 9, over, chunk)
    assert (told["trades"], told["changes"]) == (len(made.closed), len(made.closed) + len(made.open))
    text = onekernel(*arguments).stdout
    assert f"same   {told['changes']:,} changes of position" in text


def test_parity_ends_with_1_where_there_is_a_difference(prices):
    """The live side is made to forget a change; the program, its output and its status are the real ones."""
    code = f"""
import sys
from onekernel import cli, parity_command
replay = parity_command.replay
parity_command.replay = lambda *arguments: replay(*arguments)[1:]
sys.argv = ["onekernel", "parity", {str(prices)!r}, "--fee", "0.09", "--lengths", "{LENGTHS}", *sys.argv[1:]]
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "DIFFERENT  bar " in done.stdout
    as_json = subprocess.run(
        [sys.executable, "-c", code, "--format", "json"], capture_output=True, text=True, check=False
    )
    told = json.loads(as_json.stdout)
    assert (as_json.returncode, told["same"], told["difference"]["live"]) == (1, False, None)


def test_parity_refuses_what_it_cannot_use(tmp_path):
    done = onekernel("parity", tmp_path / "none.csv", "--fee", "0.09")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in done.stderr
    assert onekernel("parity", tmp_path, "--fee", "0.09", "--over", "pigeon").returncode == 2
