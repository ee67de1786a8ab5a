"""Runs every benchmark program of the release build and gathers their reports in out/bench-native.json.

The file maps each program's name to the report it wrote: in its own form, as `--json FILE` gives it, or in Google
Benchmark's for a program built with that. What the programs print goes to stderr while they run.
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
    """Runs one program; returns its report."""
    help_text = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        google = [f"--benchmark_out={report}", "--benchmark_out_format=json"]
        arguments = google if "--benchmark_out" in help_text else ["--json", str(report)]
        subprocess.run([program, *arguments], check=True, stdout=sys.stderr)
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
