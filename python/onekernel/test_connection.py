"""The client's end of a connection, against peers that misbehave in every way there is."""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from onekernel import ConnectionLost, EngineError, EngineTimeout, ProtocolError
from onekernel.classic import MAX_ERROR_BYTES, Opcode
from onekernel.classic_connection import ClassicConnection

VALUES = np.arange(1.0, 6.0)
NO_COMBOS = np.empty((0, 6), np.int64)
LONG = np.ones(4_000_000)  # 32 MB: no socket buffer takes it at once
FOREVER = 60.0  # longer than any of these tests


class Peer:
    """A listening socket whose one connection is handled by a function in a thread."""

    def __init__(self, family, address, handler):
        self.listener = socket.socket(family)
        self.listener.bind(address)
        self.listener.listen()
        self.done = threading.Event()  # set when the test is over
        self._handler = handler
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        connection, _ = self.listener.accept()
        with connection, suppress(BrokenPipeError, ConnectionResetError):  # some tests want the client to hang up
            self._handler(self, connection)

    def stop(self):
        self.done.set()
        self._thread.join()
        self.listener.close()


@contextmanager
def talking_to(handler, tmp_path, transport="unix", timeout=FOREVER):
    if transport == "unix":
        peer = Peer(socket.AF_UNIX, str(tmp_path / "peer.sock"), handler)
        url = f"unix:{tmp_path}/peer.sock"
    else:
        peer = Peer(socket.AF_INET, ("127.0.0.1", 0), handler)
        url = f"tcp://127.0.0.1:{peer.listener.getsockname()[1]}"
    connection = ClassicConnection(url, timeout)
    try:
        yield connection
    finally:
        connection.close()
        peer.stop()


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise BrokenPipeError
        data += part
    return data


def read_request(connection):
    return read_exactly(connection, *struct.unpack("<I", read_exactly(connection, 4)))


def replying(*replies):
    """Handle as many requests as there are replies; None hangs up."""

    def handler(peer, connection):
        for reply in replies:
            read_request(connection)
            connection.sendall(reply)
        peer.done.wait()

    return handler


def framed(body):
    return struct.pack("<I", len(body)) + body


def echo(connection, values=VALUES, timeout=None):
    return connection.request(Opcode.ECHO, values, NO_COMBOS, timeout)


def assert_closed(connection, reason):
    with pytest.raises(ConnectionLost, match=f"the connection is closed .*{reason}"):
        echo(connection)


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_reply_fills_an_aligned_array(tmp_path, transport):
    with talking_to(replying(framed(VALUES.tobytes())), tmp_path, transport) as connection:
        reply = echo(connection)
    assert reply.tolist() == VALUES.tolist()
    assert reply.flags.aligned
    assert reply.flags.c_contiguous
    assert reply.flags.writeable


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_reply_that_comes_byte_by_byte(tmp_path, transport):
    def handler(_peer, connection):
        for _ in range(2):
            read_request(connection)
            for byte in framed(VALUES.tobytes()):
                connection.sendall(bytes([byte]))
                time.sleep(0.001)

    with talking_to(handler, tmp_path, transport) as connection:
        assert echo(connection).tolist() == VALUES.tolist()
        assert echo(connection).tolist() == VALUES.tolist()


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_long_request_is_sent_whole_though_the_peer_reads_slowly(tmp_path, transport):
    values = np.random.default_rng(3).random(300_000)

    def handler(_peer, connection):
        frame = bytearray()
        while len(frame) < 4 + 9 + values.nbytes:
            frame += connection.recv(100_000)
            time.sleep(0.001)
        connection.sendall(framed(bytes(frame[13:])))

    with talking_to(handler, tmp_path, transport) as connection:
        assert echo(connection, values).tobytes() == values.tobytes()


def test_a_reply_of_no_bytes(tmp_path):
    with talking_to(replying(framed(b""), framed(b"")), tmp_path) as connection:
        assert connection.request(Opcode.SWEEP, VALUES, NO_COMBOS).shape == (0,)
        assert echo(connection, np.empty(0)).shape == (0,)


@pytest.mark.parametrize("length", [0, 8, 39, 42, 48, 2**31, 2**32 - 1, 2**32 - 7])
def test_a_reply_of_another_length_is_no_reply(tmp_path, length):
    with talking_to(replying(struct.pack("<I", length) + b"x" * 40), tmp_path) as connection:
        with pytest.raises(ProtocolError, match=f"a reply of {length} bytes came where 40 were due"):
            echo(connection)
        assert_closed(connection, "ProtocolError")


