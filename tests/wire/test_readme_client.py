"""The client that README.md shows is a whole client."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from classic_by_hand import running_engine
from plain_reference import sweep_one, walk


def test_the_client_in_the_readme_works(program: Path, tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "def sweep(" in block)
    namespace: dict[str, object] = {}
    exec(code, namespace)
    client = namespace["sweep"]
    assert callable(client)
    combos = [(3, 6, 2, 1, 2, 3), (12, 25, 5, 4, 6, 12)]
    close = walk(500)
    with running_engine(program, tmp_path / "log", "--unix", str(tmp_path / "s")):
        pnl, trades = client(str(tmp_path / "s"), close, combos)
        expected = [sweep_one(close, combo, 0.09) for combo in combos]
        assert struct.pack("<2d", *pnl) == struct.pack("<2d", *(value for value, _ in expected))
        assert list(trades) == [count for _, count in expected]
        with pytest.raises(RuntimeError, match="window 'half' is 0"):
            client(str(tmp_path / "s"), close, [(0, 1, 1, 1, 1, 1)])
