"""Claims follow the figures: each is turned from holding to not holding, and to not measured."""

from dataclasses import replace

import pytest

from onekernel_study.claims import CLAIMS, claims
from onekernel_study.schema import Study
from onekernel_study.schema_statistics import Claim
from onekernel_study.test_verdict import changed


def claim(study: Study, name: str) -> Claim:
    return {each.name: each for each in claims(study)}[name]


def test_every_claim_is_in_a_real_study_with_a_figure(real_study: Study) -> None:
    assert [each.name for each in real_study.claims] == list(CLAIMS)
    assert real_study.claims == claims(real_study)
    for each in real_study.claims:
        assert each.claim
        assert each.published
        assert each.basis
        assert each.holds is not None, each
        assert any(letter.isdigit() for letter in each.measured)


@pytest.mark.parametrize(("boundary_s", "holds"), [(0.001, True), (0.0029, True), (0.004, False)])
def test_the_boundary_crossed_once(real_study: Study, boundary_s: float, holds: bool) -> None:
    study = changed(real_study, "cpp_batch_unix", median_s=1.0, boundary_s=boundary_s)
    assert claim(study, "boundary_once").holds is holds


@pytest.mark.parametrize(("ratio", "holds"), [(1348.0, True), (334.0, True), (300.0, False)])
def test_three_orders_of_magnitude(real_study: Study, ratio: float, holds: bool) -> None:
    formats = tuple(
        replace(each, ratio_to_raw=ratio) if each.format == "json" else each for each in real_study.serialization
    )
    found = claim(replace(real_study, serialization=formats), "json_three_orders")
    assert found.holds is holds
    assert f"{ratio:,.0f}" in found.measured


@pytest.mark.parametrize(
    ("extra", "predicted", "holds"), [(107.0, 81.0, True), (200.0, 90.0, False), (-1.0, 9.0, False)]
)
def test_payload_times_calls(real_study: Study, extra: float, predicted: float, holds: bool) -> None:
    values = {"chatty_over_batch": extra, "chatty_over_batch_predicted": predicted}
    derived = tuple(replace(each, value=values.get(each.name, each.value)) for each in real_study.derived)
    assert claim(replace(real_study, derived=derived), "chatty_payload_times_calls").holds is holds


@pytest.mark.parametrize(("kept_us", "holds"), [(1_300.0, True), (50_000.0, False)])
def test_statelessness(real_study: Study, kept_us: float, holds: bool) -> None:
    study = changed(real_study, "cpp_chatty_unix", boundary_s=0.107)
    fast = tuple(
        replace(row, boundary_p50_us=kept_us) if row.name == "certified_chatty_unix" else row
        for row in study.fast_engine.rows
    )
    study = replace(study, fast_engine=replace(study.fast_engine, rows=fast))
    assert claim(study, "statelessness").holds is holds


@pytest.mark.parametrize(("all_calls_s", "holds"), [(1.9, True), (0.5, False), (9.0, False)])
def test_a_spawn_costs_the_same_each_time(real_study: Study, all_calls_s: float, holds: bool) -> None:
    study = changed(real_study, "cpp_spawn_stdin", boundary_s=0.024)
    study = changed(study, "spawn_per_combo", boundary_s=all_calls_s, crossings=80)
    assert claim(study, "spawn_is_fixed").holds is holds


@pytest.mark.parametrize(("transport", "name"), [("unix", "bar_socket_is_dead"), ("shm", "bar_shared_memory_is_not")])
@pytest.mark.parametrize(("series_s", "costly"), [(2.1, True), (1.9, False)])
def test_a_call_per_bar(real_study: Study, transport: str, name: str, series_s: float, costly: bool) -> None:
    study = changed(real_study, "cpp_in_process", compute_s=2.0)
    rows = tuple(
        replace(row, series_s=series_s) if row.name == f"live_python_{transport}_1" else row for row in study.live
    )
    assert claim(replace(study, live=rows), name).holds is (costly == (transport == "unix"))


@pytest.mark.parametrize(("unchecked", "holds"), [(1.03, True), (0.5, False)])
def test_unchecked_is_no_faster(real_study: Study, unchecked: float, holds: bool) -> None:
    study = changed(real_study, "cpp_batch_unix", runs_s=(1.0, 1.01, 0.99), median_s=1.0)
    runs = (unchecked, 1.01 * unchecked, 0.99 * unchecked)
    study = changed(study, "cpp_batch_unchecked", runs_s=runs, median_s=unchecked)
    assert claim(study, "unchecked_is_no_faster").holds is holds


def test_what_was_not_measured_neither_holds_nor_fails(real_study: Study) -> None:
    empty = replace(real_study, architectures=(), serialization=(), derived=(), live=())
    for each in claims(empty):
        assert each.holds is None
        assert each.measured.startswith("not measured")
