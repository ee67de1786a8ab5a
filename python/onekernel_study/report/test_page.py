"""The page in Chromium: silent, offline, its figures those of the study, usable on a phone and by keyboard."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from onekernel_study.report import calculator, curves, page
from onekernel_study.report.conftest import HOSTILE, decoded
from onekernel_study.report.sections import sections
from onekernel_study.schema import Study
from onekernel_study.wording import count, percent, seconds

STUDIES = ("whole", "gaps", "hostile")
Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name in STUDIES:
        made[name] = folder / f"{name}.html"
        made[name].write_text(page.render(decoded(request.getfixturevalue(name))), encoding="utf-8")
    return made


@pytest.fixture
def opened(browser: Browser, files: dict[str, Path]) -> Iterator[Opener]:
    """Opens one of the pages; at the end nothing may have been said on the console or asked of a network."""
    contexts, said = [], []

    def open_page(name: str = "whole", width: int = 1280, scheme: Any = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: said.append(f"error: {error}"))
        tab.on("request", lambda request: said.append(request.url) if request.url != files[name].as_uri() else None)
        tab.goto(files[name].as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


def data_of(tab: Page) -> Any:
    return json.loads(tab.locator("#data").text_content() or "")


def set_sliders(tab: Page, **values: float) -> None:
    """Moves sliders as a pointer does: to a position, followed by an input event."""
    sliders = data_of(tab)["sliders"]
    for name, value in values.items():
        tab.locator(f"#{name}").evaluate(
            "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input', {bubbles: true})); }",
            sliders[name].index(value),
        )


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_said_and_nothing_scrolls_sideways(opened: Opener, name: str, width: int) -> None:
    tab = opened(name, width)
    tab.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.title() == "What crossing the boundary costs"


def test_the_study_is_in_the_page_whole(opened: Opener, whole: Study, hostile: Study) -> None:
    assert data_of(opened("whole"))["study"] == decoded(whole)
    assert data_of(opened("hostile"))["study"] == decoded(hostile)


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_shows_the_studys_figures(opened: Opener, request: pytest.FixtureRequest, name: str) -> None:
    study: Study = request.getfixturevalue(name)
    grouped = sections(study)
    read = """(tables) => Object.fromEntries(tables.filter((t) => t.caption && t.tBodies.length).map((t) => [
        t.caption.textContent,
        [...t.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))]))"""
    shown = opened(name).eval_on_selector_all("table", read)
    tables = [table for group in (*grouped.tables.values(), grouped.further) for table in group]
    assert len(tables) > 15
    for table in tables:
        due = [list(row) for row in table.rows] or [["nothing was measured"]]
        assert shown[table.title] == due, table.title


def test_bars_and_claims_show_the_studys_figures(opened: Opener, whole: Study) -> None:
    tab = opened()
    for row in whole.architectures:
        line = tab.locator("#ladder .bars li", has=tab.get_by_text(row.name, exact=True))
        assert line.locator(".value").text_content() == f"{row.ratio_to_in_process:.3f}x"
        assert f"median {row.median_s:.3f} s of 3 runs" in (line.locator(".facts").text_content() or "")
        widths = line.locator(".track i").evaluate_all("(all) => all.map((i) => i.getBoundingClientRect().width)")
        assert row.boundary_s is not None
        assert row.median_s is not None
        assert sum(widths[1:]) == pytest.approx(sum(widths) * row.boundary_s / row.median_s, abs=0.5)
    badges = tab.locator("#claims .badge").all_text_contents()
    assert badges == ["holds", "does not hold", "not measured"]
    assert tab.locator("#peers .value.missing").all_text_contents() == ["not measured"] * 3
    assert tab.locator("#peers .facts", has_text="not installed: pip install iceoryx2").count() == 3


def test_a_withheld_figure_says_so_and_nothing_breaks(opened: Opener) -> None:
    tab = opened("gaps")
    assert "GATE FAILED" in (tab.locator(".lead").text_content() or "")
    assert set(tab.locator("#ladder .value").all_text_contents()) == {"withheld"}
    assert "run 1: combo 3 differs" in (tab.locator("#ladder .facts").first.text_content() or "")
    assert "No curve was measured" in (tab.locator("#calculator").text_content() or "")
    text = tab.locator("main").inner_text()
    assert not any(word in text for word in ("NaN", "undefined", "Infinity", "None", "null"))


def test_hostile_text_is_shown_as_it_stands(opened: Opener) -> None:
    tab = opened("hostile")
    assert HOSTILE.strip().replace("\u2028", "") in (tab.locator(".lead").text_content() or "").replace("\u2028", "")
    assert tab.locator("img").count() == 0


@pytest.mark.parametrize("transport", ["unix", "shm", "unix_after_compute", "http_json"])
def test_the_answer_is_pythons_to_the_last_bit(opened: Opener, whole: Study, transport: str) -> None:
    tab = opened()
    found = curves.curves(whole)
    (curve,) = [each for each in found if each.name == transport]
    tab.locator("#transport").select_option(transport)
    works = [(0.01, 1.0, 0.0), (200.0, 80.0, 1.2e6), (40.0, 1.5e5, 8.0), (3e6, 12.0, 1e8)]
    for encoding in curves.encodings(whole):
        if tab.locator("#encoding").is_enabled():
            tab.locator("#encoding").select_option(encoding.name)
        for compute_us, calls, n_bytes in works:
            set_sliders(tab, compute_us=compute_us, calls=calls, n_bytes=n_bytes)
            due = calculator.answer(calculator.Workload(compute_us, calls, n_bytes), curve, encoding, found)
            assert answer_of(tab) == expected(due)
            assert tab.locator("#answer-changes tr").evaluate_all(
                "(rows) => rows.map((row) => [row.dataset.name, Number(row.dataset.saves)])"
            ) == [[change.name, change.saves_us] for change in due.changes]
            first = tab.locator("#answer-first").get_attribute("data-value")
            assert first == (due.changes[0].name if due.changes and due.share >= 0.01 else "")
            lines = (tab.locator("#arithmetic").text_content() or "").split("\n")
            assert lines[5].endswith(f"= {percent(due.share)}")


def answer_of(tab: Page) -> dict[str, tuple[float, str]]:
    read = "(all) => all.map((each) => [each.id, Number(each.dataset.value), each.textContent])"
    cells = tab.eval_on_selector_all("[id^=answer-][data-value]:not(#answer-first, #answer-after)", read)
    return {name.removeprefix("answer-"): (value, text) for name, value, text in cells}


def expected(due: calculator.Answer) -> dict[str, tuple[float, str]]:
    def time(us: float) -> tuple[float, str]:
        return us, seconds(us / 1e6)

    cells = {
        "share": (due.share, percent(due.share)),
        "crossing": time(due.crossing_us),
        "boundary": time(due.boundary_us),
        "compute": time(due.compute_us),
        "granularity": (due.granularity, count(due.granularity)),
    }
    cells |= {f"even-{i}": time(us) for i, us in enumerate(due.break_even_us)}
    return cells | {f"split-{i}": (calls, count(calls)) for i, calls in enumerate(due.split_into)}


def test_the_answer_after_a_computation_stands_beside(opened: Opener, whole: Study) -> None:
    tab = opened()
    found = curves.curves(whole)
    (later,) = [each for each in found if each.kind == curves.AFTER_COMPUTE]
    set_sliders(tab, compute_us=200.0, calls=80.0, n_bytes=1.2e6)
    due = calculator.answer(calculator.Workload(200.0, 80.0, 1.2e6), later, curves.encodings(whole)[0], found)
    said = tab.locator("#answer-after")
    assert float(said.get_attribute("data-value") or "") == due.share
    assert said.text_content() == (
        f"{percent(due.share)} where every call follows a computation: then one crossing takes "
        f"{seconds(due.crossing_us / 1e6)}."
    )
    tab.locator("#transport").select_option("tcp")
    assert said.text_content() == ""


def test_presets_are_the_published_workload(opened: Opener, whole: Study) -> None:
    tab = opened()
    for preset in calculator.presets(whole):
        tab.get_by_role("button", name=preset.title).click()
        sliders = data_of(tab)["sliders"]
        chosen = {name: sliders[name][int(tab.locator(f"#{name}").input_value())] for name in sliders}
        assert chosen == dataclasses.asdict(preset.work)


def test_sliders_and_all_else_work_by_keyboard(opened: Opener) -> None:
    tab = opened()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    assert tab.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.locator("#theme output").text_content() == "light"
    tab.locator(".skip").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"

    reached, unseen = [], []
    for _ in range(200):
        tab.keyboard.press("Tab")
        name, outlined = tab.evaluate(
            "(() => { const e = document.activeElement; return [e.id || e.textContent.trim().slice(0, 40),"
            " parseFloat(getComputedStyle(e).outlineWidth) > 0 && getComputedStyle(e).outlineStyle !== 'none']; })()"
        )
        reached.append(name)
        if tab.evaluate("document.activeElement === document.body"):
            break
        if not outlined:
            unseen.append(name)
        if name == "compute_us":
            before = answer_of(tab)["share"]
            spoken = tab.locator("#compute_us").get_attribute("aria-valuetext")
            tab.keyboard.press("ArrowRight")
            assert answer_of(tab)["share"] < before
            assert tab.locator("#compute_us").get_attribute("aria-valuetext") != spoken
            assert tab.locator("#compute_us-output").text_content() != spoken
        if name.startswith("Table: Serialization"):
            tab.keyboard.press("Enter")
            assert tab.locator("#serialization table").is_visible()
    assert {"compute_us", "calls", "n_bytes", "transport", "encoding", "arithmetic"} <= set(reached)
    assert unseen == []


def test_every_control_has_a_name(opened: Opener) -> None:
    tab = opened()
    unnamed = """(all) => all.filter((e) => !(e.labels?.length && e.labels[0].textContent.trim())
        && !e.textContent.trim() && !e.getAttribute('aria-label')).map((e) => e.outerHTML)"""
    assert tab.eval_on_selector_all("input, select, button, a, [tabindex='0']", unnamed) == []
    assert tab.eval_on_selector_all("[role=img]", "(all) => all.filter((e) => !e.ariaLabel).length") == 0


GROUND = "getComputedStyle(document.body).backgroundColor"


def test_dark_and_light_by_the_system_and_by_the_button(opened: Opener) -> None:
    light, dark = opened().evaluate(GROUND), opened(scheme="dark").evaluate(GROUND)
    assert light != dark
    tab = opened(scheme="dark")
    seen = []
    for _ in range(3):
        tab.locator("#theme").click()
        seen.append((tab.locator("#theme output").text_content(), tab.evaluate(GROUND)))
    assert seen == [("light", light), ("dark", dark), ("auto", dark)]
    tab.locator("#theme").click()
    tab.reload()
    assert tab.evaluate(GROUND) == light, "the choice is kept"


# The least contrast of any text against the nearest ground that is painted behind it (WCAG 2, relative luminance).
CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    const found = rgb(getComputedStyle(element).backgroundColor);
    return found.length < 4 || found[3] > 0 ? found : ground(element.parentElement);
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.getClientRects().length || element.matches(":disabled, script, style, option")) continue;
    const [a, b] = [luminance(rgb(getComputedStyle(element).color)), luminance(ground(element))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.outerHTML.slice(0, 80)]);
  }
  return found.sort((x, y) => x[0] - y[0]);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(opened: Opener, scheme: str) -> None:
    found = opened(scheme=scheme).evaluate(CONTRAST)
    assert len(found) > 200
    assert found[0][0] >= 4.5, found[0]


# How many different colours a chart's canvas has beside its empty ground.
COLOURS = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return [...seen];
}"""


