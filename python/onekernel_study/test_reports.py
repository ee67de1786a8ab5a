"""The two reports: readable without a terminal, made from the document alone, honest about what was withheld."""

import dataclasses
import io
import json
from dataclasses import replace

import pytest

from onekernel_study import published
from onekernel_study.agreement import agreement
from onekernel_study.document import DocumentError
from onekernel_study.published import Figure
from onekernel_study.report_markdown import escaped, render
from onekernel_study.report_terminal import WIDTH, print_report
from onekernel_study.schema import Study
from onekernel_study.tables import all_tables
from onekernel_study.tables_derived import derived
from onekernel_study.tables_sweep import wall_times, where_time_goes
from onekernel_study.wording import count, percent, seconds


def printed(study: Study) -> str:
    stream = io.StringIO()
    print_report(study, stream)
    return stream.getvalue()


def withheld(study: Study, name: str) -> Study:
    nothing = dict.fromkeys(
        [
            "median_s",
            "ratio_to_in_process",
            "ratio_low",
            "ratio_high",
            "compute_s",
            "boundary_s",
            "client_cpu_s",
            "crossings",
            "bytes_out",
            "bytes_in",
        ]
    )
    rows = tuple(
        replace(row, withheld="run 1: combo 3 differs", runs_s=(), **nothing) if row.name == name else row  # type: ignore[arg-type]
        for row in study.architectures
    )
    return replace(study, architectures=rows)


def test_without_a_terminal_there_is_plain_text_of_a_fixed_width(
    real_study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    text = printed(real_study)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    for table in all_tables(real_study):
        assert table.title in text
    assert text.rstrip().splitlines()[-1].startswith("all_ok: true   9 of 9 rows bitwise equal   combo 0: ")


def test_no_figure_is_cut_or_wrapped(real_study: Study) -> None:
    lines = printed(real_study).splitlines()
    for table in all_tables(real_study)[:-1]:  # the environment, which is last, is prose and may wrap
        for row in table.rows:
            assert any(all(cell in line for cell in row) for line in lines), row


def test_a_narrow_terminal_cuts_nothing_off(real_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    print_report(real_study, terminal)
    text = terminal.getvalue()
    assert "\u2026" not in text
    for row in real_study.architectures:
        assert text.count(f" {row.name} ") >= 3


def test_the_report_is_made_from_the_document_alone(real_study: Study) -> None:
    data = json.loads(json.dumps(dataclasses.asdict(real_study)))
    text = render(data)
    assert text == render(data)
    for table in all_tables(real_study):
        assert f"\n## {table.title}\n" in text
        for row in table.rows:
            assert f"| {' | '.join(map(escaped, row))} |" in text
    with pytest.raises(DocumentError):
        render({**data, "rounds": None})


def test_published_figures_stand_beside_the_measured_ones(real_study: Study) -> None:
    cells = {row[0]: row for row in wall_times(real_study).rows}
    assert cells["cpp_batch_unix"][6:8] == ("2.276", "1.13")
    assert cells["cpp_chatty_unix"][6:8] == ("2.383", "1.19")
    assert cells["cpp_in_process"][6:] == ("", "", "")
    assert published.MACHINE in printed(real_study)
    basis = {row[0]: row[1] for row in derived(real_study).rows}
    assert basis["a call per bar, 2,000 bars"] == "derived from 50 calls"
    assert basis["the same, by the echo curve"] == "derived from the echo fit"


def test_a_withheld_row_shows_its_reason_and_no_time(real_study: Study) -> None:
    study = withheld(real_study, "cpp_batch_tcp")
    (row,) = [row for row in wall_times(study).rows if row[0] == "cpp_batch_tcp"]
    assert row == ("cpp_batch_tcp", "withheld", *("",) * 7)
    (row,) = [row for row in where_time_goes(study).rows if row[0] == "cpp_batch_tcp"]
    assert row == ("cpp_batch_tcp", "withheld", *("",) * 7)
    assert "cpp_batch_tcp withheld: run 1: combo 3 differs" in printed(study)


def test_every_published_name_is_shown_somewhere(real_study: Study) -> None:
    names = {f"architectures.{row.name}" for row in real_study.architectures}
    names |= {f"echo.{p.transport}" for p in real_study.echo}
    names |= {f"serialization.{each.format}" for each in real_study.serialization}
    names |= {f"derived.{each.name}" for each in real_study.derived}
    names |= {"derived.granularity_per_combo", "derived.compute_per_combo"}
    for name in published.FIGURES:
        assert any(name == known or name.startswith(f"{known}.") for known in names), name


def test_derived_figures_are_in_the_published_unit(real_study: Study) -> None:
    for each in real_study.derived:
        figure = published.figure(f"derived.{each.name}")
        assert figure is None or figure.unit == each.unit, each.name


@pytest.mark.parametrize(
    ("measured", "figure", "words"),
    [
        (1.2, Figure(1.13, "x"), "agrees"),
        (1.30, Figure(1.13, "x"), "differs, 1.15x"),
        (0.9, Figure(1.0, "x"), "agrees"),
        (0.89, Figure(1.0, "x"), "differs, 0.89x"),
        (28.0, Figure(14.05, "us"), "agrees"),
        (28.2, Figure(14.05, "us"), "differs, 2.01x"),
        (0.5, Figure(1.2, "GB/s"), "differs, 0.42x"),
        (None, Figure(1.0, "x"), ""),
        (1.0, None, ""),
    ],
)
def test_the_rule_of_agreement(measured: float | None, figure: Figure | None, words: str) -> None:
    assert agreement(measured, figure) == words


def test_numbers_in_words() -> None:
    assert [seconds(s) for s in (2.276, 0.107, 0.0123, 14.06e-6, 39e-9)] == [
        "2.28 s",
        "107 ms",
        "12.3 ms",
        "14.1 us",
        "0.04 us",
    ]
    assert [percent(s) for s in (0.0013, 0.0125, 0.123, 1.0)] == ["0.13 %", "1.25 %", "12.3 %", "100 %"]
    assert [count(n) for n in (80, 3.26, 57029.4)] == ["80", "3.3", "57,029"]
    assert escaped("a_b|c*d") == r"a\_b\|c\*d"
