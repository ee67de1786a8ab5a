from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from classic_by_hand import RunningEngine, running_engine


@pytest.fixture(scope="session")
def program() -> Path:
    """The engine program: ONEKERNEL_ENGINE, or the release build, or the one on PATH."""
    built = Path(__file__).parents[2] / "build/release/tools/onekernel-engine"
    candidates = [
        os.environ.get("ONEKERNEL_ENGINE"),
        str(built) if built.exists() else None,
        shutil.which("onekernel-engine"),
    ]
    for candidate in candidates:
        if candidate:
            return Path(candidate)
    raise RuntimeError("onekernel-engine is not built: run `make build`")


@pytest.fixture(params=["unix", "tcp"])
def engine(request: pytest.FixtureRequest, program: Path, tmp_path: Path) -> Iterator[RunningEngine]:
    where = ("--unix", str(tmp_path / "s")) if request.param == "unix" else ("--tcp", "127.0.0.1:0")
    with running_engine(
        program, tmp_path / "log", *where, "--max-combos", "100", "--max-frame-bytes", "2000000"
    ) as running:
        yield running
