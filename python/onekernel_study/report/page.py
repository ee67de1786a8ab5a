"""out/report.html: one file for a browser, which asks nothing of any network. Made from study.json alone."""

import dataclasses
import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from onekernel_study import published
from onekernel_study.breakeven import SHARES
from onekernel_study.document import parse
from onekernel_study.report import bars, calculator, curves
from onekernel_study.report.highlights import highlights
from onekernel_study.report.method import method
from onekernel_study.report.sections import sections
from onekernel_study.schema import Study
from onekernel_study.tables_live import PER_BAR_SERIES_S
from onekernel_study.verdict import sentences

HERE = Path(__file__).parent
TEMPLATES, UPLOT = HERE / "templates", HERE / "vendor" / "uplot"
STYLES = (UPLOT / "uPlot.min.css", TEMPLATES / "page.css")
SCRIPTS = (
    UPLOT / "uPlot.iife.min.js",
    TEMPLATES / "wording.js",
    TEMPLATES / "calculator.js",
    TEMPLATES / "charts.js",
    TEMPLATES / "page.js",
)
SLIDERS = {"compute_us": (-2, 7), "calls": (0, 6), "n_bytes": (0, 8)}  # from and to these powers of ten


def render(document: object) -> str:
    """The page of a decoded study.json; DocumentError where it is not one."""
    study = parse(document)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    grouped = sections(study)
    return environment.get_template("page.html.jinja").render(
        study=study,
        machine=study.environment,
        published_machine=published.MACHINE,
        highlights=highlights(study),
        sentences=sentences(study),
        tables=grouped.tables,
        further=grouped.further,
        bars=bars,
        latencies=[row for row in study.latencies if row.histogram is not None],
        curves=curves.curves(study),
        encodings=curves.encodings(study),
        per_bar_series_s=PER_BAR_SERIES_S,
        presets=calculator.presets(study),
        shares=SHARES,
        method=method(study),
        styles=[_inlined(path, "style") for path in STYLES],
        licence=(UPLOT / "LICENSE").read_text(encoding="utf-8"),  # the page is a copy of the library: so it goes along
        scripts=[_inlined(path, "script") for path in SCRIPTS],
        data=embedded(_data(study)),
    )


def _data(study: Study) -> dict[str, object]:
    """What the scripts read: the whole study, the calculator's curves and the values of its sliders."""
    presets = [dataclasses.asdict(preset) for preset in calculator.presets(study)]
    sliders = {
        name: sorted({*calculator.slider(low, high), *(preset["work"][name] for preset in presets)})
        for name, (low, high) in SLIDERS.items()
    }
    return {
        "study": dataclasses.asdict(study),
        "published": {name: figure.value for name, figure in published.FIGURES.items()},
        "curves": [dataclasses.asdict(curve) for curve in curves.curves(study)],
        "encodings": [dataclasses.asdict(encoding) for encoding in curves.encodings(study)],
        "sliders": {**sliders, "n_bytes": [0.0, *sliders["n_bytes"]]},
        "shares": SHARES,
        "negligible": calculator.NEGLIGIBLE,
        "presets": presets,
    }


def embedded(data: object) -> Markup:
    """JSON for a <script> element: no text in it can end the element or begin another."""
    text = json.dumps(data, allow_nan=False)  # ASCII only: line separators are escaped too
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _inlined(path: Path, element: str) -> Markup:
    text = path.read_text(encoding="utf-8")
    if f"</{element}" in text.lower():
        raise ValueError(f"{path.name} cannot be put into a page: it would end its own <{element}> element")
    return Markup(text)
