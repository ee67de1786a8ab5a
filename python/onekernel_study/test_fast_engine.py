"""The fast engine's section, small: what is compared, what a wrong answer costs, what the reports say."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import onekernel as ok
import pytest

from onekernel_study import verdict
from onekernel_study.bare_peer import serve
from onekernel_study.crossings import Close, Combos
from onekernel_study.fast_calls import bare_socket
from onekernel_study.fast_engine import measure_fast_engine
from onekernel_study.fast_rows import measure_fast_rows
from onekernel_study.gate import Answer, Gate
from onekernel_study.plan import Plan
from onekernel_study.progress import Progress
from onekernel_study.report_markdown import render
from onekernel_study.runner import Trial, trial
from onekernel_study.schema import FastRow, Study
from onekernel_study.tables_fast import fast_engine, fast_policies, tax, taxes
from onekernel_study.workload import Workload

NAMES = [
    "certified_in_process",
    "certified_chatty_in_process",
    "certified_shipped_unix",
    *(f"certified_preloaded_{transport}" for transport in ("unix", "tcp", "shm")),
    *(f"certified_chatty_{transport}" for transport in ("unix", "tcp", "shm")),
]


def by_name(study: Study) -> dict[str, FastRow]:
    return {row.name: row for row in study.fast_engine.rows}


def with_row(study: Study, name: str, **fields: object) -> Study:
    rows = tuple(replace(row, **fields) if row.name == name else row for row in study.fast_engine.rows)  # type: ignore[arg-type]
    return replace(study, fast_engine=replace(study.fast_engine, rows=rows))


def test_every_row_is_measured_and_gated(real_study: Study, plan: Plan) -> None:
    facts = real_study.fast_engine
    assert [row.name for row in facts.rows] == NAMES
    assert all(row.bitwise and row.n == plan.fast.sweeps and row.withheld is None for row in facts.rows)
    assert facts.complaints == ()
    assert (facts.kernel, facts.threads) == ("certified", 1)
    assert facts.levels is not None
    assert facts.levels.by_bound > 0
    rows = by_name(real_study)
    assert rows["certified_in_process"].ratio_to_in_process == 1.0
    for row in facts.rows:
        assert (row.boundary_p50_us == 0.0) == (row.crossings == 0)
        assert row.p50_us <= row.p90_us <= row.p99_us  # type: ignore[operator]


def test_the_bytes_are_those_of_the_frames(real_study: Study) -> None:
    rows, facts = by_name(real_study), real_study.workload
    head = rows["certified_preloaded_unix"].bytes_out - 48 * facts.n_combos
    assert head > 0
    assert rows["certified_shipped_unix"].bytes_out == head + 48 * facts.n_combos + 8 * facts.n_bars
    assert rows["certified_chatty_shm"].bytes_out == facts.n_combos * (head + 48)
    assert rows["certified_chatty_shm"].crossings == facts.n_combos


def test_puts_and_floors(real_study: Study, plan: Plan) -> None:
    facts = real_study.fast_engine
    assert [(each.name, each.n, each.bytes) for each in facts.put] == [
        (name, plan.fast.puts, 8 * real_study.workload.n_bars) for name in ("memfd", "ready", "bytes")
    ]
    names = ["echo_unix", "echo_tcp", "echo_shm", "params_only_unix", "bare_socket"]
    names += ["native_echo_unix", "native_echo_tcp", "native_echo_shm", "same_thread_ring"]
    assert [each.name for each in facts.floors] == names
    assert all(plan.fast.calls <= each.n < plan.fast.calls + 20 for each in facts.floors)
    assert facts.floors[3].bytes == facts.floors[4].bytes


def test_a_wrong_answer_withholds_its_row(workload: Workload) -> None:
    main = trial(workload)
    wrong = Answer(main.gate.reference.pnl.copy(), main.gate.reference.trades.copy())
    wrong.pnl[2] = np.nextafter(wrong.pnl[2], np.inf)
    faulty = Trial(workload, Gate(wrong, workload.combos))
    with ExitStack() as stack:
        engines = {name: stack.enter_context(ok.spawn(transport=name)) for name in ("unix", "tcp", "shm")}
        rows = measure_fast_rows(engines, faulty, 2, Progress()).rows
    for row in rows:
        assert (row.n, row.p50_us, row.bitwise) == (0, None, False)
        assert row.withheld is not None
        assert row.withheld.startswith("combo 2 (")


def test_a_wrong_answer_fails_the_gate(
    workload: Workload, plan: Plan, sweep_with_fault: Callable[[Close, Combos, float, str], Answer]
) -> None:
    fault = sweep_with_fault(workload.close, workload.combos, workload.fee, "window one bar too long")
    facts = measure_fast_engine(Trial(workload, Gate(fault, workload.combos)), plan.fast, Progress())
    assert len(facts.complaints) == len(NAMES)
    assert facts.complaints[0].startswith("certified_in_process: combo 0 (")


def test_the_bare_peer_echoes_what_it_gets_in_pieces() -> None:
    with bare_socket(100) as connection:
        message = bytes(range(100))
        for piece in (message[:1], message[1:70], message[70:]):
            connection.sendall(piece)
        got = b""
        while len(got) < 100:
            got += connection.recv(100)
        assert got == message
    assert serve.__module__ == "onekernel_study.bare_peer"


def test_the_reports_tell_the_tax_on_both_engines(real_study: Study) -> None:
    study = with_row(real_study, "certified_shipped_unix", boundary_p50_us=500.0, compute_p50_us=1000.0)
    study = with_row(study, "certified_preloaded_shm", boundary_p50_us=30.0, compute_p50_us=1000.0)
    (text,) = [text for text in verdict.sentences(study) if text.startswith("A fast engine")]
    assert "50.0 % on top of its own" in text
    assert "3.00 % over shm" in text
    assert "times as fast as numba" in text
    assert taxes(study).rows[0][2] == "50.0 %"
    assert "both sides spin for 50 us" in fast_engine(study).notes[1]


def test_a_withheld_row_is_shown_as_such(real_study: Study) -> None:
    times = ["p50_us", "p90_us", "p99_us", "compute_p50_us", "boundary_p50_us", "ratio_to_in_process", "client_cpu_us"]
    times += ["ratio_low", "ratio_high"]
    study = with_row(real_study, "certified_shipped_unix", withheld="combo 3 differs", **dict.fromkeys(times))
    assert fast_engine(study).rows[2][1:10] == ("withheld", *("",) * 8)
    assert taxes(study).rows[0][2] == "-"
    assert not [text for text in verdict.sentences(study) if text.startswith("A fast engine")]
    with pytest.raises(ValueError, match="fast_engine missing"):
        render({"schema": study.schema} | {name: None for name in vars(study) if name not in ("schema", "fast_engine")})


def test_the_tax_needs_both_figures() -> None:
    assert tax(1.0, 4.0) == 0.25
    assert tax(None, 4.0) is None
    assert tax(1.0, None) is None
    assert tax(1.0, 0.0) is None


def test_every_transport_has_every_waiting_policy(real_study: Study, plan: Plan) -> None:
    policies = real_study.fast_engine.policies
    kinds = [(each.transport, each.client_spin_us, each.engine_spin_us) for each in policies]
    assert kinds == [(name, c, e) for name in ("unix", "tcp", "shm") for c in (0.0, 50.0) for e in (0.0, 50.0)]
    for each in policies:
        assert each.n == plan.fast.calls
        assert 0.0 < each.compute_p50_us < each.p50_us <= each.p90_us
        assert each.client_cpu_us > 0.0
        assert each.engine_cpu_us > 0.0
    assert len(fast_policies(real_study).rows) == 12
