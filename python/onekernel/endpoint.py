"""Endpoint URLs: ``unix:/path/to.sock`` and ``tcp://host:port``."""

from __future__ import annotations

import socket

# sun_path holds 108 bytes on Linux, one of which is the closing zero.
MAX_UNIX_PATH_BYTES = 107

Address = str | tuple[str, int]


def parse_url(url: str) -> tuple[socket.AddressFamily, Address]:
    """Return (family, address) of an endpoint. ValueError if the URL is not understood, with what would be."""
    if url.startswith("unix:"):
        return socket.AF_UNIX, _unix_path(url)
    if url.startswith("tcp://"):
        host, _, port = url.removeprefix("tcp://").rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if host and port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535:
            return (socket.AF_INET6 if ":" in host else socket.AF_INET), (host, int(port))
    raise ValueError(f"endpoint {url!r} is not understood; use unix:/path/to.sock or tcp://host:port")


def _unix_path(url: str) -> str:
    path = url.removeprefix("unix:")
    length = len(path.encode())
    if not path:
        raise ValueError(f"endpoint {url!r} names no socket file; use unix:/path/to.sock")
    if length > MAX_UNIX_PATH_BYTES:
        raise ValueError(
            f"the socket path in {url!r} has {length} bytes, but a Unix socket path holds at most {MAX_UNIX_PATH_BYTES}"
        )
    return path
