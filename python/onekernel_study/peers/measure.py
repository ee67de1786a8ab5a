"""Measures the peers: rounds that take turns, every call timed, every answer gated before its round counts.

A row gets a time box. Where a whole sweep (80 calls, or one call per bar) does not fit into it, each round makes as
many calls as do, and the whole is scaled from them and marked so.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from onekernel_study.crossings import joined
from onekernel_study.gate import Answer, Gate, bits
from onekernel_study.peers.contract import BAR, COMBO, GRANULARITIES, SWEEP, Client, Spec
from onekernel_study.peers.service import Floats, Service, Stepped, Swept
from onekernel_study.progress import Progress
from onekernel_study.runner import Trial, rotated
from onekernel_study.stopwatch import collector_off, settle
from onekernel_study.workload import Workload

WARM_UP_CALLS = 64  # at most, and for no more than
WARM_UP_SHARE = 0.05  # of the row's time box

Reply = Swept | Stepped


@dataclass(frozen=True)
class PeerCounts:
    """At most how many rounds, and about how long all rounds of one row may take together."""

    rounds: int
    box_s: float


@dataclass(frozen=True)
class Round:
    """The calls of one round; compute_ns is the sum over them."""

    walls_ns: tuple[int, ...]
    compute_ns: int
    client_cpu_ns: int
    server_cpu_ns: int | None


@dataclass
class Peer:
    """A connected peer, and where its live loop stands: the twin has seen the same closes."""

    client: Client
    twin: Service
    next_bar: int = 0


@dataclass
class Row:
    """One peer at one granularity while it is measured."""

    spec: Spec
    granularity: str
    planned: int
    peer: Peer | None
    reason: str | None = None  # why it is not measured
    withheld: str | None = None  # what the gate, or a call that failed, had to say
    calls: int = 0
    n_rounds: int = 0
    rounds: dict[int, Round] = field(default_factory=dict)  # by their number, so that rows can be compared in pairs


def measure_peers(specs: Sequence[Spec], main: Trial, counts: PeerCounts, progress: Progress) -> list[Row]:
    """Every peer at every granularity it has; what is not installed or does not start says so in its rows."""
    rows: list[Row] = []
    # The sockets' paths must stay short: a Unix socket path holds 107 bytes.
    with tempfile.TemporaryDirectory(prefix="ok-") as scratch, ExitStack() as stack:
        for spec in specs:
            progress.show(f"peers: starting {spec.name}")
            rows.extend(_started(spec, main.workload, Path(scratch), stack))
        settle()
        for granularity in GRANULARITIES:
            _measure([row for row in rows if row.granularity == granularity and row.peer], main, counts, progress)
    return rows


def _started(spec: Spec, workload: Workload, scratch: Path, stack: ExitStack) -> list[Row]:
    folder = scratch / spec.name
    folder.mkdir()
    peer, reason = None, None
    try:
        peer = Peer(stack.enter_context(spec.open(folder)), spec.twin())
    except ImportError as error:
        reason = f"not installed: {error}; pip install 'onekernel[peers]'"
    except Exception as error:  # whatever a library raises: the other peers are measured all the same
        reason = f"did not start: {type(error).__name__}: {error}"
    planned = {SWEEP: 1, COMBO: len(workload.combos), BAR: len(workload.close)}
    return [Row(spec, granularity, planned[granularity], peer, reason) for granularity in spec.granularities]


def _measure(rows: list[Row], main: Trial, counts: PeerCounts, progress: Progress) -> None:
    for row in rows:
        progress.show(f"peers: warming up {row.spec.name}, {row.granularity}")
        call_s = _warm_up(row, main, counts.box_s)
        if call_s is not None:
            row.n_rounds = max(1, min(counts.rounds, int(counts.box_s / call_s)))
            row.calls = max(1, min(row.planned, int(counts.box_s / row.n_rounds / call_s)))
    for number in range(counts.rounds):
        for row in rotated(rows, number):
            if number < row.n_rounds:
                progress.show(f"peers, {row.granularity}, round {number + 1} of {counts.rounds}: {row.spec.name}")
                measured = _round(row, main, row.calls)
                if measured is not None:
                    row.rounds[number] = measured


def _warm_up(row: Row, main: Trial, box_s: float) -> float | None:
    """Twice as many calls each time, for a short while; seconds per call in the end, None where one failed."""
    first = _round(row, main, 1)  # loads and connects what later calls find ready
    if first is None:
        return None
    if first.walls_ns[0] > box_s * 1e9:
        return first.walls_ns[0] / 1e9
    n = 1
    while (pace := _round(row, main, n)) is not None:
        n = 2 * len(pace.walls_ns)
        taken_s = sum(pace.walls_ns) / 1e9
        if taken_s > WARM_UP_SHARE * box_s or n > min(row.planned, WARM_UP_CALLS):
            return taken_s / len(pace.walls_ns)
    return None


def _round(row: Row, main: Trial, n: int) -> Round | None:
    """Makes n calls, gated; None where one failed or an earlier one did."""
    if row.withheld or row.peer is None:
        return None
    client = row.peer.client
    walls_ns: list[int] = []
    replies: list[Reply] = []
    try:
        calls, complaint = _calls(row, row.peer, main, n)
        with collector_off():
            server_ns, cpu_ns = client.server_cpu_ns(), time.process_time_ns()
            for call in calls:
                start = time.perf_counter_ns()
                reply = call()
                walls_ns.append(time.perf_counter_ns() - start)
                replies.append(reply)
            cpu_ns = time.process_time_ns() - cpu_ns
            used_ns = client.server_cpu_ns()
        row.withheld = complaint(replies)
    except Exception as error:  # whatever a library raises ends this row and no other
        row.withheld = f"a call failed: {type(error).__name__}: {error}"
    if row.withheld:
        row.rounds.clear()
        return None
    served_ns = None if used_ns is None or server_ns is None else used_ns - server_ns
    return Round(tuple(walls_ns), sum(reply.compute_ns for reply in replies), cpu_ns, served_ns)


Judge = Callable[[list[Reply]], str | None]


def _calls(row: Row, peer: Peer, main: Trial, n: int) -> tuple[list[Callable[[], Reply]], Judge]:
    """The next n calls of a row, and what judges their replies."""
    close, combos, fee = main.workload.close, main.workload.combos, main.workload.fee
    calls: list[Callable[[], Reply]]
    if row.granularity == SWEEP:
        calls = [partial(peer.client.sweep, close, combos, fee)] * n
        return calls, partial(_sweep_complaint, main.gate)
    if row.granularity == COMBO:
        n = min(n, len(combos))
        few = Answer(main.gate.reference.pnl[:n], main.gate.reference.trades[:n])
        gate = Gate(few, combos[:n], main.gate.fingerprint)
        calls = [partial(peer.client.sweep, close, combos[i : i + 1], fee) for i in range(n)]
        return calls, partial(_combos_complaint, gate)
    closes = _next_closes(peer, close, n)
    calls = [partial(peer.client.bar, value) for value in closes]
    return calls, partial(_bars_complaint, peer.twin, closes)


def _next_closes(peer: Peer, close: Floats, n: int) -> list[float]:
    start = peer.next_bar
    peer.next_bar += n
    return [float(close[i % len(close)]) for i in range(start, start + n)]


def _sweep_complaint(gate: Gate, replies: list[Reply]) -> str | None:
    return next((complaint for answer in _answers(replies) if (complaint := gate.check(answer).complaint)), None)


def _combos_complaint(gate: Gate, replies: list[Reply]) -> str | None:
    return gate.check(joined(_answers(replies))).complaint


def _answers(replies: list[Reply]) -> list[Answer]:
    return [Answer(np.asarray(reply.pnl), np.asarray(reply.trades)) for reply in replies if isinstance(reply, Swept)]


def _bars_complaint(twin: Service, closes: list[float], replies: list[Reply]) -> str | None:
    for close, reply in zip(closes, replies, strict=True):
        due, got = twin.bar(close).value, reply.value if isinstance(reply, Stepped) else reply
        if not isinstance(got, float) or bits(np.float64(due)) != bits(np.float64(got)):
            return f"a bar with close {close!r} was answered with {got!r}, due is {due!r}"
    return None
