"""No file says where packages come from, or where a developer keeps the checkout; lock files are names and versions."""

import re
from pathlib import Path

import pytest

# Written with [brackets] so that this file does not match itself.
FORBIDDEN = {
    "a package index": r"pypi[.]org|pythonhoste[d]|index-ur[l]|find-link[s]|crates[.]io|npmjs[.]org|anaconda[.]org",
    "a distribution's mirror": r"(deb|ftp|security|snapshot)[.]debian[.]org|(archive|ports)[.]ubuntu[.]com",
    "a developer's folder": r"(?<![\w./-])/(wor[k]|roo[t]|User[s])/|/tmp/ven[v]",
}
LOCK_LINE = re.compile(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.+!-]+")


def forbidden(text: str) -> list[str]:
    return [f"{what}: {match.group()}" for what, pattern in FORBIDDEN.items() for match in re.finditer(pattern, text)]


def test_no_file_holds_an_address(tracked_files: list[Path]) -> None:
    assert len(tracked_files) > 30
    found = {path.name: hits for path in tracked_files if (hits := forbidden(path.read_text(errors="replace")))}
    assert found == {}


def test_lock_files_are_names_and_versions(root: Path) -> None:
    locks = sorted((root / "requirements").glob("*.txt"))
    assert len(locks) == 7
    lines = [line for lock in locks for line in lock.read_text().splitlines()]
    assert [line for line in lines if not LOCK_LINE.fullmatch(line)] == []
    names = [re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lines]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize(
    "text",
    [
        "--extra-index-" + "url x",
        "source = https://files.python" + "hosted.org/packages/a.whl",
        "url: https://py" + "pi.org/simple",
        "deb http://deb.deb" + "ian.org/debian bookworm main",
        "see /wo" + "rk/main/README.md",
        "PYTHON=/tmp/" + "venv/bin/python",
        '"/ro' + 'ot/.pyenv"',
    ],
)
def test_a_planted_address_is_found(text: str) -> None:
    assert len(forbidden(text)) >= 1


@pytest.mark.parametrize(
    "text", ["src/wo" + "rk/queue.h", "unix:/run/onekernel.sock", "the root/of all", "a pinned version"]
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert forbidden(text) == []
