"""Spawn per call: a process that is started for one request, which it reads from stdin, and exits."""

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import onekernel as ok
from onekernel import classic

from onekernel_study.crossings import Close, Combos, Crossing, Opener, joined
from onekernel_study.gate import Answer
from onekernel_study.percentiles import percentile
from onekernel_study.schema import Spawn
from onekernel_study.stopwatch import collector_off, timed
from onekernel_study.timings import Account, TimingsLog

Buffer = bytes | memoryview


class StdioSpawn:
    """One `onekernel-engine stdio` process per `combos_per_call` combos (None: per sweep), the request on its stdin."""

    def __init__(self, command: list[str], timings: TimingsLog, combos_per_call: int | None) -> None:
        self._command = command
        self._timings = timings
        self._combos_per_call = combos_per_call
        self._calls = 0

    def sweep(self, close: Close, combos: Combos, fee: float) -> Answer:
        """One process after another."""
        step = self._combos_per_call or len(combos)
        parts = [combos[i : i + step] for i in range(0, len(combos), step)]
        self._calls = len(parts)
        return joined([self._one(close, part) for part in parts])

    def _one(self, close: Close, combos: Combos) -> Answer:
        reply = run_once(self._command, classic.encode_request(classic.Opcode.SWEEP, close, combos))
        result = classic.decode_sweep(reply[classic.PREFIX.size :], len(combos))
        return Answer(result.pnl, result.trades)

    def account(self) -> Account:
        """What the processes wrote about these calls."""
        return self._timings.take(self._calls)


def stdio_spawn(kernel: str, combos_per_call: int | None = None) -> Opener:
    """A fresh engine process per call."""

    @contextmanager
    def opened(scratch: Path, fee: float) -> Iterator[Crossing]:
        timings = scratch / "timings.jsonl"
        command = [str(ok.engine_path()), "stdio", "--kernel", kernel, "--fee", repr(fee), "--timings", str(timings)]
        yield StdioSpawn(command, TimingsLog(timings), combos_per_call)

    return opened


def run_once(command: Sequence[str], request: Sequence[Buffer], timeout: float = 300.0) -> bytes:
    """Starts the command, writes the request to its stdin without joining its parts, returns all of its stdout.

    Raises TimeoutError after `timeout` seconds (the process is killed) and RuntimeError where it exits with an error.
    """
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            deadline = time.monotonic() + timeout
            _write_all(process, request, deadline)
            reply = _read_all(process, deadline)
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired):
            process.kill()
            raise TimeoutError(f"{command[0]} did not answer within {timeout:g} s") from None
    if code != 0:
        raise RuntimeError(f"{' '.join(command)} exited with {code}")
    return reply


def _write_all(process: subprocess.Popen[bytes], parts: Sequence[Buffer], deadline: float) -> None:
    assert process.stdin is not None
    pipe = process.stdin.fileno()
    # Not blocking, so that a process that stops reading runs into the deadline instead of holding this one for ever.
    os.set_blocking(pipe, False)
    try:
        for part in parts:
            rest = memoryview(part).cast("B")
            while rest:
                _wait(pipe, select.POLLOUT, deadline)
                rest = rest[os.write(pipe, rest) :]
    except BrokenPipeError:
        pass  # The process left early; its exit code says why.
    process.stdin.close()


def _read_all(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    chunks: list[bytes] = []
    while True:
        _wait(pipe, select.POLLIN, deadline)
        chunk = os.read(pipe, 1 << 20)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


def _wait(pipe: int, event: int, deadline: float) -> None:
    poller = select.poll()
    poller.register(pipe, event)
    if not poller.poll(max(0.0, (deadline - time.monotonic()) * 1e3)):
        raise TimeoutError


def measure_spawns(n: int) -> tuple[Spawn, ...]:
    """Start, one tiny piece of work and exit, of this engine and, for comparison, of other programs; interleaved."""
    commands = _commands()
    samples: dict[str, list[int]] = {what: [] for what in commands}
    for command, request in commands.values():
        run_once(command, request)
    with collector_off():
        for _ in range(n):
            for what, (command, request) in commands.items():
                nanoseconds, _reply = timed(partial(run_once, command, request))
                samples[what].append(nanoseconds)
    return tuple(Spawn(what, percentile(taken, 50) / 1e6, n) for what, taken in samples.items())


def _commands() -> dict[str, tuple[list[str], Sequence[Buffer]]]:
    one = classic.encode_request(classic.Opcode.ECHO, np.ones(1), np.empty((0, 6), np.int64))
    commands: dict[str, tuple[list[str], Sequence[Buffer]]] = {
        "onekernel-engine stdio, echo of one float": ([str(ok.engine_path()), "stdio"], one),
    }
    if true := shutil.which("true"):
        commands["true (the floor of any spawn)"] = ([true], ())
    commands["python, nothing imported"] = ([sys.executable, "-c", "pass"], ())
    commands["python, import numpy"] = ([sys.executable, "-c", "import numpy"], ())
    return commands
