"""The card around a picture, drawn or live: what fingers, keys and screen readers get, and that it does not jump."""

import functools
import json
import re

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from live_pages import COLLISIONS, PICTURES, STILL, attention, by_finger, open_live, unfold
from matplotlib.figure import Figure
from myst_nb.core.read import read_myst_markdown_notebook
from page_explorers import ALL_PAGES, PAGES, boxes, explorers
from playwright.sync_api import expect
from reader import STANDS, STARTED, Reader

from _ext.finish.search import in_lines
from explorables import Control, Explorer, explore
from explorables.first import card, room_for

# What a page is long by, and takes long to read.
BULK = re.compile(r"<svg\b.*?</svg>|(?<=class=\"uat-pack\">)[^<]*", re.DOTALL)
LONG = {k: "word " * (7 * k % 50) for k in range(10)}


@functools.cache
def drawn() -> Explorer:
    """An explorer whose pictures and read-outs are of every size."""

    @explore(
        k=Control(range(10), label="number"), side=["left", "right side"], tall=[3, 4], display=False, title="Dots"
    )
    def card(k, side, tall):
        "Dots on a line."
        figure = Figure(figsize=(5, tall))
        figure.subplots().plot([0, 9], [0, 0], "o")
        return figure, f"a dot at {k} on the {side}: {LONG[k]}end"

    return card


# --------------------------------------------------------------------------------------------------- fingers and keys

# Every value that a slider takes from now on, whoever sets it; asked at each event, and all the time between.
WATCH = """field => {
  window.taken = [field.value];
  const see = () => taken.at(-1) === field.value || taken.push(field.value);
  for (const type of ["pointerdown", "touchstart", "input", "pointermove", "pointerup", "pointercancel", "change"]) {
    window.addEventListener(type, see);
    field.addEventListener(type, () => queueMicrotask(see));
  }
  const frame = () => requestAnimationFrame(() => (see(), frame()));
  frame();
}"""


@pytest.mark.parametrize(("card", "slider"), [(drawn, "number"), (attention, "sharpness")])
def test_a_swipe_never_moves_a_slider(phone, tmp_path, card, slider):
    """Up and down moves the page and nothing else, along the slider moves it, and so does a tap."""
    phone.show("light", {"width": 390, "height": 420})
    tab = open_live(phone, card(), tmp_path)
    tab.add_style_tag(content="body { padding: 300px 0 900px }")
    if card is attention:
        unfold(tab).get_by_label("attention", exact=True).select_option("1")
    field, readout = tab.get_by_role("slider", name=slider), tab.locator(".readout")
    width = field.bounding_box()["width"]
    for dx, dy in ((0, -100), (0, 100), (-6, -100), (40, 100)):
        tab.evaluate("scrollTo(0, 200)")
        field.evaluate(WATCH)
        said, start = readout.inner_text(), tab.evaluate("scrollY")
        by_finger(tab, field, dx, dy)
        assert tab.evaluate("scrollY") != start
        assert len(tab.evaluate("taken")) == 1
        assert readout.inner_text() == said
    least, most = (float(field.get_attribute(name)) for name in ("min", "max"))
    by_finger(tab, field, width, 20)
    assert float(field.input_value()) == most
    by_finger(tab, field, -width, -20)
    assert float(field.input_value()) == least
    said = readout.inner_text()
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    tab.touchscreen.tap(box["x"] + 0.75 * width, box["y"] + box["height"] / 2)
    assert 0.65 < (float(field.input_value()) - least) / (most - least) < 0.85
    expect(readout).not_to_have_text(said)


def test_two_values_are_chosen_by_mouse_finger_and_keys(desk, phone, tmp_path):
    for reader, hand in ((desk, "click"), (phone, "tap")):
        reader.rest()
        tab = open_live(reader, drawn(), tmp_path)
        group = tab.get_by_role("radiogroup", name="side")
        halves = group.get_by_role("radio")
        assert [half.evaluate("half => half.parentElement.innerText") for half in halves.all()] == [
            "left",
            "right side",
        ]
        assert min(min(half.bounding_box()[side] for side in ("width", "height")) for half in halves.all()) >= 24
        for k, place in ((1, "right side"), (0, "left")):
            getattr(group.locator("label").nth(k), hand)()
            expect(halves.nth(k)).to_be_checked()
            expect(tab.locator(".readout")).to_contain_text(f"on the {place}")
            said = tab.locator(".picture svg").get_attribute("aria-label")
            assert said == f"Dots on a line. Now number = 0, side = {place}, tall = 3."
        assert reader.complaints == []
    tab = open_live(desk, drawn(), tmp_path)
    tab.get_by_label("number", exact=True).focus()
    tab.keyboard.press("Tab")
    chosen = tab.get_by_role("radio", name="left")
    expect(chosen).to_be_focused()
    outline = chosen.evaluate("half => getComputedStyle(half).outlineStyle + getComputedStyle(half).outlineWidth")
    assert outline == "solid3px"
    tab.keyboard.press("Tab")  # one stop for both; test_pages.py moves them by keys and addresses
    expect(tab.get_by_role("radiogroup", name="tall").get_by_role("radio").first).to_be_focused()


