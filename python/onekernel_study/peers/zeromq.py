"""ZeroMQ: REQ and REP sockets over ipc://, raw bytes, the arrays as parts of a message of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import zmq

from onekernel_study.peers import messages
from onekernel_study.peers.process import cpu_ns, ready, served
from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

TIMEOUT_MS = 60_000


def serve(address: str) -> None:
    """Answers one client for ever."""
    service = Service()
    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        socket.bind(address)
        ready()
        while True:
            head, *arrays = socket.recv_multipart()
            socket.send(messages.answer(service, b"".join((head, *arrays)) if arrays else head))


class Client:
    """The REQ side."""

    def __init__(self, socket: "zmq.Socket[bytes]", pid: int) -> None:
        self._socket = socket
        self._pid = pid

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """Three parts out, one in."""
        self._socket.send_multipart(messages.sweep_pieces(close, combos, fee))
        return messages.sweep_reply(self._socket.recv(), len(combos))

    def bar(self, close: float) -> Stepped:
        """One part each way."""
        self._socket.send(messages.bar_request(close))
        return messages.bar_reply(self._socket.recv())

    def server_cpu_ns(self) -> int:
        """Of the REP side's process."""
        return cpu_ns(self._pid)


@contextmanager
def connect(folder: Path) -> Iterator[Client]:
    """Starts the peer and connects to it."""
    address = f"ipc://{folder / 's'}"
    with served("zeromq", address) as pid, zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.setsockopt(zmq.RCVTIMEO, TIMEOUT_MS)
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(address)
        yield Client(socket, pid)
