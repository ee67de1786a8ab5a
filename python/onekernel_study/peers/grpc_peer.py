"""gRPC over a Unix socket: unary calls, and one bidirectional stream of bars; protobuf with repeated doubles."""

import queue
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import numpy as np

from onekernel_study.peers import grpc_messages as messages
from onekernel_study.peers.process import cpu_ns, ready, served
from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

UNLIMITED = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
TIMEOUT_S = 60.0
NAME = f"{messages.PACKAGE}.Kernel"


def serve(address: str) -> None:
    """Serves until the process ends."""
    service = Service()

    def sweep(request: Any, context: grpc.ServicerContext) -> Any:
        combos = np.array(request.combos, np.int64).reshape(-1, 6)
        pnl, trades, compute_ns = service.sweep(np.array(request.close), combos, request.fee)
        return messages.SweepReply(pnl=pnl, trades=trades, compute_ns=compute_ns)

    def bar(request: Any, context: grpc.ServicerContext) -> Any:
        value, compute_ns = service.bar(request.close)
        return messages.BarReply(value=value, compute_ns=compute_ns)

    def bars(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        for request in requests:
            yield bar(request, context)

    coding = {"request_deserializer": messages.BarRequest.FromString, "response_serializer": _bytes}
    handlers = {
        "Sweep": grpc.unary_unary_rpc_method_handler(sweep, messages.SweepRequest.FromString, _bytes),
        "Bar": grpc.unary_unary_rpc_method_handler(bar, **coding),
        "Bars": grpc.stream_stream_rpc_method_handler(bars, **coding),
    }
    server = grpc.server(futures.ThreadPoolExecutor(2), options=UNLIMITED)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(NAME, handlers),))
    server.add_insecure_port(address)
    server.start()
    ready()
    server.wait_for_termination()


def _bytes(message: Any) -> bytes:
    return bytes(message.SerializeToString())


class Unary:
    """A call per question."""

    def __init__(self, channel: grpc.Channel, pid: int) -> None:
        self._pid = pid
        self._sweep = channel.unary_unary(f"/{NAME}/Sweep", _bytes, messages.SweepReply.FromString)
        self._bar = channel.unary_unary(f"/{NAME}/Bar", _bytes, messages.BarReply.FromString)

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """One unary call."""
        request = messages.SweepRequest(close=close, combos=combos.ravel(), fee=fee)
        reply = self._sweep(request, timeout=TIMEOUT_S)
        return Swept(np.array(reply.pnl), np.array(reply.trades, np.int64), reply.compute_ns)

    def bar(self, close: float) -> Stepped:
        """One unary call."""
        reply = self._bar(messages.BarRequest(close=close), timeout=TIMEOUT_S)
        return Stepped(reply.value, reply.compute_ns)

    def server_cpu_ns(self) -> int:
        """Of the gRPC server's process."""
        return cpu_ns(self._pid)


class Stream(Unary):
    """One stream, open all the time, that carries a bar and waits for its answer."""

    def __init__(self, channel: grpc.Channel, pid: int) -> None:
        super().__init__(channel, pid)
        self._requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        call = channel.stream_stream(f"/{NAME}/Bars", _bytes, messages.BarReply.FromString)
        self._replies = call(iter(self._requests.get, None))

    def bar(self, close: float) -> Stepped:
        """One message out on the stream, one in."""
        self._requests.put(messages.BarRequest(close=close))
        reply = next(self._replies)
        return Stepped(reply.value, reply.compute_ns)

    def close(self) -> None:
        """Ends the stream."""
        self._requests.put(None)


@contextmanager
def unary(folder: Path) -> Iterator[Unary]:
    """Starts the peer and connects to it."""
    with _channel(folder) as (channel, pid):
        yield Unary(channel, pid)


@contextmanager
def stream(folder: Path) -> Iterator[Stream]:
    """Starts the peer, connects to it and opens the stream."""
    with _channel(folder) as (channel, pid):
        client = Stream(channel, pid)
        try:
            yield client
        finally:
            client.close()


@contextmanager
def _channel(folder: Path) -> Iterator[tuple[grpc.Channel, int]]:
    address = f"unix:{folder / 's'}"
    with served("grpc_peer", address) as pid, grpc.insecure_channel(address, options=UNLIMITED) as channel:
        grpc.channel_ready_future(channel).result(TIMEOUT_S)
        yield channel, pid
