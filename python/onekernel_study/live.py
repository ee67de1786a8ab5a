"""What a call per bar costs: live sessions of the same strategies, from Python and from C++, over every crossing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from time import perf_counter_ns

import numpy as np
import onekernel as ok
from onekernel._native import NativeLive
from onekernel.records import Records, changes_of, from_changes
from onekernel.session_connection import SPIN_US

from onekernel_study.crossings import Close, Combos
from onekernel_study.intervals import ratio_interval
from onekernel_study.names import UNIX
from onekernel_study.percentiles import percentile
from onekernel_study.progress import Progress
from onekernel_study.runner import rotated
from onekernel_study.schema_live import LiveRow
from onekernel_study.stopwatch import collector_off
from onekernel_study.workload import Workload

IN_PROCESS, SHM, TCP = "in process", "shm", "tcp"
CROSSINGS = (IN_PROCESS, SHM, UNIX, TCP)
CPP, PYTHON = "C++", "Python"
ROUNDS = 10
# Feeds closes, one call per bar: each call's nanoseconds, and the changes' bytes.
Feed = Callable[[Close], tuple[Sequence[int], bytes]]


@dataclass(frozen=True)
class LiveCounts:
    """How many bars a round feeds where a bar takes a microsecond, where it crosses a socket, and there with a grid."""

    fast: int
    socket: int
    socket_grid: int


@dataclass
class _Contestant:
    """One row while it is measured."""

    client: str
    crossing: str
    combos: Combos
    feed: Feed
    per_round: int
    fed: int = 0
    times_ns: list[int] = field(default_factory=list)
    rounds_ns: list[float] = field(default_factory=list)  # the mean of each
    told: list[bytes] = field(default_factory=list)
    failure: str | None = None


def measure_live(workload: Workload, counts: LiveCounts, progress: Progress) -> tuple[LiveRow, ...]:
    """Feeds every row's session in rounds that take turns, and compares what all of them told with the sweep."""
    sets = (workload.combos[-1:], workload.combos) if len(workload.combos) > 1 else (workload.combos,)
    with ExitStack() as stack, collector_off():
        urls = {crossing: _engine(stack, crossing) for crossing in CROSSINGS if crossing != IN_PROCESS}
        rows = [
            stack.enter_context(_contestant(client, crossing, urls.get(crossing, ""), combos, workload, counts))
            for combos in sets
            for client in (CPP, PYTHON)
            for crossing in CROSSINGS
        ]
        for number in range(ROUNDS):
            for row in rotated(rows, number):
                progress.show(f"a call per bar: {row.client}, {row.crossing}, {len(row.combos)} combos")
                _round(row, workload.close)
    due = {len(combos): _due(workload, combos) for combos in sets}
    return tuple(_summary(row, rows, due[len(row.combos)], len(workload.close)) for row in rows)


def _due(workload: Workload, combos: Combos) -> Records:
    """The changes that the sweep's trades imply."""
    batch = ok.trades(workload.close, combos, fee=workload.fee)
    return changes_of(batch.closed, batch.open)


def complaints(rows: Sequence[LiveRow]) -> tuple[str, ...]:
    """Why rows were withheld, one line each."""
    return tuple(f"{row.name}: {row.withheld}" for row in rows if row.withheld)


def _engine(stack: ExitStack, transport: str) -> str:
    engine = stack.enter_context(
        ok.spawn(
            transport=transport,  # type: ignore[arg-type]
            arguments=("--spin-us", "0", "--shm-spin-us", f"{SPIN_US:g}"),
        )
    )
    return engine.url


@contextmanager
def _contestant(
    client: str, crossing: str, url: str, combos: Combos, workload: Workload, counts: LiveCounts
) -> Iterator[_Contestant]:
    socket = counts.socket if len(combos) == 1 else counts.socket_grid
    per_round = counts.fast if crossing in (IN_PROCESS, SHM) else socket
    per_round = min(per_round, len(workload.close) // ROUNDS)
    if client == CPP:
        spin_us = SPIN_US if crossing == SHM else 0.0
        yield _Contestant(client, crossing, combos, _native(url, combos, workload.fee, spin_us), per_round)
        return
    with ExitStack() as stack:
        engine = stack.enter_context(ok.connect(url)) if url else ok
        live = stack.enter_context(engine.live(combos, fee=workload.fee))
        yield _Contestant(client, crossing, combos, _from_python(live), per_round)


def _native(url: str, combos: Combos, fee: float, spin_us: float) -> Feed:
    session = NativeLive(url, combos, fee, spin_us)

    def feed(closes: Close) -> tuple[Sequence[int], bytes]:
        times = np.empty(len(closes), np.int64)
        told = session.feed(closes, times)
        return times.tolist(), told

    return feed


def _from_python(live: ok.LiveSession) -> Feed:
    def feed(closes: Close) -> tuple[Sequence[int], bytes]:
        times: list[int] = []
        told: list[ok.Change] = []
        bar = live.bar
        for price in closes.tolist():
            began = perf_counter_ns()
            changes = bar(price)
            times.append(perf_counter_ns() - began)
            if changes:
                told.extend(changes)
        return times, from_changes(told).tobytes()

    return feed


def _round(row: _Contestant, close: Close) -> None:
    if row.failure:
        return
    try:
        times, told = row.feed(close[row.fed : row.fed + row.per_round])
    except (ok.OneKernelError, OSError) as error:
        row.failure = f"{type(error).__name__}: {error}"
        return
    row.fed += len(times)
    row.times_ns.extend(times)
    row.rounds_ns.append(sum(times) / len(times))
    row.told.append(told)


def _summary(row: _Contestant, rows: Sequence[_Contestant], due: Records, n_bars: int) -> LiveRow:
    bitwise = b"".join(row.told) == due[due["bar"] < row.fed].tobytes()
    withheld = row.failure or (None if bitwise else "the changes are not those of the sweep")
    mean_ns = sum(row.times_ns) / max(1, row.fed)
    unix = next(
        other
        for other in rows
        if (other.client, other.crossing, len(other.combos)) == (row.client, UNIX, len(row.combos))
    )
    comparable = not withheld and not unix.failure and row is not unix
    interval = ratio_interval(unix.rounds_ns, row.rounds_ns) if comparable else None
    return LiveRow(
        name=f"live_{'cpp' if row.client == CPP else 'python'}_{row.crossing.replace(' ', '_')}_{len(row.combos)}",
        client=row.client,
        crossing=row.crossing,
        n_combos=len(row.combos),
        n=row.fed,
        p50_us=None if withheld else percentile(row.times_ns, 50) / 1e3,
        p90_us=None if withheld else percentile(row.times_ns, 90) / 1e3,
        p99_us=None if withheld else percentile(row.times_ns, 99) / 1e3,
        mean_us=None if withheld else mean_ns / 1e3,
        series_s=None if withheld else mean_ns * n_bars / 1e9,
        basis="measured" if row.fed == n_bars else f"derived from {row.fed:,} bars",
        unix_over_this=float(np.median(unix.rounds_ns) / np.median(row.rounds_ns)) if comparable else None,
        unix_over_this_low=interval[0] if interval else None,
        unix_over_this_high=interval[1] if interval else None,
        bitwise=bitwise,
        withheld=withheld,
    )
