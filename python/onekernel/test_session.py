"""Session frames: what encoders promise about lengths, and what decoders make of bytes that an engine should not send.

The bytes of requests are in tests/golden_frames.
"""

import struct

import numpy as np
import pytest

from onekernel import ProtocolError, session

KERNELS = ("checked", "unchecked")


def hello(names=b"checked,unchecked", default=1, declared=None):
    fields = struct.pack("<7Qd", 1, 2, 3, 4, 5, 6, 7, 0.25)
    fields += struct.pack("<II24s", default, len(names) if declared is None else declared, b"1.2.3")
    return fields + names + bytes(-len(names) % 8)


def info(name=b"btc", declared=None):
    return struct.pack("<QQQII", 1, 2, 3, 1, len(name) if declared is None else declared) + name + bytes(-len(name) % 8)


@pytest.mark.parametrize("name", ["x", "1234567", "12345678", "€" * 85])
def test_the_closes_of_a_put_are_aligned(name):
    head = session.encode_put(1, 2, name.encode(), 3, 0)
    assert (len(head) - 4) % 8 == 0
    assert struct.unpack_from("<I", head) == (len(head) - 4 + 24,)
    by_memfd = session.encode_put(1, 2, name.encode(), 3, session.DESCRIPTOR)
    assert struct.unpack_from("<I", by_memfd) == (len(by_memfd) - 4,)


def test_the_arrays_of_a_sweep_are_counted_and_aligned():
    head = session.encode_sweep(1, 2, 0, 5, 3, 0.09)
    assert (len(head) - 4) % 8 == 0
    assert struct.unpack_from("<I", head) == (len(head) - 4 + 40 + 144,)


def test_hello_is_decoded():
    told = session.decode_hello(hello())
    assert (told.version, told.kernels, told.default_kernel, told.default_fee) == ("1.2.3", KERNELS, "unchecked", 0.25)
    assert told.passes_descriptors
    assert (told.limits.max_frame_bytes, told.limits.max_live_sessions) == (2, 7)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (hello(default=2), "default kernel is number 2 of 2"),
        (hello(declared=4000), "text of 4000 bytes goes on behind"),
        (hello()[:60], "a payload of 60 bytes is too short for a reply to hello"),
    ],
)
def test_a_hello_that_contradicts_itself(payload, message):
    with pytest.raises(ProtocolError, match=message):
        session.decode_hello(payload)


def test_infos_are_decoded():
    first, second = session.decode_infos(info() + info("€uro".encode()), 77)
    assert (first.id, first.n_bars, first.content_hash, first.shared, first.name) == (1, 2, 3, True, "btc")
    assert (second.name, second.epoch) == ("€uro", 77)
    assert session.decode_infos(b"", 77) == []


@pytest.mark.parametrize(
    "payload",
    [info()[:-1], info() + bytes(8), info(declared=9), info(declared=2**32 - 1)],
    ids=["cut", "an entry of 8 bytes", "a long name", "a name of 4 GiB"],
)
def test_infos_that_end_too_early(payload):
    with pytest.raises(ProtocolError, match="ends|behind the end"):
        session.decode_infos(payload, 1)


def sweep_reply(count=2, kernel=1):
    arrays = np.array([1.5, -2.5]).tobytes() + np.array([3, 4]).tobytes()
    return bytearray(struct.pack("<QII16s7q", count, kernel, 2, b"avx512", *range(7)) + arrays)


def test_a_sweep_is_decoded_in_place():
    payload = sweep_reply()
    result = session.decode_sweep(5, payload, 2, KERNELS)
    assert (result.pnl.tolist(), result.trades.tolist()) == ([1.5, -2.5], [3, 4])
    assert (result.compute_ns, result.kernel, result.threads, result.target) == (5, "unchecked", 2, "avx512")
    assert np.shares_memory(result.pnl, np.frombuffer(payload, np.uint8))
    assert len(payload) == session.SWEEP_BYTES + 32


def test_a_sweep_of_another_count_or_an_unknown_kernel():
    with pytest.raises(ProtocolError, match="a sweep of 2 combos tells of 3"):
        session.decode_sweep(5, sweep_reply(count=3), 2, KERNELS)
    with pytest.raises(ProtocolError, match="kernel number 2"):
        session.decode_sweep(5, sweep_reply(kernel=2), 2, KERNELS)
