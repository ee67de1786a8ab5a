"""Which row is being measured: one line on stderr that overwrites itself, only where stderr is a terminal."""

import sys
from typing import TextIO


class Progress:
    """Writes only when told to. A refreshing thread would take time from what is being measured."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()

    def show(self, text: str) -> None:
        """Replaces the line."""
        if self._live:
            self._stream.write(f"\r\x1b[K{text[:100]}")
            self._stream.flush()

    def clear(self) -> None:
        """Removes the line."""
        self.show("")
