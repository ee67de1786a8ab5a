"""The other side of a bare socket echo: this file alone, run as a program, with nothing but the standard library.

usage: python bare_peer.py DESCRIPTOR N_BYTES       echoes messages of N_BYTES until the socket ends
"""

import socket
import sys


def serve(connection: socket.socket, n_bytes: int) -> None:
    """Echoes until the other side hangs up."""
    buffer = memoryview(bytearray(n_bytes))
    while True:
        got = 0
        while got < n_bytes:
            more = connection.recv_into(buffer[got:])
            if more == 0:
                return
            got += more
        connection.sendall(buffer)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
