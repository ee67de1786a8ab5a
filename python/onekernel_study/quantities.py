"""Times and sizes as people write them: 0.2ms, 30us, 1.2MB, 64KiB."""

import math
import re

SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
BYTES = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_FORM = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ]*)\s*")


def parse_seconds(text: str) -> float:
    """Seconds of a time such as 0.2ms, above zero; ValueError for anything else, with what would be understood."""
    value = _parse(text, SECONDS, "a time", "0.2ms")
    if value <= 0:
        raise ValueError(f"{text!r} is no time above zero")
    return value


def parse_bytes(text: str) -> int:
    """Bytes of a size such as 1.2MB (a million each) or 64KiB (1,024 each); ValueError for anything else."""
    return round(_parse(text, BYTES, "a size", "1.2MB"))


def _parse(text: str, units: dict[str, float] | dict[str, int], what: str, example: str) -> float:
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not {what}; write a number and its unit, such as {example}")
    number, unit = found.groups()
    if unit not in units:
        given = f"the unit {unit!r} is not known" if unit else "the unit is missing"
        raise ValueError(f"{text!r}: {given}; use one of {', '.join(units)}, as in {example}")
    value = float(number) * units[unit]
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is too large")
    return value
