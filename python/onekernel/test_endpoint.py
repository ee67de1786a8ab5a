import socket

import pytest

from onekernel.endpoint import parse_url


@pytest.mark.parametrize(
    ("url", "family", "address"),
    [
        ("unix:/run/x.sock", socket.AF_UNIX, "/run/x.sock"),
        ("unix:x.sock", socket.AF_UNIX, "x.sock"),
        ("unix:/" + "a" * 106, socket.AF_UNIX, "/" + "a" * 106),
        ("shm:/run/x.sock", socket.AF_UNIX, "/run/x.sock"),
        ("tcp://127.0.0.1:80", socket.AF_INET, ("127.0.0.1", 80)),
        ("tcp://localhost:65535", socket.AF_INET, ("localhost", 65535)),
        ("tcp://[::1]:9000", socket.AF_INET6, ("::1", 9000)),
    ],
)
def test_good_urls(url, family, address):
    assert parse_url(url) == (family, address)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/run/x.sock",
        "tcp:127.0.0.1:80",
        "tcp://127.0.0.1",
        "tcp://:80",
        "tcp://h:0",
        "tcp://h:65536",
        "tcp://h:²",
        "pipe:/x",
    ],
)
def test_other_urls_are_refused_with_what_would_be_understood(url):
    with pytest.raises(ValueError, match="use unix:/path/to.sock, tcp://host:port or shm:"):
        parse_url(url)


@pytest.mark.parametrize("scheme", ["unix:", "shm:"])
def test_a_url_without_a_path_is_refused(scheme):
    with pytest.raises(ValueError, match=f"names no socket file; use {scheme}/path"):
        parse_url(scheme)


def test_a_path_that_no_socket_can_have_is_refused_with_the_limit():
    with pytest.raises(ValueError, match="has 108 bytes, but a Unix socket path holds at most 107"):
        parse_url("unix:/" + "ä" * 53 + "a")
