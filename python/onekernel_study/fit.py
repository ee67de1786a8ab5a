"""The straight line through an echo curve: seconds = floor + bytes / bandwidth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

METHOD = (
    "relative least squares over the p50 of every size: minimises the sum of ((floor + bytes / bandwidth - t) / t)^2, "
    "so that 8 bytes weigh as much as 1.2 MB; bytes are counted in both directions"
)


@dataclass(frozen=True)
class Line:
    """floor_s in seconds, bandwidth in bytes per second, residuals as fractions of the measured times."""

    floor_s: float
    bandwidth: float
    residuals: tuple[float, ...]

    def seconds(self, n_bytes: float) -> float:
        """What the line predicts for one crossing that carries n_bytes, both directions together."""
        return self.floor_s + n_bytes / self.bandwidth


def fit_line(n_bytes: Sequence[float], seconds: Sequence[float]) -> Line:
    """Fits the line by relative least squares.

    n_bytes and seconds are of the same length, at least two different sizes, all seconds > 0; ValueError otherwise.
    """
    if len(n_bytes) != len(seconds):
        raise ValueError(f"{len(n_bytes)} sizes but {len(seconds)} times: each size needs one time")
    if len(set(n_bytes)) < 2:
        raise ValueError("a line needs at least two different sizes")
    t = np.asarray(seconds, dtype=np.float64)
    if not (t > 0).all():
        raise ValueError("every time must be above zero for a relative fit")
    x = np.asarray(n_bytes, dtype=np.float64)
    # The column of sizes is scaled so that both unknowns are of a like magnitude and the solution is well conditioned.
    scale = x.max()
    system = np.column_stack([1.0 / t, x / scale / t])
    (floor, slope), *_ = np.linalg.lstsq(system, np.ones_like(t), rcond=None)
    residuals = (floor + slope * x / scale) / t - 1.0
    bandwidth = float("inf") if slope <= 0 else float(scale / slope)
    return Line(float(floor), bandwidth, tuple(float(value) for value in residuals))
