"""Prices that come as lines of text: a number each, or a JSON object with one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

_LONGEST_LINE = 64 * 1024  # bytes; what is longer is no price, and might never end


class PriceLine(NamedTuple):
    """One price. ``timestamp``: what the object said, None for a plain number. ``number``: the line's, from 1."""

    number: int
    price: float
    timestamp: Any


def read_lines(stream: BinaryIO) -> Iterator[PriceLine]:
    """Yield the price of each line as it comes; empty lines are passed over.

    A line is a number, or a JSON object with ``close`` (or ``price``) and perhaps ``timestamp``. ValueError names the
    line that is neither. Whether a number can be a price is not judged here.
    """
    number = 0
    while line := stream.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise ValueError(f"line {number}: is longer than {_LONGEST_LINE} bytes; write one price a line")
        if text := line.strip():
            try:
                price, timestamp = _object(text) if text.startswith(b"{") else (_number(text), None)
            except (ValueError, OverflowError) as error:
                raise ValueError(f"line {number}: {error}") from None
            yield PriceLine(number, price, timestamp)


def _number(text: bytes) -> float:
    try:
        if b"_" in text:  # which Python would take
            raise ValueError
        return float(text)
    except ValueError:
        shown = text[:40].decode(errors="replace")
        raise ValueError(f"{shown!r} is no number; write a price, or a JSON object with 'close'") from None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _object(text: bytes) -> tuple[float, Any]:
    try:
        values = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON object: {error}") from None
    named = [name for name in ("close", "price") if name in values]
    if len(named) != 1:
        raise ValueError("the object must have 'close' or 'price'" + (", not both" if named else ""))
    price = values[named[0]]
    if isinstance(price, bool) or not isinstance(price, (int, float)):
        raise ValueError(f"{named[0]} is {json.dumps(price)}; it must be a number")
    return float(price), values.get("timestamp")
