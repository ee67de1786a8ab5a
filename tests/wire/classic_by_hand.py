"""A classic client written from the description of the format alone: sockets and struct, nothing of the package."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SWEEP, ECHO = 0, 1
TIMEOUT_S = 60.0


def request(opcode: int, close: Sequence[float], combos: Sequence[Sequence[int]] = ()) -> bytes:
    body = struct.pack("<BII", opcode, len(close), len(combos))
    body += struct.pack(f"<{len(close)}d", *close)
    body += b"".join(struct.pack("<6q", *combo) for combo in combos)
    return struct.pack("<I", len(body)) + body


def receive_exactly(peer: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        chunk = peer.recv(count - len(received))
        if not chunk:
            raise EOFError(f"the engine hung up after {len(received)} of {count} bytes")
        received += chunk
    return received


def receive_reply(peer: socket.socket) -> bytes:
    (length,) = struct.unpack("<I", receive_exactly(peer, 4))
    return receive_exactly(peer, length)


def split_sweep(body: bytes) -> tuple[list[float], list[int]]:
    count = len(body) // 16
    assert len(body) == 16 * count
    return list(struct.unpack_from(f"<{count}d", body)), list(struct.unpack_from(f"<{count}q", body, 8 * count))


def split_error(body: bytes) -> tuple[int, str]:
    assert len(body) % 8 == 1, f"{len(body)} bytes are no error reply"
    return body[0], body[1:].decode("utf-8").rstrip(" ")


def hung_up(peer: socket.socket) -> bool:
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


@dataclass
class RunningEngine:
    process: subprocess.Popen[bytes]
    urls: list[str]
    log: Path
    open_sockets: list[socket.socket] = field(default_factory=list)

    def connect(self, url: str | None = None) -> socket.socket:
        url = url or self.urls[0]
        if url.startswith("unix:"):
            peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.open_sockets.append(peer)
            peer.settimeout(TIMEOUT_S)
            peer.connect(url.removeprefix("unix:"))
            return peer
        host, port = url.removeprefix("tcp://").rsplit(":", 1)
        peer = socket.create_connection((host.strip("[]"), int(port)), timeout=TIMEOUT_S)
        self.open_sockets.append(peer)
        return peer

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        self.process.send_signal(signal_number)
        return self.process.wait(timeout=TIMEOUT_S)

    def open_descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


@contextmanager
def running_engine(
    program: Path, log: Path, *arguments: str, stdin: int | None = subprocess.DEVNULL
) -> Iterator[RunningEngine]:
    """Starts `onekernel-engine serve` and waits until it has printed its endpoints."""
    endpoints = sum(argument in ("--unix", "--tcp") for argument in arguments)
    with log.open("wb") as log_file:
        process = subprocess.Popen(
            [program, "serve", *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=log_file, cwd=log.parent
        )
    assert process.stdout is not None
    engine = RunningEngine(process, [], log)
    try:
        for _ in range(endpoints):
            line = process.stdout.readline().decode()
            assert line, f"the engine did not start: {log.read_text()}"
            engine.urls.append(line.strip())
        yield engine
    finally:
        for peer in engine.open_sockets:
            peer.close()
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        if process.stdin is not None:
            process.stdin.close()
