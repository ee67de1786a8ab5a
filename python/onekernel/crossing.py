"""Where a live session of the command line may be; apart from the rest, so that the command line starts quickly."""

from __future__ import annotations

from enum import Enum


class Over(str, Enum):
    """In this process, or in an engine that is reached in this way."""

    inproc = "inproc"
    unix = "unix"
    shm = "shm"
    tcp = "tcp"
