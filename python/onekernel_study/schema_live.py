"""The part of study.json about live sessions: one call per bar."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LiveRow:
    """One way of feeding a live session bar by bar, each bar a call of its own. Times are None where withheld.

    The gate: the changes that all calls told are, byte for byte, those of the sweep's list of trades.
    """

    name: str  # unique: client, crossing and number of combos in one word
    client: str  # "C++" or "Python"
    crossing: str  # "in process", "shm", "unix" or "tcp"
    n_combos: int
    n: int  # bars that were fed
    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    mean_us: float | None
    series_s: float | None  # what the whole series takes so
    basis: str  # "measured", or "derived from ..." where fewer bars than the series has were fed
    unix_over_this: float | None  # how many times as long the same client takes over the Unix socket
    unix_over_this_low: float | None  # its 95 % interval, over the interleaved rounds
    unix_over_this_high: float | None
    bitwise: bool
    withheld: str | None
