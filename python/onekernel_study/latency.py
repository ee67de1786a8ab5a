"""From single calls to percentiles and histograms."""

from collections.abc import Sequence

import numpy as np

from onekernel_study.percentiles import percentile, permille
from onekernel_study.schema_statistics import Histogram, Latency

BINS = 60


def latency(samples_ns: Sequence[int]) -> Latency:
    """Nearest-rank percentiles of calls in nanoseconds."""
    ordered = sorted(samples_ns)
    p50, p90, p99 = (percentile(ordered, q) / 1e3 for q in (50, 90, 99))
    return Latency(len(ordered), p50, p90, p99, permille(ordered, 999) / 1e3, ordered[-1] / 1e3)


def histogram(samples_ns: Sequence[int], bins: int = BINS) -> Histogram:
    """Counts between edges that are spaced evenly by their logarithm, from the shortest call to the longest."""
    us = np.asarray(samples_ns, np.float64) / 1e3
    low, high = float(us.min()), float(us.max())
    edges = np.geomspace(low, high if high > low else low * 1.001, bins + 1)
    edges[0], edges[-1] = low, max(high, float(edges[-1]))
    counts, _ = np.histogram(us, edges)
    return Histogram(tuple(map(float, edges)), tuple(map(int, counts)))
