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
TOPOLOGY = Path("/sys/devices/system/cpu")


def measure_placement(n: int, transport: Transport = "unix") -> tuple[Placement, ...]:
    """Echoes one float n times per placement; two cores only where this process may use two.

    Raises BrokenEchoError where a reply differs from what was sent.
    """
    return tuple(_measure(name, mine, its, n, transport) for name, (mine, its) in core_pairs().items())


def core_pairs(topology: Path = TOPOLOGY) -> dict[str, tuple[int, int]]:
    """Where client and engine may be put, as far as this machine and this process's affinity have such a pair.

    "one core": both on the same hardware thread. "siblings": on two hardware threads of one core. "two cores": on two
    cores, or on two processors of which the system does not tell whether they share one.
    """
    usable = sorted(os.sched_getaffinity(0))
    pairs = {"one core": (usable[0], usable[0])}
    siblings = _siblings(usable[0], topology)
    others = {core: core in siblings for core in usable[1:]}
    for name, shared in (("siblings", True), ("two cores", False)):
        found = next((core for core, is_sibling in others.items() if is_sibling == shared), None)
        if found is not None:
            pairs[name] = (usable[0], found)
    return pairs


def _siblings(core: int, topology: Path) -> set[int]:
    """The hardware threads of the core that this one belongs to; a list such as "0,4" or "0-1"."""
    file = topology / f"cpu{core}/topology/thread_siblings_list"
    if not file.is_file():
        return {core}
    ranges = (part.partition("-") for part in file.read_text().strip().split(","))
    return {n for first, _, last in ranges for n in range(int(first), int(last or first) + 1)}


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
