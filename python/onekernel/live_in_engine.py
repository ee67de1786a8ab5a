"""A live session whose state is in an engine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import session
from ._native import bar_arguments
from .errors import ConnectionLost, ForkError, ProtocolError
from .records import CHANGE, LIVE_STATE, Records
from .series import first_bad_price
from .session_connection import SessionConnection

if TYPE_CHECKING:
    from ._native import Change

_CLOSE_BYTES = 8


class LiveInEngine:
    """A :class:`.live_backend.LiveBackend` over a connection, which it shares with the engine's other calls."""

    may_wait = True

    def __init__(
        self, connection: SessionConnection, info: session.LiveInfo, combos: npt.NDArray[np.int64] | None
    ) -> None:
        self._connection = connection
        self._id = info.live_id
        self._combos = combos
        self.n_combos = info.n_combos
        self.next_bar = info.next_bar
        self.fee = info.fee
        self.n_bytes = info.n_bytes
        self._part_closes = self._most_closes()

    @property
    def combos(self) -> npt.NDArray[np.int64]:
        """A copy, (n_combos, 6)."""
        if self._combos is None:  # restored: the snapshot has them
            from ._native import LiveCore

            rows: npt.NDArray[np.int64] = LiveCore.restore(self.snapshot(None)).combos
            self._combos = rows.reshape(-1, 6)
        copied: npt.NDArray[np.int64] = self._combos.copy()
        return copied

    def bar(self, index: int, price: float, timeout: float | None) -> tuple[Change, ...]:
        """Send one close."""
        changes = self._connection.live_bar(self._id, self.next_bar, index, price, timeout)
        self.next_bar += 1  # no other index was taken
        return changes

    def bars(self, first: int, closes: npt.NDArray[np.float64], timeout: float | None) -> tuple[int, Records]:
        """Send all closes, in parts of about as many as the engine can tell the changes of."""
        first, _ = bar_arguments(first, 0.0)
        if first == self.next_bar:
            _require_prices(first, closes)  # the engine judges none
        told = [self._part(first, closes[: self._part_closes], timeout)]
        while self.next_bar < first + len(closes):
            rest = closes[self.next_bar - first :]
            told.append(self._part(self.next_bar, rest[: self._part_closes], timeout))
        return self.next_bar, told[0] if len(told) == 1 else np.concatenate(told, dtype=CHANGE)

    def _part(self, first: int, part: npt.NDArray[np.float64], timeout: float | None) -> Records:
        connection = self._connection
        head = session.encode_live_bars(connection.next_id(), connection.epoch, self._id, first, len(part))
        _, payload = connection.exchange((head, part), -1, timeout)
        try:
            next_bar, changes = session.decode_live_bars(payload)
            if not first <= next_bar <= first + len(part) or (next_bar == first and len(part)):
                raise ProtocolError(f"{len(part)} bars from {first} on were sent, and {next_bar} is next")
        except ProtocolError as error:
            connection.close()  # nobody knows any more which bar is due
            raise ProtocolError(f"{connection.url}: {error}") from None
        taken, self.next_bar = next_bar - first, next_bar
        # What was sent and not taken is sent again: so not much more is sent, and less only as long as it must be.
        if taken < len(part) or len(part) == self._part_closes:
            self._part_closes = min(2 * taken, self._most_closes())
        return changes

    def states(self, timeout: float | None) -> Records:
        """Return LIVE_STATE (n_combos,)."""
        due = session.LIVE_INFO_BYTES + LIVE_STATE.itemsize * self.n_combos
        payload = self._ask(session.LIVE_STATES, timeout, due)
        return np.frombuffer(payload, LIVE_STATE, self.n_combos, session.LIVE_INFO_BYTES)

    def snapshot(self, timeout: float | None) -> bytes:
        """Return all that a restored session needs."""
        return bytes(self._ask(session.LIVE_SNAPSHOT, timeout))

    def close(self) -> None:
        """End the session in the engine; where the connection is gone, or another process's, there is none to end."""
        with suppress(ConnectionLost, ForkError):
            self._ask(session.LIVE_CLOSE, None, 0)

    def _ask(self, opcode: int, timeout: float | None, due_bytes: int = -1) -> bytearray:
        connection = self._connection
        head = session.encode_live(opcode, connection.next_id(), connection.epoch, self._id)
        return connection.exchange((head,), due_bytes, timeout)[1]

    def _most_closes(self) -> int:
        room = self._connection.hello.limits.max_frame_bytes - session.LIVE_BARS_HEAD_BYTES
        return max(1, room // _CLOSE_BYTES)


def _require_prices(first: int, closes: npt.NDArray[np.float64]) -> None:
    bad = first_bad_price(closes)
    if bad is not None:
        raise ValueError(f"bar {first + bad}: the price is {closes[bad]!s}; it must be finite and above zero")
