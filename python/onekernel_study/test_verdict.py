"""Each sentence depends on measured values: the values are changed, and the sentence must change with them."""

from dataclasses import replace

import pytest

from onekernel_study import verdict
from onekernel_study.schema import Placement, Study
from onekernel_study.verdict_kernel import sign_test

PINNED = (Placement("unix", "one core", 9, 20.0, 0.0, 0.0), Placement("unix", "two cores", 9, 50.0, 0.0, 0.0))


def changed(study: Study, name: str, **fields: object) -> Study:
    """The study with some fields of one architecture replaced."""
    rows = tuple(replace(row, **fields) if row.name == name else row for row in study.architectures)  # type: ignore[arg-type]
    return replace(study, architectures=rows)


def said(study: Study, start: str) -> str:
    (found,) = [text for text in verdict.sentences(study) if text.startswith(start)]
    return found


def test_a_real_study_gets_every_subject(real_study: Study) -> None:
    starts = [
        "Library or service",
        "Share of the wall time",
        "Chunky or chatty",
        "What to fix first",
        "Naive C++ against numba",
        "Bounds checks",
        "Break-even",
        "A fast engine",
        "Unix socket or TCP",
        "The floor is also the scheduler's",
        "Noise",
    ]
    study = replace(real_study, echo_placement=PINNED)
    for text, start in zip(verdict.sentences(study), starts, strict=True):
        assert text.startswith(start)


@pytest.mark.parametrize(
    ("boundary_s", "share", "conclusion"),
    [
        (0.005, "0.50 %", "speed does not decide"),
        (0.05, "5.00 %", "A service is affordable"),
        (0.3, "30.0 %", "Take the library"),
        (0.8, "80.0 %", "crossing costs more than computing"),
    ],
)
def test_library_or_service_follows_the_share(
    real_study: Study, boundary_s: float, share: str, conclusion: str
) -> None:
    study = changed(real_study, "cpp_batch_unix", median_s=1.0, compute_s=1.0 - boundary_s, boundary_s=boundary_s)
    text = said(study, "Library or service")
    assert share in text
    assert conclusion in text


def test_shares_are_listed_from_the_cheapest(real_study: Study) -> None:
    study = changed(real_study, "json_chatty_unix", median_s=100.0, boundary_s=1e-6)
    study = changed(study, "cpp_batch_tcp", median_s=1.0, boundary_s=0.999)
    text = said(study, "Share of the wall time")
    assert text.startswith(
        "Share of the wall time spent at the boundary: json_chatty_unix 0.00 % (1.00 us in 6 crossings)"
    )
    assert text.endswith("cpp_batch_tcp 99.9 % (999 ms in 1 crossing).")


def chatty(study: Study, extra_s: float, bytes_out: int, floor_us: float, bandwidth_gb_s: float) -> str:
    study = changed(study, "cpp_batch_unix", boundary_s=0.001, crossings=1, bytes_out=0, bytes_in=0)
    study = changed(
        study,
        "cpp_chatty_unix",
        median_s=1.0,
        boundary_s=0.001 + extra_s,
        crossings=80,
        bytes_out=bytes_out,
        bytes_in=0,
    )
    fits = tuple(replace(fit, floor_us=floor_us, bandwidth_gb_s=bandwidth_gb_s) for fit in study.echo_fits)
    return said(replace(study, echo_fits=fits), "Chunky or chatty")


def test_chatty_blames_the_bytes_or_the_crossings(real_study: Study) -> None:
    bytes_heavy = chatty(real_study, 0.1, 79 * 1_200_000, floor_us=14.0, bandwidth_gb_s=1.2)
    assert "cost 100 ms per sweep (10.0 % of it)" in bytes_heavy
    assert "predicts 80.1 ms: 79.0 ms for the bytes and 1.11 ms for the crossings" in bytes_heavy
    assert "keep the series at the engine" in bytes_heavy
    assert "no prediction" not in bytes_heavy
    floor_heavy = chatty(real_study, 0.1, 79 * 48, floor_us=1_200.0, bandwidth_gb_s=1.2)
    assert "the crossings themselves weigh more" in floor_heavy


def test_chatty_admits_what_the_echo_curve_does_not_predict(real_study: Study) -> None:
    text = chatty(real_study, 0.4, 79 * 1_200_000, floor_us=14.0, bandwidth_gb_s=1.2)
    assert "That is 20.0 % of what was measured, so the curve is no prediction here." in text
    assert "right after computing one combo an echo of one float takes" in text


def test_chatty_that_costs_nothing_is_said_to(real_study: Study) -> None:
    assert "cost nothing that could be measured" in chatty(real_study, -0.0005, 1, floor_us=1.0, bandwidth_gb_s=1.0)


