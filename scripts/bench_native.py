"""Runs every Google Benchmark program of the release build and gathers their reports in out/bench-native.json.

The file maps each program's name to the report that Google Benchmark wrote. The tables go to stderr while they run.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "release" / "benchmarks"
OUT = ROOT / "out" / "bench-native.json"


def programs() -> list[Path]:
    """The executables directly in the benchmarks folder of the build."""
    if not PROGRAMS.is_dir():
        return []
    return sorted(path for path in PROGRAMS.iterdir() if path.is_file() and os.access(path, os.X_OK))


def run(program: Path) -> object:
    """Runs one program; returns its report as Google Benchmark defines it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        arguments = [program, f"--benchmark_out={report}", "--benchmark_out_format=json"]
        subprocess.run(arguments, check=True, stdout=sys.stderr)
        return json.loads(report.read_text())


def main() -> int:
    """Returns the exit code: 1 when there is nothing to run or a program failed."""
    found = programs()
    if not found:
        print(f"onekernel: no benchmark programs in {PROGRAMS.relative_to(ROOT)}", file=sys.stderr)
        return 1
    try:
        reports = {program.name: run(program) for program in found}
    except subprocess.CalledProcessError as error:
        print(f"onekernel: {error}", file=sys.stderr)
        return 1
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(reports, indent=2) + "\n")
    print(OUT.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
