"""What is sent, and what can break a request off."""

from __future__ import annotations

from typing import Any

Piece = bytes | bytearray | memoryview | Any  # with a C-contiguous buffer, of any shape and item


class RequestCutOff(ConnectionError):
    """The peer hung up while it was being sent to. It may have said why: a reply may still be there to be read."""
