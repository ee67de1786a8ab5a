"""The client against real engines."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import onekernel as ok
import pytest
from onekernel import reference


def alive(pid):
    """Tell whether a process is there and not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def private_tmp(tmp_path, monkeypatch):
    """A temporary directory in which whatever is left behind can be seen."""
    path = tmp_path / "tmp"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return path


def run(code, *arguments):
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kernel", ok.KERNELS)
@pytest.mark.parametrize("transport", ["unix", "tcp", "shm"])
def test_an_engine_returns_the_bits_of_the_sweep_in_process(kernel, transport, real_close, grid, assert_same_bits):
    with ok.spawn(transport=transport, kernel=kernel, fee=0.25) as engine:
        result = engine.sweep(real_close, grid, fee=0.25)
        assert_same_bits(result, ok.sweep(real_close, grid, fee=0.25))
        assert_same_bits(result, reference.sweep(real_close, grid, fee=0.25))
        assert result.pnl.flags.aligned
        assert result.trades.dtype == np.int64


@pytest.mark.parametrize("size", [0, 1, 1000, 150_000])
def test_an_echo_comes_back_as_it_went(engine, size):
    values = np.random.default_rng(5).normal(size=size)
    values[::7] = np.nan
    back = engine.echo(values)
    assert back.tobytes() == values.tobytes()
    assert not np.shares_memory(back, values)


def test_no_combos_and_one_bar(engine, grid):
    assert engine.sweep([1.5], grid, fee=0.09).trades.tolist() == [0] * 80
    assert engine.sweep([1.5], np.empty((0, 6), np.int64), fee=0.09).pnl.shape == (0,)


def test_others_may_connect_to_a_spawned_engine(engine, real_close, grid, assert_same_bits):
    with ok.connect(engine.url, timeout=60) as other:
        assert other.url == engine.url
        assert other.pid is None
        assert_same_bits(other.sweep(real_close, grid, fee=0.09), ok.sweep(real_close, grid, fee=0.09))
    assert engine.echo([1.0]).tolist() == [1.0]


@pytest.mark.parametrize("fee", [0.0, 0.09, 0.1 + 0.2, 1e-300, -0.05])
def test_a_classic_engines_fee_is_learnt_exactly(fee, real_close, grid, assert_same_bits):
    with (
        ok.spawn(fee=fee, protocol="classic") as spawned,
        ok.connect(spawned.url, protocol="classic") as engine,
    ):
        for each in (spawned, engine):
            with pytest.raises(ValueError, match=r"charges .* fixed when it started"):
                each.sweep(real_close, grid, fee=np.nextafter(fee, 9.0))
            assert_same_bits(each.sweep(real_close, grid, fee=fee), ok.sweep(real_close, grid, fee=fee))


def test_an_engine_error_is_typed_and_leaves_the_connection_usable(engine):
    # More bytes than a frame of this engine may have: it says so, whether or not it hangs up then.
    url = engine.url.replace("shm:", "unix:")
    with ok.connect(url, protocol="classic") as other, pytest.raises(ok.EngineError, match="limit"):
        other.echo(np.zeros(40_000_000))
    assert engine.echo([1.0]).tolist() == [1.0]


def test_threads_share_an_engine(engine, real_close, grid, assert_same_bits):
    expected = [ok.sweep(real_close, grid[start : start + 10], fee=0.09) for start in range(0, 80, 10)]

    def work(number):
        part = grid[10 * number : 10 * number + 10]
        results[number] = [engine.sweep(real_close, part, fee=0.09) for _ in range(5)]

    results = {}
    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, repeats in results.items():
        for result in repeats:
            assert_same_bits(result, expected[number])
    assert len(results) == 8


def test_a_call_longer_than_its_deadline(real_close, grid):
    with ok.spawn(kernel="checked") as engine:
        with pytest.raises(ok.EngineTimeout):
            engine.sweep(np.tile(real_close, 20), grid, fee=0.09, timeout=0.05)
        with pytest.raises(ok.ConnectionLost, match="longer than"):
            engine.echo([1.0])


def test_a_killed_engine_ends_the_call_that_waits(real_close, grid):
    with ok.spawn(kernel="checked") as engine:
        killer = threading.Timer(0.3, os.kill, [engine.pid, signal.SIGKILL])
        killer.start()
        with pytest.raises(ok.ConnectionLost, match=r"the engine ended with exit status -9"):
            engine.sweep(np.tile(real_close, 200), np.tile(grid, (10, 1)), fee=0.09)
        killer.join()
        with pytest.raises(ok.ConnectionLost, match="the connection is closed"):
            engine.echo([1.0])


@pytest.mark.parametrize("transport", ["unix", "tcp", "shm"])
def test_closing_leaves_no_process_and_no_file(private_tmp, transport):
    engine = ok.spawn(transport=transport)
    assert alive(engine.pid)
    if transport != "tcp":
        (directory,) = private_tmp.iterdir()
        assert directory.stat().st_mode & 0o777 == 0o700
    engine.close()
    engine.close()
    assert not alive(engine.pid)
    assert list(private_tmp.iterdir()) == []
    with pytest.raises(ok.ConnectionLost, match=r"close\(\) was called"):
        engine.echo([1.0])


