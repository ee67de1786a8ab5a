import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from onekernel_study.document import DocumentError, parse, read, write
from onekernel_study.schema import Study


@pytest.fixture
def data(real_study: Study) -> dict[str, Any]:
    return json.loads(json.dumps(dataclasses.asdict(real_study)))  # type: ignore[no-any-return]


def test_a_study_reads_back_as_it_was_written(real_study: Study, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "study.json"
    write(real_study, path)
    assert read(path) == real_study
    assert [each.name for each in path.parent.iterdir()] == ["study.json"], "nothing partial stays"


def test_the_names_that_stay(data: dict[str, Any]) -> None:
    assert {"all_ok", "fingerprint", "rows"} <= data["equivalence"].keys()
    assert {"pnl_pct", "trades"} <= data["equivalence"]["fingerprint"].keys()
    assert {"name", "bitwise", "max_abs_pnl_diff", "trades_equal"} <= data["equivalence"]["rows"][0].keys()
    names = "name runs_s median_s ratio_to_in_process compute_s boundary_s crossings bytes_out bytes_in"
    assert set(names.split()) <= data["architectures"][0].keys()
    assert {"transport", "floats", "bytes", "p50_us", "p90_us", "p99_us"} <= data["echo"][0].keys()
    assert {"format", "encode_p50_us", "decode_p50_us", "bytes", "ratio_to_raw"} <= data["serialization"][0].keys()
    assert {"what", "p50_ms"} <= data["spawn"][0].keys()
    assert {"floor_us", "bandwidth_gb_s", "granularity"} <= data["break_even"].keys()
    assert {"environment", "schema"} <= data.keys()
    published = {"in_process", "cpp_batch_unix", "cpp_batch_unchecked", "cpp_chatty_unix", "cpp_spawn_stdin"}
    assert published <= {row["name"] for row in data["architectures"]}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["schema"], "onekernel-study/9", "schema is 'onekernel-study/9'"),
        (["rounds"], "three", r"study.rounds: expected int, got str 'three'"),
        (["rounds"], True, "study.rounds: expected int, got bool"),
        (["seconds"], True, "study.seconds: expected float, got bool"),
        (["seconds"], None, "study.seconds: expected float, got null"),
        (["architectures", 1, "median_s"], [], r"study.architectures\[1\].median_s: expected float"),
        (["equivalence", "rows"], {}, "study.equivalence.rows: expected a list"),
        (["environment", "clock"], 3, "study.environment.clock: expected an object"),
        (["echo", 0, "p50_us"], float("nan"), r"study.echo\[0\].p50_us: expected float"),
        (["surprise"], 1, "study: unknown surprise"),
    ],
)
def test_a_wrong_document_is_refused_with_its_place(
    data: dict[str, Any], path: list[str | int], value: object, words: str
) -> None:
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(DocumentError, match=words):
        parse(data)


def test_a_missing_field_is_named(data: dict[str, Any]) -> None:
    changed = copy.deepcopy(data)
    del changed["architectures"][0]["kernel"]
    with pytest.raises(DocumentError, match=r"study.architectures\[0\]: kernel missing"):
        parse(changed)


def test_what_is_no_document_at_all(tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text("{")
    with pytest.raises(DocumentError, match="study.json: not JSON"):
        read(path)
    path.write_text("[1]")
    with pytest.raises(DocumentError, match=r"study.json: study: expected an object, got list"):
        read(path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent.json")
