"""From what was measured to the rows of the document."""

from collections.abc import Sequence

from onekernel_study.gate import Gate
from onekernel_study.intervals import ratio_interval
from onekernel_study.names import BASELINE
from onekernel_study.percentiles import median
from onekernel_study.runner import Measured
from onekernel_study.schema import (
    Architecture,
    EchoPoint,
    Equivalence,
    EquivalenceRow,
    FingerprintFacts,
    Serialization,
)


def architectures(measured: Sequence[Measured]) -> tuple[Architecture, ...]:
    """The rows of the comparison; a row with a complaint gets no time, and ratios need the baseline's."""
    baseline = next((_walls(one) for one in measured if one.row.name == BASELINE and _counts(one)), None)
    return tuple(_architecture(one, baseline) for one in measured)


def _counts(one: Measured) -> bool:
    return one.complaint is None and bool(one.runs)


def _walls(one: Measured) -> list[float]:
    return [run.wall_s for run in one.runs]


def _architecture(one: Measured, baseline_s: list[float] | None) -> Architecture:
    row = one.row
    if not _counts(one):
        reason = one.complaint or "no run was asked for"
        return Architecture(row.name, row.title, row.kernel, row.time_boxed, reason, (), *(None,) * 11)
    median_s, account = median(_walls(one)), one.runs[0].account
    low, high = (baseline_s and ratio_interval(_walls(one), baseline_s)) or (None, None)
    encodes = [run.account.encode_s for run in one.runs if run.account.encode_s is not None]
    return Architecture(
        name=row.name,
        title=row.title,
        kernel=row.kernel,
        time_boxed=row.time_boxed,
        withheld=None,
        runs_s=tuple(_walls(one)),
        median_s=median_s,
        ratio_to_in_process=None if baseline_s is None else median_s / median(baseline_s),
        ratio_low=low,
        ratio_high=high,
        compute_s=median([run.compute_s for run in one.runs]),
        boundary_s=median([run.wall_s - run.compute_s for run in one.runs]),
        client_cpu_s=median([run.client_cpu_s for run in one.runs]),
        crossings=account.crossings,
        bytes_out=account.bytes_out,
        bytes_in=account.bytes_in,
        encode_s=median(encodes) if encodes else None,
    )


def equivalence(
    measured: Sequence[Measured],
    gate: Gate,
    echo: Sequence[EchoPoint],
    serialization: Sequence[Serialization],
    broken: str | None = None,
    fast: Sequence[str] = (),
) -> Equivalence:
    """The verdict of the gate over everything that was compared.

    `broken` is an echo that failed outside the curve, `fast` are the complaints about the fast engine.
    """
    rows = tuple(_equivalence_row(one) for one in measured)
    echoes = [f"echo of {p.floats} floats over {p.transport}: {p.withheld}" for p in echo if p.withheld]
    echoes.extend([broken] if broken else [])
    formats = [f"decoding {each.format}: {each.withheld}" for each in serialization if each.withheld]
    fingerprint = gate.fingerprint_complaint()
    complaints = (
        *([fingerprint] if fingerprint else []),
        *(f"{row.name}, {row.complaint}" for row in rows if row.complaint),
        *echoes,
        *formats,
        *fast,
    )
    return Equivalence(
        all_ok=not complaints,
        fingerprint=_fingerprint(gate, ok=fingerprint is None),
        rows=rows,
        echo_ok=not echoes,
        serialization_ok=not formats,
        complaints=complaints,
    )


def _equivalence_row(one: Measured) -> EquivalenceRow:
    compared = one.comparisons
    differences = [comparison.max_abs_pnl_diff for comparison in compared]
    known = [difference for difference in differences if difference is not None]
    # A row that failed without an answer has nothing to show, and so is equal in nothing.
    answered = bool(compared) and (one.complaint is None or compared[-1].complaint is not None)
    return EquivalenceRow(
        name=one.row.name,
        bitwise=answered and all(comparison.bitwise for comparison in compared),
        max_abs_pnl_diff=max(known) if answered and len(known) == len(differences) else None,
        trades_equal=answered and all(comparison.trades_equal for comparison in compared),
        published_gate=answered and all(comparison.published_gate for comparison in compared),
        answers_checked=len(compared),
        complaint=one.complaint,
    )


def _fingerprint(gate: Gate, ok: bool) -> FingerprintFacts:
    expected = gate.fingerprint
    return FingerprintFacts(
        pnl_pct=float(gate.reference.pnl[0]),
        trades=int(gate.reference.trades[0]),
        expected_pnl_pct=expected.pnl_pct if expected else None,
        expected_trades=expected.trades if expected else None,
        ok=ok,
    )
