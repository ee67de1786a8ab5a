"""Where the engine program is."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from .errors import EngineNotFound

PROGRAM = "onekernel-engine"
VARIABLE = "ONEKERNEL_ENGINE"


def engine_path() -> Path:
    """Return the path of the engine program.

    Looked for in this order: the environment variable ONEKERNEL_ENGINE, the copy installed inside this package, PATH.
    EngineNotFound if there is none, or if the variable names something that cannot be run.
    """
    if named := os.environ.get(VARIABLE):
        return _named(named)
    if (installed := _installed()) is not None:
        return installed
    if found := shutil.which(PROGRAM):
        return Path(found)
    raise EngineNotFound(
        f"no {PROGRAM} inside the installed package and none on PATH; install onekernel with its engine, "
        f"or set {VARIABLE} to the program"
    )


def _named(named: str) -> Path:
    path = Path(named)
    if not _runnable(path):
        raise EngineNotFound(f"{VARIABLE} is {named!r}, which is not a program that can be run")
    return path


def _installed() -> Path | None:
    # Beside the extension module: in an editable install that is not the folder of this file.
    native = find_spec("onekernel._native")
    if native is None or native.origin is None:
        return None
    path = Path(native.origin).parent / "bin" / PROGRAM
    return path if _runnable(path) else None


def _runnable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
