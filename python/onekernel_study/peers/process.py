"""A peer's process: `python -m onekernel_study.peers.process <module> <address>` serves, `served` starts and ends it.

The process ends when its standard input closes, so it never outlives the program that measures it.
"""

import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

READY = "ready\n"
STOP_S = 10.0


@contextmanager
def served(module: str, address: str) -> Iterator[int]:
    """The process id of a peer that is ready. RuntimeError, with its last words, where it ends before."""
    command = [sys.executable, "-m", __name__, module, address]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            said = process.stdout.readline()
            while said and said != READY:  # a library may greet first
                said = process.stdout.readline()
            if not said:
                process.wait(STOP_S)
                words = process.stderr.read().strip().splitlines() or [f"exit code {process.returncode}"]
                raise RuntimeError(f"the {module} peer did not start: {words[-1]}")
            yield process.pid
        finally:
            _stop(process)


def _stop(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()


def cpu_ns(pid: int) -> int:
    """CPU time of a process, all its threads, in nanoseconds; OSError where there is none of that id."""
    # The clock id of another process's CPU time, as clock_getcpuclockid(3) makes it.
    return time.clock_gettime_ns((~pid << 3) | 2)


def ready() -> None:
    """Tells whoever started this process that clients may connect."""
    sys.stdout.write(READY)
    sys.stdout.flush()


def _end_with_parent() -> None:
    # Not through sys.stdin: its lock, held here, would hinder an interpreter that ends because of an error.
    while os.read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    importlib.import_module(f"onekernel_study.peers.{sys.argv[1]}").serve(sys.argv[2])
