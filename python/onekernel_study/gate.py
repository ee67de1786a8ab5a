"""The equivalence gate: a time counts only where the answer of that very run is the reference's, to the bit.

Bits are compared as 64-bit patterns, so NaN equals the same NaN and 0.0 differs from -0.0. The published gate (pnl
within 1e-6, trades equal) is reported beside it, since that is what other people's implementations are held to.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

PUBLISHED_TOLERANCE = 1e-6


class Answer(NamedTuple):
    """What a sweep answers: pnl float64 (n_combos,) in percentage points, trades int64 (n_combos,)."""

    pnl: npt.NDArray[np.float64]
    trades: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Fingerprint:
    """What combo 0 of a known workload must show; pnl is published with two decimals only, hence its tolerance."""

    pnl_pct: float
    trades: int
    tolerance: float = 0.005


@dataclass(frozen=True)
class Comparison:
    """One answer against the reference; complaint is None exactly where the answer passed.

    max_abs_pnl_diff is None where no number says it: another shape, or NaN on one side only.
    """

    bitwise: bool
    trades_equal: bool
    max_abs_pnl_diff: float | None
    published_gate: bool
    complaint: str | None


@dataclass(frozen=True)
class Gate:
    """Holds the reference's answer for one workload; combos int64 (n_combos, 6) name the combo in a complaint."""

    reference: Answer
    combos: npt.NDArray[np.int64]
    fingerprint: Fingerprint | None = None

    def check(self, answer: Answer) -> Comparison:
        """Compares one answer; where the reference itself lacks the fingerprint, no answer passes."""
        wrong_form = form_complaint(self.reference, answer)
        if wrong_form:
            return Comparison(False, False, None, False, wrong_form)
        same_bits = bits(answer.pnl) == bits(self.reference.pnl)
        same_trades = answer.trades == self.reference.trades
        difference = largest_difference(self.reference.pnl, answer.pnl)
        within = difference is not None and difference <= PUBLISHED_TOLERANCE
        complaint = self._difference(answer, same_bits & same_trades) or self.fingerprint_complaint()
        return Comparison(
            bool(same_bits.all()), bool(same_trades.all()), difference, within and bool(same_trades.all()), complaint
        )

    def fingerprint_complaint(self) -> str | None:
        """Why the reference does not show the workload's fingerprint, or None where it does or there is none."""
        if self.fingerprint is None:
            return None
        pnl, trades = float(self.reference.pnl[0]), int(self.reference.trades[0])
        expected = self.fingerprint
        if trades == expected.trades and abs(pnl - expected.pnl_pct) <= expected.tolerance:
            return None
        return (
            f"combo 0 of the reference shows pnl {pnl!r} over {trades} trades, not the published fingerprint "
            f"{expected.pnl_pct} over {expected.trades}: the series or the reference is another one"
        )

    def _difference(self, answer: Answer, equal: npt.NDArray[np.bool_]) -> str | None:
        wrong = np.flatnonzero(~equal)
        if not len(wrong):
            return None
        i = int(wrong[0])
        got, want = answer.pnl[i], self.reference.pnl[i]
        said = (
            f"combo {i} {tuple(int(n) for n in self.combos[i])}: pnl {float(got)!r} where the reference has "
            f"{float(want)!r} (differs by {abs(float(got) - float(want)):.3g}; bits {int(bits(got)):016x} and "
            f"{int(bits(want)):016x}), trades {int(answer.trades[i])} where it has {int(self.reference.trades[i])}"
        )
        return said if len(wrong) == 1 else f"{said}; and {len(wrong) - 1} more of {len(equal)} combos differ"


def form_complaint(reference: Answer, answer: Answer) -> str | None:
    """Why an answer cannot be compared at all: its element types or its shape."""
    for name, want, got in zip(Answer._fields, reference, answer, strict=True):
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{name} is {got.dtype} of shape {got.shape}, the reference has {want.dtype} of shape {want.shape}"
    return None


def bits(values: npt.NDArray[np.float64] | np.float64) -> npt.NDArray[np.uint64]:
    """The 64-bit patterns of doubles, in their shape."""
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64).reshape(np.shape(values))


def largest_difference(want: npt.NDArray[np.float64], got: npt.NDArray[np.float64]) -> float | None:
    """The largest absolute difference; equal bits differ by 0, whatever they mean; None where it is not finite."""
    differing = bits(want) != bits(got)
    if not differing.any():
        return 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        largest = float(np.abs(want[differing] - got[differing]).max())
    return largest if np.isfinite(largest) else None
