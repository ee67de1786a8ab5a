"""An array in a memory file that nobody can change any more, to be given to an engine over a Unix socket."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


@contextmanager
def sealed(values: npt.NDArray[np.float64]) -> Iterator[int]:
    """Open a sealed memory file that holds a copy of the values (C-contiguous); closed when the context is left."""
    descriptor = os.memfd_create("onekernel-series", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        rest = values.view(np.uint8).data
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
        yield descriptor
    finally:
        os.close(descriptor)
