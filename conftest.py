"""For all Python tests: ONEKERNEL_TEST_LONG=1 (make test-full) draws twenty times as many random examples."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("long", max_examples=2_000)
if os.environ.get("ONEKERNEL_TEST_LONG") == "1":
    settings.load_profile("long")


@pytest.fixture
def no_forced_switches() -> Iterator[None]:
    """No thread is made to give up the GIL: another one runs only where it was let go."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    yield
    sys.setswitchinterval(interval)
