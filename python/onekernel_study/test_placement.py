import os

import onekernel as ok
import pytest

from onekernel_study.placement import measure_placement, pin_process, pinned_here


def test_each_placement_has_its_percentiles_and_leaves_this_process_as_it_was() -> None:
    before = os.sched_getaffinity(0)
    placements = measure_placement(60)
    assert os.sched_getaffinity(0) == before
    names = ["one core", "two cores"] if len(before) > 1 else ["one core"]
    assert [each.placement for each in placements] == names
    for each in placements:
        assert each.transport == "unix"
        assert each.n == 60
        assert 0 < each.p50_us <= each.p90_us <= each.p99_us


def test_pinning_reaches_every_thread_of_the_engine() -> None:
    core = min(os.sched_getaffinity(0))
    with ok.spawn(protocol="classic") as engine:
        engine.echo([1.0])
        assert engine.pid is not None
        pin_process(engine.pid, core)
        threads = [int(name) for name in os.listdir(f"/proc/{engine.pid}/task")]
        assert threads
        assert all(os.sched_getaffinity(thread) == {core} for thread in threads)


def test_the_affinity_comes_back_after_an_error() -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(KeyError):
        _fail_while_pinned(min(before))
    assert os.sched_getaffinity(0) == before


def _fail_while_pinned(core: int) -> None:
    with pinned_here(core):
        assert os.sched_getaffinity(0) == {core}
        raise KeyError
