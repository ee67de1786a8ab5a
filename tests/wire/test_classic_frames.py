"""The published wire format, spoken by a client that knows nothing but its description."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from classic_by_hand import (
    ECHO,
    SWEEP,
    RunningEngine,
    hung_up,
    receive_reply,
    request,
    running_engine,
    split_error,
    split_sweep,
)
from plain_reference import sweep_one, walk

COMBOS = [(3, 6, 2, 1, 2, 3), (4, 9, 3, 1, 2, 4), (12, 25, 5, 4, 6, 12), (500, 1000, 32, 167, 250, 500)]
CLOSE = walk(700)
FEE = 0.09
MALFORMED, UNKNOWN_OPCODE, INVALID, LIMIT = 1, 2, 3, 4


def expected_sweep(fee: float = FEE) -> tuple[list[float], list[int]]:
    results = [sweep_one(CLOSE, combo, fee) for combo in COMBOS]
    return [pnl for pnl, _ in results], [trades for _, trades in results]


def bits(values: list[float]) -> list[int]:
    return list(struct.unpack(f"<{len(values)}q", struct.pack(f"<{len(values)}d", *values)))


def check_sweep(body: bytes, fee: float = FEE) -> None:
    pnl, trades = split_sweep(body)
    expected_pnl, expected_trades = expected_sweep(fee)
    assert bits(pnl) == bits(expected_pnl)
    assert trades == expected_trades
    assert trades[0] > 100


def test_a_sweep_returns_the_reference_bits(engine: RunningEngine) -> None:
    peer = engine.connect()
    for _ in range(3):
        peer.sendall(request(SWEEP, CLOSE, COMBOS))
        check_sweep(receive_reply(peer))


def test_an_echo_returns_the_array_verbatim(engine: RunningEngine) -> None:
    peer = engine.connect()
    for close in ([], [1.5], [float("nan"), float("inf"), -0.0, 5e-324], [float(i) for i in range(150_000)]):
        peer.sendall(request(ECHO, close))
        assert receive_reply(peer) == struct.pack(f"<{len(close)}d", *close)


def test_an_echo_ignores_combos(engine: RunningEngine) -> None:
    peer = engine.connect()
    peer.sendall(request(ECHO, [1.0, 2.0], COMBOS))
    assert receive_reply(peer) == struct.pack("<2d", 1.0, 2.0)


def test_one_byte_at_a_time(engine: RunningEngine) -> None:
    peer = engine.connect()
    for frame, check in (
        (request(SWEEP, CLOSE, COMBOS), check_sweep),
        (request(ECHO, [2.5]), lambda body: struct.unpack("<d", body) == (2.5,) or pytest.fail(repr(body))),
    ):
        for i in range(len(frame)):
            peer.sendall(frame[i : i + 1])
        check(receive_reply(peer))


def test_a_sweep_of_nothing_is_an_empty_reply(engine: RunningEngine) -> None:
    peer = engine.connect()
    peer.sendall(request(SWEEP, CLOSE))
    assert receive_reply(peer) == b""
    peer.sendall(request(SWEEP, [], COMBOS))
    assert split_sweep(receive_reply(peer)) == ([0.0] * 4, [0] * 4)


def test_the_prices_are_not_judged(engine: RunningEngine) -> None:
    """Classic frames are checked for form only: NaN and zero give what the reference arithmetic gives."""
    peer = engine.connect()
    close = list(CLOSE[:200])
    close[50], close[90] = float("nan"), 0.0
    peer.sendall(request(SWEEP, close, COMBOS[:2]))
    pnl, trades = split_sweep(receive_reply(peer))
    expected = [sweep_one(close, combo, FEE) for combo in COMBOS[:2]]
    assert bits(pnl) == bits([value for value, _ in expected])
    assert trades == [count for _, count in expected]


@pytest.mark.parametrize("kernel", ["checked", "unchecked"])
def test_kernel_and_fee_are_the_engines(program: Path, tmp_path: Path, kernel: str) -> None:
    with running_engine(
        program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--kernel", kernel, "--fee", "0.5"
    ) as engine:
        peer = engine.connect()
        peer.sendall(request(SWEEP, CLOSE, COMBOS))
        check_sweep(receive_reply(peer), fee=0.5)


def header(opcode: int, n_bars: int, n_combos: int) -> bytes:
    return struct.pack("<BII", opcode, n_bars, n_combos)


def framed(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


# name: (bytes of the frame, code of the error, words the message must hold)
RECOVERABLE = {
    "empty body": (framed(b""), MALFORMED, ["0 bytes"]),
    "body shorter than a header": (framed(b"\0" * 8), MALFORMED, ["8 bytes"]),
    "more bytes than the counts say": (framed(header(SWEEP, 1, 0) + b"\0" * 16), MALFORMED, ["25 bytes", "17"]),
    "fewer bytes than the counts say": (framed(header(SWEEP, 2, 1) + b"\0" * 16), MALFORMED, ["2 bars", "1 combos"]),
    "counts that overflow 32 bits": (framed(header(ECHO, 0x20000001, 0) + b"\0" * 8), MALFORMED, ["536870913 bars"]),
    "largest counts": (framed(header(SWEEP, 0xFFFFFFFF, 0xFFFFFFFF)), MALFORMED, ["4294967295 bars"]),
    "opcode 2": (framed(header(2, 0, 0)), UNKNOWN_OPCODE, ["opcode 2"]),
    "opcode 15 with a payload": (framed(header(15, 1, 0) + b"\0" * 8), UNKNOWN_OPCODE, ["opcode 15"]),
    "window 0": (request(SWEEP, [1.0, 2.0], [(1,) * 6, (1, 1, 0, 1, 1, 1)]), INVALID, ["combo 1", "'smooth'"]),
    "negative window": (request(SWEEP, [], [(-(2**63), 1, 1, 1, 1, 1)]), INVALID, ["combo 0", "'half'", str(-(2**63))]),
    "too many combos": (request(SWEEP, [1.0], [(1,) * 6] * 101), LIMIT, ["101 combos", "100", "--max-combos"]),
    "garbage as large as the limit": (framed(b"\x07" * 2_000_000), UNKNOWN_OPCODE, ["opcode 7"]),
}  # fmt: skip


@pytest.mark.parametrize("name", RECOVERABLE)
def test_a_malformed_frame_is_told_and_the_connection_goes_on(engine: RunningEngine, name: str) -> None:
    frame, code, words = RECOVERABLE[name]
    other = engine.connect()
    other.sendall(request(ECHO, [1.0])[:9])
    peer = engine.connect()
    peer.sendall(frame)
    received_code, message = split_error(receive_reply(peer))
    assert received_code == code
    for word in words:
        assert word in message, message
    peer.sendall(request(SWEEP, CLOSE, COMBOS))
    check_sweep(receive_reply(peer))
    other.sendall(request(ECHO, [1.0])[9:])
    assert receive_reply(other) == struct.pack("<d", 1.0)


@pytest.mark.parametrize("declared", [2_000_001, 0x7FFFFFFF, 0xFFFFFFFF])
@pytest.mark.parametrize("payload", [0, 100, 1_000_000])
def test_a_length_over_the_limit_is_told_then_closed(engine: RunningEngine, declared: int, payload: int) -> None:
    memory_before = resident_bytes(engine)
    peer = engine.connect()
    peer.sendall(struct.pack("<I", declared) + b"\0" * payload)
    code, message = split_error(receive_reply(peer))
    assert code == LIMIT
    assert str(declared) in message
    assert "2000000" in message
    assert "--max-frame-bytes" in message
    assert hung_up(peer)
    assert resident_bytes(engine) < memory_before + 10_000_000
    peer = engine.connect()
    peer.sendall(request(ECHO, [1.0]))
    assert receive_reply(peer) == struct.pack("<d", 1.0)


def test_a_length_alone_sets_no_memory_aside(program: Path, tmp_path: Path) -> None:
    limit = 1 << 31
    with running_engine(
        program, tmp_path / "log", "--unix", str(tmp_path / "s"), "--max-frame-bytes", str(limit)
    ) as engine:
        before = resident_bytes(engine)
        n_bars = (limit - 9) // 8
        for _ in range(20):
            peer = engine.connect()
            peer.sendall(struct.pack("<I", 9 + 8 * n_bars) + header(SWEEP, n_bars, 0) + b"\0" * 1000)
        probe = engine.connect()
        probe.sendall(request(ECHO, [1.0]))
        receive_reply(probe)
        assert resident_bytes(engine) < before + 10_000_000


def test_the_end_inside_a_frame_closes_cleanly(engine: RunningEngine) -> None:
    frame = request(SWEEP, CLOSE, COMBOS)
    for cut in (1, 3, 4, 5, 12, 13, 14, 1000, len(frame) - 1):
        peer = engine.connect()
        peer.sendall(frame[:cut])
        peer.shutdown(1)  # the client will write no more
        assert hung_up(peer), cut
    peer = engine.connect()
    peer.sendall(frame)
    check_sweep(receive_reply(peer))


def test_pipelined_requests_are_answered_in_order(engine: RunningEngine) -> None:
    peer = engine.connect()
    peer.sendall(request(ECHO, [1.0]) + request(9, []) + request(SWEEP, CLOSE, COMBOS) + request(ECHO, [2.0]))
    assert receive_reply(peer) == struct.pack("<d", 1.0)
    assert split_error(receive_reply(peer))[0] == UNKNOWN_OPCODE
    check_sweep(receive_reply(peer))
    assert receive_reply(peer) == struct.pack("<d", 2.0)


def stdio(program: Path, stdin: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([program, "stdio", *arguments], input=stdin, capture_output=True, timeout=60, check=False)


def test_stdio_answers_one_request(program: Path) -> None:
    done = stdio(program, request(SWEEP, CLOSE, COMBOS))
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    (length,) = struct.unpack_from("<I", done.stdout)
    assert length == len(done.stdout) - 4
    check_sweep(done.stdout[4:])


@pytest.mark.parametrize("name", RECOVERABLE)
def test_stdio_tells_what_is_wrong(program: Path, name: str) -> None:
    frame, code, words = RECOVERABLE[name]
    done = stdio(program, frame, "--max-combos", "100", "--max-frame-bytes", "2000000")
    assert done.returncode == 1
    received_code, message = split_error(done.stdout[4:])
    assert received_code == code
    for word in words:
        assert word in message
    assert message in done.stderr.decode()


@pytest.mark.parametrize("cut", [0, 2, 8, 100])
def test_stdio_without_a_whole_request(program: Path, cut: int) -> None:
    done = stdio(program, request(SWEEP, CLOSE, COMBOS)[:cut])
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"onekernel-engine: ")


def resident_bytes(engine: RunningEngine) -> int:
    statm = Path(f"/proc/{engine.process.pid}/statm").read_text().split()
    return int(statm[1]) * 4096