@pytest.mark.parametrize("size", [1, 9, 17, 401])
def test_an_error_reply_is_raised_and_leaves_the_connection_usable(tmp_path, size):
    error = framed(b"\x03" + b"no".ljust(size - 1)[: size - 1])
    with talking_to(replying(error, framed(VALUES.tobytes())), tmp_path) as connection:
        with pytest.raises(EngineError) as caught:
            echo(connection)
        assert (caught.value.code, caught.value.message) == (3, "no"[: size - 1])
        assert echo(connection).tolist() == VALUES.tolist()


def test_an_error_reply_in_pieces(tmp_path):
    def handler(_peer, connection):
        read_request(connection)
        for piece in (b"\x11\0", b"\0\0\x04", b"too ", b"many combos "):
            connection.sendall(piece)
            time.sleep(0.01)

    with (
        talking_to(handler, tmp_path) as connection,
        pytest.raises(EngineError, match="limit exceeded: too many combos"),
    ):
        echo(connection)


def test_bytes_after_an_error_reply_break_the_connection(tmp_path):
    with talking_to(replying(framed(b"\x03" + b" " * 8) + b"more"), tmp_path) as connection:
        with pytest.raises(ProtocolError, match="4 bytes too many"):
            echo(connection)
        assert_closed(connection, "ProtocolError")


def test_an_endless_error_message_is_not_read(tmp_path):
    with (
        talking_to(replying(struct.pack("<I", MAX_ERROR_BYTES + 8)), tmp_path) as connection,
        pytest.raises(ProtocolError, match="came where 40 were due"),
    ):
        echo(connection)


@pytest.mark.parametrize("reply", [b"", b"\x28", framed(VALUES.tobytes())[:-1], framed(b"\x03" + b" " * 8)[:-1]])
def test_a_peer_that_hangs_up(tmp_path, reply):
    def handler(_peer, connection):
        read_request(connection)
        connection.sendall(reply)

    with talking_to(handler, tmp_path) as connection:
        with pytest.raises(ConnectionLost, match="hung up before it replied"):
            echo(connection)
        assert_closed(connection, "hung up")


def test_a_peer_that_never_answers(tmp_path):
    with talking_to(replying(), tmp_path, timeout=0.2) as connection:
        with pytest.raises(EngineTimeout, match=r"no reply within 0.2 s"):
            echo(connection)
        assert_closed(connection, "longer than 0.2 s")


def test_a_peer_that_never_reads(tmp_path):
    with (
        talking_to(lambda peer, _: peer.done.wait(), tmp_path) as connection,
        pytest.raises(EngineTimeout, match=r"no reply within 0.2 s"),
    ):
        echo(connection, LONG, timeout=0.2)


def test_the_deadline_is_for_the_whole_request_not_for_each_part(tmp_path):
    def handler(peer, connection):
        while not peer.done.wait(0.02) and connection.recv(200_000):
            pass

    with talking_to(handler, tmp_path) as connection, pytest.raises(EngineTimeout):
        echo(connection, LONG, timeout=0.5)


def test_the_deadline_is_for_the_whole_reply_not_for_each_part(tmp_path):
    values = np.ones(1000)

    def handler(peer, connection):
        read_request(connection)
        for byte in framed(values.tobytes()):  # a minute's worth
            connection.sendall(bytes([byte]))
            if peer.done.wait(0.01):
                return

    with talking_to(handler, tmp_path) as connection, pytest.raises(EngineTimeout):
        echo(connection, values, timeout=0.5)


def test_a_short_deadline_does_not_stay_for_the_next_call(tmp_path):
    def handler(_peer, connection):
        for pause in (0.0, 0.3):
            read_request(connection)
            time.sleep(pause)
            connection.sendall(framed(VALUES.tobytes()))

    with talking_to(handler, tmp_path) as connection:
        echo(connection, timeout=0.2)
        echo(connection)


@pytest.mark.parametrize("timeout", [0, -1, np.nan, np.inf])
def test_a_timeout_is_a_finite_time(tmp_path, timeout):
    with talking_to(replying(), tmp_path) as connection, pytest.raises(ValueError, match="timeout is"):
        echo(connection, timeout=timeout)


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_reason_given_before_hanging_up_is_shown(tmp_path, transport):
    # The peer refuses the frame after its first bytes, and hangs up while most of it is still to be sent.
    def handler(_peer, connection):
        read_exactly(connection, 13)
        connection.sendall(framed(b"\x04" + b"the frame is too long".ljust(24)))
        connection.shutdown(socket.SHUT_WR)
        read_exactly(connection, 100_000)

    with talking_to(handler, tmp_path, transport) as connection:
        with pytest.raises(EngineError, match="limit exceeded: the frame is too long"):
            echo(connection, LONG)
        assert_closed(connection, "refused")


