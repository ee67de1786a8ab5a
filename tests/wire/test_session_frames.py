"""Session frames, spoken by a client that knows nothing but the tables of docs/protocol.md."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from classic_by_hand import ECHO as CLASSIC_ECHO
from classic_by_hand import RunningEngine, hung_up, receive_reply, request, running_engine
from plain_reference import sweep_one, walk
from session_by_hand import (
    ATTACH,
    DESCRIPTOR,
    DROP,
    ECHO,
    HELLO,
    LIST,
    PUT,
    REPLACE,
    SHARED,
    STATISTICS,
    SWEEP,
    Session,
    frame,
    put_payload,
    receive_session,
    send_with_descriptors,
    split_infos,
    split_sweep,
    sweep_payload,
)

OK, MALFORMED, UNKNOWN_OPCODE, INVALID, LIMIT = 0, 1, 2, 3, 4
STALE_EPOCH, NOT_FOUND, ALREADY_EXISTS = 10, 11, 12
CLOSE = walk(400)
COMBOS = [(3, 6, 2, 1, 2, 3), (12, 25, 5, 4, 6, 12)]
TIMEOUT_S = 60.0
F_ADD_SEALS, SEAL_SEAL, SEAL_SHRINK, SEAL_GROW, SEAL_WRITE = 1033, 1, 2, 4, 8
ALL_SEALS = SEAL_SEAL | SEAL_SHRINK | SEAL_GROW | SEAL_WRITE


def bits(values: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


def check_sweep(payload: bytes, close: Sequence[float] = CLOSE, fee: float = 0.3) -> None:
    pnl, trades = split_sweep(payload)
    expected = [sweep_one(close, combo, fee) for combo in COMBOS]
    assert bits(pnl) == bits([value for value, _ in expected])
    assert trades == [count for _, count in expected]
    assert trades[0] > 50


def sealed_memfd(close: Sequence[float], seals: int = ALL_SEALS) -> int:
    memory = os.memfd_create("series", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.write(memory, bits(close))
    fcntl.fcntl(memory, F_ADD_SEALS, seals)
    return memory


def eventually(condition, what: str) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


@pytest.fixture
def session(engine: RunningEngine) -> Session:
    return Session(engine.connect())


@pytest.fixture
def unix_engine(program: Path, tmp_path: Path) -> Iterator[RunningEngine]:
    with running_engine(program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--max-series", "3") as running:
        yield running


def test_hello_tells_limits_and_kernels(session: Session) -> None:
    reply = session.call(HELLO)
    fields = struct.unpack_from("<7QdII24s", reply.payload)
    capabilities, frame_bytes, combos = fields[:3]
    assert (frame_bytes, combos) == (2_000_000, 100)
    assert capabilities == (1 if session.peer.family == socket.AF_UNIX else 0)
    assert fields[7] == 0.09
    names = reply.payload[struct.calcsize("<7QdII24s") :][: fields[9]].decode().split(",")
    assert names[:2] == ["checked", "unchecked"]
    assert 0 <= fields[8] < len(names)


def test_a_sweep_that_ships_its_series(session: Session) -> None:
    reply = session.call(SWEEP, sweep_payload(0, CLOSE, COMBOS, 0.3))
    assert reply.status == OK, reply.message
    check_sweep(reply.payload)
    assert reply.compute_ns > 0


@pytest.mark.parametrize("flags", [0, SHARED])
def test_a_sweep_over_a_stored_series(session: Session, flags: int) -> None:
    put = session.call(PUT, put_payload("walk", CLOSE, flags))
    assert put.status == OK, put.message
    ((series_id, n_bars, _, stored_flags, name),) = split_infos(put.payload)
    assert (n_bars, stored_flags, name) == (400, flags, "walk")
    for kernel in (0, 1):
        reply = session.call(SWEEP, sweep_payload(series_id, [], COMBOS, 0.3, kernel))
        assert reply.status == OK, reply.message
        check_sweep(reply.payload)
        assert struct.unpack_from("<QI", reply.payload) == (2, kernel)
    assert session.call(DROP, struct.pack("<Q", series_id)).status == OK
    assert session.call(SWEEP, sweep_payload(series_id, [], COMBOS, 0.3)).status == NOT_FOUND
    assert session.call(DROP, struct.pack("<Q", series_id)).status == NOT_FOUND


def test_the_same_content_is_stored_once(unix_engine: RunningEngine) -> None:
    first, second = Session(unix_engine.connect()), Session(unix_engine.connect())
    ids = [
        split_infos(client.call(PUT, put_payload(name, CLOSE)).payload)[0][0]
        for client, name in ((first, "a"), (first, "b"), (second, "c"))
    ]
    assert len(set(ids)) == 1
    assert statistics(first)[7:9] == (1, 3200)


def statistics(session: Session) -> tuple[int, ...]:
    return struct.unpack("<11Q", session.call(STATISTICS).payload)


def test_private_series_go_with_their_client_and_shared_ones_stay(unix_engine: RunningEngine) -> None:
    watcher = Session(unix_engine.connect())
    client = Session(unix_engine.connect())
    ((own_id, *_),) = split_infos(client.call(PUT, put_payload("own", CLOSE)).payload)
    ((shared_id, *_),) = split_infos(client.call(PUT, put_payload("everybody's", CLOSE[:300], SHARED)).payload)
    assert [info[4] for info in split_infos(client.call(LIST).payload)] == ["everybody's", "own"]
    assert [info[4] for info in split_infos(watcher.call(LIST).payload)] == ["everybody's"]
    assert watcher.call(SWEEP, sweep_payload(own_id, [], COMBOS, 0.3)).status == NOT_FOUND
    client.peer.close()
    eventually(lambda: statistics(watcher)[7] == 1, "the dead client's series stays")
    check_sweep(watcher.call(SWEEP, sweep_payload(shared_id, [], COMBOS, 0.3)).payload, CLOSE[:300])


def test_a_shared_name_is_replaced_only_when_asked(unix_engine: RunningEngine) -> None:
    session = Session(unix_engine.connect())
    assert session.call(PUT, put_payload("n", CLOSE, SHARED)).status == OK
    assert session.call(PUT, put_payload("n", CLOSE, SHARED)).status == OK
    taken = session.call(PUT, put_payload("n", CLOSE[1:], SHARED))
    assert taken.status == ALREADY_EXISTS
    assert "'n'" in taken.message
    assert session.call(PUT, put_payload("n", CLOSE[1:], SHARED | REPLACE)).status == OK
    assert statistics(session)[7] == 1


def test_the_limit_on_series_is_named(unix_engine: RunningEngine) -> None:
    session = Session(unix_engine.connect())
    for i in range(3):
        assert session.call(PUT, put_payload(f"s{i}", CLOSE[i:])).status == OK
    over = session.call(PUT, put_payload("s3", CLOSE[3:]))
    assert over.status == LIMIT
    assert "--max-series" in over.message


def test_a_series_in_a_sealed_memfd(unix_engine: RunningEngine) -> None:
    session = Session(unix_engine.connect())
    memory = sealed_memfd(CLOSE)
    put = session.call(PUT, put_payload("mapped", CLOSE, DESCRIPTOR), [memory])
    os.close(memory)
    assert put.status == OK, put.message
    ((series_id, *_),) = split_infos(put.payload)
    check_sweep(session.call(SWEEP, sweep_payload(series_id, [], COMBOS, 0.3)).payload)
    again = session.call(PUT, put_payload("copied", CLOSE))
    assert split_infos(again.payload)[0][0] == series_id, "by bytes or by memfd, the content is the same"


@pytest.mark.parametrize("missing", [SEAL_SEAL, SEAL_SHRINK, SEAL_WRITE])
def test_a_memfd_that_could_change_is_refused(unix_engine: RunningEngine, missing: int) -> None:
    session = Session(unix_engine.connect())
    memory = sealed_memfd(CLOSE, ALL_SEALS & ~missing)
    put = session.call(PUT, put_payload("unsealed", CLOSE, DESCRIPTOR), [memory])
    os.close(memory)
    assert put.status == INVALID
    assert "seal" in put.message


def test_descriptors_that_are_no_series(unix_engine: RunningEngine, tmp_path: Path) -> None:
    session = Session(unix_engine.connect())
    assert session.call(PUT, put_payload("none came", CLOSE, DESCRIPTOR)).status == INVALID
    short = sealed_memfd(CLOSE[:10])
    assert session.call(PUT, put_payload("short", CLOSE, DESCRIPTOR), [short]).status == INVALID
    (tmp_path / "file").write_bytes(bits(CLOSE))
    file = os.open(tmp_path / "file", os.O_RDONLY)
    assert session.call(PUT, put_payload("file", CLOSE, DESCRIPTOR), [file]).status == INVALID
    before = unix_engine.open_descriptors()
    for _ in range(50):
        session.call(ECHO, b"x" * 8, [short] * 4)  # nobody asked for these
    assert unix_engine.open_descriptors() <= before + 4
    session.peer.close()
    eventually(lambda: unix_engine.open_descriptors() < before, "descriptors that came along stay open")
    os.close(short)
    os.close(file)


MALFORMED_FRAMES = {
    "header cut": (struct.pack("<I", 31) + frame(HELLO)[4:35], MALFORMED),
    "version 2": (frame(HELLO, version=2), MALFORMED),
    "unknown opcode": (frame(0x7F), STALE_EPOCH),
    "epoch of another run": (frame(LIST, epoch=12345), STALE_EPOCH),
    "no epoch": (frame(LIST), STALE_EPOCH),
}


@pytest.mark.parametrize("name", MALFORMED_FRAMES)
def test_a_malformed_session_frame_is_told_and_the_connection_goes_on(engine: RunningEngine, name: str) -> None:
    data, status = MALFORMED_FRAMES[name]
    peer = engine.connect()
    peer.sendall(data)
    reply = receive_session(peer)
    assert reply.status == status
    assert reply.message
    assert Session(peer).call(ECHO, b"12345678").payload == b"12345678"


BAD_PAYLOADS = {
    "unknown opcode": (0x7F, b"", UNKNOWN_OPCODE),
    "put cut": (PUT, b"\0" * 8, MALFORMED),
    "put without its name": (PUT, struct.pack("<QII", 0, 0, 100), MALFORMED),
    "put without its closes": (PUT, put_payload("x", CLOSE)[:-8], MALFORMED),
    "put of 2^64-1 bars": (PUT, struct.pack("<QII", 2**64 - 1, 0, 1) + b"x" + b"\0" * 7, MALFORMED),
    "put with bytes left over": (PUT, put_payload("x", CLOSE) + b"\0" * 8, MALFORMED),
    "put without a name": (PUT, put_payload("", CLOSE), INVALID),
    "put with a long name": (PUT, put_payload("x" * 256, CLOSE), INVALID),
    "drop cut": (DROP, b"", MALFORMED),
    "sweep cut": (SWEEP, b"\0" * 39, MALFORMED),
    "sweep of 2^61 bars": (SWEEP, struct.pack("<QQQdII", 0, 2**61, 0, 0.0, 0, 0), MALFORMED),
    "sweep of 2^60 combos": (SWEEP, struct.pack("<QQQdII", 0, 0, 2**60, 0.0, 0, 0), MALFORMED),
    "sweep stored and shipped": (SWEEP, sweep_payload(1, CLOSE, COMBOS, 0.1), INVALID),
    "sweep of a kernel that is not there": (SWEEP, sweep_payload(0, CLOSE, COMBOS, 0.1, 99), INVALID),
    "sweep with a fee that is no number": (SWEEP, sweep_payload(0, CLOSE, COMBOS, float("nan")), INVALID),
    "sweep with a window of 0": (SWEEP, sweep_payload(0, CLOSE, [(0,) * 6], 0.1), INVALID),
    "sweep of too many combos": (SWEEP, sweep_payload(0, [], [(1,) * 6] * 101, 0.1), LIMIT),
    "attach cut": (ATTACH, b"", MALFORMED),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_PAYLOADS)
def test_a_bad_payload_is_told_and_the_session_goes_on(session: Session, name: str) -> None:
    opcode, payload, status = BAD_PAYLOADS[name]
    reply = session.call(opcode, payload)
    assert reply.status == status, reply.message
    assert reply.message
    check_sweep(session.call(SWEEP, sweep_payload(0, CLOSE, COMBOS, 0.3)).payload)


def test_classic_and_session_frames_share_a_connection(session: Session) -> None:
    session.peer.sendall(request(CLASSIC_ECHO, [1.5]))
    assert receive_reply(session.peer) == struct.pack("<d", 1.5)
    session.peer.sendall(request(CLASSIC_ECHO, [2.5]) + frame(ECHO, b"8 bytes!", request_id=9, epoch=session.epoch))
    assert receive_reply(session.peer) == struct.pack("<d", 2.5)
    assert receive_session(session.peer).payload == b"8 bytes!"


def test_a_restarted_engine_refuses_the_old_epoch(program: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with running_engine(program, tmp_path / "log", "--unix", path) as engine:
        old_epoch = Session(engine.connect()).epoch
        engine.stop(signal.SIGKILL)
    with running_engine(program, tmp_path / "log", "--unix", path) as engine:
        peer = engine.connect()
        peer.sendall(frame(LIST, epoch=old_epoch))
        reply = receive_session(peer)
        assert reply.status == STALE_EPOCH
        assert reply.epoch != old_epoch


def test_attach_needs_a_unix_socket_and_a_sane_size(engine: RunningEngine) -> None:
    session = Session(engine.connect())
    if session.peer.family == socket.AF_UNIX:
        over = session.call(ATTACH, struct.pack("<Q", 1 << 40))
        assert over.status == LIMIT
        assert "--max-ring-bytes" in over.message
    else:
        assert session.call(ATTACH, struct.pack("<Q", 1 << 16)).status == INVALID


def attach(session: Session) -> list[int]:
    session.send(ATTACH, struct.pack("<Q", 1 << 16))
    _, descriptors, _, _ = socket.recv_fds(session.peer, 4 + 32 + 16, 3)
    assert len(descriptors) == 3
    return descriptors


def test_a_client_that_dies_in_shared_memory_leaves_nothing_behind(unix_engine: RunningEngine) -> None:
    watcher = Session(unix_engine.connect())
    before = unix_engine.open_descriptors()
    for _ in range(100):
        session = Session(unix_engine.connect())
        for descriptor in attach(session):
            os.close(descriptor)
        session.peer.close()
    eventually(lambda: unix_engine.open_descriptors() <= before, "descriptors stay open")
    eventually(lambda: statistics(watcher)[6] == 1, "connections are still counted")
    maps = Path(f"/proc/{unix_engine.process.pid}/maps")
    eventually(lambda: "onekernel-ring" not in maps.read_text(), "shared memory stays mapped")


def test_rubbish_in_the_ring_closes_that_client_only(unix_engine: RunningEngine) -> None:
    other = Session(unix_engine.connect())
    session = Session(unix_engine.connect())
    memory, server_bell, client_bell = attach(session)
    # The first cell of the ring to the server: a stamp that fits, and a size that does not.
    os.pwrite(memory, struct.pack("<QII", 1, 0xFFFFFFFF, 0xFFFFFFFF), 3 * 64)
    os.write(server_bell, struct.pack("<Q", 1))
    assert hung_up(session.peer)
    assert other.call(ECHO, b"still on").payload == b"still on"
    for descriptor in (memory, server_bell, client_bell):
        os.close(descriptor)


def test_bytes_on_the_socket_after_attach_close_the_client(unix_engine: RunningEngine) -> None:
    session = Session(unix_engine.connect())
    descriptors = attach(session)
    session.peer.sendall(b"what is this doing here?")
    assert hung_up(session.peer)
    for descriptor in descriptors:
        os.close(descriptor)


def test_extra_descriptors_do_not_starve_the_engine(unix_engine: RunningEngine) -> None:
    peer = unix_engine.connect()
    memory = sealed_memfd(CLOSE)
    before = unix_engine.open_descriptors()
    for _ in range(200):
        send_with_descriptors(peer, frame(HELLO), [memory] * 4)
        assert receive_session(peer).status == OK
    assert unix_engine.open_descriptors() <= before + 5
    os.close(memory)