ENDINGS = {
    "not closed": "",
    "collected": "pid = engine.pid; del engine; import gc; gc.collect()",
    "an error": "raise RuntimeError",
    "sys.exit": "sys.exit(3)",
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS.keys())
def test_a_program_that_ends_leaves_nothing(private_tmp, ending):
    code = f"import onekernel as ok, sys; engine = ok.spawn(); print(engine.pid, flush=True); {ending}"
    done = run(code)
    assert not alive(int(done.stdout))
    assert list(private_tmp.iterdir()) == []


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_an_engine_does_not_outlive_a_program_that_dies(private_tmp, ending):
    code = (
        "import onekernel as ok, os, signal; engine = ok.spawn(); print(engine.pid, engine.url, flush=True);" + ending
    )
    pid, url = run(code).stdout.split()
    while alive(pid):  # ends only if the engine does
        time.sleep(0.01)
    assert url.startswith(f"unix:{private_tmp}/")
    assert not Path(url.removeprefix("unix:")).exists()


FORK = """
import os, sys
import onekernel as ok
engine = ok.spawn()
child = os.fork()
if child == 0:
    try:
        engine.echo([1.0])
    except ok.ForkError as error:
        print(type(error).__name__, flush=True)
    with ok.connect(engine.url) as mine:
        print(mine.echo([2.0]), flush=True)
    engine.close()
    del engine
    sys.exit(0)
os.waitpid(child, 0)
print(engine.echo([3.0]))
engine.close()
"""


def test_a_forked_child_opens_its_own_and_cannot_stop_the_engine():
    done = run(FORK)
    assert done.stdout.split("\n") == ["ForkError", "[2.]", "[3.]", ""], done.stderr


def test_an_engine_is_seen_to_end_though_a_forked_child_lives():
    code = (
        "import os, sys, onekernel as ok; engine = ok.spawn(); print(engine.pid, flush=True); read, write = os.pipe()\n"
        "if os.fork() == 0: os.close(write); os.read(read, 1); os._exit(0)\n"
        "engine._process._process.terminate = lambda: sys.exit('it took a signal')\n"
        "engine.close(); print('closed')"
    )
    assert run(code).stdout.endswith("closed\n")


def test_ctrl_c_for_the_program_is_not_for_its_engine():
    with ok.spawn() as engine:
        assert os.getpgid(engine.pid) != os.getpgid(0)


def test_timings_are_written_by_the_engine(tmp_path, real_close, grid):
    with ok.spawn(timings=tmp_path / "timings.jsonl", protocol="classic") as engine:
        engine.sweep(real_close, grid, fee=0.09)
        engine.echo(real_close)
    sweep, echo = (json.loads(line) for line in (tmp_path / "timings.jsonl").read_text().splitlines())
    assert (sweep["op"], sweep["n_bars"], sweep["n_combos"]) == ("sweep", len(real_close), 80)
    assert sweep["bytes_in"] == 4 + 9 + 8 * len(real_close) + 48 * 80
    assert sweep["bytes_out"] == 4 + 16 * 80
    assert (echo["op"], echo["bytes_out"]) == ("echo", 4 + 8 * len(real_close))


def test_a_classic_engine_is_asked_for_its_fee_once(tmp_path, real_close, grid):
    with (
        ok.spawn(timings=tmp_path / "timings.jsonl", protocol="classic") as spawned,
        ok.connect(spawned.url, protocol="classic") as engine,
    ):
        for _ in range(3):
            engine.sweep(real_close, grid, fee=0.09)
    bars = [json.loads(line)["n_bars"] for line in (tmp_path / "timings.jsonl").read_text().splitlines()]
    assert bars == [3, len(real_close), len(real_close), len(real_close)]


def test_an_engine_that_cannot_start_says_why(tmp_path):
    with pytest.raises(ok.ConnectionLost, match=r"(?s)exit status 2; its last words:.*fastest"):
        ok.spawn(kernel="fastest")
    with pytest.raises(ok.ConnectionLost, match="cannot start .*No such file"):
        ok.spawn(engine=tmp_path / "none")
    with pytest.raises(ValueError, match="transport is 'pigeon'"):
        ok.spawn(transport="pigeon")
    with pytest.raises(ValueError, match="fee is nan"):
        ok.spawn(fee=np.nan)


def test_a_program_that_never_becomes_ready_is_stopped(tmp_path, private_tmp):
    program = tmp_path / "sleeper"
    program.write_text("#!/bin/sh\nread line\necho stopped > " + str(tmp_path / "stopped") + "\n")
    program.chmod(0o755)
    with pytest.raises(ok.EngineTimeout, match=r"not ready within 0.2 s"):
        ok.spawn(engine=program, timeout=0.2)
    assert (tmp_path / "stopped").exists()
    assert list(private_tmp.iterdir()) == []


def test_a_temporary_directory_too_deep_for_a_socket(tmp_path, monkeypatch):
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with ok.spawn() as engine:
        assert engine.echo([1.0]).tolist() == [1.0]
        assert len(engine.url) <= len("unix:") + 107


def test_a_connection_without_delay(engine):
    if engine.url.startswith("tcp:"):
        with socket.socket(fileno=os.dup(engine._connection._link.descriptor())) as connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_connecting_waits_for_a_place_in_the_queue(tmp_path):
    """A Unix socket whose queue of waiting clients is full refuses at once; connect tries again until its deadline."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(str(path))
            with pytest.raises(ok.errors.EngineTimeout, match="no connection within"):
                ok.connect(f"unix:{path}", timeout=0.2)
