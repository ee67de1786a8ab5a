"""A Python process per call: the request on its standard input, the reply on its standard output, raw bytes.

Such a process has no state, so a bar brings along the closes that its decision looks back on.
"""

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from onekernel_study.peers import messages
from onekernel_study.peers.service import LIVE_LENGTH, Floats, Ints, Service, Stepped, Swept, decision_weights

TIMEOUT_S = 60.0
COMMAND = [sys.executable, "-m", __name__ if __name__ != "__main__" else "onekernel_study.peers.subprocess_call"]


class Client:
    """subprocess.run for every call."""

    def __init__(self) -> None:
        self._window: Floats | None = None

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """One process."""
        return messages.sweep_reply(_run(b"".join(messages.sweep_pieces(close, combos, fee))), len(combos))

    def bar(self, close: float) -> Stepped:
        """One process, which is sent the last closes."""
        if self._window is None:
            self._window = np.full(len(decision_weights(LIVE_LENGTH)), close)
        self._window = np.append(self._window[1:], close)
        return messages.bar_reply(_run(messages.window_request(self._window)))

    def server_cpu_ns(self) -> int:
        """Of all processes that were started and have ended."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return int((used.ru_utime + used.ru_stime) * 1e9)


def _run(request: bytes) -> bytes:
    return subprocess.run(COMMAND, input=request, stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_S).stdout


@contextmanager
def connect(folder: Path) -> Iterator[Client]:
    """Nothing to start: every call does."""
    yield Client()


if __name__ == "__main__":
    sys.stdout.buffer.write(messages.answer(Service(), sys.stdin.buffer.read()))
