"""Single calls of the session frames: what storing a series costs, and how little a call can cost."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onekernel as ok
from onekernel import _native, session
from onekernel.session_connection import SPIN_US

from onekernel_study.crossings import Close
from onekernel_study.echo import BrokenEchoError, echo_complaint
from onekernel_study.fast_rows import FAST_TRANSPORTS, THREADS
from onekernel_study.percentiles import percentile
from onekernel_study.runner import rotated
from onekernel_study.schema import FastCall
from onekernel_study.stopwatch import collector_off, timed

BURSTS = 20
SETTLING = 5  # calls at the start of each burst that do not count: engines of other calls may still spin
FEW_BARS = 8  # a sweep so short that its call is nothing but a call
SECONDS = 60.0

Timed = Callable[[int], int]
"""Makes call number i, checks its answer and returns its nanoseconds."""


def measure_puts(engine: ok.Engine, close: Close, n: int) -> tuple[FastCall, ...]:
    """Puts the series n times each way, new content each time, dropped afterwards.

    "memfd" copies an array into a memory file and passes that, "ready" passes one in which the prices lie already,
    "bytes" sends them through the socket.
    """
    seen: set[int] = set()
    prices = close.copy()

    def put(memfd: bool, ready: bool = False) -> Timed:
        def call(number: int) -> int:
            prices[0] += 0.125
            prices[-1] += 0.125
            given: object = prices
            if ready:
                given = ok.SharedSeries(len(prices))
                given.values[:] = prices
                given.seal()
            nanoseconds, stored = timed(lambda: engine.put("put", given, memfd=memfd))
            if stored.n_bars != len(prices) or stored.content_hash in seen:
                raise BrokenEchoError(f"put {number} of {len(prices)} bars was stored as {stored}")
            seen.add(stored.content_hash)
            engine.drop(stored)
            return nanoseconds

        return call

    calls = {
        "memfd": ("put by a memory file made for it", put(True)),
        "ready": ("put of a ready memory file", put(True, ready=True)),
        "bytes": ("put through the socket", put(False)),
    }
    samples = _interleaved({name: call for name, (_, call) in calls.items()}, n, bursts=n)
    return tuple(_summary(name, title, "unix", prices.nbytes, samples[name]) for name, (title, _) in calls.items())


def measure_floors(engines: Mapping[str, ok.Engine], n: int) -> tuple[FastCall, ...]:
    """Echoes of one double over every transport, and a call with one combo beside a bare socket echo of its bytes."""
    few = np.linspace(100.0, 101.0, FEW_BARS)
    combo = ok.hma_combos([4])
    n_bytes = len(session.encode_sweep(1, 1, 1, 0, 1, 0.0)) + combo.nbytes
    with bare_socket(n_bytes) as bare:
        calls: dict[str, Timed] = {f"echo_{name}": _echo(engines[name]) for name in FAST_TRANSPORTS}
        calls["params_only_unix"] = _params_only(engines["unix"], few, combo)
        calls["bare_socket"] = _bare(bare, n_bytes)
        samples = _interleaved(calls, n, bursts=BURSTS)
    floors = [
        _summary(f"echo_{name}", "echo of one double", name, 8, samples[f"echo_{name}"]) for name in FAST_TRANSPORTS
    ]
    title = f"sweep of one combo over {FEW_BARS} stored bars"
    floors.append(_summary("params_only_unix", title, "unix", n_bytes, samples["params_only_unix"]))
    title = "the same bytes echoed by a bare Python socket"
    floors.append(_summary("bare_socket", title, "unix", n_bytes, samples["bare_socket"]))
    return (*floors, *_native_floors(engines, n))


def _native_floors(engines: Mapping[str, ok.Engine], n: int) -> list[FastCall]:
    """The C++ client's echoes, so that what Python adds can be seen, and a ring that one thread writes and reads."""
    length = -(-n // BURSTS)
    bursts: dict[str, Callable[[], list[int]]] = {
        name: partial(_native.native_echo, engines[name].url, SETTLING, length, spin)
        for name, spin in (("unix", 0.0), ("tcp", 0.0), ("shm", SPIN_US))
    }
    bursts["ring"] = partial(_native.same_thread_ring, SETTLING, length)
    samples: dict[str, list[int]] = {name: [] for name in bursts}
    for burst in range(BURSTS):
        for name in rotated(list(bursts), burst):
            samples[name].extend(bursts[name]())
    title = "echo of one double, C++ client"
    calls = [_summary(f"native_echo_{name}", title, name, 8, samples[name]) for name in FAST_TRANSPORTS]
    title = "one double through a ring, one thread: no round trip"
    return [*calls, _summary("same_thread_ring", title, "ring", 8, samples["ring"])]


def _echo(engine: ok.Engine) -> Timed:
    payload = np.zeros(1)

    def call(number: int) -> int:
        payload[0] = number
        nanoseconds, reply = timed(lambda: engine.echo(payload))
        if complaint := echo_complaint(payload, reply):
            raise BrokenEchoError(complaint)
        return nanoseconds

    return call


def _params_only(engine: ok.Engine, few: Close, combo: npt.NDArray[np.int64]) -> Timed:
    series = engine.put("few", few)

    def call(number: int) -> int:
        fee = number / 1024
        # The kernel with the least to set up: here the call is to be seen, and on few bars `certified` takes longer.
        nanoseconds, result = timed(lambda: engine.sweep(series, combo, fee=fee, kernel="checked", threads=THREADS))
        due = ok.sweep(few, combo, fee=fee, kernel="checked", threads=THREADS)
        if result.pnl.tobytes() != due.pnl.tobytes() or result.trades.tobytes() != due.trades.tobytes():
            raise BrokenEchoError(f"a sweep with fee {fee} returned {result}, not {due}")
        return nanoseconds

    return call


def _bare(connection: socket.socket, n_bytes: int) -> Timed:
    reply = memoryview(bytearray(n_bytes))

    def exchange(request: bytes) -> None:
        connection.sendall(request)
        got = 0
        while got < n_bytes:
            more = connection.recv_into(reply[got:])
            if more == 0:
                raise ConnectionError("the bare peer hung up")
            got += more

    def call(number: int) -> int:
        request = number.to_bytes(8, "little", signed=True) * (n_bytes // 8) + bytes(n_bytes % 8)
        nanoseconds, _ = timed(lambda: exchange(request))
        if reply != request:
            raise BrokenEchoError("a bare socket echo came back different")
        return nanoseconds

    return call


@contextmanager
def bare_socket(n_bytes: int) -> Iterator[socket.socket]:
    """A Unix socket to a Python process that does nothing but echo messages of n_bytes."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            program = Path(__file__).with_name("bare_peer.py")
            command = [sys.executable, "-I", str(program), str(theirs.fileno()), str(n_bytes)]
            process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        try:
            ours.settimeout(SECONDS)
            yield ours
        finally:
            ours.close()
            process.wait(SECONDS)


def _interleaved(calls: Mapping[str, Timed], n: int, bursts: int) -> dict[str, list[int]]:
    """At least n calls of each kind in bursts that take turns, since an engine in shared memory spins after a call."""
    samples: dict[str, list[int]] = {name: [] for name in calls}
    numbers = count()
    length = -(-n // bursts)
    settling = 0 if length == 1 else SETTLING
    with collector_off():
        for burst in range(-1, bursts):  # the first is a warm-up
            for name in rotated(list(calls), burst + 1):
                taken = [calls[name](next(numbers)) for _ in range(settling + length)]
                samples[name].extend(taken[settling:] if burst >= 0 else [])
    return samples


def _summary(name: str, title: str, transport: str, n_bytes: int, ns: list[int]) -> FastCall:
    p50, p90, p99 = (percentile(ns, q) / 1e3 for q in (50, 90, 99))
    return FastCall(name, title, transport, n_bytes, len(ns), p50, p90, p99)
