"""The libraries under src/ report failures as values: they print nothing and end no process."""

import re
from pathlib import Path

import pytest

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
RUDE = re.compile(
    r"\b(?:std::)?(?:cout|cerr|clog|stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b"
    r"|(?<![\w.>])(?:printf|vprintf|puts|putchar|perror|abort|exit|_exit|_Exit|quick_exit|terminate|err|errx|warn|warnx)\s*\("
)


def library_sources(root: Path) -> list[Path]:
    """Everything under src/ but the tests and the fakes they use."""
    sources = [path for path in sorted((root / "src").rglob("*")) if path.suffix in (".h", ".cc")]
    return [path for path in sources if not path.name.endswith("_test.cc") and not path.name.startswith("fake_")]


def rude_calls(source: str) -> list[str]:
    code = COMMENT_OR_STRING.sub(" ", source)
    return [match.group().rstrip("( ") for match in RUDE.finditer(code)]


def test_no_library_source_prints_or_exits(root: Path) -> None:
    files = library_sources(root)
    assert len(files) > 5
    found = {path.relative_to(root).as_posix(): calls for path in files if (calls := rude_calls(path.read_text()))}
    assert found == {}


def test_no_library_source_includes_a_fake(root: Path) -> None:
    """Fakes are not held to the rule above, so they stay in tests."""
    assert [path.name for path in library_sources(root) if re.search(r'#include "[^"]*\bfake_', path.read_text())] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('std::cout << "hi";', ["std::cout"]),
        ('std::fprintf(stderr, "hi");', ["stderr"]),
        ('printf("%d", 1);', ["printf"]),
        ("if (bad) std::abort();", ["abort"]),
        ("std::exit (1);", ["exit"]),
        ("::_exit(1);", ["_exit"]),
        ("::write(STDERR_FILENO, a, n);", ["STDERR_FILENO"]),
        ("std::terminate();", ["terminate"]),
        ("// std::abort() would be rude\nint x;", []),
        ('const char* text = "stderr";', []),
        ("loop.exit(); snprintf(buffer, n, f); on_exit(f);", []),
    ],
)
def test_what_counts_as_rude(source: str, expected: list[str]) -> None:
    assert rude_calls(source) == expected
