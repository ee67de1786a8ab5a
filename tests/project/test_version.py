"""The version stands in CMakeLists.txt only; everything that tells it, tells the same."""

import importlib.metadata
import re
import subprocess
from pathlib import Path

import onekernel
import pytest
from onekernel import _native

WRITTEN_DOWN = re.compile(r"version\W{1,6}(\d+\.\d+\.\d+)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def version(root: Path) -> str:
    declared = re.findall(r"^project\(onekernel VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert len(declared) == 1
    return str(declared[0])


def test_the_package_tells_it(version: str) -> None:
    assert importlib.metadata.version("onekernel") == version
    assert onekernel.__version__ == version


def test_the_extension_module_tells_it(version: str) -> None:
    assert _native.__version__ == version


def test_the_engine_program_tells_it(version: str) -> None:
    output = subprocess.run([onekernel.engine_path(), "--version"], check=True, capture_output=True, text=True).stdout
    assert version in output.split()


def test_the_changelog_knows_it(root: Path, version: str) -> None:
    assert re.search(rf"^## \[{re.escape(version)}\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_no_other_file_writes_it_down(root: Path, tracked_files: list[Path], version: str) -> None:
    def copies(path: Path) -> list[str]:
        return [found for found in WRITTEN_DOWN.findall(path.read_text(errors="replace")) if found == version]

    files = [path for path in tracked_files if copies(path)]
    assert files == [root / "CMakeLists.txt"]
