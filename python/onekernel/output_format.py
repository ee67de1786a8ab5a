"""The forms in which a sweep's result is written; apart from the writing, so that the command line starts quickly."""

from __future__ import annotations

from enum import Enum


class Format(str, Enum):
    """What a sweep's result is written as."""

    table = "table"
    csv = "csv"
    json = "json"
