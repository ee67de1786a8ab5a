"""The benchmark of the kernels, small: what it writes, and that a wrong answer costs its time and the exit code."""

import dataclasses
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from onekernel_study import bench_kernels, kernel_bench
from onekernel_study.bench_cases import Case, real, scaling_lengths, walk, worst
from onekernel_study.bench_memory import measure_memory
from onekernel_study.bench_pairs import measure_cases
from onekernel_study.bench_schema import SCHEMA, Bench, NotMeasured
from onekernel_study.bench_tables import bench_tables
from onekernel_study.contest import Contender, Told, contest, native, numba_answer
from onekernel_study.environment import describe
from onekernel_study.gate import Answer, Gate
from onekernel_study.progress import Progress
from onekernel_study.report_terminal import console, print_table
from onekernel_study.schema import WorkloadFacts
from onekernel_study.workload import Workload


def small_case(workload: Workload, **fields: object) -> Case:
    return replace(Case("bars", "few bars", workload.close, workload.combos), **fields)  # type: ignore[arg-type]


def document_of(workload: Workload, cases: list[Case], rounds: int = 2) -> Bench:
    kernels = bench_kernels.measure_kernels(workload, rounds, Progress())
    rows = measure_cases(cases, rounds, Progress())
    facts = WorkloadFacts(workload.description, len(workload.close), len(workload.combos), workload.fee)
    missing = (NotMeasured("something", "it is not there"),)
    ok = all(row.bitwise for row in kernels) and all(row.bitwise for row in rows)
    return Bench(SCHEMA, True, rounds, 1.0, facts, ok, kernels, rows, (), missing, describe())


def test_every_kernel_is_compared_with_numba(workload: Workload) -> None:
    rows = bench_kernels.measure_kernels(workload, 2, Progress())
    single = [(row.name, row.threads) for row in rows][:5]
    assert single == [("numba", 1), ("checked", 1), ("unchecked", 1), ("exact", 1), ("certified", 1)]
    assert all(row.bitwise and row.complaint is None and row.n >= 2 for row in rows)
    assert rows[0].ratio_to_numba == 1.0
    for row in rows:
        assert row.ratio_to_numba == pytest.approx((rows[0].median_s or 0.0) / (row.median_s or 1.0))
        assert row.smallest_s <= row.p10_s <= row.p90_s <= row.largest_s  # type: ignore[operator]
    assert rows[4].levels is not None
    assert rows[4].levels.by_bound > 0


def test_a_wrong_answer_has_no_time(workload: Workload) -> None:
    right = numba_answer(workload.close, workload.combos, workload.fee)
    wrong = Answer(np.nextafter(right.pnl, np.inf), right.trades)
    gate = Gate(right, workload.combos)
    calls = [Told(right, "none", 1), Told(wrong, "none", 1)]
    late = Contender("late", lambda: calls.pop(0) if calls else Told(right, "none", 1), gate)
    sound = Contender("sound", native(workload.close, workload.combos, workload.fee, "certified", 1), gate)
    contest([late, sound], 3, Progress())
    assert late.complaint is not None
    assert late.complaint.startswith("combo 0 (")
    assert (late.runs_s, late.cpu_s) == ([], [])
    assert sound.complaint is None
    assert len(sound.runs_s) == len(sound.cpu_s) == 3 * sound.sweeps


def test_a_wrong_kernel_fails_the_benchmark(
    workload: Workload, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def off_by_one(*arguments: object) -> Answer:
        answer = numba_answer(*arguments)  # type: ignore[arg-type]
        return Answer(answer.pnl, answer.trades + 1)

    monkeypatch.setattr(bench_kernels, "numba_answer", off_by_one)
    bench = document_of(workload, [small_case(workload)])
    assert not bench.all_ok
    assert all(row.median_s is None and row.ratio_to_numba is None for row in bench.kernels)
    assert kernel_bench.outcome(bench) == 1
    assert "not equal: certified on" in capsys.readouterr().err


def test_worst_cases_and_lengths_are_equal_to_the_bit(workload: Workload) -> None:
    short = [replace(case, close=case.close[:1_500].copy()) for case in worst(quick=True)]
    assert np.isnan(short[-1].close).any()
    rows = measure_cases([*short, replace(scaling_lengths(quick=True)[-1], close=walk(1_000))], 1, Progress())
    assert [row.complaint for row in rows] == [None] * 6
    assert [row.judge for row in rows] == ["numba"] * 5 + ["exact"]


def test_where_exact_is_too_slow_it_judges_some_combos(workload: Workload) -> None:
    (row,) = measure_cases([small_case(workload, exact=False)], 1, Progress())
    assert row.bitwise
    assert (row.exact_s, row.n_exact, row.judge) == (None, 0, "exact, every 10th combo")
    assert row.certified_ns == pytest.approx((row.certified_s or 0.0) * 1e9 / (row.n_bars * row.n_combos))


def test_the_tables_fit_and_show_everything(workload: Workload) -> None:
    bench = document_of(workload, [small_case(workload, group="worst", name=case.name) for case in worst(quick=True)])
    assert json.loads(json.dumps(dataclasses.asdict(bench), allow_nan=False))["schema"] == "onekernel-bench/1"
    stream = io.StringIO()
    for table in bench_tables(bench):
        print_table(console(stream), table)
    lines = stream.getvalue().splitlines()
    for table in bench_tables(bench):
        for row in table.rows:
            assert any(all(cell in line for cell in row) for line in lines), row
    assert "not measured: something: it is not there" in stream.getvalue()


def test_memory_is_measured_in_a_process_of_its_own() -> None:
    rows, missing = measure_memory(20_000, 50, 1)
    assert missing == []
    assert rows[0].series_bytes == 160_000
    assert rows[0].result_bytes == 50 * 16
    assert 0 <= rows[0].growth_bytes < 100_000_000
    rows, missing = measure_memory(20_000, 50, 1, "no such kernel")
    assert rows == []
    assert "no such kernel" in missing[0].why


def test_given_files_are_measured_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("close\n" + "\n".join(map(str, walk(50).tolist())) + "\n")
    cases, _ = real([path])
    assert (cases[0].name, len(cases[0].close)) == ("prices.csv", 50)
    assert kernel_bench.main(["--out", str(tmp_path / "bench.json"), "--series", str(tmp_path / "absent.csv")]) == 2
    assert "absent.csv" in capsys.readouterr().err
