"""Studies for the reports' tests: a whole one, one with nothing but gaps, one with hostile text. None was measured."""

import dataclasses
import json
import math
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from onekernel_study import schema
from onekernel_study.breakeven import break_even
from onekernel_study.derived import figures_from_rows
from onekernel_study.fit import METHOD
from onekernel_study.rows import ROWS
from onekernel_study.schema import SCHEMA, Study
from onekernel_study.schema_live import LiveRow
from onekernel_study.schema_peers import Peer
from onekernel_study.schema_statistics import Claim, ColdStart, Histogram, Latency, LatencyRow

HOSTILE = (
    '</script><script>document.title="taken"</script><img src=x onerror=alert(1)> {{ 7 * 7 }} #pagebreak() \u2028 & "'
)
BARS, COMBOS = 150_000, 80


def _latency(p50_us: float) -> Latency:
    return Latency(5_000, p50_us, 1.37 * p50_us, 3.1 * p50_us, 21.3 * p50_us, 104.9 * p50_us)


def _architecture(number: int, name: str, title: str, kernel: str, boxed: bool) -> schema.Architecture:
    compute, boundary = 2.5 + 0.0371 * number, 0.00131 * 3.7**number if number > 1 else 0.0
    wall = compute + boundary
    runs = (0.97 * wall, wall, 1.04 * wall)
    ratio = wall / 2.5
    crossings = 0 if number < 2 else COMBOS if number in (5, 7, 8) else 1
    return schema.Architecture(
        name, title, kernel, boxed, None, runs, wall, ratio, 0.96 * ratio, 1.05 * ratio, compute, boundary,
        0.31, crossings, 1_203_853 * crossings, 1_284 * crossings, 5.3 if name.startswith("json") else None,
    )  # fmt: skip


def _echo() -> tuple[tuple[schema.EchoPoint, ...], tuple[schema.EchoFit, ...]]:
    points, fits = [], []
    for transport, floor, rate in (("unix", 17.97, 6.79), ("tcp", 23.6, 6.25), ("shm", 4.21, 7.9)):
        for floats in (1, 10, 100, 1_000, 10_000, 100_000, 150_000):
            p50 = (floor + 16 * floats / rate / 1e3) * (1.03 if floats == 1_000 else 0.99)
            points.append(schema.EchoPoint(transport, floats, 8 * floats, 500, p50, 1.4 * p50, 9.3 * p50, None))
        fits.append(schema.EchoFit(transport, floor, rate, 0.99 * floor, 3.07, METHOD))
    return tuple(points), tuple(fits)


def _peers() -> tuple[Peer, ...]:
    kinds = (
        ("native", "in process", 0.9),
        ("zeromq", "unix", 61.7),
        ("http_json", "tcp", 913.0),
        ("iceoryx2", "", 0.0),
    )
    planned = {"sweep": (1, 0.0141), "combo": (COMBOS, 0.0362), "bar": (BARS, 0.0308)}
    peers = []
    for name, transport, floor_us in kinds:
        for granularity, (calls, compute) in planned.items():
            head = (
                name,
                f"{name}, a peer",
                name,
                "1.2.3" if transport else None,
                transport or "shared memory",
                "JSON" if name == "http_json" else "raw bytes",
            )
            if not transport:
                gaps = (
                    False,
                    "not installed: pip install iceoryx2",
                    None,
                    0,
                    calls,
                    0,
                    None,
                    None,
                    False,
                    *[None] * 9,
                    False,
                )
                peers.append(Peer(*head, granularity, *gaps))
                continue
            bytes_us = 0.0 if granularity == "bar" else 177.3
            boundary = 0.0 if name == "native" else calls * (floor_us + bytes_us) / 1e6
            wall = compute + boundary
            ratio = wall / compute
            made = min(calls, 2_000)
            peers.append(
                Peer(
                    *head, granularity, True, None if made == calls else "fewer calls", None, 5, calls, made,
                    _latency(wall / calls * 1e6), wall, made < calls, ratio, 0.9 * ratio, 1.1 * ratio, compute,
                    boundary,
                    boundary / wall, boundary / (2.6 + boundary), 0.8 * floor_us, 0.7 * floor_us, True,
                )
            )  # fmt: skip
    return tuple(peers)


