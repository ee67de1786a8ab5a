"""iceoryx2: request and response in shared memory, raw bytes; both sides spin for a while and then sleep on an event.

Sleeping matters: a server that only polled would take a core from whatever is measured beside it.
"""

import ctypes
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import iceoryx2 as iox2
from onekernel.session_connection import SPIN_US

from onekernel_study.peers import messages
from onekernel_study.peers.process import cpu_ns, ready, served
from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

TIMEOUT_S = 60.0
NAP = iox2.Duration.from_millis(100)
BYTES = iox2.Slice[ctypes.c_uint8]
FIRST_BYTES = 4096  # memory that each side sets aside at first; it grows with what is sent


class _Ports:
    """The service and the two events of one client and one server."""

    def __init__(self, name: str) -> None:
        iox2.set_log_level(iox2.LogLevel.Error)
        self.node = iox2.NodeBuilder.new().create(iox2.ServiceType.Ipc)
        self.calls = self._builder(name).request_response(BYTES, BYTES).open_or_create()
        self.asked = self._builder(f"{name}/asked").event().open_or_create()
        self.answered = self._builder(f"{name}/answered").event().open_or_create()

    def _builder(self, name: str) -> Any:
        return self.node.service_builder(iox2.ServiceName.new(name))


def _growing(builder: Any) -> Any:
    return builder.initial_max_slice_len(FIRST_BYTES).allocation_strategy(iox2.AllocationStrategy.PowerOfTwo).create()


def _received(receive: Callable[[], Any], listener: Any, seconds: float) -> Any:
    """What arrives next: looked for again and again for SPIN_US, then slept for; None after `seconds`."""
    now = time.perf_counter()
    spin_until, deadline = now + SPIN_US / 1e6, now + seconds
    while (arrived := receive()) is None:
        now = time.perf_counter()
        if now > deadline:
            return None
        if now > spin_until:
            listener.timed_wait(NAP)
    return arrived


def _copied(memory: Any, *parts: Any) -> Any:
    """Fills loaned memory with the parts, one after another."""
    address = memory.payload().as_ptr()
    for part in parts:
        ctypes.memmove(address, part if isinstance(part, bytes) else part.ctypes.data, len(part))
        address += len(part)
    return memory.assume_init()


def serve(address: str) -> None:
    """Serves until the process ends."""
    service, ports = Service(), _Ports(address)
    server = _growing(ports.calls.server_builder())
    listener, notifier = ports.asked.listener_builder().create(), ports.answered.notifier_builder().create()
    ready()
    while True:
        request = _received(server.receive, listener, TIMEOUT_S)
        if request is None:
            continue
        reply = messages.answer(service, request.payload().as_memory_view())
        _copied(request.loan_slice_uninit(len(reply)), reply).send()
        notifier.notify()
        request.delete()


class Client:
    """The asking side."""

    def __init__(self, ports: _Ports, pid: int) -> None:
        self._pid = pid
        self._ports = ports
        self._client = _growing(ports.calls.client_builder())
        self._listener = ports.answered.listener_builder().create()
        self._notifier = ports.asked.notifier_builder().create()

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """One copy into shared memory; the server reads it there."""
        head, *_ = messages.sweep_pieces(close, combos, fee)
        return messages.sweep_reply(self._ask(head, close.view("u1"), combos.ravel().view("u1")), len(combos))

    def bar(self, close: float) -> Stepped:
        """A few bytes."""
        return messages.bar_reply(self._ask(messages.bar_request(close)))

    def server_cpu_ns(self) -> int:
        """Of the answering process."""
        return cpu_ns(self._pid)

    def _ask(self, *parts: Any) -> bytes:
        memory = self._client.loan_slice_uninit(sum(map(len, parts)))
        pending = _copied(memory, *parts).send()
        self._notifier.notify()
        response = _received(pending.receive, self._listener, TIMEOUT_S)
        if response is None:
            raise TimeoutError(f"no response within {TIMEOUT_S:g} s")
        reply = bytes(response.payload().as_memory_view())
        response.delete()
        pending.delete()
        return reply


@contextmanager
def connect(folder: Path) -> Iterator[Client]:
    """Starts the peer and connects to it."""
    name = f"onekernel-study/{uuid.uuid4().hex}"
    with served("iceoryx", name) as pid:
        yield Client(_Ports(name), pid)
