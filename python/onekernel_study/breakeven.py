"""When does a boundary pay? The arithmetic, from this run's compute times and echo curve.

With a floor F per crossing and C of compute, n crossings take the share n F / (C + n F) of the total. So the share s
is reached at n = s / (1 - s) * C / F crossings; where each crossing also ships the series, F is its whole cost.
"""

from collections.abc import Iterable, Sequence

from onekernel_study.names import UNIX
from onekernel_study.schema import Architecture, BreakEven, EchoFit, Granularity

SHARES = (0.01, 0.10, 0.50)


def calls_at(share: float, compute: float, crossing: float) -> float:
    """How many crossings of that cost take `share` of the total, beside that much compute (in the same unit)."""
    return share / (1.0 - share) * compute / crossing


def break_even(architectures: Sequence[Architecture], fits: Iterable[EchoFit], n_bars: int, n_combos: int) -> BreakEven:
    """G and the break-even counts for every kernel that a row measured, over the Unix socket."""
    fit = next((fit for fit in fits if fit.transport == UNIX), None)
    if fit is None:
        return BreakEven(None, None, None, "no echo curve", ())
    shipping_us, basis = series_crossing(architectures, fit, n_bars)
    granularity = []
    for kernel, sweep_us in compute_by_kernel(architectures).items():
        granularity.append(_granularity(kernel, "combo", sweep_us / n_combos, fit.floor_us, shipping_us))
        granularity.append(_granularity(kernel, "sweep", sweep_us, fit.floor_us, shipping_us))
    return BreakEven(fit.floor_us, fit.bandwidth_gb_s, shipping_us, basis, tuple(granularity))


def series_crossing(architectures: Sequence[Architecture], fit: EchoFit, n_bars: int) -> tuple[float, str]:
    """Microseconds of a call that ships the series, and where the figure comes from.

    The chatty row measured just that, between computations; echoes back to back promise less than it takes.
    """
    for row in architectures:
        if row.name == "cpp_chatty_unix" and row.boundary_s is not None and row.crossings and row.boundary_s > 0:
            return row.boundary_s / row.crossings * 1e6, "measured by cpp_chatty_unix"
    return fit.floor_us + 8 * n_bars / fit.bandwidth_gb_s / 1e3, "derived from the echo fit"


def compute_by_kernel(architectures: Sequence[Architecture]) -> dict[str, float]:
    """Microseconds of compute per sweep, of the first row that shows each kernel."""
    found: dict[str, float] = {}
    for row in architectures:
        if row.compute_s is not None:
            found.setdefault(row.kernel, row.compute_s * 1e6)
    return found


def _granularity(kernel: str, unit: str, compute_us: float, floor_us: float, shipping_us: float) -> Granularity:
    empty = [calls_at(share, compute_us, floor_us) for share in SHARES]
    shipping = [calls_at(share, compute_us, shipping_us) for share in SHARES]
    return Granularity(kernel, unit, compute_us, compute_us / floor_us, *empty, *shipping)
