"""Endpoint URLs: ``unix:/path/to.sock``, ``tcp://host:port`` and ``shm:/path/to.sock``.

Shared memory has no address of its own: it is asked for over the Unix socket whose path its URL names.
"""

from __future__ import annotations

import socket

# sun_path holds 108 bytes on Linux, one of which is the closing zero.
MAX_UNIX_PATH_BYTES = 107
SHARED_MEMORY = "shm:"

Address = str | tuple[str, int]


def parse_url(url: str) -> tuple[socket.AddressFamily, Address]:
    """Return (family, address) of an endpoint's socket. ValueError if the URL is not understood, with what would be."""
    for scheme in ("unix:", SHARED_MEMORY):
        if url.startswith(scheme):
            return socket.AF_UNIX, _unix_path(url, scheme)
    if url.startswith("tcp://"):
        host, _, port = url.removeprefix("tcp://").rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if host and port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535:
            return (socket.AF_INET6 if ":" in host else socket.AF_INET), (host, int(port))
    raise ValueError(
        f"endpoint {url!r} is not understood; use unix:/path/to.sock, tcp://host:port or shm:/path/to.sock"
    )


def is_shared_memory(url: str) -> bool:
    """Tell whether a URL asks for shared memory."""
    return url.startswith(SHARED_MEMORY)


def _unix_path(url: str, scheme: str) -> str:
    path = url.removeprefix(scheme)
    length = len(path.encode())
    if not path:
        raise ValueError(f"endpoint {url!r} names no socket file; use {scheme}/path/to.sock")
    if length > MAX_UNIX_PATH_BYTES:
        raise ValueError(
            f"the socket path in {url!r} has {length} bytes, but a Unix socket path holds at most {MAX_UNIX_PATH_BYTES}"
        )
    return path
