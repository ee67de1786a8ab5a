"""Dependencies between the C++ folders point one way.

base <- kernel <- engine <- server; base <- wire, transport <- server, client; engine, client <- c_api.
"""

import re
import shutil
from pathlib import Path

import pytest

# What each folder under src/ may include besides itself and the public headers.
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "kernel": {"base"},
    "engine": {"base", "kernel"},
    "wire": {"base"},
    "transport": {"base"},
    "client": {"base", "wire", "transport"},
    "c_api": set(),
    "server": {"base", "kernel", "engine", "wire", "transport"},
}
LIBRARY = set(MAY_INCLUDE) - {"server"}
# The folders that use the libraries. Only the program and the tests, fuzz targets among them, compose a server.
USERS: dict[str, set[str]] = {
    "tools": set(MAY_INCLUDE),
    "tests": set(MAY_INCLUDE),
    "fuzz": set(MAY_INCLUDE),
    "benchmarks": LIBRARY,
    "examples": set(),  # what is installed, and nothing else
    "python": {"base", "kernel", "engine", "wire", "transport"},
}
# The wire format is arithmetic on byte spans: no input or output, no clock.
NOT_IN_WIRE = re.compile(
    r"^(unistd\.h|fcntl\.h|poll\.h|sys/.*|chrono|iostream|fstream|cstdio|base/(clock|file_descriptor)\.h)$"
)
# The C++ standard library, and what C's has for a header that C can read too.
STANDARD = re.compile(r"[a-z_]+|(stdbool|stddef|stdint)[.]h")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def cxx_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.name.endswith((".h", ".cc", ".h.in")))


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(path.read_text())


def source_violations(root: Path) -> list[str]:
    """Includes inside src/ that point the wrong way, or bypass the folders' names."""
    found = []
    for path in cxx_files(root / "src"):
        where, folder = path.relative_to(root), path.relative_to(root / "src").parts[0]
        if folder not in MAY_INCLUDE:
            found.append(f"{where}: folder '{folder}' has no line in MAY_INCLUDE")
            continue
        for name in includes(path):
            target = name.split("/")[0]
            if target in MAY_INCLUDE and target not in MAY_INCLUDE[folder] | {folder}:
                found.append(f"{where}: {folder} may not include {name}")
            if name.startswith(("..", "src/")) or (path.parent / name).exists():
                found.append(f"{where}: write {name} with its folder's name")
            if folder == "wire" and NOT_IN_WIRE.match(name) and not path.name.endswith("_test.cc"):
                found.append(f"{where}: the wire format needs no {name}")
    return found


def user_violations(root: Path) -> list[str]:
    """Includes from outside src/ into folders that are not theirs to use."""
    found = []
    for user, allowed in USERS.items():
        for path in cxx_files(root / user):
            for name in includes(path):
                target = name.split("/")[0]
                if target in MAY_INCLUDE and target not in allowed:
                    found.append(f"{path.relative_to(root)}: {user} may not include {name}")
    return found


def public_violations(root: Path) -> list[str]:
    """Public headers include public headers and the standard library only."""
    found = []
    for path in cxx_files(root / "include"):
        for name in includes(path):
            public = name.startswith("onekernel/") or STANDARD.fullmatch(name)
            if not public:
                found.append(f"{path.relative_to(root)}: a public header may not include {name}")
    return found


def violations(root: Path) -> list[str]:
    return source_violations(root) + user_violations(root) + public_violations(root)


def test_includes_point_one_way(root: Path) -> None:
    assert violations(root) == []


def test_the_rule_sees_the_includes(root: Path) -> None:
    """A reader of includes that found nothing would approve of everything."""
    seen = {name for path in cxx_files(root / "src") for name in includes(path)}
    assert {"kernel/kernel.h", "onekernel/status.h", "cstdint"} <= seen


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/base/planted.cc", '#include "kernel/kernel.h"'),
        ("src/kernel/planted.h", '#include "engine/sweep.h"'),
        ("src/kernel/planted.cc", '  #  include "wire/classic.h"'),
        ("src/engine/planted.cc", '#include "transport/listener.h"'),
        ("src/wire/planted.cc", "#include <transport/listener.h>"),
        ("src/wire/planted.cc", "#include <sys/socket.h>"),
        ("src/transport/planted.cc", '#include "wire/classic.h"'),
        ("src/client/planted.cc", '#include "server/server.h"'),
        ("src/c_api/planted.cc", '#include "engine/sweep.h"'),
        ("src/engine/planted.cc", '#include "../kernel/kernel.h"'),
        ("src/kernel/planted.cc", '#include "kernel.h"'),
        ("src/extra/planted.cc", "#include <vector>"),
        ("include/onekernel/planted.h", '#include "base/clock.h"'),
        ("include/onekernel/planted.h", "#include <sys/socket.h>"),
        ("benchmarks/planted.cc", '#include "server/server.h"'),
        ("examples/planted.cc", '#include "client/address.h"'),
        ("python/onekernel/planted.cc", '#include "client/address.h"'),
    ],
)
def test_a_planted_include_is_found(root: Path, tmp_path: Path, path: str, line: str) -> None:
    copy = tmp_path / "copy"
    for folder in ["src", "include", *USERS]:
        shutil.copytree(
            root / folder, copy / folder, ignore=shutil.ignore_patterns("*.so", "*.py", "__pycache__", ".hypothesis")
        )
    planted = copy / path
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(f"// planted\n{line}\n")
    found = set(violations(copy)) - set(violations(root))
    assert found
    assert all("planted" in message for message in found), found


def test_only_the_program_and_the_tests_include_the_server(root: Path) -> None:
    users = {
        path.relative_to(root).parts[0] if path.is_relative_to(root / "tools") else path.relative_to(root).as_posix()
        for folder in ["src", "include", *USERS]
        for path in cxx_files(root / folder)
        if any(name.startswith("server/") for name in includes(path))
    }
    assert all(user == "tools" or user.startswith(("src/server/", "tests/", "fuzz/")) for user in users), users
