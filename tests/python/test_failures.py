"""Engines and clients that die, stall, restart or come and go in numbers: real processes, real signals."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onekernel as ok
import pytest

TRANSPORTS = ["unix", "tcp", "shm"]
FOREVER = 120.0
LONG = np.random.default_rng(1).random(1_000_000) + 1.0  # as a sweep with `checked` and many combos: minutes
MANY = np.tile([[100, 200, 14, 33, 50, 100]], (2000, 1))


@contextmanager
def engine_at(path, *arguments):
    """An engine on a path of the test's choosing, which can be started there again."""
    process = subprocess.Popen(
        [str(ok.engine_path()), "serve", "--stop-on-eof", "--unix", str(path), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def eventually(condition, what):
    deadline = time.monotonic() + FOREVER
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


def descriptors(pid="self"):
    return len(os.listdir(f"/proc/{pid}/fd"))


def mappings(pid="self"):
    return Path(f"/proc/{pid}/maps").read_text().count("onekernel-")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_killed_engine_ends_every_call_that_waits_for_it(transport):
    caught = []

    def wait_for(engine):
        try:
            engine.sweep(LONG, MANY, fee=0.09, kernel="checked", timeout=FOREVER)
        except ok.ConnectionLost as error:
            caught.append(error)

    with ok.spawn(transport=transport) as spawned:
        others = [ok.connect(spawned.url) for _ in range(3)]
        threads = [threading.Thread(target=wait_for, args=[engine]) for engine in (spawned, *others)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        began = time.monotonic()
        os.kill(spawned.pid, signal.SIGKILL)
        for thread in threads:
            thread.join()
        assert time.monotonic() - began < FOREVER / 2, "the calls waited for their deadline"
        assert len(caught) == 4
        assert any("the engine ended with exit status -9" in str(error) for error in caught)
        for engine in (spawned, *others):
            with pytest.raises(ok.ConnectionLost, match="the connection is closed"):
                engine.echo([1.0])


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_deadline_passes(transport):
    with ok.spawn(transport=transport) as engine, ok.connect(engine.url) as other:
        with pytest.raises(ok.EngineTimeout, match=r"no reply within 0.2 s"):
            engine.sweep(LONG, MANY, fee=0.09, kernel="checked", timeout=0.2)
        with pytest.raises(ok.ConnectionLost, match="longer than"):
            engine.echo([1.0])
        assert other.echo([1.0]).tolist() == [1.0], "the others go on"
        os.kill(engine.pid, signal.SIGKILL)  # it would compute for minutes


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_engine_that_is_stopped_for_a_while_is_waited_for(transport, assert_same_bits):
    # Longer than a slice of the native wait, amid a request that no ring and no socket buffer takes at once.
    combos = [[5, 10, 3, 2, 3, 5]]
    expected = ok.sweep(LONG, combos, fee=0.09)
    with ok.spawn(transport=transport) as engine:
        os.kill(engine.pid, signal.SIGSTOP)
        waker = threading.Timer(0.3, os.kill, [engine.pid, signal.SIGCONT])
        waker.start()
        assert_same_bits(engine.sweep(LONG, combos, fee=0.09), expected)
        waker.join()
        assert engine.echo(LONG).tobytes() == LONG.tobytes()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_engine_that_does_not_read_meets_the_deadline_of_a_long_request(transport):
    with ok.spawn(transport=transport) as engine:
        os.kill(engine.pid, signal.SIGSTOP)
        try:
            with pytest.raises(ok.EngineTimeout):
                engine.echo(LONG, timeout=0.2)
        finally:
            os.kill(engine.pid, signal.SIGCONT)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_ctrl_c_breaks_off_a_call_and_closes_the_connection(transport):
    code = (
        "import numpy as np, onekernel as ok, sys\n"
        "engine = ok.connect(sys.argv[1])\n"
        "series = engine.put('x', np.full(1_000_000, 1.5))\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    engine.sweep(series, [[100, 200, 14, 33, 50, 100]] * 2000, fee=0.09, kernel='checked')\n"
        "except KeyboardInterrupt:\n"
        "    try: engine.echo([1.0])\n"
        "    except ok.ConnectionLost as error: print(error)\n"
    )
    with ok.spawn(transport=transport) as engine:
        child = subprocess.Popen([sys.executable, "-c", code, engine.url], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert "the connection is closed (a call was broken off by KeyboardInterrupt" in child.communicate()[0]
        os.kill(engine.pid, signal.SIGKILL)


PUTTER = """
import sys, numpy as np, onekernel as ok
engine = ok.connect(sys.argv[1])
close = np.random.default_rng(1).random(3_000_000) + 1.0
print("ready", flush=True)
while True:
    close[0] += 1.0
    engine.put("private", close, memfd=False)
"""


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("pause", [0.0, 0.01, 0.05])
def test_a_client_killed_in_a_put_frees_everything_and_harms_nobody(transport, pause):
    with ok.spawn(transport=transport) as engine:
        watched = engine.put("watched", [1.0, 2.0], shared=True)
        before = descriptors(engine.pid), mappings(engine.pid)
        client = subprocess.Popen([sys.executable, "-c", PUTTER, engine.url], stdout=subprocess.PIPE)
        assert client.stdout.readline() == b"ready\n"
        eventually(lambda: engine.statistics().series > 1, "nothing was put")
        time.sleep(pause)
        client.kill()
        client.communicate()
        eventually(lambda: engine.statistics().connections == 1, "its connection stays")
        eventually(lambda: engine.statistics().series == 1, "its series stays")
        eventually(lambda: (descriptors(engine.pid), mappings(engine.pid)) == before, "it left something behind")
        assert engine.sweep(watched, [[1] * 6], fee=0.09).trades.tolist() == [0]


@pytest.mark.parametrize("scheme", ["unix", "shm"])
def test_a_restarted_engine_is_another_one(tmp_path, scheme):
    path = tmp_path / "e.sock"
    url = f"{scheme}:{path}"
    with engine_at(path), ok.connect(url) as engine:
        old = engine.put("x", [1.0, 2.0], shared=True)
    with engine_at(path):
        with pytest.raises(ok.ConnectionLost):
            engine.series()
        with ok.connect(url) as engine:
            new = engine.put("x", [3.0, 4.0], shared=True)
            assert new.id == old.id, "the test means to find one id in both engines"
            for use in (lambda: engine.sweep(old, [[1] * 6], fee=0.09), lambda: engine.drop(old)):
                with pytest.raises(ok.StaleEpoch, match="put the series again") as caught:
                    use()
                assert isinstance(caught.value, ok.EngineError)
            assert engine.series() == [new]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_thousand_connections_leave_nothing_behind(transport):
    with ok.spawn(transport=transport) as engine:

        def visit():
            with ok.connect(engine.url) as visitor:
                series = visitor.put("mine", [1.0, 2.0, 3.0])
                assert visitor.sweep(series, [[1] * 6], fee=0.09).trades.tolist() == [0]

        def footprint():
            return descriptors(), mappings(), descriptors(engine.pid), mappings(engine.pid)

        visit()
        gc.collect()
        eventually(lambda: engine.statistics().connections == 1, "the first visitor stays")
        before = footprint()
        for _ in range(1000):
            visit()
        gc.collect()
        eventually(lambda: engine.statistics().connections == 1, "a visitor stays")
        eventually(lambda: footprint() == before, f"before {before}, afterwards {footprint()}")
        assert engine.statistics().series == 0


def test_connections_that_nobody_closed_go_with_their_last_reference():
    with ok.spawn(transport="shm") as engine:
        before = mappings()
        engines = [ok.connect(engine.url) for _ in range(5)]
        assert mappings() == before + 5
        with pytest.warns(ResourceWarning):  # as for any socket that nobody closed
            engines.clear()
        gc.collect()
        assert mappings() == before
        eventually(lambda: engine.statistics().connections == 1, "the engine keeps them")


@pytest.mark.parametrize("ending", ["sys.exit(3)", "raise RuntimeError", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_program_may_end_while_shared_memory_is_open(ending):
    code = (
        "import onekernel as ok, os, sys, threading\n"
        "engine = ok.connect(sys.argv[1])\n"
        "waits = threading.Thread(target=lambda: ok.connect(sys.argv[1]).sweep([1.5] * 1_000_000,"
        " [[100, 200, 14, 33, 50, 100]] * 20, fee=0.09, kernel='checked'), daemon=True)\n"
        "waits.start()\n"
        f"engine.echo([1.0]); {ending}\n"
    )
    with ok.spawn(transport="shm") as engine:
        done = subprocess.run([sys.executable, "-c", code, engine.url], capture_output=True, text=True, check=False)
        assert done.returncode in (3, 1, 0, -9), done.stderr
        assert "Fatal" not in done.stderr
        eventually(lambda: engine.statistics().connections == 1, "it is still connected")


FORK = """
import os, sys
import onekernel as ok
engine = ok.connect(sys.argv[1])
series = engine.put("x", [1.0, 2.0])
if os.fork() == 0:
    try:
        engine.sweep(series, [[1] * 6], fee=0.09)
    except ok.ForkError as error:
        print(error, flush=True)
    engine.close()
    with ok.connect(sys.argv[1]) as mine:
        print(mine.echo([2.0]), flush=True)
    sys.exit(0)
os.wait()
print(engine.sweep(series, [[1] * 6], fee=0.09).trades)
engine.close()
"""


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_forked_child_is_refused_and_the_parent_goes_on(transport):
    with ok.spawn(transport=transport) as engine:
        done = subprocess.run([sys.executable, "-c", FORK, engine.url], capture_output=True, text=True, check=False)
        refused, child, parent = done.stdout.splitlines()
        assert "connect again in the forked child" in refused
        assert (child, parent) == ("[2.]", "[0]")
