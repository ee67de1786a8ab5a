"""The verdict for one's own workload: units, arithmetic, somebody's function, errors that help."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from onekernel_study import commands, document
from onekernel_study.advice import Workload, advise
from onekernel_study.curves import Curve, curves, in_process
from onekernel_study.own_function import encodings, load, measure
from onekernel_study.quantities import parse_bytes, parse_seconds
from onekernel_study.schema import Study

LINE = Curve("unix", "Unix", 10e-6, 1e-9, 0.0, "planted")
TEXT = Curve("json", "JSON", 10e-6, 101e-9, 100e-9, "planted")
RING = Curve("shm", "ring", 1e-6, 1e-9, 0.0, "planted")


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.2ms", 2e-4), ("30us", 3e-5), ("30 µs", 3e-5), ("1.5s", 1.5), ("2min", 120.0), ("15ns", 15e-9), (".5 s", 0.5)],
)
def test_times(text: str, value: float) -> None:
    assert parse_seconds(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "value"), [("1.2MB", 1_200_000), ("64KiB", 65_536), ("8B", 8), ("3kB", 3_000), ("0B", 0), ("1GB", 10**9)]
)
def test_sizes(text: str, value: int) -> None:
    assert parse_bytes(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (parse_seconds, "fast", "'fast' is not a time; write a number and its unit, such as 0.2ms"),
        (parse_seconds, "0.2", "the unit is missing; use one of ns, us"),
        (parse_seconds, "0.2MB", "the unit 'MB' is not known"),
        (parse_seconds, "0ms", "no time above zero"),
        (parse_seconds, "-1ms", "is not a time"),
        (parse_seconds, "1e999s", "too large"),
        (parse_bytes, "1.2mb", "the unit 'mb' is not known; use one of B, kB"),
        (parse_bytes, "", "is not a size"),
    ],
)
def test_what_is_no_quantity(parse: Callable[[str], float], text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(text)


def test_the_arithmetic_of_the_crossings() -> None:
    advice = advise([in_process(), LINE, RING], Workload(0.2e-3, 80, 1_200_000), "unix")
    costs = {each.name: each for each in advice.crossings}
    assert [each.name for each in advice.crossings] == ["in_process", "shm", "unix"]
    assert costs["unix"].call_s == pytest.approx(1.21e-3)
    assert costs["unix"].boundary_s == pytest.approx(80 * 1.21e-3)
    assert costs["unix"].share == pytest.approx(1.21 / 1.41)
    assert costs["unix"].break_even_compute_s == pytest.approx(9 * 1.21e-3)
    assert costs["unix"].break_even_calls == pytest.approx(16e-3 / (9 * 1.21e-3))
    assert costs["in_process"].share == 0.0
    assert "10.0 us + 1,200,000 B x 1 ns = 1.21 ms a call; x 80 = 96.8 ms" in costs["unix"].arithmetic


@pytest.mark.parametrize(
    ("now", "work", "first"),
    [
        ("unix", Workload(1e-5, 1_000, 8), "batch"),
        ("json", Workload(1e-3, 1, 1_000_000), "binary"),
        ("unix", Workload(1e-5, 1, 8), "transport"),
    ],
)
def test_what_to_change_first(now: str, work: Workload, first: str) -> None:
    advice = advise([in_process(), LINE, TEXT, RING], work, now)
    assert advice.changes[0].what.startswith(first)
    saved = [each.saves_s for each in advice.changes]
    assert saved == sorted(saved, reverse=True)
    assert f"Change first: {advice.changes[0].what}" in advice.summary


def test_each_saving_is_what_it_says() -> None:
    changes = {
        each.what.split(":")[0]: each for each in advise([LINE, TEXT, RING], Workload(1e-3, 10, 1000), "json").changes
    }
    assert changes["batch"].saves_s == pytest.approx(9 * 111e-6)
    assert changes["preload"].saves_s == pytest.approx(9 * 101e-6)
    assert changes["binary"].saves_s == pytest.approx(10 * 100e-6)
    assert changes["transport"].saves_s == pytest.approx(10 * 9e-6)


def test_a_boundary_that_does_not_matter_is_called_so() -> None:
    advice = advise([LINE, RING], Workload(1.0, 1, 8), "unix")
    assert "That decides nothing" in advice.summary


def test_the_crossings_of_a_real_study(real_study: Study) -> None:
    found = {curve.name: curve for curve in curves(real_study)}
    assert {"in_process", "unix", "unix_json", "spawn", "http_json", "grpc_unary", "zeromq", "iceoryx2"} <= found.keys()
    assert found["unix"].seconds(0) * 1e6 == pytest.approx(max(real_study.echo_fits[0].floor_us, 0.0))
    assert found["unix_json"].seconds(10**6) > found["unix"].seconds(10**6)
    peer = next(row for row in real_study.peers if (row.name, row.granularity) == ("http_json", "bar"))
    assert peer.boundary_s is not None
    assert found["http_json"].floor_s == pytest.approx(peer.boundary_s / peer.calls_planned)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = "somebodys_strategy"
    (tmp_path / f"{name}.py").write_text(
        "import numpy\nprices = numpy.ones(1000)\ndef mean(x, n): return x[:n].mean()\n"
        "def broken(): raise KeyError('gone')\nanswer = 42\n"
    )
    monkeypatch.chdir(tmp_path)
    yield name
    sys.modules.pop(name, None)
    sys.path[:] = [entry for entry in sys.path if entry != str(tmp_path)]


def test_somebodys_function_is_measured(module: str) -> None:
    function, arguments = load(f"{module}:mean", "prices, 10")
    assert function(*arguments) == 1.0
    found = measure("mean", function, arguments, box_s=0.02)
    assert found.n >= 1
    assert found.median_s > 0
    assert found.payload_bytes == 8_008
    forms = {each.format: each for each in found.arguments}
    assert forms["raw"].bytes == 8_008
    assert forms["pickle"].bytes is not None
    assert forms["json"].bytes == len(json.dumps([[1.0] * 1000, 10]))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("mean", None, "write module:function"),
        ("no_such_module_here:f", None, "cannot be imported"),
        ("somebodys_strategy:median", None, "has no 'median'"),
        ("somebodys_strategy:answer", None, "int, which cannot be called"),
        ("somebodys_strategy:mean", "price, 10", "name 'price' is not defined"),
    ],
)
def test_what_is_no_function(module: str, name: str, arguments: str | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load(name, arguments)


def test_a_function_that_raises_is_told_by_name(module: str) -> None:
    function, arguments = load(f"{module}:broken", None)
    with pytest.raises(ValueError, match="broken raised KeyError: 'gone'"):
        measure("broken", function, arguments)


def test_what_has_no_form_says_why() -> None:
    forms = {each.format: each for each in encodings(lambda: 0)}
    assert all(each.bytes is None and each.reason for each in forms.values())
    assert encodings(np.float64(1.0))[0].bytes == 8


def verdict(capsys: pytest.CaptureFixture[str], **changes: object) -> tuple[int, str, str]:
    asked: dict[str, object] = dict.fromkeys(("study_json", "compute", "payload", "python", "arguments"))
    code = commands.workload_verdict(**{**asked, "calls": 1, "crossing": "unix", "as_json": False, **changes})
    return code, *capsys.readouterr()


def test_the_command_from_a_study(real_study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.json"
    document.write(real_study, path)
    code, out, _ = verdict(capsys, study_json=path, compute="0.2ms", calls=80, payload="1.2MB")
    assert code == 0
    assert "80 calls, 200 us of compute and 1,200,000 bytes each" in out
    code, out, _ = verdict(capsys, study_json=path, compute="0.2ms", calls=80, payload="1.2MB", as_json=True)
    facts = json.loads(out)
    assert facts["workload"] == {"compute_s": 2e-4, "calls": 80, "payload_bytes": 1_200_000}
    assert {"unix", "shm", "http_json"} & {each["name"] for each in facts["crossings"]}


def test_the_command_without_a_study_measures_shortly(
    module: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = verdict(capsys, python=f"{module}:mean", arguments="prices, 10", calls=5)
    assert (code, err) == (0, "")
    assert "a short measurement just now" in out
    assert "8,008 bytes each" in out


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"calls": 3}, "--compute is missing"),
        ({"compute": "0.2"}, "--compute: '0.2': the unit is missing"),
        ({"compute": "1ms", "payload": "big"}, "--payload: 'big' is not a size"),
        ({"compute": "1ms", "python": "a:b"}, "exclude one another"),
        ({"compute": "1ms", "study_json": Path("absent.json")}, "absent.json"),
    ],
)
def test_bad_usage_is_one_line(
    changes: dict[str, object],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = verdict(capsys, **changes)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_an_unknown_crossing_is_told_with_those_there_are(
    real_study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document.write(real_study, tmp_path / "study.json")
    code, _, err = verdict(capsys, study_json=tmp_path / "study.json", compute="1ms", crossing="pigeon")
    assert code == 2
    assert "there is no crossing 'pigeon' here; there are: in_process, unix" in err
