"""How a connection is made; from then on the native module sends and receives."""

from __future__ import annotations

import socket
import time
from typing import Any

from . import _native
from .endpoint import parse_url
from .errors import ConnectionLost, EngineTimeout


def open_link(url: str, timeout: float, spin_us: float) -> _native.Link:
    """Connect within `timeout` seconds. ConnectionLost if nobody listens there, EngineTimeout if nobody answers.

    spin_us: for how many microseconds a wait on the socket looks again and again before it sleeps.
    """
    with _connect(url, timeout) as connection:
        return _native.Link(connection.detach(), url, round(1000 * spin_us))


def _connect_before(connection: socket.socket, address: Any, deadline: float) -> None:
    """Connect. TimeoutError at the deadline."""
    while True:
        left = deadline - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        connection.settimeout(left)
        try:
            connection.connect(address)
        except BlockingIOError:  # a Unix socket whose queue of waiting clients is full: there is nothing to wait on
            time.sleep(min(0.005, left))
        else:
            return


def _connect(url: str, timeout: float) -> socket.socket:
    family, address = parse_url(url)
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        _connect_before(connection, address, time.monotonic() + timeout)
        connection.settimeout(None)
        if family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except TimeoutError:
        connection.close()
        raise EngineTimeout(f"{url}: no connection within {timeout:g} s") from None
    except OSError as error:
        connection.close()
        raise ConnectionLost(f"{url}: cannot connect ({error.strerror or error}); is the engine running?") from error
    except BaseException:
        connection.close()
        raise
    return connection
