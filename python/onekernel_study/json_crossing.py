"""JSON under chatty: one call per combo, each call ships the series as JSON text to a Python process."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from onekernel_study import json_peer
from onekernel_study.crossings import Close, Combos, Crossing, Opener, joined
from onekernel_study.gate import Answer
from onekernel_study.stopwatch import timed
from onekernel_study.timings import Account

TIMEOUT = 300.0


class JsonChatty:
    """The client. It keeps its own account, since its peer is no engine; the peer reports its compute in each reply."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._account = Account(0.0, 0, 0, 0)

    def sweep(self, close: Close, combos: Combos, fee: float) -> Answer:
        """One call per combo, one after another."""
        answers = []
        encode_ns = compute_ns = bytes_out = bytes_in = 0
        for i in range(len(combos)):
            taken, request = timed(partial(encode, close, combos[i : i + 1], fee))
            json_peer.send(self._connection, request)
            body = json_peer.receive(self._connection)
            if body is None:
                raise ConnectionError("the JSON peer closed the connection")
            reply = json.loads(body)
            answers.append(Answer(np.array(reply["pnl"], np.float64), np.array(reply["trades"], np.int64)))
            encode_ns += taken
            compute_ns += reply["compute_ns"]
            bytes_out += json_peer.PREFIX.size + len(request)
            bytes_in += json_peer.PREFIX.size + len(body)
        self._account = Account(compute_ns / 1e9, len(answers), bytes_out, bytes_in, encode_ns / 1e9)
        return joined(answers)

    def account(self) -> Account:
        """What the client counted and the peer reported."""
        return self._account


def encode(close: Close, combos: Combos, fee: float) -> bytes:
    """One request as JSON text."""
    return json.dumps({"close": close.tolist(), "params": combos.tolist(), "fee": fee}).encode()


def json_chatty(kernel: str) -> Opener:
    """The peer process and a connection to it."""

    @contextmanager
    def opened(scratch: Path, fee: float) -> Iterator[Crossing]:
        path = scratch / "json.sock"
        command = [sys.executable, "-m", "onekernel_study.json_peer", str(path), kernel]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                if not process.stdout.readline():
                    raise RuntimeError("the JSON peer did not start; its message is on stderr")
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(TIMEOUT)
                    connection.connect(str(path))
                    yield JsonChatty(connection)
                process.wait(TIMEOUT)
            finally:
                process.kill()

    return opened
