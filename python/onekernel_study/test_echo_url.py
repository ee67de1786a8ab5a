"""`onekernel echo URL` against engines that run already."""

import json
import math
from pathlib import Path

import onekernel as ok
import pytest

from onekernel_study.echo_url import echo_url


@pytest.mark.parametrize("rate", [None, 5_000.0])
@pytest.mark.parametrize("transport", ["unix", "tcp", "shm"])
def test_a_running_engine_is_measured(transport: str, rate: float | None, capsys: pytest.CaptureFixture[str]) -> None:
    with ok.spawn(transport=transport) as engine:  # type: ignore[arg-type]
        assert echo_url(engine.url, [1, 1_000], 60, rate, as_json=True) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["url"] == engine.url
    assert [row["floats"] for row in facts["rows"]] == [1, 1_000]
    for row in facts["rows"]:
        assert row["loop"] == ("closed" if rate is None else "open")
        assert row["latency"]["n"] == sum(row["histogram"]["counts"]) == 60
        assert 0 < row["latency"]["p50_us"] <= row["latency"]["max_us"]


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    with ok.spawn() as engine:
        assert echo_url(engine.url, [1], 20, None, as_json=False) == 0
    out, err = capsys.readouterr()
    assert f"Echo from here to {engine.url}" in out
    assert "closed loop" in out
    assert err == ""


def test_nobody_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert echo_url(f"unix:{tmp_path}/none.sock", [1], 5, None, as_json=False) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("url", "sizes", "rate"), [("pigeon", [1], None), (None, [0], None), (None, [1], math.nan)])
def test_bad_usage(url: str | None, sizes: list[int], rate: float | None, capsys: pytest.CaptureFixture[str]) -> None:
    with ok.spawn() as engine:
        assert echo_url(url or engine.url, sizes, 5, rate, as_json=False) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("onekernel echo: ")
