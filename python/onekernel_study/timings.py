"""The engine's own account: its --timings file, one JSON line per request, written after the reply was sent."""

import json
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Account:
    """What one sweep cost beside its wall time, all its crossings together.

    compute_s is the engine's own measurement, None where the call itself is the compute. Bytes are from the client's
    side: out to the engine, in from it. encode_s is the client's time for encoding, where that is worth telling.
    """

    compute_s: float | None
    crossings: int
    bytes_out: int
    bytes_in: int
    encode_s: float | None = None


class TimingsLog:
    """Reads what a --timings file has gained since the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def take(self, n_requests: int, timeout: float = 30.0) -> Account:
        """The account of the next n_requests; waits for lines still to come and raises TimeoutError when they do not.

        RuntimeError where there are more lines than requests: somebody else used the engine, so no line can be trusted.
        """
        deadline = time.monotonic() + timeout
        while len(lines := self._complete_lines()) < n_requests:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self._path}: {len(lines)} of {n_requests} timings after {timeout:g} s")
            time.sleep(0.001)
        if len(lines) > n_requests:
            raise RuntimeError(f"{self._path}: {len(lines)} timings for {n_requests} requests")
        self._offset += sum(map(len, lines))
        entries = [json.loads(line) for line in lines]
        return Account(
            compute_s=sum(entry["compute_ns"] for entry in entries) / 1e9,
            crossings=len(entries),
            bytes_out=sum(entry["bytes_in"] for entry in entries),
            bytes_in=sum(entry["bytes_out"] for entry in entries),
        )

    def _complete_lines(self) -> list[bytes]:
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._offset)
            return [line for line in file.read().splitlines(keepends=True) if line.endswith(b"\n")]
