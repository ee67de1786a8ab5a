"""The native link, used in ways that the package does not use it."""

import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest

import onekernel as ok
from onekernel import session


@pytest.fixture(scope="module", params=["unix", "tcp", "shm"])
def engine(request):
    with ok.spawn(transport=request.param) as spawned:
        yield spawned


@pytest.fixture
def link(engine):
    with ok.connect(engine.url) as visitor:
        yield visitor._connection._link


def test_a_request_that_is_none(link):
    reply, head = bytearray(100), session.encode_plain(session.LIST, 1, link.epoch())
    with pytest.raises(ValueError, match="at most 8 pieces"):
        link.request([b""] * 9, reply, 1, 1.0)
    with pytest.raises(TypeError):
        link.request(["text"], reply, 1, 1.0)
    with pytest.raises(TypeError, match="a tuple or a list"):
        link.exchange(head, -1, 1.0)
    with pytest.raises(ValueError, match="contiguous"):
        link.request([np.zeros(10)[::2]], reply, 1, 1.0)
    with pytest.raises(BufferError, match="not writable"):
        link.request([], b"read-only", 1, 1.0)
    with pytest.raises(ValueError, match="more bytes are wanted than the buffer holds"):
        link.receive(reply, 101, 1.0)
    for pieces in ([], [head[:20], head[20:]]):
        with pytest.raises(ValueError, match="begins with its header, in one piece"):
            link.exchange(pieces, -1, 1.0)
    with pytest.raises(ValueError, match="too many descriptors"):
        link.exchange([head], -1, 1.0, [0] * 5)
    assert link.exchange([head], 0, 60.0) == (0, b""), "nothing was sent before"


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 0.001, 0.12])
def test_a_deadline(link, seconds):
    with pytest.raises(TimeoutError):
        link.receive(bytearray(1), 1, seconds)


def test_nothing_and_empty_pieces_are_sent(link):
    head = session.encode_plain(session.ECHO, 7, link.epoch(), 16)
    pieces = (head, b"", np.ones(1), np.empty((0, 6)), bytearray(8), b"")
    assert link.exchange(pieces, 16, 60.0) == (0, np.array([1.0, 0.0]).tobytes())
    assert link.receive(bytearray(0), 0, 60.0) == 0


def test_a_closed_link_says_so(link):
    link.close()
    link.close()
    assert link.descriptor() == -1
    with pytest.raises(ok.ConnectionLost, match="is closed"):
        link.receive(bytearray(1), 1, 1.0)
    link.hang_up()


@contextmanager
def alarms(every, handler):
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_signals_are_handled_in_a_wait_and_do_not_prolong_it(link):
    heard = []
    began = time.monotonic()
    with alarms(0.01, lambda *_: heard.append(time.monotonic())), pytest.raises(TimeoutError):
        link.receive(bytearray(1), 1, 0.5)
    assert len(heard) > 1
    assert time.monotonic() - began < 30.0, "each signal began the wait anew"  # half a second is asked for


def test_what_a_handler_raises_ends_the_wait(link):
    def handler(*_):
        raise KeyboardInterrupt

    with alarms(0.1, handler), pytest.raises(KeyboardInterrupt):
        link.receive(bytearray(1), 1, 600.0)
