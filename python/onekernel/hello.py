"""What an engine tells of itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What an engine takes at most; the flags of ``onekernel-engine serve`` set them."""

    max_frame_bytes: int
    max_combos: int
    max_connections: int
    max_series: int
    max_series_bytes: int
    max_live_sessions: int


@dataclass(frozen=True, slots=True)
class Hello:
    """An engine's version, kernels and limits, as told when a client connected."""

    version: str
    kernels: tuple[str, ...]
    default_kernel: str
    default_fee: float  # percent per closed trade; what classic frames are charged
    passes_descriptors: bool  # whether a series can be put as a memfd over this connection
    limits: Limits


@dataclass(frozen=True, slots=True)
class Statistics:
    """What an engine has counted since it started; times in nanoseconds, bytes with their length prefixes."""

    uptime_ns: int
    requests: int
    errors: int
    bytes_in: int
    bytes_out: int
    compute_ns: int
    connections: int
    series: int
    series_bytes: int
    live_sessions: int
    live_bytes: int
