"""A series that an engine keeps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """A handle to a series in an engine; made by ``Engine.put`` and ``Engine.series``.

    It may be used over any connection to the same run of the same engine if it is shared, and over the one that put it
    otherwise. With any other run of an engine it raises StaleEpoch: it can never stand for another series there.
    """

    id: int
    name: str
    n_bars: int
    epoch: int  # of the engine's run; drawn at random when it starts
    shared: bool
    content_hash: int  # XXH3, 64 bits, of the closes as they lie in memory
