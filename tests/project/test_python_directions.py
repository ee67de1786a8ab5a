"""The study uses the package and nothing else of the project; the package works without the study."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


def imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module or ""]
    return []


def module_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement that runs when the module is imported: not the bodies of functions."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for field in ("body", "orelse", "finalbody"):
                yield from module_level(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from module_level(handler.body)


def imports_study(source: str) -> bool:
    """Whether importing this source imports the study."""
    names = [name for node in module_level(ast.parse(source).body) for name in imported(node)]
    return any(name.split(".")[0] == "onekernel_study" for name in names)


def reaches_past_the_package(source: str) -> list[str]:
    """String constants that name the C++ sources or the build folder."""
    constants = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return [text for text in constants if isinstance(text, str) and text.startswith(("src/", "build/", "../"))]


def test_the_package_does_not_import_the_study(root: Path) -> None:
    files = sorted((root / "python" / "onekernel").rglob("*.py"))
    assert files
    assert [path.name for path in files if not path.name.startswith("test_") and imports_study(path.read_text())] == []


def test_importing_the_package_leaves_the_study_alone() -> None:
    code = "import sys, onekernel; sys.exit('onekernel_study' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_study_uses_the_package_only(root: Path) -> None:
    files = sorted((root / "python" / "onekernel_study").rglob("*.py"))
    assert files
    assert {path.name: found for path in files if (found := reaches_past_the_package(path.read_text()))} == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import onekernel_study", True),
        ("from onekernel_study.commands import study", True),
        ("try:\n    import onekernel_study.report\nexcept ImportError:\n    pass", True),
        ("try:\n    pass\nexcept ImportError:\n    import onekernel_study", True),
        ("if True:\n    from onekernel_study import gate", True),
        ("class A:\n    import onekernel_study", True),
        ("def study():\n    from onekernel_study import commands", False),
        ("import onekernel_studio", False),
    ],
)
def test_module_level_imports_are_told_from_lazy_ones(source: str, expected: bool) -> None:
    assert imports_study(source) is expected


def test_a_planted_path_is_found() -> None:
    assert reaches_past_the_package("ENGINE = 'build/release/tools/onekernel-engine'") == [
        "build/release/tools/onekernel-engine"
    ]
    assert reaches_past_the_package("KERNELS = Path('src/kernel')") == ["src/kernel"]
