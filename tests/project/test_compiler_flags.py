"""Same bits everywhere: no flag may let the compiler fuse, reorder or specialise the arithmetic for one machine."""

import json
import re
import subprocess
from pathlib import Path

import pytest

UNSAFE = re.compile(
    r"-march=native|-mtune=native|-mcpu=native|-Ofast\b|-f(?:fast|unsafe|associative)-math|-ffp-contract=(?!off)"
)


def test_no_build_file_asks_for_unsafe_arithmetic(root: Path, tracked_files: list[Path]) -> None:
    names = ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml")
    build_files = [path for path in tracked_files if path.name in names or path.suffix == ".cmake"]
    assert root / "cmake" / "Options.cmake" in build_files
    found = {
        path.relative_to(root).as_posix(): hits for path in build_files if (hits := UNSAFE.findall(path.read_text()))
    }
    assert found == {}


def test_every_unit_is_compiled_without_contraction(root: Path, tmp_path: Path) -> None:
    """Asks CMake itself, with everything switched on that has sources of its own."""
    options = ["-DONEKERNEL_BUILD_TESTS=ON", "-DONEKERNEL_BUILD_BENCHMARKS=ON", "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run(["cmake", "-S", root, "-B", tmp_path, "-G", "Ninja", *options], check=True, capture_output=True)
    units = json.loads((tmp_path / "compile_commands.json").read_text())
    assert len(units) > 5
    assert [unit["file"] for unit in units if "-ffp-contract=off" not in unit["command"].split()] == []
    assert [unit["file"] for unit in units if UNSAFE.search(unit["command"])] == []


@pytest.mark.parametrize(
    "flag", ["-march=native", "-ffast-math", "-Ofast", "-ffp-contract=fast", "-ffp-contract=on", "-fassociative-math"]
)
def test_a_planted_flag_is_found(flag: str) -> None:
    assert UNSAFE.search(f'set(CMAKE_CXX_FLAGS "-O2 {flag}")')


@pytest.mark.parametrize("flag", ["-ffp-contract=off", "-O3", "-fno-fast-math", "--fast"])
def test_a_safe_flag_is_left_alone(flag: str) -> None:
    assert not UNSAFE.search(f'set(CMAKE_CXX_FLAGS "-O2 {flag}")')