def _latencies() -> tuple[LatencyRow, ...]:
    rows = []
    for transport, floor in (("unix", 18.3), ("tcp", 24.1), ("shm", 1.61)):
        for loop, rate, placement in (
            ("closed", None, "free"),
            ("closed", None, "one core"),
            ("open", 10_000.0, "free"),
        ):
            p50 = floor * (1.3 if loop == "open" else 1.0)
            edges = tuple(0.8 * p50 * 10 ** (i / 20) for i in range(61))
            counts = tuple(int(900 * math.exp(-(((i - 3) / 4) ** 2))) + (i % 9 == 0) for i in range(60))
            name = f"{transport}_{loop}_{placement.replace(' ', '_')}"
            rows.append(
                LatencyRow(
                    name, transport, loop, rate, rate and 0.991 * rate, placement, _latency(p50), 0.98 * p50,
                    1.02 * p50, Histogram(edges, counts), 0.8 * p50, 0.5 * p50, None,
                )
            )  # fmt: skip
    return tuple(rows)


def _fast() -> schema.FastEngine:
    ways = (
        ("in_process", 0, 0.0),
        ("shipped_unix", 1, 861.9),
        ("preloaded_shm", 1, 259.2),
        ("chatty_unix", 80, 18_324.3),
    )
    rows = []
    for name, crossings, boundary in ways:
        wall = 13_370.2 + boundary
        ratio = wall / 13_370.2
        rows.append(
            schema.FastRow(
                f"certified_{name}", name.replace("_", " "), 10, wall, 1.2 * wall, 1.7 * wall, 13_370.2, boundary,
                ratio,
                0.97 * ratio, 1.04 * ratio, 251.6, True, crossings, 3_916 * crossings, None,
            )
        )  # fmt: skip
    put = (schema.FastCall("memfd", "put by memory file", "unix", 1_200_000, 15, 659.5, 730.2, 814.0),)
    floors = (schema.FastCall("echo_shm", "echo of one double", "shm", 8, 1_000, 116.9, 117.8, 150.4),)
    levels = schema.Levels(11_990_206, 862, 0, 0, 403_396, 2_960, 0)
    policies = (schema.FastPolicy("unix", 0.0, 50.0, 1_000, 11.5, 14.2, 1.1, 9.8, 12.4),)
    return schema.FastEngine("certified", "avx3", 1, 50.0, tuple(rows), put, floors, policies, levels, ())


def _live() -> tuple[LiveRow, ...]:
    rows = []
    for combos in (1, COMBOS):
        for client, client_us in (("C++", 0.1), ("Python", 0.3)):
            for crossing, crossing_us in (("in process", 0.0), ("shm", 1.7), ("unix", 24.6), ("tcp", 31.2)):
                mean = client_us + crossing_us + 0.016 * combos
                times = (24.6 + client_us + 0.016 * combos) / mean
                shown = None if crossing == "unix" else times
                name = f"live_{'cpp' if client == 'C++' else 'python'}_{crossing.replace(' ', '_')}_{combos}"
                rows.append(
                    LiveRow(
                        name, client, crossing, combos, BARS, 0.9 * mean, 1.2 * mean, 2.1 * mean, mean,
                        mean * BARS / 1e6, "measured", shown, shown and 0.9 * shown, shown and 1.1 * shown, True, None,
                    )
                )  # fmt: skip
    return (*rows[:-1], replace(rows[-1], withheld="why", p50_us=None, p90_us=None, p99_us=None, mean_us=None,
                                series_s=None, bitwise=False))  # fmt: skip


def _environment() -> schema.Environment:
    return schema.Environment(
        "2026-01-02T03:04:05+00:00", "A Test CPU", 2, (0, 1), 8 * 2**30, "Linux 6.1", None, (0.5, 0.4, 0.3), 1,
        schema.Clock("perf_counter_ns", 60.0, 10.0), "9.9.9", "GNU 12", (schema.Version("numpy", "2.4.6"),),
    )  # fmt: skip