def test_a_peer_that_hangs_up_without_a_reason_while_being_sent_to(tmp_path):
    with (
        talking_to(lambda _, connection: read_exactly(connection, 13), tmp_path) as connection,
        pytest.raises(ConnectionLost, match="Broken pipe|reset"),
    ):
        echo(connection, LONG)


@pytest.fixture
def ctrl_c_interrupts():
    """Python's own handler of SIGINT: a shell that starts the tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_in_a_call_closes_the_connection(tmp_path):
    def handler(peer, connection):
        read_request(connection)
        os.kill(os.getpid(), signal.SIGINT)
        peer.done.wait()

    with talking_to(handler, tmp_path) as connection:
        with pytest.raises(KeyboardInterrupt):
            echo(connection)
        assert_closed(connection, "KeyboardInterrupt")


def test_threads_take_turns(tmp_path):
    def handler(_peer, connection):
        for _ in range(400):
            body = read_request(connection)
            connection.sendall(framed(body[9:]))

    def work(number):
        for call in range(100):
            values = np.full(1 + number, 1.0 + call)
            same.append(echo(connection, values).tolist() == values.tolist())

    same = []
    with talking_to(handler, tmp_path) as connection:
        threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert same == [True] * 400


def test_waiting_for_another_threads_call_has_a_deadline_too(tmp_path):
    def handler(peer, connection):
        read_request(connection)
        started.set()
        proceed.wait()
        connection.sendall(framed(VALUES.tobytes()))
        connection.sendall(framed(read_request(connection)[9:]))
        peer.done.wait()

    started, proceed = threading.Event(), threading.Event()
    with talking_to(handler, tmp_path) as connection:
        thread = threading.Thread(target=echo, args=[connection])
        thread.start()
        started.wait()
        with pytest.raises(EngineTimeout, match="another thread's call"):
            echo(connection, timeout=0.1)
        proceed.set()
        thread.join()
        assert echo(connection).tolist() == VALUES.tolist()  # nothing was sent, so nothing is out of step


def test_close_wakes_a_call_of_another_thread(tmp_path):
    def handler(peer, connection):
        read_request(connection)
        started.set()
        peer.done.wait()

    def work():
        try:
            echo(connection)
        except ConnectionLost as error:
            caught.append(error)

    started, caught = threading.Event(), []
    with talking_to(handler, tmp_path) as connection:
        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        connection.close()
        thread.join()
        assert len(caught) == 1
        assert_closed(connection, r"close\(\) was called")


def test_closing_twice_is_closing_once(tmp_path):
    with talking_to(replying(), tmp_path) as connection:
        connection.close()
        connection.close()
        assert_closed(connection, r"close\(\) was called")


def test_nobody_listens(tmp_path):
    with pytest.raises(ConnectionLost, match="cannot connect .*No such file.*is the engine running"):
        ClassicConnection(f"unix:{tmp_path}/none.sock", 1.0)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionLost, match="cannot connect .*refused"):
            ClassicConnection(f"tcp://127.0.0.1:{listener.getsockname()[1]}", 1.0)


FORK = """
import os, socket, sys
from onekernel import ForkError
from onekernel.classic_connection import ClassicConnection
from onekernel.classic import Opcode
import numpy as np
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1])
    listener.listen()
    connection = ClassicConnection("unix:" + sys.argv[1], 5.0)
    peer, _ = listener.accept()
    child = os.fork()
    if child == 0:
        try:
            connection.request(Opcode.ECHO, np.ones(1), np.empty((0, 6), np.int64))
        except ForkError as error:
            print(error, flush=True)
        connection.close()
        os._exit(0)
    os.waitpid(child, 0)
    peer.sendall(b"\\x08\\0\\0\\0" + b"\\0" * 8)
    print(connection.request(Opcode.ECHO, np.ones(1), np.empty((0, 6), np.int64)))
    connection.close()
    peer.close()
"""


def test_a_forked_child_is_refused_and_the_parent_goes_on(tmp_path):
    command = [sys.executable, "-c", FORK, str(tmp_path / "peer.sock")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    refused, reply = done.stdout.splitlines()
    assert "connect again in the forked child" in refused
    assert reply == "[0.]"
