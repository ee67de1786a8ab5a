"""Which reports are written, and what is said where a package is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

from onekernel_study import commands, document, reports
from onekernel_study.schema import Study


@pytest.fixture
def study_json(whole: Study, tmp_path: Path) -> Path:
    path = tmp_path / "study.json"
    document.write(whole, path)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_reports_are_made_again_from_the_study(study_json: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.report(study_json) == 0
    assert capsys.readouterr() == ("", "")
    assert names(study_json.parent) == ["report.html", "report.md", "report.pdf", "study.json"]
    first = {path.name: path.read_bytes() for path in study_json.parent.iterdir()}
    assert commands.report(study_json) == 0
    assert {path.name: path.read_bytes() for path in study_json.parent.iterdir()} == first


@pytest.mark.parametrize(
    ("package", "gone"), [("typst", "report.pdf"), ("jinja2", "report.html"), ("matplotlib", "report.pdf")]
)
def test_a_missing_package_costs_its_report_only(
    study_json: Path, monkeypatch: pytest.MonkeyPatch, package: str, gone: str
) -> None:
    (study_json.parent / gone).write_text("of an earlier study")
    for module in [name for name in sys.modules if name.startswith("onekernel_study.report.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    (note,) = reports.write(study_json, study_json.parent)
    assert note.startswith(f"no {gone}: {package} not installed (pip install 'onekernel[report]'")
    assert names(study_json.parent) == sorted({"report.html", "report.md", "report.pdf", "study.json"} - {gone})


@pytest.mark.parametrize(("text", "words"), [("{", "not JSON"), ('{"schema": "other"}', "schema is 'other'")])
def test_what_is_no_study_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    path = tmp_path / "study.json"
    path.write_text(text)
    assert commands.report(path) == 2
    assert words in capsys.readouterr().err
    assert names(tmp_path) == ["study.json"]


def test_the_command_line_makes_the_reports(study_json: Path) -> None:
    command = [sys.executable, "-m", "onekernel", "report", str(study_json)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {"report.html", "report.pdf"} <= set(names(study_json.parent))