@pytest.fixture(scope="session")
def whole() -> Study:
    """A study with every section, all gates passed; its figures are made up."""
    rows = tuple(
        _architecture(i, row.name, row.title, row.kernel, row.time_boxed) for i, row in enumerate(ROWS)
    )  # the rows' own names, so that published figures stand beside them
    points, fits = _echo()
    formats = (
        ("raw_copied", 62.2, 56.5, 1_200_013),
        ("raw_not_copied", 6.1, 2.6, 1_200_013),
        ("json", 107_733.9, 71_400.2, 2_859_107),
    )
    gates = tuple(schema.EquivalenceRow(row.name, True, 0.0, True, True, 12, None) for row in rows)
    claims = (
        Claim("bytes", "A boundary crossed once costs about 0.1 %", "0.1 %", "0.05 %", True, "cpp_batch_unix"),
        Claim("json", "JSON costs three orders of magnitude over raw", "1348x", "80x", False, "json over raw_copied"),
        Claim("unchecked", "Unchecked is no faster", "1.03", "not measured", None, "cpp_batch_unchecked"),
    )
    after = (
        schema.DerivedFigure("empty_echo_after_compute", "echo of one float after a combo", "us", 176.162, "measured"),
        schema.DerivedFigure(
            "series_echo_after_compute", "echo of the series after a combo", "us", 804.453, "measured"
        ),
    )
    return Study(
        schema=SCHEMA,
        quick=True,
        rounds=3,
        seconds=147.2,
        workload=schema.WorkloadFacts("a made-up series", BARS, COMBOS, 0.09),
        equivalence=schema.Equivalence(
            True, schema.FingerprintFacts(-5165.58, 57_029, -5165.58, 57_029, True), gates, True, True, ()
        ),
        architectures=rows,
        echo=points,
        echo_fits=fits,
        echo_placement=(schema.Placement("unix", "one core", 500, 17.6, 19.7, 54.3),),
        serialization=tuple(
            schema.Serialization(name, f"{name}, a format", encode, decode, size, encode / 62.2, 10, None)
            for name, encode, decode, size in formats
        ),
        spawn=(schema.Spawn("true (the floor of any spawn)", 1.97, 40),),
        derived=(*figures_from_rows(rows, fits), *after),
        break_even=break_even(rows, fits, BARS, COMBOS),
        fast_engine=_fast(),
        live=_live(),
        peers=_peers(),
        latencies=_latencies(),
        cold_start=(ColdStart("numba: compile, then the first call", 4_213.7, 3),),
        claims=claims,
        environment=_environment(),
    )


@pytest.fixture(scope="session")
def gaps(whole: Study) -> Study:
    """The same with every figure withheld that can be, every list empty that may be, and the gate failed."""
    reason = "run 1: combo 3 differs"

    def without(row: Any, *keep: str) -> Any:
        hints = {field.name: str(field.type) for field in dataclasses.fields(row)}
        nothing = {name: None for name, hint in hints.items() if "None" in hint and name not in keep}
        return replace(row, **{**nothing, "withheld": reason})

    fast = whole.fast_engine
    return replace(
        whole,
        equivalence=replace(whole.equivalence, all_ok=False, complaints=(f"cpp_batch_unix, {reason}",)),
        architectures=tuple(replace(without(row), runs_s=()) for row in whole.architectures),
        echo=tuple(without(point) for point in whole.echo),
        live=tuple(without(row) for row in whole.live),
        echo_fits=(),
        echo_placement=(),
        serialization=tuple(without(each) for each in whole.serialization),
        spawn=(),
        derived=(),
        break_even=schema.BreakEven(None, None, None, "no echo curve", ()),
        fast_engine=replace(
            fast, rows=tuple(without(row) for row in fast.rows), put=(), floors=(), policies=(), levels=None
        ),
        peers=(without(whole.peers[4]), *(peer for peer in whole.peers if not peer.measured)),
        latencies=tuple(without(row) for row in whole.latencies),
        cold_start=(),
        claims=tuple(replace(claim, holds=None) for claim in whole.claims),
    )


@pytest.fixture(scope="session")
def hostile(whole: Study) -> Study:
    """The same with text in it that would run, break out or break the layout if it were not escaped."""
    long = "x" * 300
    return replace(
        whole,
        environment=replace(whole.environment, cpu_model=HOSTILE, engine_compiler=long),
        architectures=(replace(whole.architectures[0], title=HOSTILE), *whole.architectures[1:]),
        claims=(replace(whole.claims[0], claim=HOSTILE, measured=long),),
        peers=tuple(replace(peer, reason=HOSTILE) if peer.reason else peer for peer in whole.peers),
        latencies=tuple(replace(row, name=f"{HOSTILE}{i}") for i, row in enumerate(whole.latencies)),
    )


def decoded(study: Study) -> Any:
    """The study as study.json holds it."""
    return json.loads(json.dumps(dataclasses.asdict(study)))


# Closed with its package: it keeps an event loop running in this thread, where other tests run their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    program = os.environ.get("ONEKERNEL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.fail(
            "the report's page is tested in Chromium: apt-get install chromium, or set ONEKERNEL_CHROMIUM=/path"
        )
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program)
        yield opened
        opened.close()
