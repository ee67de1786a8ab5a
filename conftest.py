"""For all Python tests: ONEKERNEL_TEST_LONG=1 (make test-full) draws twenty times as many random examples."""

import os

from hypothesis import settings

settings.register_profile("long", max_examples=2_000)
if os.environ.get("ONEKERNEL_TEST_LONG") == "1":
    settings.load_profile("long")
