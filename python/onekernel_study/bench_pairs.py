"""certified against exact, one thread each, over the cases of one group in turns."""

from collections.abc import Sequence

from onekernel_study.bench_cases import Case
from onekernel_study.bench_kernels import levels, quotient
from onekernel_study.bench_schema import CaseRow
from onekernel_study.contest import Contender, Told, contest, native, numba_answer
from onekernel_study.gate import Answer, Gate
from onekernel_study.percentiles import median
from onekernel_study.progress import Progress

CHECKED_PART = 10  # where exact is too slow to be measured, it judges every tenth combo


def measure_cases(cases: Sequence[Case], rounds: int, progress: Progress) -> tuple[CaseRow, ...]:
    """Measures all cases of a group interleaved, so that they can be compared with one another."""
    pairs = [_contenders(case, progress) for case in cases]
    contest([one for pair in pairs for one in pair], rounds, progress)
    return tuple(_row(case, pair) for case, pair in zip(cases, pairs, strict=True))


def _contenders(case: Case, progress: Progress) -> list[Contender]:
    progress.show(f"what {case.name} must answer")
    close, combos, fee = case.close, case.combos, case.fee
    certified = native(close, combos, fee, "certified", 1)
    if not case.exact:
        part = combos[::CHECKED_PART].copy()
        gate = Gate(native(close, part, fee, "exact", 1)().answer, part)
        return [_partly_checked(case, gate)]
    exact = native(close, combos, fee, "exact", 1)
    judge = numba_answer(close, combos, fee) if case.judged_by_numba else exact().answer
    gate = Gate(judge, combos)
    return [Contender(f"certified, {case.name}", certified, gate), Contender(f"exact, {case.name}", exact, gate)]


def _partly_checked(case: Case, gate: Gate) -> Contender:
    certified = native(case.close, case.combos, case.fee, "certified", 1)

    def call() -> Told:
        told = certified()
        pnl, trades = told.answer
        return Told(Answer(pnl[::CHECKED_PART], trades[::CHECKED_PART]), told.target, told.threads, told.levels)

    return Contender(f"certified, {case.name}", call, gate)


def _row(case: Case, pair: Sequence[Contender]) -> CaseRow:
    certified = pair[0]
    exact = pair[1] if len(pair) > 1 else None
    decisions = len(case.close) * len(case.combos)
    certified_s = _median(certified.runs_s)
    exact_s = _median(exact.runs_s) if exact else None
    complaints = [f"{one.name}: {one.complaint}" for one in pair if one.complaint]
    return CaseRow(
        group=case.group,
        case=case.name,
        n_bars=len(case.close),
        n_combos=len(case.combos),
        judge="numba" if case.judged_by_numba else "exact" if exact else f"exact, every {CHECKED_PART}th combo",
        n_certified=len(certified.runs_s),
        n_exact=len(exact.runs_s) if exact else 0,
        certified_s=certified_s,
        exact_s=exact_s,
        certified_cpu_s=_median(certified.cpu_s),
        exact_cpu_s=_median(exact.cpu_s) if exact else None,
        certified_ns=None if certified_s is None else certified_s * 1e9 / decisions,
        exact_ns=None if exact_s is None else exact_s * 1e9 / decisions,
        certified_over_exact=quotient(certified.runs_s, exact.runs_s) if exact else None,
        certified_over_exact_cpu=quotient(certified.cpu_s, exact.cpu_s) if exact else None,
        bitwise=not complaints and bool(certified.runs_s),
        levels=levels(certified.told.levels) if certified.told else None,
        complaint="; ".join(complaints) or None,
    )


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
