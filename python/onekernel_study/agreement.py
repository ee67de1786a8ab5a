"""Whether a measured figure agrees with the published one: the rule, in one place and in words."""

from onekernel_study.published import Figure

RATIO_TOLERANCE = 0.10
TIME_FACTOR = 2.0
RULE = (
    f"agrees: a ratio (x, G) within {RATIO_TOLERANCE:.0%} of the published one; a time or bandwidth, since it belongs "
    f"to its machine, within a factor of {TIME_FACTOR:g}; otherwise measured over published is given"
)
RATIO_UNITS = ("x", "G")


def agreement(measured: float | None, published: Figure | None) -> str:
    """'agrees', 'differs, 0.82x' or '' where there is nothing to compare; measured in the published unit."""
    if measured is None or published is None:
        return ""
    quotient = measured / published.value
    if published.unit in RATIO_UNITS:
        close = abs(quotient - 1.0) <= RATIO_TOLERANCE
    else:
        close = 1.0 / TIME_FACTOR <= quotient <= TIME_FACTOR
    return "agrees" if close else f"differs, {quotient:.2f}x"
