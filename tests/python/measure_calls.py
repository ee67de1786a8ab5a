"""What a call from Python costs, beside the floor it stands on.

usage: python tests/python/measure_calls.py [microseconds that the engine spins on a socket]

Rows are interleaved round by round; each figure is a percentile of all its calls, in microseconds.

bare echo: a Python program that sends and receives as many bytes as a sweep over a stored series with one combo does,
with sendall and recv_into and nothing else, against another that does the same.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import onekernel as ok
from onekernel import memfd
from onekernel.session import REPLY, SWEEP_BYTES, encode_sweep

ROUNDS, CALLS, WARM_UP, PUTS = 5, 1000, 200, 10
COMBO = np.array([[1, 2, 1, 1, 1, 1]])
CLOSE = np.array([2.0, 1.0, 1.0])
LONG = np.random.default_rng(1).random(150_000) + 1.0
REQUEST_BYTES = len(encode_sweep(0, 0, 1, 0, 1, 0.0)) + COMBO.nbytes
REPLY_BYTES = REPLY.size + SWEEP_BYTES + 16


@contextmanager
def bare_echo() -> Iterator[Callable[[], object]]:
    here, there = socket.socketpair()
    if os.fork() == 0:
        here.close()
        buffer, reply = bytearray(4096), b"x" * REPLY_BYTES
        while there.recv_into(buffer):
            there.sendall(reply)
        os._exit(0)
    there.close()
    request, buffer = b"x" * REQUEST_BYTES, bytearray(4096)

    def call() -> None:
        here.sendall(request)
        here.recv_into(buffer)

    yield call
    here.close()
    os.wait()


def puts(engine: ok.Engine, memfd: bool) -> Callable[[], object]:
    """Put 1.2 MB and drop it again."""

    def call() -> None:
        LONG[0] += 1.0
        engine.drop(engine.put("long", LONG, memfd=memfd))

    return call


def seal() -> None:
    with memfd.sealed(LONG):
        pass


def measure(rows: dict[str, Callable[[], object]], calls: int, warm_up: int) -> None:
    samples: dict[str, list[int]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, call in rows.items():
            for _ in range(warm_up):
                call()
            for _ in range(calls):
                start = time.perf_counter_ns()
                call()
                samples[name].append(time.perf_counter_ns() - start)
    for name, values in samples.items():
        p10, p50, p90 = (float(np.percentile(values, q)) / 1e3 for q in (10, 50, 90))
        print(f"{name:44} n {len(values):6} p10 {p10:9.2f} p50 {p50:9.2f} p90 {p90:9.2f} us")


def main() -> None:
    spin = ["--spin-us", sys.argv[1]] if len(sys.argv) > 1 else []
    with ExitStack() as stack:
        unix = stack.enter_context(ok.spawn(arguments=spin))
        shared = stack.enter_context(ok.connect(unix.url.replace("unix:", "shm:")))
        tcp = stack.enter_context(ok.spawn(transport="tcp", arguments=spin))
        classic = stack.enter_context(ok.connect(unix.url, protocol="classic"))
        one, series = np.ones(1), {engine: engine.put("short", CLOSE) for engine in (unix, shared, tcp)}

        def sweeping(engine: ok.Engine) -> Callable[[], object]:
            # As little compute as there can be: what is left is the boundary.
            return lambda: engine.sweep(series[engine], COMBO, fee=0.09, kernel="checked", threads=1)

        rows = {
            f"bare echo, {REQUEST_BYTES} bytes out, {REPLY_BYTES} in": stack.enter_context(bare_echo()),
            "unix, sweep of one combo, series stored": sweeping(unix),
            "tcp, sweep of one combo, series stored": sweeping(tcp),
            "shm, sweep of one combo, series stored": sweeping(shared),
            "unix, echo of one float": lambda: unix.echo(one),
            "unix, echo of one float, classic frames": lambda: classic.echo(one),
            "shm, echo of one float": lambda: shared.echo(one),
            "in process, sweep of one combo": lambda: ok.sweep(CLOSE, COMBO, fee=0.09, kernel="checked", threads=1),
        }
        measure(rows, CALLS, WARM_UP)
        rows = {
            "unix, put and drop 1.2 MB by memory file": puts(unix, True),
            "unix, put and drop 1.2 MB through the socket": puts(unix, False),
            "shm, put and drop 1.2 MB through the ring": puts(shared, False),
            "a sealed memory file of 1.2 MB alone": seal,
            "unix, echo of 1.2 MB": lambda: unix.echo(LONG),
            "shm, echo of 1.2 MB": lambda: shared.echo(LONG),
        }
        measure(rows, PUTS, 3)


if __name__ == "__main__":
    main()
