"""What a client that is killed held is free again within 200 ms: a promise, and so one of the few times in a test.

A bound may be missed where the machine lets the engine wait for a core, which is no fault of the engine's; so each test
may try three times, and a defect (a sweep that goes on for minutes, a wait for a timeout) fails every one of them.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onekernel as ok
import pytest

PROMISED_SECONDS = 0.2
ATTEMPTS = 3
TICKS = os.sysconf("SC_CLK_TCK")

CLIENT = """
import sys, numpy as np, onekernel as ok
what, url = sys.argv[1:]
engine = ok.connect(url)
close = np.random.default_rng(1).random(1_000_000) + 1.0
print("ready", flush=True)
if what == "idle":
    engine.put("private", close)
    print("busy", flush=True)
    sys.stdin.read()
elif what == "write":
    print("busy", flush=True)
    while True:
        engine.echo(close)
else:
    series = engine.put("private", close)
    many = np.repeat([[100, 200, 14, 33, 50, 100]], 20_000, axis=0)
    live = engine.live(many[:2_000], fee=0.09)
    print("busy", flush=True)
    if what == "one long average":
        engine.sweep(series, [[100_000, 200_000, 450, 33_000, 50_000, 100_000]], fee=0.09, kernel="checked")
    elif what == "live history":
        engine.live(many, fee=0.09, history=series)
    elif what == "live bars":
        live.bars(close)
    elif what == "trades":
        engine.trades(series, many, fee=0.09)
    else:
        engine.sweep(series, many, fee=0.09, kernel=what)
"""


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def held(engine):
    told = engine.statistics()
    maps = Path(f"/proc/{engine.pid}/maps").read_text().count("onekernel-")
    return (
        told.connections,
        told.series,
        told.live_sessions,
        told.live_bytes,
        len(os.listdir(f"/proc/{engine.pid}/fd")),
        maps,
    )


def seconds_to_release(engine, what):
    before = held(engine)
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, what, engine.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert client.stdout.readline() == b"ready\n"
    assert client.stdout.readline() == b"busy\n"
    time.sleep(0.1)  # into the sweep, or amid a frame
    assert held(engine) != before
    os.kill(client.pid, signal.SIGKILL)
    os.waitid(os.P_PID, client.pid, os.WEXITED | os.WNOWAIT)  # dead, whoever has noticed
    began = time.monotonic()
    while held(engine) != before:
        assert time.monotonic() - began < 60.0, f"{held(engine)} is held, {before} was"
        time.sleep(0.002)
    took = time.monotonic() - began
    client.communicate()
    return took


@pytest.mark.parametrize("transport", ["unix", "tcp", "shm"])
@pytest.mark.parametrize(
    "what",
    ["idle", "write", "certified", "exact", "checked", "one long average", "live history", "live bars", "trades"],
)
def test_a_killed_client_frees_what_it_held(transport, what):
    with ok.spawn(transport=transport) as engine:
        took = []
        while len(took) < ATTEMPTS and (not took or took[-1] > PROMISED_SECONDS):
            took.append(seconds_to_release(engine, what))
        assert took[-1] <= PROMISED_SECONDS, took
        time.sleep(0.05)
        idle = cpu_seconds(engine.pid)
        time.sleep(0.3)
        assert cpu_seconds(engine.pid) - idle <= 0.1, "it still computes"


def test_a_classic_client_over_tcp_may_end_its_side_and_wait():
    from onekernel import classic

    close = np.random.default_rng(1).random(200_000) + 1.0
    combos = np.array([[100, 200, 14, 33, 50, 100]] * 3)
    with ok.spawn(transport="tcp", kernel="checked") as engine:
        host, _, port = engine.url.removeprefix("tcp://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=60.0) as client:
            for piece in classic.encode_request(classic.Opcode.SWEEP, close, combos):
                client.sendall(piece)
            client.shutdown(socket.SHUT_WR)
            reply = b"".join(iter(lambda: client.recv(4096), b""))
    due = ok.sweep(close, combos, fee=0.09)
    assert reply[4:] == due.pnl.tobytes() + due.trades.tobytes()


@pytest.mark.parametrize("transport", ["unix", "tcp", "shm"])
def test_stopping_does_not_wait_for_a_client_that_takes_no_reply(transport):
    code = (
        "import sys, numpy as np, onekernel as ok\n"
        "engine = ok.connect(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "while True: engine.echo(np.ones(2_000_000))\n"
    )
    with ok.spawn(transport=transport, arguments=["--stall-timeout", "600"]) as engine:
        client = subprocess.Popen([sys.executable, "-c", code, engine.url], stdout=subprocess.PIPE)
        try:
            assert client.stdout.readline() == b"ready\n"
            time.sleep(0.2)
            client.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            os.kill(engine.pid, signal.SIGTERM)
            engine._process._process.wait(300.0)
            assert time.monotonic() - began < 100.0, "it waited for the stall timeout"
        finally:
            client.kill()
            client.communicate()


def test_an_idle_engine_with_ten_clients_rests():
    seconds = 10.0 if os.environ.get("ONEKERNEL_TEST_LONG") == "1" else 3.0
    with ok.spawn() as unix, ok.spawn(transport="tcp") as tcp:
        clients = [ok.connect(unix.url) for _ in range(4)]
        clients += [ok.connect(unix.url.replace("unix:", "shm:")) for _ in range(5)]
        clients += [ok.connect(tcp.url) for _ in range(9)]
        for client in clients:
            client.echo([1.0])
        time.sleep(0.2)
        before = [cpu_seconds(engine.pid) for engine in (unix, tcp)]
        time.sleep(seconds)
        used = [cpu_seconds(engine.pid) - past for engine, past in zip((unix, tcp), before, strict=True)]
        for client in clients:
            client.close()
    # The kernel counts in ticks of 10 ms.
    assert max(used) <= max(0.005 * seconds, 1.0 / TICKS), used
