"""The study's live rows, small: all of them measured, and a wrong answer withheld."""

from dataclasses import replace

import pytest

from onekernel_study import live
from onekernel_study.crossings import Close
from onekernel_study.plan import Plan
from onekernel_study.progress import Progress
from onekernel_study.schema import Study
from onekernel_study.tables_live import live as table
from onekernel_study.workload import Workload

NAMES = [
    f"live_{client}_{crossing}_{combos}"
    for combos in (1, 6)
    for client in ("cpp", "python")
    for crossing in ("in_process", "shm", "unix", "tcp")
]


def test_every_row_is_measured_and_gated(real_study: Study, plan: Plan) -> None:
    rows = {row.name: row for row in real_study.live}
    assert list(rows) == NAMES
    for row in rows.values():
        assert row.bitwise
        assert row.withheld is None
        assert row.p50_us is not None
        assert row.p99_us is not None
        assert 0 < row.p50_us <= row.p99_us
        assert (row.unix_over_this is None) == (row.crossing == "unix")
    assert rows["live_python_shm_1"].n == live.ROUNDS * plan.live.fast == real_study.workload.n_bars
    assert rows["live_python_shm_1"].basis == "measured"
    assert rows["live_python_unix_6"].n == live.ROUNDS * plan.live.socket_grid
    assert rows["live_python_unix_6"].basis == "derived from 200 bars"


def test_the_table_shows_the_published_figure_and_what_was_withheld(real_study: Study) -> None:
    rows = table(real_study).rows
    assert len(rows) == len(NAMES)
    assert all(row[8].endswith("%") for row in rows)
    one = replace(real_study.live[0], withheld="why", p50_us=None, p90_us=None, p99_us=None, series_s=None)
    shown = table(replace(real_study, live=(one,)))
    assert shown.rows[0][3] == "withheld"


def test_a_wrong_answer_is_withheld_and_named(workload: Workload, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    true = live._from_python

    def lying(session: live.ok.LiveSession) -> live.Feed:
        feed = true(session)

        def one_bit_off(closes: Close) -> tuple[list[int], bytes]:
            times, told = feed(closes)
            return list(times), told[:-1] + bytes([told[-1] ^ 1]) if told else told

        return one_bit_off

    monkeypatch.setattr(live, "_from_python", lying)
    rows = live.measure_live(workload, plan.live, Progress())
    wrong = {row.name for row in rows if row.withheld}
    assert wrong == {name for name in NAMES if "python" in name}
    assert all(row.p50_us is None and not row.bitwise for row in rows if row.name in wrong)
    assert len(live.complaints(rows)) == len(wrong)
