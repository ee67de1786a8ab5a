"""What the tests of project rules share."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {".git", ".venv", "build", "out", "dist", "__pycache__", ".hypothesis", ".pytest_cache"}


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def tracked_files() -> list[Path]:
    """Every file under version control; in an unpacked archive, every file that no build makes."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listing = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True
        ).stdout
        paths = [ROOT / name for name in listing.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not GENERATED & set(path.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]
