"""What the floor owes to the scheduler: one-float echoes with client and engine on one core, and on two.

A free scheduler chooses one or the other and tends to stay with it, so a floor measured freely can differ by a factor
of two or more between two runs on the same machine. Nothing else in the study is pinned.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import onekernel as ok

from onekernel_study.crossings import Transport
from onekernel_study.echo import BrokenEchoError, echo_complaint
from onekernel_study.percentiles import percentile
from onekernel_study.schema import Placement
from onekernel_study.stopwatch import collector_off, timed

WARM_UP = 50


def measure_placement(n: int, transport: Transport = "unix") -> tuple[Placement, ...]:
    """Echoes one float n times per placement; two cores only where this process may use two.

    Raises BrokenEchoError where a reply differs from what was sent.
    """
    cores = sorted(os.sched_getaffinity(0))
    placements = {"one core": (cores[0], cores[0])}
    if len(cores) > 1:
        placements["two cores"] = (cores[0], cores[1])
    return tuple(_measure(name, mine, its, n, transport) for name, (mine, its) in placements.items())


def _measure(name: str, mine: int, its: int, n: int, transport: Transport) -> Placement:
    with ok.spawn(transport=transport, protocol="classic") as engine, pinned_here(mine):
        assert engine.pid is not None
        pin_process(engine.pid, its)
        samples_ns = _echoes(engine, n)
    p50, p90, p99 = (percentile(samples_ns, q) / 1e3 for q in (50, 90, 99))
    return Placement(transport, name, n, p50, p90, p99)


def _echoes(engine: ok.Engine, n: int) -> list[int]:
    samples_ns = []
    payload = np.zeros(1)
    with collector_off():
        for _ in range(n + WARM_UP):
            payload += 1.0
            nanoseconds, reply = timed(partial(engine.echo, payload))
            if complaint := echo_complaint(payload, reply):
                raise BrokenEchoError(complaint)
            samples_ns.append(nanoseconds)
    return samples_ns[WARM_UP:]


@contextmanager
def pinned_here(core: int) -> Iterator[None]:
    """Keeps this thread on one core inside, and lets it go where it could before."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def pin_process(pid: int, core: int) -> None:
    """Puts every thread of a process on one core."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})
