"""The ``onekernel`` program as a user runs it."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onekernel as ok
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from bokeh_sampledata import stocks

PROGRAM = str(Path(sys.executable).with_name("onekernel"))
FIELDS = ["half", "full", "smooth", "third", "half3", "full3"]


def onekernel(*arguments, **kwargs):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, **kwargs)


def refused(*arguments):
    """Return the one line on standard error of a command that ends with 2 and writes nothing else."""
    done = onekernel(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def parse_csv(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    combos = np.array([[int(row[field]) for field in FIELDS] for row in rows])
    pnl = np.array([float(row["pnl_pct"]) for row in rows])
    return combos, ok.SweepResult(pnl, np.array([int(row["trades"]) for row in rows]))


@pytest.fixture(scope="module", params=["AAPL", "GOOG"])
def real_table(request):
    data = getattr(stocks, request.param)
    return pa.table({name: data[name] for name in ("date", "open", "high", "low", "close", "volume")})


@pytest.fixture
def real_csv(real_table, tmp_path):
    pyarrow.csv.write_csv(real_table, tmp_path / "prices.csv")
    return tmp_path / "prices.csv"


def test_real_prices_give_the_same_result_from_every_kind_of_file(real_table, real_csv, grid, assert_same_bits):
    close = real_table["close"].to_numpy()
    files = {kind: real_csv.with_suffix(f".{kind}") for kind in ("parquet", "feather", "arrow", "npy")}
    pq.write_table(real_table, files["parquet"])
    pyarrow.feather.write_feather(real_table, files["feather"])
    with pa.ipc.new_file(files["arrow"], real_table.schema) as writer:
        writer.write_table(real_table)
    np.save(files["npy"], close)
    outputs = set()
    for file in (real_csv, *files.values()):
        done = onekernel("sweep", file, "--lengths", "6:200:80", "--fee", "0.09", "--format", "csv")
        assert (done.returncode, done.stderr) == (0, ""), file
        outputs.add(done.stdout)
    (output,) = outputs
    combos, result = parse_csv(output)
    assert combos.tolist() == grid.tolist()
    assert_same_bits(result, ok.sweep(close, grid, fee=0.09))
    assert result.trades.max() > 300


def test_json_is_complete(real_table, real_csv, assert_same_bits):
    done = onekernel(
        "sweep", real_csv, "--lengths", "20,50,100", "--fee", "0.2", "--kernel", "checked", "--format", "json"
    )
    document = json.loads(done.stdout)
    combos = document.pop("combos")
    assert document == {
        "file": str(real_csv),
        "column": "close",
        "n_bars": real_table.num_rows,
        "fee_pct": 0.2,
        "kernel": "checked",
    }
    assert [combo["length"] for combo in combos] == [20, 50, 100]
    expected = ok.sweep(real_table["close"], ok.hma_combos([20, 50, 100]), fee=0.2)
    pnl = np.array([combo["pnl_pct"] for combo in combos])
    assert_same_bits(ok.SweepResult(pnl, np.array([combo["trades"] for combo in combos])), expected)


def test_the_table_shows_the_best_and_the_worst(real_table, real_csv, grid):
    done = onekernel("sweep", real_csv, "--fee", "0.09", "--best", "2")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    result = ok.sweep(real_table["close"], grid, fee=0.09)
    order = np.argsort(-result.pnl, kind="stable")
    shown = [0, 1, 78, 79]
    assert [int(row[0]) for row in rows] == [rank + 1 for rank in shown]
    for row, rank in zip(rows, shown, strict=True):
        assert [int(cell) for cell in row[1:7]] == grid[order[rank]].tolist()
        assert row[7:] == [f"{result.pnl[order[rank]]:,.2f}", f"{result.trades[order[rank]]:,}"]


def test_a_short_table_shows_all(real_csv):
    done = onekernel("sweep", real_csv, "--fee", "0.09", "--lengths", "10,20,30")
    assert len([line for line in done.stdout.splitlines() if line.split()[:1] and line.split()[0].isdigit()]) == 3
    assert "gives them all" not in done.stdout


def test_a_running_engine_gives_the_same_output(real_csv, engine):
    arguments = ["sweep", real_csv, "--fee", "0.09", "--format", "csv"]
    assert onekernel(*arguments, "--engine", engine.url).stdout == onekernel(*arguments).stdout
    chosen = json.loads(onekernel(*arguments, "--engine", engine.url, "--kernel", "checked", "--format", "json").stdout)
    assert chosen["kernel"] == "checked"
    line = refused(*arguments, "--engine", engine.url, "--kernel", "fastest")
    assert f"unknown kernel 'fastest'; the engine at {engine.url} has: " in line
    assert engine.series() == [], "the series of the command stays behind"


def test_an_engine_that_is_not_there_is_a_failure_not_bad_usage(real_csv, tmp_path):
    done = onekernel("sweep", real_csv, "--fee", "0.09", "--engine", f"unix:{tmp_path}/none.sock")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot connect" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_bad_input_is_one_line_and_exit_2(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("date,close\n2024-01-01,1.5\n2024-01-02,oops\n")
    line = refused("sweep", path, "--fee", "0.09")
    assert line == f"onekernel: {path}: line 3: close is 'oops', which is not a number"
    assert refused("sweep", tmp_path / "none.csv", "--fee", "0.09") == f"onekernel: {tmp_path}/none.csv: no such file"
    assert "has no column 'Close'" in refused("sweep", path, "--fee", "0.09", "--column", "Close")


def test_bad_options_are_one_line_and_exit_2(real_csv):
    assert "--lengths: '6-200' is not understood" in refused("sweep", real_csv, "--fee", "0.09", "--lengths", "6-200")
    assert "--lengths: lengths[0] is 1" in refused("sweep", real_csv, "--fee", "0.09", "--lengths", "1")
    assert "--kernel: there is no kernel 'fast'" in refused("sweep", real_csv, "--fee", "0.09", "--kernel", "fast")
    assert "--engine: endpoint 'x'" in refused("sweep", real_csv, "--fee", "0.09", "--engine", "x")
    assert "fee is nan" in refused("sweep", real_csv, "--fee", "nan")


@pytest.mark.parametrize("arguments", [["sweep"], ["sweep", "x.csv"], ["nothing"], ["sweep", "x.csv", "--fee", "much"]])
def test_bad_usage_is_exit_2(arguments):
    done = onekernel(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_notes_go_to_standard_error(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("date,close\n01/02/2024,1.5\n01/03/2024,2.5\n")
    done = onekernel("sweep", path, "--fee", "0.09", "--lengths", "2", "--format", "csv")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)
    assert "note:" in done.stderr
    assert "'date' was not checked" in done.stderr


def test_prices_too_far_apart_for_a_double_are_still_json(tmp_path):
    np.save(tmp_path / "wild.npy", [2.0, 1e-300, 1e300, 1e-300, 1e300, 1e-300] * 3)
    done = onekernel("sweep", tmp_path / "wild.npy", "--fee", "0", "--lengths", "2", "--format", "json")
    assert json.loads(done.stdout)["combos"][0]["pnl_pct"] is None


@pytest.fixture
def long_sweep(tmp_path):
    np.save(tmp_path / "long.npy", np.random.default_rng(1).random(200_000) + 1)
    return ["sweep", str(tmp_path / "long.npy"), "--fee", "0.09", "--lengths", "1000:1200:2000", "--kernel", "checked"]


def test_ctrl_c_ends_a_long_sweep_quietly(long_sweep):
    process = subprocess.Popen([PROGRAM, *long_sweep], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while "_native" not in Path(f"/proc/{process.pid}/maps").read_text():  # Python is up and the command is running
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 130


def test_progress_is_shown_on_a_terminal(long_sweep):
    terminal, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen([PROGRAM, *long_sweep], stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while b"/2000" not in seen:
        seen += os.read(terminal, 1024)
    process.send_signal(signal.SIGINT)
    assert process.stdout.read() == b""
    process.stdout.close()
    assert process.wait() == 130
    os.close(terminal)


def test_version_and_help():
    assert onekernel("--version").stdout == f"onekernel {version('onekernel')}\n"
    assert "sweep" in onekernel("--help").stdout
    assert ok.__version__ == version("onekernel")


def test_python_m_is_the_same_program():
    done = subprocess.run([sys.executable, "-m", "onekernel", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == onekernel("--version").stdout


def test_a_plain_start_loads_neither_numpy_nor_pyarrow():
    code = "import sys, onekernel.cli; print({'numpy', 'pyarrow', 'numba', 'rich'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_info_of_a_running_engine(engine):
    stored = engine.put("x", [1.0, 2.0])
    done = json.loads(onekernel("info", "--engine", engine.url, "--json").stdout)
    assert (done["version"], done["kernels"]) == (version("onekernel"), list(ok.KERNELS))
    assert done["limits"]["max_combos"] == engine.limits.max_combos
    assert (done["statistics"]["series"], done["statistics"]["connections"]) == (1, 2)
    text = onekernel("info", "--engine", engine.url).stdout
    assert text.startswith(f"onekernel-engine {version('onekernel')}\n")
    assert "1 series of 16 bytes" in text
    engine.drop(stored)
    assert "--fast: info --engine URL takes --json" in refused("info", "--engine", engine.url, "--fast")
    assert "--engine: endpoint 'x'" in refused("info", "--engine", "x")


def test_info_and_serve_are_the_engine_program(tmp_path):
    engine = str(ok.engine_path())
    assert (
        onekernel("info").stdout == subprocess.run([engine, "info"], capture_output=True, text=True, check=True).stdout
    )
    assert json.loads(onekernel("info", "--json").stdout)["version"] == version("onekernel")
    assert "--max-combos" in onekernel("serve", "--help").stdout
    done = onekernel("serve", "--unix", tmp_path / "e.sock", "--stop-on-eof", input="")
    assert (done.returncode, done.stdout) == (0, f"unix:{tmp_path}/e.sock\n")


@pytest.mark.parametrize("command", ["study", "verdict", "report"])
def test_without_its_packages_the_study_says_what_to_install(command):
    code = f"import sys; sys.modules['onekernel_study.commands'] = None; sys.argv = ['onekernel', '{command}']; "
    code += "from onekernel.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'onekernel[study]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_an_engine_program_the_error_says_so(tmp_path):
    done = onekernel("info", env={**os.environ, "ONEKERNEL_ENGINE": str(tmp_path / "none")})
    assert (done.returncode, done.stdout) == (1, "")
    assert "ONEKERNEL_ENGINE is" in done.stderr


def test_the_verdict_of_a_workload_needs_neither_a_study_nor_its_packages(tmp_path):
    (tmp_path / "mine.py").write_text("def work(n):\n    return sum(range(n))\n")
    hidden = (
        "import sys; sys.modules.update(dict.fromkeys(['numba', 'pyarrow', 'orjson', 'msgpack', 'fastapi', 'zmq'])); "
    )
    code = f"{hidden}sys.argv = ['onekernel', *sys.argv[1:]]; from onekernel.cli import main; main()"
    command = [sys.executable, "-c", code, "verdict", "--python", "mine:work", "--args", "1000", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["workload"]["payload_bytes"] == 8
    assert {"in_process", "unix", "tcp", "shm", "unix_json"} >= {each["name"] for each in facts["crossings"]}


def test_a_workload_that_is_not_understood(tmp_path):
    assert "--compute: '0.2': the unit is missing" in refused("verdict", "--compute", "0.2")
    assert "write module:function" in refused("verdict", "--python", "nothing")


def test_echo_against_a_running_engine():
    with ok.spawn() as engine:
        done = onekernel("echo", engine.url, "--floats", "1,100", "--calls", 30, "--rate", 3000, "--format", "json")
        assert "--floats: '1,x' is no list of sizes" in refused("echo", engine.url, "--floats", "1,x")
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)["rows"]
    assert [(row["floats"], row["loop"], row["latency"]["n"]) for row in rows] == [(1, "open", 30), (100, "open", 30)]
    assert "is not understood" in refused("echo", "pigeon:1")


def test_a_comparison_with_a_file_that_is_no_study(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    assert "schema is None" in refused("study", "--compare", tmp_path / "a.json", tmp_path / "a.json")
