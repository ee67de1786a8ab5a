"""The client's end of a session, against engines that answer with rubbish."""

import os
import socket
import struct
import threading
from contextlib import contextmanager, suppress

import numpy as np
import pytest

import onekernel as ok
from onekernel.errors import ErrorCode
from onekernel.session import REPLY
from onekernel.test_connection import read_exactly

EPOCH = 0xABCDEF
HELLO = struct.pack("<7QdII24s", 1, 2**28, 1000, 10, 10, 2**20, 0, 0.09, 0, 7, b"0.1.0") + b"checked\0"


def read_request(peer):
    """Return (opcode, request id, payload) of the next request."""
    body = read_exactly(peer, *struct.unpack("<I", read_exactly(peer, 4)))
    opcode, _, _, _, request_id, _, _ = struct.unpack_from("<BBHIQQQ", body)
    return opcode, request_id, body[32:]


def framed(opcode, request_id, payload=b"", *, version=1, status=0, epoch=EPOCH, size=None):
    body_bytes = 32 + len(payload) if size is None else size
    return REPLY.pack(body_bytes, opcode, version, status, 0, request_id, epoch, 0) + payload


@contextmanager
def fake_engine(tmp_path, answer, hello=lambda opcode, request_id: framed(opcode, request_id, HELLO)):
    """An engine that says hello as it should and then sends what `answer(opcode, request id, payload)` returns."""

    def run():
        peer, _ = listener.accept()
        with peer, suppress(BrokenPipeError, ConnectionResetError):
            opcode, request_id, _ = read_request(peer)
            peer.sendall(hello(opcode, request_id))
            while True:
                peer.sendall(answer(*read_request(peer)))

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "e.sock"))
        listener.listen()
        thread = threading.Thread(target=run)
        thread.start()
        yield f"unix:{tmp_path}/e.sock"
        thread.join()


def echo(opcode, request_id, payload):
    return framed(opcode, request_id, payload)


RUBBISH = {
    "the reply to another request": (
        lambda opcode, request_id, payload: framed(opcode, request_id + 1, payload),
        r"a reply to request 3 \(opcode 0x15, version 1\) came where one to request 2 \(opcode 0x15, .* was due",
    ),
    "the reply to an older request": (lambda o, i, p: framed(o, i - 1, p), "a reply to request 1 "),
    "another opcode": (lambda o, i, p: framed(0x14, i, p), "opcode 0x14, version 1"),
    "another version": (lambda o, i, p: framed(o, i, p, version=2), "version 2"),
    "another epoch": (lambda o, i, p: framed(o, i, p, epoch=1), "names run 0x1 of the engine, not 0xabcdef"),
    "a longer reply": (lambda o, i, p: framed(o, i, p + bytes(8)), "a reply of 68 bytes came where 60 were due"),
    "a shorter reply": (lambda o, i, p: framed(o, i, p[8:]), "a reply of 52 bytes came where 60 were due"),
    "more behind the reply": (lambda o, i, p: framed(o, i, p[8:]) + bytes(8), "8 bytes too many"),
    "no header": (lambda o, i, p: struct.pack("<I", 8) + bytes(8), "its header alone has 36"),
    "no body": (lambda o, i, p: bytes(4), "its header alone has 36"),
    "4 GiB": (lambda o, i, p: framed(o, i, p, size=2**32 - 8), "came where 60 were due"),
    "text": (lambda o, i, p: b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "was due"),
    "an endless error": (lambda o, i, p: framed(o, i, status=3, size=2**20), "an error message of 1048544 bytes"),
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_rubbish_closes_the_connection(tmp_path, kind):
    answer, message = RUBBISH[kind]
    with fake_engine(tmp_path, answer) as url, ok.connect(url, timeout=60.0) as engine:
        with pytest.raises(ok.ProtocolError, match=message):
            engine.echo([1.0, 2.0, 3.0])
        with pytest.raises(ok.ConnectionLost, match="the connection is closed .*ProtocolError"):
            engine.echo([1.0])


HELLOS = {
    "text": (lambda o, i: b"SSH-2.0-OpenSSH_9.2p1 and so on, a line of some length\r\n", "was due"),
    "no epoch": (lambda o, i: framed(o, i, HELLO, epoch=0), "names run 0x0"),
    "cut": (lambda o, i: framed(o, i, HELLO[:40]), "too short"),
    "endless": (lambda o, i: framed(o, i, HELLO, size=2**32 - 8), "where a short one was due"),
}


@pytest.mark.parametrize("kind", HELLOS)
def test_rubbish_for_a_hello(tmp_path, kind):
    hello, message = HELLOS[kind]
    before = len(os.listdir("/proc/self/fd"))
    with fake_engine(tmp_path, echo, hello) as url, pytest.raises(ok.ProtocolError, match=message):
        ok.connect(url, timeout=60.0)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("size", [0, 8, 24, 4096, 64 * 1024])
def test_an_error_is_raised_and_leaves_the_connection_usable(tmp_path, size):
    message = ("no" * size)[: max(0, size - 3)]

    def answer(opcode, request_id, payload):
        refused = payload == bytes(8)
        return framed(
            opcode, request_id, message.encode().ljust(size, b"\0") if refused else payload, status=3 * refused
        )

    with fake_engine(tmp_path, answer) as url, ok.connect(url) as engine:
        with pytest.raises(ok.EngineError) as caught:
            engine.echo([0.0])
        assert (caught.value.code, caught.value.message) == (3, message)
        assert engine.echo([2.0]).tolist() == [2.0]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (ErrorCode.STALE_EPOCH, ok.StaleEpoch),
        (ErrorCode.NOT_FOUND, ok.SeriesNotFound),
        (ErrorCode.ALREADY_EXISTS, ok.SeriesExists),
        (ErrorCode.INTERNAL, ok.EngineError),
        (4711, ok.EngineError),
    ],
)
def test_a_status_has_its_class(tmp_path, status, kind):
    with fake_engine(tmp_path, lambda o, i, p: framed(o, i, status=status)) as url, ok.connect(url) as engine:
        with pytest.raises(ok.EngineError) as caught:
            engine.echo([0.0])
        assert type(caught.value) is kind


