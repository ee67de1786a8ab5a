"""Session frames from the tables of docs/protocol.md alone: sockets and struct, nothing of the package."""

from __future__ import annotations

import array
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from classic_by_hand import receive_exactly

HELLO, PUT, LIST, DROP, SWEEP, ECHO, STATISTICS, ATTACH = range(0x10, 0x18)
LIVE_OPEN, LIVE_BARS, LIVE_STATES, LIVE_SNAPSHOT, LIVE_RESTORE, LIVE_CLOSE, TRADES = range(0x20, 0x27)
SHARED, DESCRIPTOR, REPLACE = 1, 2, 4
DEFAULT_KERNEL = 0xFFFFFFFF
HEADER = struct.Struct("<BBHIQQQ")
VERSION = 1


@dataclass
class Reply:
    opcode: int
    status: int
    request_id: int
    epoch: int
    compute_ns: int
    payload: bytes

    @property
    def message(self) -> str:
        return self.payload.rstrip(b"\0").decode()


def padded(text: bytes) -> bytes:
    return text + b"\0" * (-len(text) % 8)


def frame(opcode: int, payload: bytes = b"", *, request_id: int = 1, epoch: int = 0, version: int = VERSION) -> bytes:
    body = HEADER.pack(opcode, version, 0, 0, request_id, epoch, 0) + payload
    return struct.pack("<I", len(body)) + body


def put_payload(name: str, close: Sequence[float], flags: int = 0) -> bytes:
    encoded = name.encode()
    closes = b"" if flags & DESCRIPTOR else struct.pack(f"<{len(close)}d", *close)
    return struct.pack("<QII", len(close), flags, len(encoded)) + padded(encoded) + closes


def sweep_payload(
    series_id: int,
    close: Sequence[float],
    combos: Sequence[Sequence[int]],
    fee: float,
    kernel: int = DEFAULT_KERNEL,
    threads: int = 0,
) -> bytes:
    head = struct.pack("<QQQdII", series_id, len(close), len(combos), fee, kernel, threads)
    return head + struct.pack(f"<{len(close)}d", *close) + b"".join(struct.pack("<6q", *combo) for combo in combos)


def live_payload(
    series_id: int, close: Sequence[float], combos: Sequence[Sequence[int]], fee: float, threads: int = 0
) -> bytes:
    """Return what live open and trades have in common."""
    head = struct.pack("<QQQdQ", series_id, len(close), len(combos), fee, threads)
    return head + struct.pack(f"<{len(close)}d", *close) + b"".join(struct.pack("<6q", *combo) for combo in combos)


def live_bars_payload(live_id: int, first_bar: int, close: Sequence[float]) -> bytes:
    return struct.pack(f"<QqQ{len(close)}d", live_id, first_bar, len(close), *close)


def split_sweep(payload: bytes) -> tuple[list[float], list[int]]:
    (count,) = struct.unpack_from("<Q", payload)
    arrays = payload[8 + 4 + 4 + 16 + 56 :]
    assert len(arrays) == 16 * count
    return list(struct.unpack_from(f"<{count}d", arrays)), list(struct.unpack_from(f"<{count}q", arrays, 8 * count))


def split_infos(payload: bytes) -> list[tuple[int, int, int, int, str]]:
    infos, at = [], 0
    while at < len(payload):
        series_id, n_bars, content, flags, name_bytes = struct.unpack_from("<QQQII", payload, at)
        at += 32
        infos.append((series_id, n_bars, content, flags, payload[at : at + name_bytes].decode()))
        at += name_bytes + -name_bytes % 8
    return infos


def receive_session(peer: socket.socket) -> Reply:
    (length,) = struct.unpack("<I", receive_exactly(peer, 4))
    body = receive_exactly(peer, length)
    opcode, version, status, reserved, request_id, epoch, compute_ns = struct.unpack_from("<BBHIQQq", body)
    assert (version, reserved) == (VERSION, 0)
    return Reply(opcode, status, request_id, epoch, compute_ns, body[HEADER.size :])


def send_with_descriptors(peer: socket.socket, data: bytes, descriptors: Sequence[int]) -> None:
    rights = array.array("i", descriptors)
    sent = peer.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    peer.sendall(data[sent:])


class Session:
    """One connection that has said hello."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.next_id = 1
        self.epoch = 0
        self.epoch = self.call(HELLO).epoch
        assert self.epoch != 0

    def send(self, opcode: int, payload: bytes = b"", descriptors: Sequence[int] = ()) -> int:
        data = frame(opcode, payload, request_id=self.next_id, epoch=self.epoch)
        if descriptors:
            send_with_descriptors(self.peer, data, descriptors)
        else:
            self.peer.sendall(data)
        self.next_id += 1
        return self.next_id - 1

    def call(self, opcode: int, payload: bytes = b"", descriptors: Sequence[int] = ()) -> Reply:
        request_id = self.send(opcode, payload, descriptors)
        reply = receive_session(self.peer)
        assert (reply.opcode, reply.request_id) == (opcode, request_id)
        return reply
