"""Who may talk to an engine: its own user over a Unix socket, who knows the token over TCP."""

import os
import shutil
import socket
import struct
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import onekernel as ok
import pytest
from onekernel import session

TOKEN = "correct-horse-battery-staple"


@contextmanager
def engine_with(*arguments, env=None):
    """An engine; the value is the URL it prints."""
    process = subprocess.Popen(
        [str(ok.engine_path()), "serve", "--stop-on-eof", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
        text=True,
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


def refused_to_start(*arguments, env=None):
    done = subprocess.run(
        [str(ok.engine_path()), "serve", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == 2
    return done.stderr


@pytest.fixture
def token_file(tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    return file


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_whatever_the_file_mode():
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    path = directory / "e.sock"
    try:
        with engine_with("--unix", path) as url:
            path.chmod(0o666)
            for scheme in ("unix", "shm"):
                child = os.fork()
                if child == 0:
                    status = 1
                    try:
                        os.setresuid(65534, 65534, 65534)
                        ok.connect(f"{scheme}:{path}", timeout=60.0)
                    except ok.AccessDenied as error:
                        status = 0 if "user 65534" in error.message else 2
                    finally:
                        os._exit(status)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            with ok.connect(url) as engine:
                assert engine.echo([1.0]).tolist() == [1.0]
    finally:
        shutil.rmtree(directory)


def test_beyond_loopback_an_engine_wants_a_token_to_start():
    complaint = refused_to_start("--tcp", "0.0.0.0:0")
    assert "--token-file" in complaint
    assert "ONEKERNEL_TOKEN" in complaint


def test_a_token_file_is_for_its_owner(token_file, tmp_path):
    token_file.chmod(0o640)
    assert "chmod 600" in refused_to_start("--tcp", "0.0.0.0:0", "--token-file", token_file)
    assert "No such file" in refused_or_failed("--tcp", "0.0.0.0:0", "--token-file", tmp_path / "none")
    assert "no file that could" in refused_to_start("--tcp", "0.0.0.0:0", "--token-file", tmp_path)
    token_file.chmod(0o600)
    for text in ("", "short\n", "x" * 2000, "a secret with blanks"):
        token_file.write_text(text)
        assert "holds no token" in refused_to_start("--tcp", "0.0.0.0:0", "--token-file", token_file)
    assert "ONEKERNEL_TOKEN holds no token" in refused_to_start("--tcp", "0.0.0.0:0", env={"ONEKERNEL_TOKEN": "short"})


def refused_or_failed(*arguments):
    done = subprocess.run(
        [str(ok.engine_path()), "serve", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize("by", ["file", "environment"])
def test_the_token_opens_and_nothing_else_does(token_file, by):
    arguments, env = (["--token-file", token_file], {}) if by == "file" else ([], {"ONEKERNEL_TOKEN": TOKEN})
    with engine_with("--tcp", "0.0.0.0:0", *arguments, env=env) as url:
        url = url.replace("0.0.0.0", "127.0.0.1")
        for token in (None, "", TOKEN[:-1], TOKEN + "x", "x" * 28):
            with pytest.raises(ok.AccessDenied, match="wants its token"):
                ok.connect(url, token=token)
        with ok.connect(url, token=TOKEN) as engine:
            assert engine.echo([1.0]).tolist() == [1.0]
            assert engine.statistics().connections == 1
        with pytest.raises(ok.AccessDenied), ok.connect(url, protocol="classic") as engine:
            engine.echo([1.0])


def test_before_its_token_a_client_gets_nothing_but_a_refusal(token_file):
    with engine_with("--tcp", "127.0.0.1:0", "--token-file", token_file) as url:
        host, _, port = url.removeprefix("tcp://").rpartition(":")
        for request in (
            session.encode_plain(session.STATISTICS, 1, 0),
            session.encode_plain(session.ECHO, 1, 0, 8) + bytes(8),
            struct.pack("<IBII", 9 + 8, 1, 1, 0) + bytes(8),
            struct.pack("<I", 4097) + bytes([session.HELLO]) + bytes(4096),
            session.encode_plain(session.HELLO, 1, 0, 8) + struct.pack("<II", 4000, 0),
        ):
            with socket.create_connection((host, int(port)), timeout=60.0) as client:
                client.sendall(request)
                client.shutdown(socket.SHUT_WR)
                reply = b"".join(iter(lambda client=client: client.recv(4096), b""))
                assert b"token" in reply
                assert len(reply) < 300


def test_over_a_unix_socket_the_user_is_enough(token_file, tmp_path):
    path = tmp_path / "e.sock"
    with (
        engine_with("--unix", path, "--tcp", "127.0.0.1:0", "--token-file", token_file),
        ok.connect(f"unix:{path}") as first,
        ok.connect(f"unix:{path}", token="whatever") as second,
        ok.connect(f"shm:{path}", protocol="session") as third,
    ):
        assert [engine.echo([2.0]).tolist() for engine in (first, second, third)] == [[2.0]] * 3


def test_a_spawned_engine_needs_none(monkeypatch):
    monkeypatch.setenv("ONEKERNEL_TOKEN", TOKEN)
    with ok.spawn(transport="tcp") as engine:
        assert engine.echo([1.0]).tolist() == [1.0]


def test_tokens_that_cannot_be_sent():
    with pytest.raises(ValueError, match="classic frames cannot carry a token"):
        ok.connect("tcp://127.0.0.1:1", protocol="classic", token=TOKEN)
    with pytest.raises(ValueError, match="at most 1024 bytes"):
        ok.connect("tcp://127.0.0.1:1", token="x" * 1025)
