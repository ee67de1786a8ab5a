"""The commands as they are called: exit codes, what stands on which stream, what is left on disk."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel_study import commands, document
from onekernel_study import workload as workloads
from onekernel_study.crossings import Close, Combos, Opener
from onekernel_study.gate import Answer, Fingerprint
from onekernel_study.peers.registry import PEERS
from onekernel_study.plan import NORMAL, QUICK, Plan
from onekernel_study.rows import ROWS, Row
from onekernel_study.schema import Study
from onekernel_study.workload import Workload

Planter = Callable[[Callable[[Close, Combos, float], Answer]], Opener]
FEW_PEERS = tuple(spec for spec in PEERS if spec.name in ("native", "mp_pipe"))
FEW = tuple(row for row in ROWS if row.name in ("in_process", "cpp_batch_unix"))


def test_a_study_that_passes(
    workload: Workload, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.study_of(workload, tmp_path / "out", plan, FEW, FEW_PEERS) == 0
    out, err = capsys.readouterr()
    assert out.rstrip().splitlines()[-1].startswith("all_ok: true   2 of 2 rows bitwise equal")
    assert err == "", "no progress where stderr is no terminal"
    study = document.read(tmp_path / "out" / "study.json")
    assert study.equivalence.all_ok
    assert study.workload.n_bars == len(workload.close)
    assert (tmp_path / "out" / "report.md").read_text().startswith("# What crossing the boundary costs")
    assert commands.verdict(tmp_path / "out" / "study.json") == 0
    again = capsys.readouterr().out
    assert again.startswith("Verdict\n- Library or service")
    assert again.strip() in out


def test_a_study_that_fails_the_gate(
    workload: Workload,
    plan: Plan,
    tmp_path: Path,
    planted: Planter,
    sweep_with_fault: Callable[..., Answer],
    capsys: pytest.CaptureFixture[str],
) -> None:
    fault = "tie counted as long"
    faulty = planted(lambda close, combos, fee: sweep_with_fault(close, combos, fee, fault))
    assert commands.study_of(workload, tmp_path, plan, (*FEW, Row("faulty", "planted", "none", faulty)), FEW_PEERS) == 1
    out, err = capsys.readouterr()
    assert "gate failed: faulty, warm-up over exact binary fractions, half of the bars flat: combo 0 (3, 6, 2" in err
    assert out.rstrip().splitlines()[-1].startswith("all_ok: false   2 of 3 rows bitwise equal")
    rows = {row["name"]: row for row in json.loads((tmp_path / "study.json").read_text())["architectures"]}
    assert rows["faulty"]["withheld"]
    assert rows["faulty"]["runs_s"] == []
    assert rows["faulty"]["median_s"] is None
    assert rows["in_process"]["withheld"] is None
    assert commands.verdict(tmp_path / "study.json") == 1
    assert "No verdict: the gate failed" in capsys.readouterr().out


def test_another_fingerprint_fails_everything(
    workload: Workload, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = replace(workload, fingerprint=Fingerprint(-5165.58, 57_029))
    assert commands.study_of(other, tmp_path, plan, FEW, FEW_PEERS) == 1
    assert "not the published fingerprint -5165.58 over 57029" in capsys.readouterr().err
    study = document.read(tmp_path / "study.json")
    assert not study.equivalence.fingerprint.ok
    assert all(row.withheld for row in study.architectures)
    assert study.break_even.granularity == ()


def test_a_missing_engine_is_one_line_on_stderr(
    workload: Workload,
    plan: Plan,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ONEKERNEL_ENGINE", str(tmp_path / "absent"))
    assert commands.study_of(workload, tmp_path, plan, FEW, FEW_PEERS) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("onekernel study: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [None, "{", '{"schema": "other"}'])
def test_the_verdict_of_no_study_is_bad_usage(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.json"
    if content is not None:
        path.write_text(content)
    assert commands.verdict(path) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("onekernel verdict: ")
    assert err.count("\n") == 1


def test_the_plans_follow_the_published_experiment() -> None:
    assert (NORMAL.rounds, QUICK.rounds) == (10, 3)
    sizes = [1, 10, 100, 1_000, 10_000, 100_000, 150_000]
    for plan in (NORMAL, QUICK):
        assert list(plan.echo_calls) == sizes
        assert min(plan.echo_calls.values()) >= 200, "a p99 needs more than a hundred calls"
        assert plan.calls.per_sweep == 80
        assert plan.calls.per_bar_full == 150_000
    assert NORMAL.calls.per_bar == 150_000, "measured, not scaled"


def test_the_published_workload_is_the_published_one() -> None:
    published = workloads.published()
    assert published.close.shape == (150_000,)
    assert published.combos.shape == (80, 6)
    assert published.fee == 0.09
    assert published.fingerprint == Fingerprint(-5165.58, 57_029, 0.005)


def test_the_real_study_is_whole(real_study: Study, plan: Plan) -> None:
    assert real_study.equivalence.all_ok
    assert real_study.equivalence.complaints == ()
    runs = {row.name: len(row.runs_s) for row in real_study.architectures}
    assert {name for name, n in runs.items() if n == plan.boxed_rounds} == {"spawn_per_combo", "json_chatty_unix"}
    assert {n for name, n in runs.items() if name not in ("spawn_per_combo", "json_chatty_unix")} == {plan.rounds}
    for row in real_study.architectures:
        assert row.median_s is not None
        assert row.compute_s is not None
        assert row.boundary_s is not None
        assert row.boundary_s >= 0
        assert (row.boundary_s == 0) == (row.crossings == 0)
    baseline = real_study.architectures[0]
    assert baseline.name == "in_process"
    assert baseline.ratio_to_in_process == 1.0
    assert {fit.transport for fit in real_study.echo_fits} == {"unix", "tcp", "shm"}


def test_a_verdict_needs_none_of_what_measures(real_study: Study, tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    document.write(real_study, path)
    program = (
        "import sys, pathlib; from onekernel_study import commands; "
        f"code = commands.verdict(pathlib.Path({str(path)!r})); "
        "heavy = {'numba', 'pyarrow', 'msgpack', 'orjson'} & set(sys.modules); "
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Verdict\n- Library or service")
