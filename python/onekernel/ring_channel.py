"""Shared memory as a channel. The rings themselves are in the native module, which waits without the GIL."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _native
from .channel import Piece
from .deadline import remaining
from .errors import ProtocolError
from .socket_channel import SocketChannel

_DESCRIPTORS = 3  # the memory, the engine's bell, the client's bell


class DescriptorTaker:
    """A socket for one exchange whose reply brings the open files that shared memory consists of."""

    def __init__(self, channel: SocketChannel) -> None:
        self._channel = channel
        self._taken: list[int] = []
        self.receive_all = channel.receive_all
        self.hang_up = channel.hang_up
        self.close = channel.close

    def exchange(self, pieces: Sequence[Piece], n_bytes: int, reply: memoryview, deadline: float) -> int:
        """Send a request, receive the first part of its reply."""
        self._channel.send(pieces, n_bytes, deadline)
        return self.receive(reply, deadline)

    def receive(self, buffer: memoryview, deadline: float) -> int:
        """Receive at least one byte, and keep the open files that come along."""
        got, descriptors = self._channel.receive_with_descriptors(buffer, _DESCRIPTORS, deadline)
        self._taken += descriptors
        return got

    def take(self) -> tuple[int, int, int]:
        """Hand over the three open files. ProtocolError if there are fewer or more."""
        if len(self._taken) != _DESCRIPTORS:
            raise ProtocolError(f"{len(self._taken)} descriptors came with shared memory, not {_DESCRIPTORS}")
        memory, server_bell, client_bell = self._taken
        self._taken = []
        return memory, server_bell, client_bell

    def close_taken(self) -> None:
        """Close what was not handed over."""
        for descriptor in self._taken:
            os.close(descriptor)
        self._taken = []


class RingChannel:
    """Rings in shared memory, and the socket beside them that tells when the engine has gone.

    descriptors: the memory, the engine's bell, the client's bell; they become this channel's own. ring_bytes: of one
    direction. spin_us: for how many microseconds a wait looks again and again before it sleeps.
    """

    def __init__(
        self, channel: SocketChannel, descriptors: tuple[int, int, int], ring_bytes: int, spin_us: float
    ) -> None:
        self._socket = channel
        self._ring = _native.Ring(*descriptors, ring_bytes, channel.socket.fileno(), round(1000 * spin_us))

    def exchange(self, pieces: Sequence[Piece], n_bytes: int, reply: memoryview, deadline: float) -> int:
        """Send a request and receive its reply, as far as there is room for it."""
        return self._ring.exchange(pieces, reply, remaining(deadline))

    def receive(self, buffer: memoryview, deadline: float) -> int:
        """Receive at least one byte."""
        return self._ring.receive(buffer, 1, remaining(deadline))

    def receive_all(self, buffer: memoryview, deadline: float) -> None:
        """Fill the buffer."""
        self._ring.receive(buffer, len(buffer), remaining(deadline))

    def hang_up(self) -> None:
        """End the connection; a thread that waits sees its socket end."""
        self._socket.hang_up()

    def close(self) -> None:
        """Unmap the memory and close everything."""
        self._ring.close()
        self._socket.close()
