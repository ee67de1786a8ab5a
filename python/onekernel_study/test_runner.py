"""Interleaving, and the gate at work: what fails it is withheld and named."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from onekernel_study.assemble import architectures, equivalence
from onekernel_study.crossings import Close, Combos, Crossing, Opener, native_in_process, numba_in_process, over_socket
from onekernel_study.gate import Answer, Fingerprint
from onekernel_study.progress import Progress
from onekernel_study.rows import ROWS, Row
from onekernel_study.runner import Measured, measure_rows, rotated, trial
from onekernel_study.timings import Account
from onekernel_study.workload import Workload

Sweep = Callable[..., Answer]
Planter = Callable[[Callable[[Close, Combos, float], Answer]], Opener]
QUIET = Progress(io.StringIO())
BASELINE = Row("in_process", "", "numba", numba_in_process())


def measure(rows: list[Row], workload: Workload, rounds: int = 2, boxed: int = 1) -> list[Measured]:
    return measure_rows(rows, trial(workload), rounds, boxed, QUIET)


def test_rotation_starts_one_later_each_round_and_keeps_everything() -> None:
    assert [rotated("abc", n) for n in range(4)] == [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]]
    assert rotated([], 3) == []


def test_rows_take_turns_and_boxed_rows_stop_early(workload: Workload) -> None:
    order: list[str] = []

    def row(name: str, boxed: bool = False) -> Row:
        @contextmanager
        def opened(scratch: Path, fee: float) -> Iterator[Crossing]:
            with native_in_process("checked")(scratch, fee) as crossing:

                class Recorded:
                    def sweep(self, close: Close, combos: Combos, fee: float) -> Answer:
                        if len(combos) == len(workload.combos) and len(close) == len(workload.close):
                            order.append(name)
                        return crossing.sweep(close, combos, fee)

                    def account(self) -> Account:
                        return crossing.account()

                yield Recorded()

        return Row(name, "", "checked", opened, boxed)

    measured = measure([row("a"), row("b", boxed=True), row("c")], workload, rounds=3, boxed=1)
    assert order == ["a", "b", "c", "c", "a", "c", "a"]
    assert [len(one.runs) for one in measured] == [3, 1, 3]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_of_the_study_gives_the_reference_bits_and_a_full_account(row: Row, workload: Workload) -> None:
    (one,) = measure([row], workload, rounds=1)
    assert one.complaint is None
    assert all(comparison.bitwise and comparison.trades_equal for comparison in one.comparisons)
    assert len(one.comparisons) == 3, "the probe, the warm-up and the run"
    (run,) = one.runs
    assert 0 < run.compute_s <= run.wall_s
    assert run.client_cpu_s > 0
    request = 4 + 9 + 8 * len(workload.close)
    n = len(workload.combos)
    expected = {
        "in_process": (0, 0, 0),
        "cpp_in_process": (0, 0, 0),
        "cpp_batch_unix": (1, request + 48 * n, 4 + 16 * n),
        "cpp_batch_unchecked": (1, request + 48 * n, 4 + 16 * n),
        "cpp_batch_tcp": (1, request + 48 * n, 4 + 16 * n),
        "cpp_spawn_stdin": (1, request + 48 * n, 4 + 16 * n),
        "cpp_chatty_unix": (n, n * (request + 48), n * (4 + 16)),
        "spawn_per_combo": (n, n * (request + 48), n * (4 + 16)),
    }
    account = run.account
    if row.name in expected:
        assert (account.crossings, account.bytes_out, account.bytes_in) == expected[row.name]
        assert account.encode_s is None
    else:
        assert row.name == "json_chatty_unix"
        assert account.crossings == n
        assert account.bytes_out > n * 8 * len(workload.close), "text is longer than doubles"
        assert account.encode_s is not None
        assert 0 < account.encode_s < run.wall_s


def one_ulp(answer: Answer) -> Answer:
    pnl = answer.pnl.copy()
    pnl[2] = np.nextafter(pnl[2], np.inf)
    return Answer(pnl, answer.trades)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (one_ulp, "combo 2"),
        (lambda a: Answer(a.pnl, a.trades + (np.arange(len(a.trades)) == 1)), "combo 1"),
        (lambda a: Answer(a.pnl[::-1].copy(), a.trades[::-1].copy()), "combo 0"),
        (lambda a: Answer(a.pnl * np.nan, a.trades), "pnl nan where the reference has"),
        (lambda a: Answer(a.pnl[:-1], a.trades), "pnl is float64 of shape"),
    ],
    ids=["one ulp", "one trade", "swapped", "NaN", "shape"],
)
def test_an_altered_answer_is_withheld_and_others_are_not(
    workload: Workload, planted: Planter, change: Callable[[Answer], Answer], words: str
) -> None:
    reference = trial(workload).gate.reference
    # Right in the warm-up, wrong in the timed runs: only a gate on every run's own answer can see it.
    faulty = planted(
        lambda close, combos, fee: (
            change(reference)
            if len(combos) == len(workload.combos) and len(close) == len(workload.close)
            else _honest(close, combos, fee)
        )
    )
    measured = measure([BASELINE, Row("faulty", "", "none", faulty)], workload)
    baseline, row = architectures(measured)
    assert baseline.withheld is None
    assert len(baseline.runs_s) == 2
    assert row.withheld is not None
    assert row.withheld.startswith("run 1 over ")
    assert words in row.withheld
    assert (row.runs_s, row.median_s, row.compute_s, row.boundary_s, row.ratio_to_in_process) == ((), *(None,) * 4)
    facts = equivalence(measured, trial(workload).gate, (), ())
    assert not facts.all_ok
    assert [each.complaint is None for each in facts.rows] == [True, False]
    assert facts.complaints == (f"faulty, {row.withheld}",)


def _honest(close: Close, combos: Combos, fee: float) -> Answer:
    from onekernel import reference

    result = reference.sweep(close, combos, fee=fee)
    return Answer(result.pnl, result.trades)


def test_an_answer_that_goes_wrong_in_a_later_run_loses_the_earlier_times_too(
    workload: Workload, planted: Planter
) -> None:
    calls = {"n": 0}

    def function(close: Close, combos: Combos, fee: float) -> Answer:
        answer = _honest(close, combos, fee)
        if len(close) == len(workload.close) and len(combos) == len(workload.combos):
            calls["n"] += 1
        return one_ulp(answer) if calls["n"] == 2 else answer

    (one,) = measure([Row("late", "", "none", planted(function))], workload, rounds=3)
    assert one.complaint is not None
    assert one.complaint.startswith("run 2 over ")
    assert calls["n"] == 2, "a row that failed is measured no more"
    (row,) = architectures([one])
    assert row.withheld is not None
    assert row.runs_s == ()


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        ("fee taken before the percent conversion", "warm-up over exact binary fractions"),
        ("window one bar late", "warm-up over exact binary fractions"),
        ("NaN branch turned round", "warm-up over exact binary fractions"),
        ("tie counted as long", "warm-up over exact binary fractions"),
        ("fee converted to a fraction and back", "warm-up over"),
    ],
)
def test_a_faulty_implementation_is_stopped_before_its_first_time(
    workload: Workload, planted: Planter, sweep_with_fault: Sweep, fault: str, where: str
) -> None:
    row = Row("faulty", "", "none", planted(lambda close, combos, fee: sweep_with_fault(close, combos, fee, fault)))
    (one,) = measure([row], workload)
    assert one.complaint is not None
    assert one.complaint.startswith(where)
    assert one.runs == []


def test_a_row_that_breaks_is_withheld_with_its_error(workload: Workload, planted: Planter) -> None:
    def broken(close: Close, combos: Combos, fee: float) -> Answer:
        raise ConnectionError("the engine hung up")

    @contextmanager
    def absent(scratch: Path, fee: float) -> Iterator[Crossing]:
        raise FileNotFoundError("no engine here")
        yield

    rows = [Row("broken", "", "none", planted(broken)), Row("absent", "", "none", absent), BASELINE]
    measured = measure(rows, workload)
    assert "ConnectionError: the engine hung up" in str(measured[0].complaint)
    assert measured[1].complaint == "could not be started: no engine here"
    assert measured[2].complaint is None
    facts = equivalence(measured, trial(workload).gate, (), ())
    assert not facts.all_ok
    assert [row.bitwise for row in facts.rows] == [False, False, True]


def test_a_wrong_fingerprint_withholds_every_row(workload: Workload) -> None:
    wrong = Workload("w", workload.close, workload.combos, workload.fee, Fingerprint(1.0, 1))
    measured = measure([BASELINE, Row("cpp_batch_unix", "", "checked", over_socket("unix", "checked"))], wrong)
    assert all(row.withheld and "not the published fingerprint" in row.withheld for row in architectures(measured))
    facts = equivalence(measured, trial(wrong).gate, (), ())
    assert not facts.all_ok
    assert not facts.fingerprint.ok
