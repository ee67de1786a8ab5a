"""What carries frames to an engine: a socket or shared memory. Neither knows what a frame means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Piece = bytes | bytearray | memoryview  # C-contiguous, of any shape and item


HUNG_UP = "the engine hung up before it replied"


class RequestCutOff(ConnectionError):
    """The peer hung up while it was being sent to. It may have said why: a reply may still be there to be read."""


class Channel(Protocol):
    """A connected channel. Failures are TimeoutError, OSError (ConnectionLost among them) and ProtocolError."""

    def exchange(self, pieces: Sequence[Piece], n_bytes: int, reply: memoryview, deadline: float) -> int:
        """Send the pieces (n_bytes in all), then receive as `receive` does."""

    def receive(self, buffer: memoryview, deadline: float) -> int:
        """Receive at least one byte and at most what fills the buffer; return how many. ConnectionLost at the end."""

    def receive_all(self, buffer: memoryview, deadline: float) -> None:
        """Fill the buffer."""

    def hang_up(self) -> None:
        """End the connection, so that a thread that waits in it is woken; its descriptors stay open."""

    def close(self) -> None:
        """Let go of everything. Nobody may be waiting in it."""
