"""The documents that guide a newcomer name what exists, and the map leaves no source folder out."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAPS = ["ARCHITECTURE.md", "CONTRIBUTING.md"] + [name for name in ("README.md",) if (ROOT / name).exists()]
# A word that begins with one of these is a path in the checkout.
TOP = (
    "src",
    "include",
    "tools",
    "python",
    "tests",
    "fuzz",
    "benchmarks",
    "examples",
    "docs",
    "cmake",
    "scripts",
    "requirements",
    ".ci",
)
SOURCES = {".h", ".cc", ".py", ".sh", ".cmake"}


def named_paths(text: str) -> list[str]:
    """Paths in `code`, in fenced blocks and as targets of relative links. <placeholders> become wildcards."""
    fenced = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    words = [word.rstrip(".,:;)") for block in fenced + inline for word in block.split()]
    paths = [word for word in words if re.match(rf"({'|'.join(map(re.escape, TOP))})/", word)]
    paths += [word for word in inline if re.fullmatch(r"[A-Za-z_-]+\.(md|txt|toml)|Makefile|CMakePresets\.json", word)]
    paths += [link for link in re.findall(r"\]\(([^)#\s]+)", text) if not re.match(r"[a-z]+:", link)]
    return [re.sub(r"<[^>]*>", "*", path) for path in paths]


def missing_paths(root: Path, text: str) -> list[str]:
    return [path for path in named_paths(text) if not any(root.glob(path.rstrip("/")))]


def source_folders(root: Path, tracked_files: list[Path]) -> set[str]:
    """src/<folder> and python/<package>; elsewhere the top folder that holds sources."""
    folders = set()
    for path in tracked_files:
        parts = path.relative_to(root).parts
        if path.suffix in SOURCES and len(parts) > 1:
            depth = 2 if parts[0] in ("src", "python", "include", "tests") and len(parts) > 2 else 1
            folders.add("/".join(parts[:depth]))
    return folders


def unnamed_folders(folders: set[str], text: str) -> list[str]:
    named = [path.rstrip("/") for path in named_paths(text)]
    return sorted(folder for folder in folders if folder not in named)


@pytest.mark.parametrize("name", MAPS)
def test_every_path_named_exists(root: Path, name: str) -> None:
    text = (root / name).read_text()
    assert named_paths(text)
    assert missing_paths(root, text) == []


def test_the_map_names_every_source_folder(root: Path, tracked_files: list[Path]) -> None:
    folders = source_folders(root, tracked_files)
    assert {"src/base", "src/kernel", "src/engine", "scripts", "tests/project"} <= folders
    assert unnamed_folders(folders, (root / "ARCHITECTURE.md").read_text()) == []


def test_a_planted_path_and_a_forgotten_folder_are_found(root: Path) -> None:
    text = """See `src/base/`, [the sweep](include/onekernel/sweep.h), `src/kernel/<name>_test.cc` and `LICENSE.md`.
```
src/nowhere/   folder that does not exist
make study     writes out/study.json
```
[gone](docs/gone.md), [elsewhere](https://example.org/src/x)
"""
    assert missing_paths(root, text) == ["src/nowhere/", "LICENSE.md", "docs/gone.md"]
    assert unnamed_folders({"src/base", "src/kernel"}, text) == ["src/kernel"]