def test_the_chosen_half_is_told_apart_in_forced_colours_and_on_paper(desk, tmp_path):
    tab = open_live(desk, drawn(), tmp_path)
    ground = "half => getComputedStyle(half).backgroundColor"
    for forced in ("none", "active"):
        tab.emulate_media(forced_colors=forced)
        one, other = (tab.locator(".segmented label span").get_by_text(text) for text in ("left", "right side"))
        assert one.evaluate(ground) != other.evaluate(ground)
    tab.emulate_media(media="print", forced_colors="none")
    assert tab.get_by_text("left", exact=True).is_visible()
    assert not tab.get_by_text("right side", exact=True).is_visible()
    desk.rest()


# ----------------------------------------------------------------------------------------------------------- its code


@pytest.mark.parametrize("page", ALL_PAGES)
def test_the_code_of_a_card_is_one_bar_below_it(book, page):
    """And all code of the chapter stands on its page, once and in order."""
    whole = BULK.sub("", (book / f"{page}.html").read_text(encoding="utf-8"))
    text = BeautifulSoup(in_lines(whole), "html.parser")
    for box in text.select(".uat-explorer"):
        cell = box.find_parent("div", class_="cell")
        title = json.loads(box.select_one(".uat-spec").text)["title"]
        assert [child["class"][0] for child in cell.find_all(recursive=False)] == ["cell_output", "admonition"]
        (fold,) = cell.select("details.uat-code")
        assert not fold.has_attr("open")
        summary = fold.select_one("summary")
        assert not summary.has_attr("aria-label")
        assert {line.text for line in summary.select("p")} == {
            f"Code of \N{LEFT DOUBLE QUOTATION MARK}{title}\N{RIGHT DOUBLE QUOTATION MARK}"
        }
        before = cell.find_previous_sibling()
        alone = before is not None and [child.name for child in before.find_all(recursive=False)] == ["details"]
        assert not alone or before.select(":scope > .uat-shown")
    source = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    cells = [
        cell.source
        for cell in read_myst_markdown_notebook(source).cells
        if cell.cell_type == "code" and not {"remove-input", "remove-cell"} & {*cell.metadata.get("tags", ())}
    ]
    shown = [block.text.strip() for block in text.select("div.cell .cell_input pre")]
    assert shown == [cell.strip() for cell in cells]


def test_the_bar_opens_by_keyboard_and_its_code_can_be_copied(desk, site):
    page, first = PAGES[0], explorers(PAGES[0])[0]
    tab = desk.open(f"{site}{page}.html")
    fold = tab.locator("div.cell").filter(has=tab.locator(f"#{first.id}")).locator("details.uat-code")
    assert not fold.locator("pre").first.is_visible()
    fold.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert fold.locator("pre").first.is_visible()
    assert fold.locator("button.copybtn").count() == fold.locator("pre").count() >= 1


# ----------------------------------------------------------------------------------------------------- nothing jumps

LANDED = f"async id => {{ await ({STANDS})(); return document.getElementById(id).getBoundingClientRect().top; }}"
HEIGHT = "document.querySelector('.uat-explorer').getBoundingClientRect().height"


def test_a_read_out_is_no_larger_than_the_labels_it_is_about(desk, site):
    """Its first line is read at once; figures below it are smaller, also when a hand has moved something."""
    card = desk.open(f"{site}chapters/cheng-condition.html").locator("#explorer-told")
    said, small = card.locator(".readout"), card.locator(".readout small")
    for _ in range(2):
        sizes = [
            part.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
            for part in (small, said, card.locator(".name").first)
        ]
        assert sizes == sorted({*sizes})
        first, figures = said.inner_text().split("\n", 1)
        assert first.startswith("equal pairs of tokens: ")
        assert small.inner_text().strip() == figures
        card.get_by_role("slider", name="layers").press("ArrowRight")
        expect(small).to_contain_text("apart")


