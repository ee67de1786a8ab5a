"""How long a call may take."""

from __future__ import annotations

import math
import time

_LONGEST_WAIT = 2_000_000.0  # seconds, 23 days: what poll's int of milliseconds can hold


def check_timeout(timeout: float) -> float:
    """Return a timeout in seconds. ValueError if it is not finite or not above zero."""
    seconds = float(timeout)
    if not 0.0 < seconds < math.inf:
        raise ValueError(f"timeout is {timeout}; it must be a finite number of seconds above zero")
    return min(seconds, _LONGEST_WAIT)


def remaining(deadline: float) -> float:
    """Return the seconds until a time of ``time.monotonic()``. TimeoutError if it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0.0:
        raise TimeoutError
    return seconds
