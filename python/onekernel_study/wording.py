"""Numbers in words: one way of writing times, shares and counts, for every table and sentence."""


def seconds(value: float) -> str:
    """A time in the unit that suits it: '2.34 s', '12.3 ms', '18.1 us'."""
    size = abs(value)
    if size >= 1.0:
        return f"{value:.2f} s"
    if size >= 1e-3:
        return f"{value * 1e3:.{_decimals(size * 1e3)}f} ms"
    return f"{value * 1e6:.{_decimals(size * 1e6)}f} us"


def percent(share: float) -> str:
    """A share of 1 as a percentage: '0.13 %', '12 %'."""
    size = abs(share) * 100.0
    return f"{share * 100.0:.{_decimals(size) if size >= 1.0 else 2}f} %"


def count(value: float) -> str:
    """A count, with thousands separated; below ten with one decimal unless it is whole."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def number(value: float | None, decimals: int, missing: str = "") -> str:
    """A figure with fixed decimals, for a column."""
    return missing if value is None else f"{value:,.{decimals}f}"


def interval(low: float | None, high: float | None, decimals: int) -> str:
    """An interval, for a column, with fewer decimals where the figures are large; empty where there is none."""
    if low is None or high is None:
        return ""
    decimals = min(decimals, _decimals(high)) if high >= 10 else decimals
    return f"{low:,.{decimals}f}-{high:,.{decimals}f}"


def significant(value: float | None) -> str:
    """A figure with three significant digits, as far as decimals can give them, for a column."""
    return "" if value is None else f"{value:,.{_decimals(abs(value))}f}"


def _decimals(size: float) -> int:
    """Three significant digits, as far as decimals can give them."""
    return 0 if size >= 100 else 1 if size >= 10 else 2
