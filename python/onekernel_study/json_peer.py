"""The peer of the json_chatty_unix row: the same C++ kernel behind a Unix socket that speaks length-prefixed JSON.

    request: [u32 length, little-endian][{"close": [...], "params": [[6 integers], ...], "fee": number}]
    reply:   [u32 length, little-endian][{"pnl": [...], "trades": [...], "compute_ns": integer}]

Run as `python -m onekernel_study.json_peer SOCKET KERNEL`: prints one line when it listens, serves one client, and
leaves when the client does. JSON writes doubles so that they read back to the same bits, so the gate holds here too.
"""

import json
import socket
import struct
import sys

import numpy as np
import onekernel as ok

from onekernel_study.stopwatch import timed

PREFIX = struct.Struct("<I")


def receive(connection: socket.socket) -> bytes | None:
    """The body of the next frame, or None where the other side closed between frames."""
    prefix = _exactly(connection, PREFIX.size)
    if prefix is None:
        return None
    body = _exactly(connection, PREFIX.unpack(prefix)[0])
    if body is None:
        raise ConnectionError("the other side closed inside a frame")
    return bytes(body)


def send(connection: socket.socket, body: bytes) -> None:
    """Sends one frame."""
    connection.sendall(PREFIX.pack(len(body)) + body)


def answer(body: bytes, kernel: str) -> bytes:
    """Decodes one request, runs it in process, encodes the reply."""
    request = json.loads(body)
    close = np.array(request["close"], dtype=np.float64)
    params = np.array(request["params"], dtype=np.int64)
    compute_ns, result = timed(lambda: ok.sweep(close, params, fee=request["fee"], kernel=kernel))
    reply = {"pnl": result.pnl.tolist(), "trades": result.trades.tolist(), "compute_ns": compute_ns}
    return json.dumps(reply).encode()


def serve(path: str, kernel: str) -> None:
    """Listens at path, says so on stdout, and answers one client until it leaves."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)
        print(f"unix:{path}", flush=True)
        listener.settimeout(60.0)  # A client that died before it connected must not leave this process behind.
        connection, _ = listener.accept()
        with connection:
            while (body := receive(connection)) is not None:
                send(connection, answer(body, kernel))


def _exactly(connection: socket.socket, n: int) -> bytearray | None:
    buffer = bytearray(n)
    view, filled = memoryview(buffer), 0
    while filled < n:
        received = connection.recv_into(view[filled:])
        if not received:
            if filled:
                raise ConnectionError("the other side closed inside a frame")
            return None
        filled += received
    return buffer


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2])