@pytest.mark.parametrize("size", [1, 9, 41])
def test_a_classic_error_is_understood(tmp_path, size):
    error = struct.pack("<I", size) + b"\x04" + b"full".ljust(size - 1)[: size - 1]
    with (
        fake_engine(tmp_path, lambda o, i, p: error) as url,
        ok.connect(url) as engine,
        pytest.raises(ok.EngineError, match=r"^limit exceeded: (full)?$"),
    ):
        engine.echo(np.zeros(100))


def test_an_engine_that_turns_a_client_away_says_why(tmp_path):
    full = struct.pack("<I", 17) + b"\x04" + b"16 clients".ljust(16)
    with (
        fake_engine(tmp_path, echo, lambda o, i: full) as url,
        pytest.raises(ok.EngineError, match="limit exceeded: 16 clients"),
    ):
        ok.connect(url)


def test_a_reply_byte_by_byte(tmp_path):
    def run():
        peer, _ = listener.accept()
        with peer:
            opcode, request_id, _ = read_request(peer)
            for reply in (framed(opcode, request_id, HELLO), None):
                for byte in reply or framed(*read_request(peer)):
                    peer.sendall(bytes([byte]))

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "e.sock"))
        listener.listen()
        thread = threading.Thread(target=run)
        thread.start()
        with ok.connect(f"unix:{tmp_path}/e.sock") as engine:
            assert engine.echo([1.5, 2.5]).tolist() == [1.5, 2.5]
        thread.join()


def attach_with(tmp_path, descriptors, ring_bytes=4096):
    """Connect to a fake engine that answers attach with these open files."""

    def run():
        peer, _ = listener.accept()
        with peer, suppress(BrokenPipeError, ConnectionResetError):
            opcode, request_id, _ = read_request(peer)
            peer.sendall(framed(opcode, request_id, HELLO))
            opcode, request_id, _ = read_request(peer)
            reply = framed(opcode, request_id, struct.pack("<QQ", ring_bytes, 0))
            socket.send_fds(peer, [reply], descriptors) if descriptors else peer.sendall(reply)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "e.sock"))
        listener.listen()
        thread = threading.Thread(target=run)
        thread.start()
        try:
            ok.connect(f"shm:{tmp_path}/e.sock", timeout=60.0)
        finally:
            thread.join()


def test_shared_memory_that_is_none(tmp_path):
    memory = os.memfd_create("not sealed", os.MFD_ALLOW_SEALING)
    os.truncate(memory, 1 << 20)
    before = len(os.listdir("/proc/self/fd"))
    try:
        with pytest.raises(ok.ProtocolError, match="0 descriptors came with shared memory"):
            attach_with(tmp_path, [])
        (tmp_path / "e.sock").unlink()
        with pytest.raises(ok.ProtocolError, match="2 descriptors came with shared memory"):
            attach_with(tmp_path, [memory, memory])
        (tmp_path / "e.sock").unlink()
        with pytest.raises(ok.ProtocolError, match="not sealed, or too small"):
            attach_with(tmp_path, [memory] * 3)
        (tmp_path / "e.sock").unlink()
        with pytest.raises(ok.ProtocolError, match="rings of 4097 bytes cannot be"):
            attach_with(tmp_path, [memory] * 3, ring_bytes=4097)
        assert len(os.listdir("/proc/self/fd")) == before
    finally:
        os.close(memory)


LIVE_INFO = struct.pack("<QqQQd", 7, 0, 1, 1000, 0.09)
COMBO = np.array([[1, 2, 1, 1, 1, 2]])


def live_reply(next_bar, n_changes, changes=b""):
    return struct.pack("<qQ", next_bar, n_changes) + changes


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        live_reply(1, 0)[:8],
        live_reply(0, 0),
        live_reply(2, 0),
        live_reply(1, 1),
        live_reply(1, 0, bytes(64)),
        live_reply(1, 1, bytes(63)),
        live_reply(1, 2**60, bytes(64)),
    ],
    ids=["empty", "half", "not taken", "too many taken", "no change", "untold change", "cut", "huge"],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_senseless_answer_to_a_bar_closes_the_connection(tmp_path, rubbish, several):
    def answer(opcode, request_id, payload):
        return framed(opcode, request_id, {0x20: LIVE_INFO, 0x21: rubbish}[opcode])

    with fake_engine(tmp_path, answer) as url, ok.connect(url) as engine:
        live = engine.live(COMBO, fee=0.09)
        with pytest.raises(ok.ProtocolError):
            live.bars([1.0]) if several else live.bar(1.0)
        with pytest.raises(ok.ConnectionLost):
            live.bar(1.0)


@pytest.mark.parametrize(
    "rubbish",
    [b"", struct.pack("<3Q", 1, 0, 0), struct.pack("<3Qd", 1, 1, 0, 0.0), struct.pack("<3Qd", 1, 2**60, 0, 0.0)],
)
def test_a_senseless_list_of_trades_is_no_list(tmp_path, rubbish):
    with (
        fake_engine(tmp_path, lambda opcode, request_id, payload: framed(opcode, request_id, rubbish)) as url,
        ok.connect(url) as engine,
        pytest.raises(ok.ProtocolError),
    ):
        engine.trades([1.0, 2.0], COMBO, fee=0.09)