@pytest.mark.parametrize("width", [390, 1280])
def test_no_setting_changes_the_height_of_the_card(browser, tmp_path, width):
    reader = Reader(browser, viewport={"width": width, "height": 740})
    tab = open_live(reader, drawn(), tmp_path)
    heights = {tab.evaluate(HEIGHT)}
    for label in ("left", "right side", "3", "4"):
        tab.locator(".segmented label").filter(has_text=label).click()
        for k in range(10):
            tab.get_by_label("number", exact=True).fill(str(k))
            expect(tab.locator(".readout")).to_contain_text(f" {k} ")
            heights.add(tab.evaluate(HEIGHT))
    tab.close()
    assert len(heights) == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_links_land_where_they_lead(browser, site, width):
    """To explorers, to sections and exercises below them, on pages that are still loading."""
    page = PAGES[-1]
    tab = browser.new_page(viewport={"width": width, "height": 740})
    tab.goto(f"{site}{page}.html")
    headings = tab.locator("article section[id], article .exercise[id]").evaluate_all("all => all.map((e) => e.id)")
    for name in [*boxes(page), *headings[-6:-2]]:
        tab.goto("about:blank")
        tab.goto(f"{site}{page}.html#{name}")
        tab.wait_for_function(STARTED)
        assert 0 <= tab.evaluate(LANDED, name) < 150, name
    tab.close()


def test_a_card_shows_one_of_two_drawings_by_its_width(browser, tmp_path):
    """Before the script, as the view does: the drawing for phones where there are less than 500 pixels for it."""
    sizes = ((480, 200), (240, 400)), ((480, 220), (240, 300))
    drawings = [[f'<svg width="{w}pt" height="{h}pt" viewBox="0 0 {w} {h}"></svg>' for w, h in both] for both in sizes]
    page = drawn().to_html()
    spec = drawn().spec(static=True)
    first = card(spec, drawings[0], "a text", room=room_for(drawings, ["a text", "b"]))
    first = f'<div class="uat-first">{first}</div>'
    drawn_before = page.index("<div class="), page.index('<script class="uat-page-script"')
    (tmp_path / "two.html").write_text(page[: drawn_before[0]] + first + page[drawn_before[1] :])
    tab = browser.new_page(java_script_enabled=False)
    tab.goto((tmp_path / "two.html").as_uri())
    for width, shown, height in ((1000, (480, 200), 220), (500, (240, 400), 400)):
        tab.set_viewport_size({"width": width, "height": 740})
        seen = tab.locator(".picture svg:visible").all()
        box = seen[0].bounding_box()
        assert len(seen) == 1
        assert (box["width"] * 0.75, box["height"] * 0.75) == pytest.approx(shown, abs=1)
        assert tab.locator(".pictures").bounding_box()["height"] * 0.75 == pytest.approx(height, abs=1)
    tab.close()


INSIDE = """() => {
  const stage = document.querySelector(".uat-view").shadowRoot.querySelector(".stage");
  const { left, right } = stage.getBoundingClientRect();
  return [...stage.querySelectorAll("svg text")].filter((text) => text.textContent.trim())
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([, box]) => box.left < left - 1 || box.right > right + 1).map(([said]) => said);
}"""


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("date", ["0 1 3", "19901231", "98765432"])
def test_numbers_of_a_date_stay_in_the_card_and_apart(phone, tmp_path, width, date):
    phone.show("light", {"width": width, "height": 844})
    tab = open_live(phone, PICTURES["jumps"](), tmp_path)
    tab.set_viewport_size({"width": width, "height": 844})
    tab.get_by_role("textbox").fill(date)
    tab.evaluate(STILL)
    assert tab.evaluate(INSIDE) == []
    assert tab.evaluate(COLLISIONS) == []


TITLE = """(menu) => {
  const { backgroundColor, color } = getComputedStyle(menu);
  return [color, backgroundColor];
}"""


def test_the_title_under_a_menu_is_seen_while_the_menu_is_pressed(desk, site):
    """The title is drawn below the menu, which has no letters of its own."""
    tab = desk.open(f"{site}index.html")
    menu = tab.locator("select.naming").first
    for press in (menu.hover, menu.focus):
        press()
        assert menu.evaluate(TITLE) == ["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0)"]