def test_what_to_fix_first_is_the_largest_saving(real_study: Study) -> None:
    study = real_study
    for name, boundary_s in [
        ("cpp_batch_unix", 0.01),
        ("cpp_chatty_unix", 0.11),
        ("cpp_spawn_stdin", 0.5),
        ("spawn_per_combo", 5.11),
        ("json_chatty_unix", 1.11),
    ]:
        study = changed(study, name, boundary_s=boundary_s, compute_s=2.0)
    text = said(study, "What to fix first")
    order = [
        "from a process per combo to a standing engine saves 5.00 s",
        "from JSON to raw bytes under chatty saves 1.00 s",
        "from a process per sweep to a standing engine saves 490 ms",
        "from a call per combo to one per sweep saves 100 ms",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "its compute is 200 times the boundary" in text
    assert "the boundary is still the larger part" in said(
        changed(study, "cpp_batch_unix", compute_s=0.001), "What to fix"
    )
    assert "a call per combo" not in said(changed(study, "cpp_chatty_unix", boundary_s=0.001), "What to fix first")


def test_cpp_against_numba_is_told_as_it_is(real_study: Study) -> None:
    study = changed(real_study, "in_process", runs_s=(2.0,) * 10, median_s=2.0, client_cpu_s=2.0)
    slower = said(changed(study, "cpp_in_process", runs_s=(*(2.3,) * 9, 1.9), median_s=2.3), "Naive C++")
    assert "1.15 of its wall time (2.30 s against 2.00 s), faster in 1 of 10 rounds (sign test: p = 0.021);" in slower
    faster = said(changed(study, "cpp_in_process", runs_s=(1.1,) * 10, median_s=1.1, client_cpu_s=1.0), "Naive C++")
    assert "0.55 of its wall time" in faster
    assert "faster in 10 of 10 rounds (sign test: p = 0.002); 0.50 of its CPU time." in faster
    unsure = said(changed(study, "cpp_in_process", runs_s=(*(1.9,) * 7, *(2.1,) * 3), median_s=1.9), "Naive C++")
    assert "faster in 7 of 10 rounds (sign test: p = 0.34), so the difference is not certain" in unsure


def test_three_rounds_are_never_certain() -> None:
    assert sign_test(3, 3) == 0.25
    assert sign_test(5, 10) == 1.0
    assert sign_test(0, 6) == pytest.approx(0.03125)


def test_the_placement_is_told_with_its_figures(real_study: Study) -> None:
    text = said(replace(real_study, echo_placement=PINNED), "The floor is also")
    assert "pinned to one core a one-float echo takes 20.0 us, on two cores 50.0 us (2.5 times)" in text
    swapped = tuple(replace(each, p50_us=70.0 - each.p50_us) for each in PINNED)
    assert "pinned to two cores a one-float echo takes 20.0 us" in said(
        replace(real_study, echo_placement=swapped), "The floor is also"
    )
    lone_core = verdict.sentences(replace(real_study, echo_placement=PINNED[:1]))
    assert not [text for text in lone_core if text.startswith("The floor")]


@pytest.mark.parametrize(
    ("checked_s", "unchecked_s", "numba_s", "conclusion"),
    [
        (2.0, 1.8, 2.1, "There is no gap to numba"),
        (2.0, 2.1, 1.0, "They explain nothing of the 1.00 s"),
        (2.0, 1.75, 1.0, "they explain 25.0 %"),
        (2.0, 0.5, 1.0, "they explain 100 %"),
    ],
)
def test_bounds_checks_explain_what_they_explain(
    real_study: Study, checked_s: float, unchecked_s: float, numba_s: float, conclusion: str
) -> None:
    study = changed(real_study, "cpp_batch_unix", compute_s=checked_s)
    study = changed(study, "cpp_batch_unchecked", compute_s=unchecked_s)
    assert conclusion in said(changed(study, "in_process", compute_s=numba_s), "Bounds checks")


def test_break_even_names_the_compute_that_a_call_needs(real_study: Study) -> None:
    facts = replace(real_study.break_even, floor_us=10.0)
    text = said(replace(real_study, break_even=facts), "Break-even")
    assert "an empty crossing costs 10.0 us" in text
    assert "990 us for 1%, 90.0 us for 10%, 10.0 us for 50%" in text


def test_a_busy_machine_is_mentioned(real_study: Study) -> None:
    idle = replace(real_study.environment, load_average_at_start=(0.1, 0.0, 0.0), affinity=(0, 1))
    busy = replace(idle, load_average_at_start=(1.5, 0.0, 0.0))
    assert "not idle" not in said(replace(real_study, environment=idle), "Noise")
    assert "load average 1.50 on 2 cores" in said(replace(real_study, environment=busy), "Noise")


def test_a_failed_gate_gives_no_verdict(real_study: Study) -> None:
    facts = replace(real_study.equivalence, all_ok=False, complaints=("cpp_batch_unix, run 1: combo 3 differs",))
    texts = verdict.sentences(replace(real_study, equivalence=facts))
    assert texts[0].startswith("No verdict")
    assert texts[1:] == ["cpp_batch_unix, run 1: combo 3 differs"]


def test_without_its_rows_a_subject_is_left_out(real_study: Study) -> None:
    kept = tuple(row for row in real_study.architectures if row.name in ("in_process", "cpp_in_process"))
    texts = verdict.sentences(replace(real_study, architectures=kept, echo_placement=()))
    assert [text.split(":")[0] for text in texts] == [
        "Naive C++ against numba, both in process",
        "Break-even",
        "Unix socket or TCP loopback",
        "Noise",
    ]
