"""What changed between two studies: planted changes are found, noise is not, and the environment is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel_study import commands, document
from onekernel_study.compare import Comparison, compare
from onekernel_study.schema import Study
from onekernel_study.test_verdict import changed


def names(found: Comparison) -> list[str]:
    return [each.name for each in found.changed]


def test_a_study_has_not_changed_from_itself(real_study: Study) -> None:
    found = compare(real_study, real_study)
    assert found.changed == ()
    assert found.environment == ()
    assert found.claims == ()
    assert all(each.quotient == 1.0 for each in found.changes)
    kinds = {each.name.split(".")[0] for each in found.changes}
    assert kinds == {
        "architectures",
        "fast_engine",
        "live",
        "peers",
        "latencies",
        "echo",
        "serialization",
        "spawn",
        "cold_start",
    }


def test_a_planted_change_is_found_with_its_interval(real_study: Study) -> None:
    before = changed(real_study, "cpp_batch_tcp", ratio_to_in_process=1.2, ratio_low=1.15, ratio_high=1.25)
    after = changed(real_study, "cpp_batch_tcp", ratio_to_in_process=2.4, ratio_low=2.3, ratio_high=2.5)
    found = compare(before, after)
    assert names(found) == ["architectures.cpp_batch_tcp.ratio"]
    (change,) = found.changed
    assert change.quotient == pytest.approx(2.0)
    assert (change.quotient_low, change.quotient_high) == pytest.approx((2.3 / 1.25, 2.5 / 1.15))


def test_a_change_within_the_intervals_is_none(real_study: Study) -> None:
    before = changed(real_study, "cpp_batch_tcp", ratio_to_in_process=1.2, ratio_low=1.0, ratio_high=1.4)
    after = changed(real_study, "cpp_batch_tcp", ratio_to_in_process=1.3, ratio_low=1.1, ratio_high=1.5)
    assert names(compare(before, after)) == []


def test_without_an_interval_nothing_is_said(real_study: Study) -> None:
    after = changed(real_study, "cpp_batch_tcp", ratio_to_in_process=9.0, ratio_low=None, ratio_high=None)
    (change,) = [
        each for each in compare(real_study, after).changes if each.name == "architectures.cpp_batch_tcp.ratio"
    ]
    assert change.changed is None


def test_other_machines_rows_and_claims_are_told(real_study: Study) -> None:
    machine = replace(real_study.environment, cpu_model="another", versions=real_study.environment.versions[1:])
    claims = (replace(real_study.claims[0], holds=None), *real_study.claims[1:])
    after = replace(real_study, environment=machine, peers=(), claims=claims)
    found = compare(real_study, after)
    assert [name for name, _, _ in found.environment] == ["cpu_model", "python"]
    assert all(name.startswith("peers.") for name in found.only_before)
    assert len(found.only_before) == len(real_study.peers)
    assert found.only_after == ()
    assert found.claims == ((claims[0].name, real_study.claims[0].holds, None),)


def test_the_command(real_study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    document.write(real_study, a)
    slower = changed(real_study, "cpp_spawn_stdin", ratio_to_in_process=90.0, ratio_low=89.0, ratio_high=91.0)
    document.write(slower, b)
    assert commands.compare(a, a, as_json=False) == 0
    assert "No change beyond the intervals in any of" in capsys.readouterr().out
    assert commands.compare(a, b, as_json=False) == 0
    assert "1 of " in capsys.readouterr().out.splitlines()[-1]
    assert commands.compare(a, b, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["changed"] == ["architectures.cpp_spawn_stdin.ratio"]
    assert commands.compare(a, tmp_path / "absent.json", as_json=False) == 2
    assert capsys.readouterr().err.startswith("onekernel study --compare: ")
