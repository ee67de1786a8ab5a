"""Two ways to time many calls: one after another, and at a fixed rate.

A closed loop sends when the last reply has come, so a stall delays the next call and is counted once. Users do not
wait for one another: in an open loop each call is due at a fixed time and is timed from then, whether or not it could
be sent. So one stall of 10 ms at 1,000 calls a second counts for the ten calls that were due in it.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

SLEEP_UNTIL_S = 0.0003  # a sleep ends late; the rest of the wait for a due time is spun away

Floats = npt.NDArray[np.float64]
Echo = Callable[[Floats], Floats]


def closed_loop(echo: Echo, payloads: Sequence[Floats]) -> tuple[list[int], list[Floats]]:
    """Nanoseconds of an echo of each payload, sent when the last had come back; and the replies."""
    samples_ns, replies = [], []
    for payload in payloads:
        start = time.perf_counter_ns()
        reply = echo(payload)
        samples_ns.append(time.perf_counter_ns() - start)
        replies.append(reply)
    return samples_ns, replies


def open_loop(echo: Echo, payloads: Sequence[Floats], rate_per_s: float) -> tuple[list[int], list[Floats]]:
    """Nanoseconds of each echo from when it was DUE, one every 1 / rate seconds whatever became of those before."""
    samples_ns, replies = [], []
    step_ns = 1e9 / rate_per_s
    start_ns = time.perf_counter_ns() + int(step_ns)
    for number, payload in enumerate(payloads):
        due_ns = start_ns + int(number * step_ns)
        _wait_until(due_ns)
        reply = echo(payload)
        samples_ns.append(time.perf_counter_ns() - due_ns)
        replies.append(reply)
    return samples_ns, replies


def _wait_until(due_ns: int) -> None:
    rest_s = (due_ns - time.perf_counter_ns()) / 1e9 - SLEEP_UNTIL_S
    if rest_s > 0:
        time.sleep(rest_s)
    while time.perf_counter_ns() < due_ns:
        pass
