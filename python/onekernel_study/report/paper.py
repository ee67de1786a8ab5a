"""out/report.pdf: the report as a paper, typeset by Typst with the fonts it carries. Made from study.json alone."""

import dataclasses
import json
from pathlib import Path

import typst

from onekernel_study import published
from onekernel_study.document import parse
from onekernel_study.report import calculator, curves
from onekernel_study.report.highlights import highlights
from onekernel_study.report.method import method
from onekernel_study.report.plots import plots
from onekernel_study.report.sections import sections
from onekernel_study.schema import Study
from onekernel_study.verdict import sentences
from onekernel_study.wording import count, percent, seconds

TEMPLATE = Path(__file__).parent / "templates" / "paper.typ"


def render(document: object) -> bytes:
    """The paper of a decoded study.json, as PDF; DocumentError where it is not one."""
    data = json.dumps(_data(parse(document)), allow_nan=False)
    # No date and no fonts of the system: the same study gives the same bytes, on any machine.
    pdf = typst.compile(str(TEMPLATE), format="pdf", sys_inputs={"data": data}, ignore_system_fonts=True)
    if not isinstance(pdf, bytes):
        raise TypeError(f"typst returned {type(pdf).__name__} instead of one PDF")
    return pdf


def _data(study: Study) -> dict[str, object]:
    """Everything that the template sets, as words: it computes nothing."""
    grouped = sections(study)
    machine = study.environment
    return {
        "machine": f"{machine.cpu_model}, {machine.cores} cores, {machine.kernel_release}",
        "date": machine.date,
        "version": machine.engine_version,
        "quick": study.quick,
        "passed": study.equivalence.all_ok,
        "workload": f"{study.workload.n_combos} parameter sets over {study.workload.n_bars:,} bars",
        "published_machine": published.MACHINE,
        "highlights": [each.said for each in highlights(study)],
        "method": method(study),
        "verdict": [dict(zip(("subject", "rest"), _split(text), strict=True)) for text in sentences(study)],
        "tables": {name: [dataclasses.asdict(table) for table in group] for name, group in grouped.tables.items()},
        "further": [dataclasses.asdict(table) for table in grouped.further],
        "plots": plots(study),
        "examples": _examples(study),
    }


def _split(sentence: str) -> tuple[str, str]:
    subject, colon, rest = sentence.partition(": ")
    return (f"{subject}:", rest) if colon else ("", sentence)


def _examples(study: Study) -> list[list[str]]:
    """The calculator's answers for the published workload's three ways of calling, over the Unix socket."""
    found = curves.curves(study)
    curve = curves.unix_curve(found)
    if curve is None:
        return []
    rows = []
    for preset in calculator.presets(study):
        work = preset.work
        result = calculator.answer(work, curve, curves.encodings(study)[0], found)
        rows.append(
            [
                preset.title,
                count(work.calls),
                seconds(work.compute_us / 1e6),
                f"{work.n_bytes:,.0f}",
                f"{seconds(curve.floor_us / 1e6)} + {seconds(result.transfer_us / 1e6)}",
                seconds(result.boundary_us / 1e6),
                percent(result.share),
                count(result.granularity),
            ]
        )
    return rows
