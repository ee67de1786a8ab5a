import struct

import numpy as np
import pytest

from onekernel import classic
from onekernel.errors import EngineError

CLOSE = np.array([1.5, 2.5, 3.5])
COMBOS = np.array([[3, 6, 2, 1, 2, 3], [4, 9, 3, 1, 2, 4]])


def test_a_request_is_laid_out_as_published():
    header, close, params = classic.encode_request(classic.Opcode.SWEEP, CLOSE, COMBOS)
    body = struct.pack("<BII3d12q", 0, 3, 2, *CLOSE, *COMBOS.ravel())
    assert header + close + params == struct.pack("<I", len(body)) + body


def test_an_echo_request_has_no_params():
    header, close, params = classic.encode_request(classic.Opcode.ECHO, CLOSE, np.empty((0, 6), np.int64))
    assert header == struct.pack("<IBII", 9 + 24, 1, 3, 0)
    assert (bytes(close), bytes(params)) == (CLOSE.tobytes(), b"")


def test_encoding_copies_nothing():
    prices = CLOSE.copy()
    prices.flags.writeable = False
    _, close, params = classic.encode_request(classic.Opcode.SWEEP, prices, COMBOS)
    assert np.shares_memory(np.frombuffer(close, np.uint8), prices)
    assert np.shares_memory(np.frombuffer(params, np.uint8), COMBOS)


def test_a_request_beyond_the_u32_length_is_refused():
    combos = np.broadcast_to(COMBOS[:1], (2**32 // 48 + 1, 6))
    with pytest.raises(ValueError, match="holds at most 4294967295"):
        classic.encode_request(classic.Opcode.SWEEP, CLOSE, combos)


def test_a_sweep_reply_is_decoded_in_place():
    body = struct.pack("<2d2q", -1.25, 2.5, 7, 9)
    result = classic.decode_sweep(body, 2)
    assert result.pnl.tolist() == [-1.25, 2.5]
    assert result.trades.tolist() == [7, 9]
    assert result.trades.dtype == np.int64
    assert np.shares_memory(result.pnl, np.frombuffer(body, np.uint8))


def test_an_echo_reply_is_the_array():
    assert classic.decode_echo(CLOSE.tobytes()).tolist() == CLOSE.tolist()


@pytest.mark.parametrize(("n_bars", "n_combos"), [(0, 0), (1, 1), (150_000, 80)])
def test_no_reply_can_be_taken_for_an_error(n_bars, n_combos):
    for opcode in classic.Opcode:
        assert not classic.is_error(classic.reply_bytes(opcode, n_bars, n_combos))
    assert classic.reply_bytes(classic.Opcode.SWEEP, n_bars, n_combos) == 16 * n_combos
    assert classic.reply_bytes(classic.Opcode.ECHO, n_bars, n_combos) == 8 * n_bars


def test_an_error_reply_is_decoded():
    error = classic.decode_error(b"\x04" + "über dem Limit".encode().ljust(16))
    assert isinstance(error, EngineError)
    assert (error.code, error.message, str(error)) == (4, "über dem Limit", "limit exceeded: über dem Limit")


def test_an_error_reply_with_an_unknown_code_or_bad_text_is_still_an_error():
    assert str(classic.decode_error(b"\xc8why\xff   ")) == "error code 200: why\N{REPLACEMENT CHARACTER}"
