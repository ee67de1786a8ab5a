import os

import pytest

from onekernel import EngineNotFound, engine_path, locate


def make_program(path):
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_variable_comes_first(monkeypatch, tmp_path):
    program = make_program(tmp_path / "mine")
    monkeypatch.setenv("ONEKERNEL_ENGINE", str(program))
    assert engine_path() == program


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_variable_that_names_no_program_is_an_error(monkeypatch, tmp_path, name):
    monkeypatch.setenv("ONEKERNEL_ENGINE", str(tmp_path / name))
    with pytest.raises(EngineNotFound, match="ONEKERNEL_ENGINE is .* not a program"):
        engine_path()


def test_a_file_that_may_not_be_run_is_an_error(monkeypatch, tmp_path):
    program = make_program(tmp_path / "mine")
    program.chmod(0o644)
    monkeypatch.setenv("ONEKERNEL_ENGINE", str(program))
    with pytest.raises(EngineNotFound):
        engine_path()


def test_the_installed_program_comes_before_path(monkeypatch, tmp_path):
    monkeypatch.delenv("ONEKERNEL_ENGINE", raising=False)
    monkeypatch.setenv("PATH", str(make_program(tmp_path / "onekernel-engine").parent))
    assert engine_path().parts[-3:] == ("onekernel", "bin", "onekernel-engine")
    assert os.access(engine_path(), os.X_OK)


def test_path_comes_last_and_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("ONEKERNEL_ENGINE", raising=False)
    monkeypatch.setattr(locate, "_installed", lambda: None)
    program = make_program(tmp_path / "onekernel-engine")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert engine_path() == program
    program.unlink()
    with pytest.raises(EngineNotFound, match="set ONEKERNEL_ENGINE"):
        engine_path()
