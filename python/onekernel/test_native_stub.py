import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_the_committed_stub_is_what_stubgen_writes(tmp_path):
    command = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "--module", "onekernel._native"]
    command += ["--pattern-file", str(HERE / "_native.stubs"), "--output-file", str(tmp_path / "fresh.pyi")]
    subprocess.run(command, check=True)
    assert (tmp_path / "fresh.pyi").read_text() == (HERE / "_native.pyi").read_text(), (
        "the module has changed: run python -m nanobind.stubgen -m onekernel._native "
        "-p python/onekernel/_native.stubs -o python/onekernel/_native.pyi"
    )
