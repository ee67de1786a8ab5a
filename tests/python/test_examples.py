"""The examples, run as they stand: research and live trading against one real engine, which dies in some runs."""

import contextlib
import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import onekernel as ok
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BUILD = ROOT / "build" / "release"

NEW_CLOSES = 2_500  # more than two of the loop's snapshots


class EngineProgram:
    """An engine on a fixed socket that can be killed and started again, as a supervisor would."""

    def __init__(self, socket):
        self.socket, self.url = socket, f"unix:{socket}"
        self.start()

    def start(self):
        command = [ok.engine_path(), "serve", "--unix", self.socket, "--log-level", "off", "--stop-on-eof"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline().decode().strip() == self.url  # it listens

    def end(self, how):
        self.process.send_signal(how)
        self.process.communicate()


@pytest.fixture
def engine(tmp_path):
    engine = EngineProgram(tmp_path / "engine.sock")
    yield engine
    engine.end(signal.SIGKILL)


@pytest.fixture
def research(engine, tmp_path, monkeypatch, capsys):
    """What research.py has in its cells when it has run; and where it wrote what it chose."""
    chosen = tmp_path / "chosen.json"
    monkeypatch.setattr(sys, "argv", ["research.py", str(chosen), engine.url])
    cells = runpy.run_path(str(EXAMPLES / "research.py"), run_name="__main__")
    assert "percentage points" in capsys.readouterr().out
    return cells | {"chosen_file": chosen}


@pytest.fixture(scope="session")
def new_closes():
    """Whole ticks of 1/64 like those of research.py: their text reads back as the same bits."""
    return (64 * 1_000 + np.cumsum(np.random.default_rng(99).integers(-32, 33, NEW_CLOSES))) / 64


@pytest.fixture(scope="session")
def cxx_program(tmp_path_factory):
    """live_loop.cc, built as its user would: against an installed copy. `make build` made what is installed here."""
    assert (BUILD / "cmake_install.cmake").exists(), "there is no build/release to install: run make build first"
    prefix, build = (tmp_path_factory.mktemp(name) for name in ("installed", "build"))
    for arguments in (
        ["--install", BUILD, "--prefix", prefix],
        ["-S", EXAMPLES, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_FLAGS=-Werror"],
        ["--build", build],
    ):
        done = subprocess.run(["cmake", *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return build / "live_loop"


def command_of(language, request, engine, research, snapshot):
    chosen = json.loads(research["chosen_file"].read_text())
    if language == "python":
        return [sys.executable, EXAMPLES / "live_loop.py", engine.url, research["chosen_file"], snapshot]
    combos = [",".join(map(str, combo)) for combo in chosen["combos"]]
    program = request.getfixturevalue("cxx_program")
    return [program, engine.url, snapshot, chosen["series"], repr(chosen["fee"]), *combos]


def expected_lines(research, new_closes):
    """What must be printed, from batch alone: the list of trades over all closes, and a sweep."""
    close, combos, fee = np.concatenate([research["close"], new_closes]), research["combos"], research["FEE"]
    made, swept = ok.trades(close, combos, fee=fee), ok.sweep(close, combos, fee=fee)
    changes = ok.records.changes_of(made.closed, made.open)
    side = {1: "long", -1: "short"}
    lines = [
        f"bar {change['bar']} combo {change['combo']} {side[int(change['position'])]} at {change['price']:.17g} "
        f"trade {change['trade_pnl']:.17g} pnl {change['pnl']:.17g} trades {change['trades']}"
        for change in changes[changes["bar"] >= len(research["close"])]
    ]
    assert len(lines) > 20
    assert {last["combo"] for last in made.open} == set(range(len(combos)))
    return lines + [
        f"combo {combo} {side[int(made.open[combo]['position'])]} pnl {pnl:.17g} trades {trades}"
        for combo, (pnl, trades) in enumerate(zip(swept.pnl, swept.trades, strict=True))
    ]


def as_text(closes):
    return "".join(f"{close!r}\n" for close in closes.tolist()).encode()


def run_loop(command, closes, engine, deaths):
    """Return standard output and error. The engine is ended by each signal of `deaths` in turn and started again."""
    pipe = subprocess.PIPE
    # No buffers here: what readline() below does not return is still there for communicate().
    loop = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    out = b""
    *before, last = np.array_split(closes, len(deaths) + 1)  # with bars left after a death, it cannot go unnoticed
    for part, how in zip(before, deaths, strict=True):
        loop.stdin.write(as_text(part))
        out += loop.stdout.readline()  # so it is under way
        engine.end(how)
        engine.start()
    rest, log = loop.communicate(as_text(last))
    assert loop.returncode == 0, log
    return (out + rest).decode(), log.decode()


def assert_snapshot_stands_at_the_end(snapshot, research, new_closes, assert_same_bits):
    close = np.concatenate([research["close"], new_closes])
    with ok.restore(snapshot.read_bytes()) as live:
        assert live.next_bar == len(close)
        assert_same_bits(live.result(), ok.sweep(close, research["combos"], fee=research["FEE"]))


@pytest.mark.parametrize("language", ["python", "cxx"])
@pytest.mark.parametrize(
    "deaths",
    [[], [signal.SIGKILL], [signal.SIGTERM], [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]],
    ids=["alive", "killed", "stopped", "three-deaths"],
)
def test_the_live_loop_prints_what_batch_says_whether_or_not_the_engine_dies(
    language, deaths, request, engine, research, new_closes, tmp_path, assert_same_bits
):
    snapshot = tmp_path / "saved.snapshot"
    command = command_of(language, request, engine, research, snapshot)
    out, log = run_loop(command, new_closes, engine, deaths)
    assert out.splitlines() == expected_lines(research, new_closes)
    # Two deaths may come so quickly one after the other that the loop sees one.
    assert min(len(deaths), 1) <= log.count("is due") <= len(deaths)
    assert_snapshot_stands_at_the_end(snapshot, research, new_closes, assert_same_bits)


def test_python_and_cxx_print_the_same_bytes(request, engine, research, new_closes, tmp_path):
    printed, saved = [], []
    for language in ("python", "cxx"):
        snapshot = tmp_path / language
        command = command_of(language, request, engine, research, snapshot)
        printed.append(subprocess.run(command, input=as_text(new_closes), stdout=subprocess.PIPE, check=True).stdout)
        saved.append(snapshot.read_bytes())
    assert len(printed[0].splitlines()) > 20
    assert printed[0] == printed[1]
    assert saved[0] == saved[1]


@pytest.mark.parametrize("language", ["python", "cxx"])
def test_a_line_that_is_no_price_ends_the_loop_and_what_was_taken_is_saved(
    language, request, engine, research, new_closes, tmp_path, assert_same_bits
):
    snapshot = tmp_path / "saved.snapshot"
    command = command_of(language, request, engine, research, snapshot)
    for number, rubbish in enumerate([b"-1.0\n", b"inf\n", b"?\n"]):
        taken = new_closes[: 100 + number]
        loop = subprocess.run(command, input=as_text(taken) + rubbish, capture_output=True)
        assert loop.returncode == 1
        assert_snapshot_stands_at_the_end(snapshot, research, taken, assert_same_bits)


@pytest.mark.parametrize("language", ["python", "cxx"])
def test_ctrl_c_ends_the_loop_and_what_was_taken_is_saved(
    language, request, engine, research, new_closes, tmp_path, assert_same_bits
):
    snapshot = tmp_path / "saved.snapshot"
    command = command_of(language, request, engine, research, snapshot)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as loop:
        loop.stdin.write(as_text(new_closes[:-1]))
        first = loop.stdout.readline().decode()
        loop.send_signal(signal.SIGINT)
        with contextlib.suppress(BrokenPipeError):  # one more, in case the signal came just before a wait began
            loop.stdin.write(as_text(new_closes[-1:]))
        assert loop.wait() == 0  # though its input has not ended
    with ok.restore(snapshot.read_bytes()) as live:
        taken = live.next_bar - len(research["close"])
    assert taken > 0
    assert first.strip() == expected_lines(research, new_closes)[0]
    assert_snapshot_stands_at_the_end(snapshot, research, new_closes[:taken], assert_same_bits)


def test_research_says_what_batch_says(research, assert_same_bits):
    chosen = json.loads(research["chosen_file"].read_text())
    combos = np.array(chosen["combos"])
    swept = ok.sweep(research["close"], combos, fee=chosen["fee"])
    assert_same_bits(swept, ok.SweepResult(np.array(chosen["research"]["pnl"]), np.array(chosen["research"]["trades"])))
    everything = ok.sweep(research["close"], research["grid"], fee=chosen["fee"])
    assert swept.pnl.tolist() == sorted(everything.pnl.tolist(), reverse=True)[: len(combos)]
    assert min(chosen["research"]["trades"]) > 0


def test_research_runs_without_an_engine_to_connect_to(tmp_path):
    subprocess.run([sys.executable, EXAMPLES / "research.py", tmp_path / "chosen.json"], check=True, cwd=tmp_path)
    assert json.loads((tmp_path / "chosen.json").read_text())["series"] == "example-prices"


def test_without_research_the_live_loop_says_what_to_do(request, engine, tmp_path):
    chosen = tmp_path / "chosen.json"
    chosen.write_text('{"series": "example-prices", "fee": 0.09, "combos": [[3, 6, 2, 1, 2, 3]]}')
    for language in ("python", "cxx"):
        command = command_of(language, request, engine, {"chosen_file": chosen}, tmp_path / "none")
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 1
        assert "run research.py on it first" in done.stderr
        assert not os.path.exists(tmp_path / "none")
