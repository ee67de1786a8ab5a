"""What a peer is to the measuring: how it is called, and what there is to know about it beforehand."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

SWEEP, COMBO, BAR = "sweep", "combo", "bar"
GRANULARITIES = (SWEEP, COMBO, BAR)


class Client(Protocol):
    """The caller's side of a peer, connected. A peer that has no bars, or no sweeps, is not asked for them."""

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """One call that carries the series and these combos."""

    def bar(self, close: float) -> Stepped:
        """One call that carries one close."""

    def server_cpu_ns(self) -> int | None:
        """CPU time that the other side has used since it started; None where there is no other side."""


@dataclass(frozen=True)
class Spec:
    """A peer as the study lists it, whether or not its library is installed."""

    name: str
    title: str
    library: str  # the distribution whose version is told
    transport: str
    encoding: str
    open: Callable[[Path], AbstractContextManager[Client]]  # given an empty folder of its own for its socket
    granularities: tuple[str, ...] = GRANULARITIES
    note: str | None = None  # what a reader must know to read its figures
    twin: Callable[[], Service] = Service  # what its bars are compared with, fed the same closes
