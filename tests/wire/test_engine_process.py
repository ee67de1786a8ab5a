"""The engine as a process: starting, stopping, socket files, clients that die."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest
from classic_by_hand import ECHO, SWEEP, RunningEngine, hung_up, receive_reply, request, running_engine, split_sweep
from plain_reference import walk

HEAVY = request(SWEEP, walk(20_000), [(500, 1000, 32, 167, 250, 500)] * 20)
TIMEOUT_S = 60.0


def eventually(condition, what: str) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def echoes(engine: RunningEngine, url: str | None = None) -> bool:
    peer = engine.connect(url)
    peer.sendall(request(ECHO, [4.0]))
    return receive_reply(peer) == struct.pack("<d", 4.0)


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_what_runs(program: Path, tmp_path: Path, signal_number: int) -> None:
    path = tmp_path / "s"
    with running_engine(program, tmp_path / "log", "--unix", str(path), "--tcp", "127.0.0.1:0") as engine:
        idle = engine.connect()
        assert echoes(engine, engine.urls[1])
        busy = engine.connect()
        busy.sendall(HEAVY)
        time.sleep(0.1)  # long enough to be taken in, far too short for the sweep
        engine.process.send_signal(signal_number)
        pnl, _ = split_sweep(receive_reply(busy))
        assert len(pnl) == 20
        assert hung_up(idle)
        assert engine.process.wait(timeout=TIMEOUT_S) == 0
    assert not path.exists()


def test_a_second_signal_ends_it_at_once(program: Path, tmp_path: Path) -> None:
    endless = request(SWEEP, walk(100_000), [(5000, 10000, 100, 1667, 2500, 5000)] * 100)
    with running_engine(program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--kernel", "checked") as engine:
        engine.connect().sendall(endless)  # 10^11 products, one after the other: minutes on any machine
        time.sleep(0.1)
        engine.process.send_signal(signal.SIGTERM)
        eventually(lambda: "stopping" in engine.log.read_text(), "the engine did not notice the first signal")
        assert engine.process.poll() is None
        assert engine.stop(signal.SIGTERM) == 128 + signal.SIGTERM


def test_it_stops_when_its_input_ends(program: Path, tmp_path: Path) -> None:
    with running_engine(
        program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--stop-on-eof", stdin=subprocess.PIPE
    ) as engine:
        assert echoes(engine)
        assert engine.process.stdin is not None
        engine.process.stdin.write(b"what is written does not matter")
        engine.process.stdin.flush()
        assert echoes(engine)
        engine.process.stdin.close()
        assert engine.process.wait(timeout=TIMEOUT_S) == 0
    assert not (tmp_path / "s").exists()


def test_the_stale_socket_of_a_killed_engine_is_replaced(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with running_engine(program, tmp_path / "log", "--unix", str(path)) as engine:
        engine.stop(signal.SIGKILL)
    assert path.is_socket()
    with running_engine(program, tmp_path / "log", "--unix", str(path)) as engine:
        assert echoes(engine)
        assert path.stat().st_mode & 0o777 == 0o600


def refuses_to_start(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, "serve", *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def test_a_live_engines_socket_is_not_taken(program: Path, tmp_path: Path) -> None:
    with running_engine(program, tmp_path / "log", "--unix", str(tmp_path / "s")) as engine:
        second = refuses_to_start(program, "--unix", str(tmp_path / "s"))
        assert second.returncode == 1
        assert "already listens" in second.stderr
        assert echoes(engine)


def test_of_many_started_at_once_one_serves(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    started = [
        subprocess.Popen(
            [program, "serve", "--unix", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(8)
    ]
    try:
        eventually(lambda: sum(process.poll() is None for process in started) == 1, "more than one serves, or none")
        (serving,) = (process for process in started if process.poll() is None)
        assert serving.stdout is not None
        assert serving.stdout.readline() == f"unix:{path}\n".encode()
        assert {process.returncode for process in started if process is not serving} == {1}
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(path))
            peer.sendall(request(ECHO, [1.0]))
            assert receive_reply(peer) == struct.pack("<d", 1.0)
    finally:
        for process in started:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_no_socket_is_left_alone(program: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "precious"
    if kind == "file":
        path.write_text("data")
    else:
        path.mkdir()
    refused = refuses_to_start(program, "--unix", str(path))
    assert refused.returncode == 2
    assert "not a socket" in refused.stderr
    assert path.exists()


def test_paths_of_107_bytes_work_and_108_fail(program: Path, tmp_path: Path) -> None:
    for length, works in ((107, True), (108, False)):
        path = str(tmp_path / ("x" * (length - len(str(tmp_path)) - 1)))
        assert len(path) == length
        if works:
            with running_engine(program, tmp_path / "log", "--unix", path) as engine:
                assert echoes(engine)
        else:
            refused = refuses_to_start(program, "--unix", path)
            assert refused.returncode == 2
            assert "107" in refused.stderr
            assert "108" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--unix"),
        (["--tcp", "127.0.0.1"], "HOST:PORT"),
        (["--tcp", "127.0.0.1:99999"], "HOST:PORT"),
        (["--tcp", "0.0.0.0:0"], "other machines"),
        (["--unix", "/nonexistent-folder/s"], "No such file"),
        (["--unix", "s", "--kernel", "fastest"], "checked"),
        (["--unix", "s", "--fee", "nan"], "finite"),
        (["--unix", "s", "--fee", "much"], "--fee"),
        (["--unix", "s", "--max-frame-bytes", "-1"], "--max-frame-bytes"),
        (["--unix", "s", "--timings", "/nonexistent-folder/t"], "timings"),
        (["--unix", "s", "--max-connections", "0"], "--max-connections"),
        (["--unix", "s", "--stall-timeout", "nan"], "finite"),
        (["--unix", "s", "--threads", "-1"], "--threads"),
        (["--bogus"], "--bogus"),
    ],
)
def test_a_bad_command_line_says_what_is_wrong(program: Path, arguments: list[str], word: str) -> None:
    refused = refuses_to_start(program, *arguments)
    assert refused.returncode in (1, 2)
    assert refused.returncode == (1 if "nonexistent" in " ".join(arguments) else 2)
    assert word in refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize(("variable", "value"), [("ONEKERNEL_THREADS", "abc"), ("ONEKERNEL_TARGET", "abacus")])
def test_a_senseless_environment_is_told_at_the_start(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    refused = refuses_to_start(program, "--unix", str(tmp_path / "s"))
    assert refused.returncode == 2
    assert variable in refused.stderr
    assert value in refused.stderr


def test_clients_that_die_leave_nothing_behind(engine: RunningEngine) -> None:
    assert echoes(engine)
    engine.open_sockets.pop().close()
    baseline = engine.open_descriptors()
    for round_number in range(300):
        peer = engine.connect()
        peer.sendall(HEAVY[: 1 + round_number * 100])
        engine.open_sockets.pop().close()
    peer = engine.connect()
    peer.sendall(HEAVY)  # dies while the engine computes
    engine.open_sockets.pop().close()
    eventually(lambda: engine.open_descriptors() <= baseline, "descriptors of dead clients stay open")
    threads = Path(f"/proc/{engine.process.pid}/task")
    eventually(lambda: len(os.listdir(threads)) <= 3, "threads of dead clients stay")
    assert echoes(engine)


def test_a_client_over_the_connection_limit_is_told(program: Path, tmp_path: Path) -> None:
    with running_engine(program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--max-connections", "2") as engine:
        first, second = engine.connect(), engine.connect()
        for peer in (first, second):
            peer.sendall(request(ECHO, [1.0]))
            receive_reply(peer)
        third = engine.connect()
        body = receive_reply(third)
        assert body[0] == 4
        assert b"--max-connections" in body
        first.close()
        eventually(lambda: engine.open_descriptors() < 10 and echoes_or_refused(engine), "the place was not given back")


def echoes_or_refused(engine: RunningEngine) -> bool:
    peer = engine.connect()
    peer.sendall(request(ECHO, [4.0]))
    body = receive_reply(peer)
    if len(body) == 8:
        return True
    peer.close()
    return False


def test_timings_tell_what_each_request_cost(program: Path, tmp_path: Path) -> None:
    timings = tmp_path / "timings"
    with running_engine(program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--timings", str(timings)) as engine:
        peer = engine.connect()
        for frame in (request(ECHO, [1.0, 2.0]), request(7, []), HEAVY):
            peer.sendall(frame)
            receive_reply(peer)
        eventually(lambda: timings.read_text().count("\n") == 3, "a timing is missing")
    echo, error, sweep = (json.loads(line) for line in timings.read_text().splitlines())
    assert echo == {"op": "echo", "n_bars": 2, "n_combos": 0, "bytes_in": 29, "bytes_out": 20, "compute_ns": 0}
    assert error["op"] == "error"
    assert (sweep["op"], sweep["n_bars"], sweep["n_combos"]) == ("sweep", 20_000, 20)
    assert (sweep["bytes_in"], sweep["bytes_out"]) == (len(HEAVY), 4 + 20 * 16)
    assert sweep["compute_ns"] > 1_000_000


def test_info_is_readable_by_machines(program: Path) -> None:
    told = json.loads(subprocess.run([program, "info", "--json"], capture_output=True, check=True).stdout)
    assert told["default_kernel"] in told["kernels"]
    assert {"checked", "unchecked"} <= set(told["kernels"])
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert told["version"] in version