@pytest.mark.parametrize("width", [360, 1280])
def test_the_charts_are_drawn_in_the_series_colours(opened: Opener, width: int) -> None:
    tab = opened(width=width)
    for chart, n in {"echo-chart": 3, "latency-chart": 6, "share-chart": 2}.items():
        drawn = tab.locator(f"#{chart} canvas").evaluate(COLOURS)
        # Of the nine distributions those are shown that are not pinned to one core.
        wanted = [1, 3, 4, 6] if chart == "latency-chart" else list(range(1, n + 1))
        for i in wanted:
            value = tab.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--series-{i}').trim()")
            assert ",".join(str(int(value[k : k + 2], 16)) for k in (1, 3, 5)) in drawn, (chart, i)


def test_a_distribution_can_be_switched_off(opened: Opener) -> None:
    tab = opened()
    picture = tab.locator("#latency-chart canvas").evaluate("(canvas) => canvas.toDataURL()")
    tab.locator("#latency-rows input:checked").first.uncheck()
    assert tab.locator("#latency-chart canvas").evaluate("(canvas) => canvas.toDataURL()") != picture


def test_nothing_in_the_page_names_another_file(files: dict[str, Path]) -> None:
    text = files["whole"].read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    for mark in ('src="http', "src='http", 'href="http', "@import", "url("):
        assert mark not in text


def test_a_vendored_script_that_would_end_its_element_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "bad.js"
    script.write_text("const text = '</SCRIPT>';")
    with pytest.raises(ValueError, match=r"bad\.js cannot be put into a page"):
        page._inlined(script, "script")
