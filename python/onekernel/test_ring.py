"""The native ring, used in ways that the package does not use it."""

import numpy as np
import pytest

import onekernel as ok


@pytest.fixture
def ring():
    with ok.spawn(transport="shm") as engine:
        yield engine._connection._channel._ring


def test_a_request_that_is_none(ring):
    reply = bytearray(100)
    with pytest.raises(ValueError, match="at most 8 pieces"):
        ring.exchange([b""] * 9, reply, 1.0)
    with pytest.raises(TypeError):
        ring.exchange(["text"], reply, 1.0)
    with pytest.raises(ValueError, match="contiguous"):
        ring.exchange([np.zeros(10)[::2]], reply, 1.0)
    with pytest.raises(BufferError, match="not writable"):
        ring.exchange([], b"read-only", 1.0)
    with pytest.raises(ValueError, match="more bytes are wanted than the buffer holds"):
        ring.receive(reply, 101, 1.0)


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 0.001, 0.12])
def test_a_deadline(ring, seconds):
    with pytest.raises(TimeoutError):
        ring.receive(bytearray(1), 1, seconds)


def test_nothing_and_empty_pieces_are_sent(ring):
    hello = bytes([32, 0, 0, 0, 0x10, 1]) + bytes(30)
    reply = bytearray(40)
    assert ring.exchange([b"", hello[:5], b"", np.empty((0, 6)), hello[5:], b""], reply, 60.0) == 40
    assert reply[4:6] == hello[4:6]
    assert ring.receive(bytearray(0), 0, 60.0) == 0


def test_a_closed_ring_says_so(ring):
    ring.close()
    ring.close()
    with pytest.raises(ok.ConnectionLost, match="is closed"):
        ring.receive(bytearray(1), 1, 1.0)
