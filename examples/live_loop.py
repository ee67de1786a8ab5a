"""Live trading with the combos that research chose, in the engine that research used.

    program that prints closes, one a line | python examples/live_loop.py URL chosen.json saved.snapshot

Prints each change of position as it happens and where every combo stands at the end. `live_loop.cc` prints the same
bytes.

Which bar is due after a restart: a bar counts once `bar` has returned, and not before. The session's state is in the
engine's memory only, so whatever a dying engine had done with the bar under way is gone with it. This loop keeps a
snapshot and the closes that were acknowledged since; on the next engine these give the same state to the bit, and the
bar under way is the one that is due there. So it is taken exactly once, and its changes are told exactly once.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import onekernel as ok

PATIENCE_SECONDS = 30.0  # for an engine that is being restarted
REPLY_SECONDS = 5.0  # an engine that takes longer is given up like one that died
BARS_PER_SNAPSHOT = 1_000  # after a restart at most so many are fed again
BROKEN = (ok.ConnectionLost, ok.EngineTimeout)  # after either the connection is closed and the session with it
SIDES = {1: "long", -1: "short", 0: "flat"}

Answer = TypeVar("Answer")


def connect(url: str) -> ok.Engine:
    """Connect, waiting for an engine that is not back yet."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return ok.connect(url, timeout=REPLY_SECONDS)
        except BROKEN as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"no engine for {PATIENCE_SECONDS:g} s: {error}") from None
            time.sleep(0.1)


class Follower:
    """A live session that outlives its engine."""

    def __init__(self, url: str, chosen: dict[str, Any]) -> None:
        self.url = url
        self.engine = connect(url)
        shared = {series.name: series for series in self.engine.series() if series.shared}
        if chosen["series"] not in shared:
            raise SystemExit(f"the engine at {url} has no series {chosen['series']!r}; run research.py on it first")
        self.live = self.engine.live(chosen["combos"], fee=chosen["fee"], history=shared[chosen["series"]])
        self.saved, self.since = self.live.snapshot(), list[float]()

    def ask(self, question: Callable[[ok.LiveSession], Answer]) -> Answer:
        """Ask the session; where its engine is gone, reopen it on the next one and ask again."""
        lost = False
        while True:
            try:
                if lost:
                    self.reopen()  # that engine may die as well
                return question(self.live)
            except BROKEN as error:
                print(f"{error}; connecting again", file=sys.stderr)
                lost = True

    def reopen(self) -> None:
        """Build the session again; the changes of bars that were acknowledged have been told already."""
        self.engine.close()
        self.engine = connect(self.url)
        live = self.engine.restore(self.saved)
        live.bars(self.since)
        self.live = live
        print(f"bar {live.next_bar} is due", file=sys.stderr)

    def bar(self, close: float) -> tuple[ok.Change, ...]:
        """Take one close and return its changes. A feed that numbers its bars would pass index= as well."""
        changes = self.ask(lambda live: live.bar(close))
        self.since.append(close)
        if len(self.since) == BARS_PER_SNAPSHOT:
            self.saved, self.since = self.ask(lambda live: live.snapshot()), []
        return changes

    def snapshot(self) -> bytes:
        """Return a snapshot without asking anybody: this process has the same kernel."""
        with ok.restore(self.saved) as here:
            here.bars(self.since)
            return here.snapshot()


def run(url: str, chosen_file: str, snapshot_file: str, closes: Iterable[float]) -> None:
    """Follow the closes to their end. 17 digits tell all float64 apart, so outputs can be compared byte by byte."""
    follower = Follower(url, json.loads(Path(chosen_file).read_text()))
    try:
        for close in closes:
            for made in follower.bar(close):
                sums = f"trade {made.trade_pnl:.17g} pnl {made.pnl:.17g} trades {made.trades}"
                print(
                    f"bar {made.bar} combo {made.combo} {SIDES[made.position]} at {made.price:.17g} {sums}", flush=True
                )
        for combo, state in enumerate(follower.ask(lambda live: live.states())):
            print(f"combo {combo} {SIDES[int(state['position'])]} pnl {state['pnl']:.17g} trades {state['trades']}")
    except KeyboardInterrupt:
        pass  # the way to leave a feed that does not end
    finally:
        Path(snapshot_file).write_bytes(follower.snapshot())


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(f"usage: {sys.argv[0]} URL chosen.json saved.snapshot < closes")
    url, chosen_file, snapshot_file = sys.argv[1:]
    run(url, chosen_file, snapshot_file, (float(line) for line in sys.stdin))
