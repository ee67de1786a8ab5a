"""The paper: it has the study's figures in its text, whatever the study holds, and the same bytes every time."""

import io
import re

import pytest
from pypdf import PdfReader

from onekernel_study.document import DocumentError
from onekernel_study.report import paper
from onekernel_study.report.conftest import HOSTILE, decoded
from onekernel_study.report.highlights import highlights
from onekernel_study.report.plots import plots
from onekernel_study.report.sections import sections
from onekernel_study.schema import Study


def letters(text: str) -> str:
    """Text without what typesetting changes: spaces, breaks within words, quotes and ligatures."""
    plain = text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff").replace("ﬃ", "ffi").replace("ﬄ", "ffl")
    return re.sub(r"[\s\u200b\u00ad\ufffe\u2010-]+", "", plain)


def text_of(pdf: bytes) -> str:
    return letters("".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages))


@pytest.fixture(scope="module")
def pdf(whole: Study) -> bytes:
    return paper.render(decoded(whole))


def test_the_paper_has_pages_and_a_title(pdf: bytes) -> None:
    reader = PdfReader(io.BytesIO(pdf))
    assert len(reader.pages) >= 4
    assert reader.metadata is not None
    assert reader.metadata.title == "What crossing the boundary costs"


def test_every_cell_of_every_table_is_in_it(whole: Study, pdf: bytes) -> None:
    text = text_of(pdf)
    grouped = sections(whole)
    tables = [table for group in (*grouped.tables.values(), grouped.further) for table in group]
    assert len(tables) > 20
    missing = [(t.title, cell) for t in tables for row in t.rows for cell in row if letters(cell) not in text]
    assert missing == []


def test_the_key_figures_are_in_the_abstract(whole: Study, pdf: bytes) -> None:
    first = letters(PdfReader(io.BytesIO(pdf)).pages[0].extract_text())
    figures = highlights(whole)
    assert len(figures) == 5
    assert [figure.said for figure in figures if letters(figure.said) not in first] == []


def test_the_same_study_gives_the_same_bytes(whole: Study, pdf: bytes) -> None:
    assert paper.render(decoded(whole)) == pdf


def test_every_section_has_its_plot(whole: Study, gaps: Study) -> None:
    everything = {"ladder", "echo", "latency", "serialization", "fast", "peers_sweep", "peers_combo", "peers_bar"}
    assert plots(whole).keys() == everything
    assert plots(gaps) == {}


def test_a_study_of_gaps_says_so(gaps: Study) -> None:
    text = text_of(paper.render(decoded(gaps)))
    assert letters("The gate failed") in text
    assert letters("cpp_batch_unix withheld: run 1: combo 3 differs") in text
    assert letters("not installed: pip install iceoryx2") in text


def test_text_is_set_as_it_stands(hostile: Study) -> None:
    assert letters(HOSTILE.replace("\u2028", " ")) in text_of(paper.render(decoded(hostile)))


def test_a_wrong_document_is_refused(whole: Study) -> None:
    with pytest.raises(DocumentError, match="rounds"):
        paper.render({**decoded(whole), "rounds": None})
