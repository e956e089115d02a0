"""Goals of the book's live pictures: none is reached at first, each can be; and by hand, in a browser."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from live_pages import STILL, by_mouse, centre, handle
from page_explorers import LIVE, explorers, live_pictures, page_text
from playwright.sync_api import Page, expect
from reader import STARTED

from explorables.live.picture import node
from uatbook.exercises import EXERCISES
from uatbook.live.picture import FILES
from uatbook.live.square import PAINTED
from uatbook.sources import SOURCES

TRIANGLE = {"x1": 0.3, "y1": 0.3, "x2": -0.3, "y2": 0.3, "x3": 0.3, "y3": -0.3, "x4": 0.7, "y4": 0.7}
LEANING = {"x1": -0.9, "y1": -1.5, "x2": 1.5, "y2": -0.9, "x3": 0.9, "y3": 1.5, "x4": -1.5, "y4": 0.9}
DIAGONAL = "".join("yph"[min(2, abs(k // 16 - k % 16))] for k in range(256))  # as high as may be, half, nothing
STEEP = {"R": "192", "c1": 0.374, "h1": 0.17, "c2": 0.386, "h2": 0.22, "c3": 0.707, "h3": 0.33,
         "c4": 0.734, "h4": 0.56, "c5": 1.047, "h5": 0.67, "c6": 1.067, "h6": 0.83}  # fmt: skip
"""On the rings, to the steps of the sliders."""
WIDE = {"R": "24", "c1": 0.385, "h1": 0.23, "c3": 0.728, "h3": 0.67, "c5": 1.06, "h5": 0.99}
OUTSIDE = {"b1": -6, "b2": 6, "x1": -5, "x2": 1, "x3": 4, "y1": -3, "y2": -2, "y3": 5}
OPPOSITE = {"b1": -6, "b2": 6, "x1": 1, "x2": 2, "x3": -3, "y1": -1, "y2": -2, "y3": 3}
REACHED = {
    "index: nearer": {"f": PAINTED, "formula": "0", "paint": DIAGONAL},
    "tour: told apart in place": {"u1": 0.0},
    "chapters/start: agree": {"x1": 0.12, "x2": 0.4},
    "chapters/yun-contextual-mapping: apart": {"calls": "1 3"},
    "chapters/yun-contextual-mapping: one id": {"t2": 0.8, "t3": 0.9},
    "chapters/yun-softmax: changed places": {"N": "2", "n": "2", "t1": 0.1, "t2": 0.6, "scale": 16},
    "chapters/yun-theorem-2: stranger": {"t2": 1.2},
    "chapters/yun-theorem-2: lost": {"f": "mean product", "x1": 0.99, "x2": 0.99},
    "chapters/yun-value-mapping: no row": {"x1": 0.4, "x2": 0.4},
    "chapters/kajitsuka-hardmax-fails: told apart in place": {"u1": 0.0},
    "chapters/kajitsuka-boltzmann: deep": {"n": "4", "a2": -1.6, "a3": -1.6, "a4": -1.6},
    "chapters/kajitsuka-boltzmann: twin": {"n": "2", "a2": -1.6},
    "chapters/kajitsuka-universality: all": STEEP,
    "chapters/kajitsuka-universality: fewest": WIDE,
    "chapters/kajitsuka-masks: unnoticed": {"example": "another first token", "u1": -1.0, "scale": 0.1696},
    "chapters/liu-partitions: triangle": {"N": "4", **TRIANGLE},
    "chapters/liu-partitions: sorted": LEANING,
    "chapters/liu-self-attention: melt": {"x1": 0.5, "x2": 0.5},
    "chapters/cheng-condition: mean": {"x2": 0},
    "chapters/cheng-condition: two": OUTSIDE,
    "chapters/cheng-condition: four": OPPOSITE,
    "chapters/cheng-condition: one id": {"x1": 0.4, "x2": 0.4},
    "chapters/cheng-kernels: told apart": {"x3": 1.5},
    "chapters/cheng-your-mixer: four": {"k": "s^4"},
    "chapters/cheng-your-mixer: five": {"k": "(1 + s)^2"},
    "chapters/cheng-your-mixer: none": {"k": "(1 + s)^3"},
}
"""By page and name of the goal, what of the first setting is changed to reach it."""


def specs(book: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each live picture that has goals: its page, the page's HTML, the spec."""
    for file in sorted([book / "index.html", book / "tour.html", *book.glob("chapters/*.html")]):
        html = page_text(file.relative_to(book).with_suffix("").as_posix())
        for spec in (json.loads(box["spec"]) for box in LIVE.finditer(html)):
            if spec.get("goals"):
                yield str(file.relative_to(book).with_suffix("")), html, spec


def position(control: dict[str, Any], values: dict[str, Any]) -> Any:
    if control["name"] not in values:
        return control["start"]
    value = values[control["name"]]
    return control["keys"].index(value) if control.get("keys") else value


def test_each_goal_is_not_reached_at_first_and_can_be(book):
    found: dict[str, list[bool]] = {}
    kept: list[str] = []
    for page, html, spec in specs(book):
        for goal in spec["goals"]:
            name = f"{page}: {goal['name']}"
            kept.append(f"{spec['name']}-{goal['name']}")
            alone, found[name] = {**spec, "goals": [goal]}, []
            for values in ({}, REACHED[name]):
                at = [position(control, values) for control in spec["controls"]]
                ((reached, _),) = node(FILES).ask({"spec": alone, "at": at, "widths": [650]})["goals"]
                found[name].append(reached)
            assert goal["gained"].endswith((".", "?")), name  # who reaches it is told what that is
            assert goal["exercise"] in {"", *EXERCISES}
            assert not goal["exercise"] or f'id="{goal["exercise"]}"' in html
    assert found == {name: [False, True] for name in REACHED}
    assert len({*kept}) == len(kept)  # the browser remembers them by these names
    parts = {name.split("/")[1].split("-")[0] for name in found if "/" in name}
    assert parts >= {re.sub(r"\d", "", key) for key in SOURCES}


def test_goals_of_explorers_are_reached_somewhere_but_not_at_first(book):
    """Of the average, where it takes others for the given tokens, and where powers first part all sums."""
    reached = {}
    for page in ("chapters/yun-cheaper-mixers", "chapters/cheng-condition"):
        for explorer in explorers(page):
            for k, name in enumerate(explorer.goals):
                settings = zip(explorer.positions(), explorer.reached, strict=True)
                reached[name] = {tuple(explorer.settings(at).split(", ")) for at, there in settings if there[k]}
    pairs = {(f"second token = {a}", f"third token = {b}", f"weight A = {A}")
             for a, b in ((2, 4), (4, 2), (3, 3)) for A in ("\u22122", "1")}  # fmt: skip
    deep = {("mixer = average", f"layers = {k}", "feed-forward first = powers") for k in (1, 2, 3)}
    assert reached == {"alike": pairs, "saved": deep}


def goal(tab: Page, box: str, k: int = 0) -> Any:
    return tab.locator(f"#explorer-{box} .goal").nth(k)


def state(tab: Page, box: str, k: int = 0) -> Any:
    """How it stands, below what it asks for."""
    return tab.locator(f"#explorer-{box} .state").nth(k)


def fresh(desk, address: str) -> Page:
    tab = desk.open(address)
    tab.evaluate("localStorage.clear()")
    tab.reload()
    tab.wait_for_function(STARTED)
    return tab


def test_a_stroke_along_the_diagonal_reaches_the_first_goal_and_the_browser_remembers(desk, site):
    address = f"{site}index.html"
    tab = fresh(desk, address)
    asked, told = goal(tab, "square"), state(tab, "square")
    heard = tab.locator("#explorer-square [aria-live]")
    expect(asked).to_contain_text(re.compile(r"^Goal: .*four times"))
    expect(told).to_have_text(re.compile(r"^Not yet: nothing is painted; Yun is off by 0\.\d{3} on average"))
    panel = tab.locator("#explorer-square .stage svg rect[style*=crosshair]").first
    side = panel.bounding_box()["width"]
    expect(asked).to_be_visible()  # in no fold
    by_mouse(tab, panel, 0.3 * side, 0.3 * side)  # across: both tokens are seldom in one cell
    expect(told).to_have_text(re.compile(r"^Not yet: Yun is off by"))
    tab.get_by_role("button", name="Undo").click()
    by_mouse(tab, panel, 0.4 * side, -0.4 * side)
    expect(asked).to_have_class(re.compile("reached"))
    expect(told).to_have_text(re.compile(r"^Won: Yun is off by 0\.\d{3} on average, Liu by 0\.0\d\d\. .*\.$"))
    expect(heard).to_contain_text(re.compile(r"^Won: .* speaks of the worst point"))
    assert [*json.loads(tab.evaluate("localStorage.getItem('uat-progress')"))] == ["goal-square-nearer"]
    tab = desk.open(address)
    expect(goal(tab, "square")).to_have_class(re.compile("reached"))
    expect(state(tab, "square")).to_have_text(re.compile(r"^Won before; now: nothing is painted"))
    assert desk.complaints == []


def test_a_token_that_is_dragged_onto_another_reaches_the_goal(desk, site):
    tab = fresh(desk, f"{site}chapters/yun-contextual-mapping.html")
    asked, told = goal(tab, "film"), state(tab, "film")
    expect(told).to_contain_text("Not yet: the nearest id of another sequence is")
    one, two, three = (handle(tab, f"token {k}") for k in (1, 2, 3))
    by_mouse(tab, two, 0, centre(three)[1] - centre(two)[1])
    expect(asked).to_have_class(re.compile("reached"))
    expect(told).to_contain_text("Won: (0, 3, 3) and (0, 0, 3) share the id")
    by_mouse(tab, two, 0, (centre(one)[1] - centre(three)[1]) / 3)  # 2 of 0, 2, 3
    expect(asked).to_have_class(re.compile("reached"))
    expect(told).to_have_text(re.compile(r"^Won before; now: the nearest id of another sequence is"))


def test_arrow_keys_alone_reach_a_goal(desk, site):
    tab = fresh(desk, f"{site}chapters/kajitsuka-boltzmann.html")
    asked, told = goal(tab, "boltzmann", 1), state(tab, "boltzmann", 1)
    expect(told).to_have_text(re.compile("^Not yet"))
    tab.locator("#explorer-boltzmann").get_by_label("entries", exact=True).select_option(label="2")
    entry = tab.get_by_label("entry a2, value")
    for _ in range(40):  # from -2 to -1.6
        entry.press("ArrowRight")
    expect(told).to_contain_text("Won: beside 0, \N{MINUS SIGN}1.60 misses the value of ")
    expect(told).to_contain_text("\N{MINUS SIGN}1 by 0.0002")
    link = asked.get_by_role("link", name="exercise")
    link.press("Enter")
    assert tab.url.endswith("#ex-boltz-twin")


def test_a_goal_of_an_explorer_is_reached_by_a_slider(desk, site):
    tab = fresh(desk, f"{site}chapters/yun-cheaper-mixers.html")
    told = state(tab, "fool")
    third = tab.locator("#explorer-fool").get_by_label("third token", exact=True)
    expect(goal(tab, "fool")).to_have_text("Goal: Fool the average with other tokens than the given ones.")
    expect(told).to_have_text("Not yet.")
    third.press("ArrowRight")
    expect(told).to_have_text("Won: the sum is all that an average hears, whatever its weight")
    third.press("ArrowRight")
    expect(goal(tab, "fool")).to_have_class(re.compile("reached"))
    expect(told).to_have_text("Won before: the sum is all that an average hears, whatever its weight")
    assert [*json.loads(tab.evaluate("localStorage.getItem('uat-progress')"))] == ["goal-fool-alike"]


FULL_UP = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
NONE = """Object.defineProperty(window, 'localStorage',
  { get() { throw new DOMException('no', 'SecurityError'); }, configurable: true });"""


@pytest.mark.parametrize("refused", ["", FULL_UP, NONE], ids=["kept", "full", "refused"])
def test_what_was_won_stays_won_whatever_reset_does(desk, site, refused):
    """At the next value and, where the browser keeps something, in the next visit."""
    page, gained = "chapters/yun-cheaper-mixers.html", "the sum is all that an average hears, whatever its weight"
    tab = fresh(desk, f"{site}{page}")
    tab.evaluate(f"() => {{ {refused} }}")
    asked, told = goal(tab, "fool"), state(tab, "fool")
    third = tab.locator("#explorer-fool").get_by_label("third token", exact=True)
    first = third.input_value()
    for _ in range(2):
        third.press("ArrowRight")
    for _ in range(2):
        expect(asked).to_have_class(re.compile("reached"))
        expect(told).to_have_text(f"Won before: {gained}")
        third.press("ArrowRight")
    if not refused:
        tab = desk.open(f"{site}{page}")
        expect(goal(tab, "fool")).to_have_class(re.compile("reached"))
        expect(state(tab, "fool")).to_have_text(f"Won before: {gained}")
    tab.locator("#explorer-fool").get_by_role("button", name="Reset").click()
    expect(tab.locator("#explorer-fool").get_by_label("third token", exact=True)).to_have_value(first)
    expect(goal(tab, "fool")).to_have_class(re.compile("reached"))
    expect(state(tab, "fool")).to_have_text(f"Won before: {gained}")
    if not refused:
        assert [*json.loads(tab.evaluate("localStorage.getItem('uat-progress')"))] == ["goal-fool-alike"]
    assert desk.complaints == []


def test_sites_are_dragged_until_a_cell_is_a_triangle(desk, site):
    tab = fresh(desk, f"{site}chapters/liu-partitions.html")
    asked = goal(tab, "cells")
    tab.locator("#explorer-cells").get_by_label("cells", exact=True).select_option(label="4")
    expect(state(tab, "cells")).to_contain_text("Not yet: cell 1")
    rings = [handle(tab, f"site s{i}", "#explorer-cells") for i in range(1, 5)]

    def stands(ring):
        return [float(field.input_value()) for field in ring.locator("input").all()]

    unit = (centre(rings[1])[0] - centre(rings[0])[0]) / (stands(rings[1])[0] - stands(rings[0])[0])
    for _ in range(2):  # rings on the way lie on each other
        for i, ring in enumerate(rings, 1):
            x, y = stands(ring)
            if (wanted := (TRIANGLE[f"x{i}"] - x, TRIANGLE[f"y{i}"] - y)) != (0, 0):
                by_mouse(tab, ring, wanted[0] * unit, -wanted[1] * unit)
    expect(asked).to_have_class(re.compile("reached"))


SETTING = re.compile(r'<a\b[^>]*href="([^"#]*)#(explorer-[^"?;]*)(\?[^"]*)"')
TOLD = """async ([id, query]) => {
  const box = document.getElementById(id);
  if (query) location.hash = `${id}${query}`;
  await (STILL)();
  const { shadowRoot } = box.querySelector(".uat-view");
  const [goals, states] = [".goal", ".state"].map((kind) => [...shadowRoot.querySelectorAll(kind)]);
  const said = states.map((state) => state.textContent);
  const told = goals.map((goal, i) => [goal.classList.contains("reached"), said[i]]);
  return [told, localStorage.getItem("uat-progress")];
}""".replace("STILL", STILL)


def settings(book: Path) -> dict[str, set[tuple[str, str, bool]]]:
    """By page, the settings that links of all pages lead to: picture, query, whether some link is on another page."""
    found: dict[str, set[tuple[str, str, bool]]] = {}
    for file in sorted(book.rglob("*.html")):
        for path, box, query in SETTING.findall(file.read_text(encoding="utf-8")):
            target = (file.parent / path).resolve() if path else file
            row = (box, unescape(query), target != file)
            found.setdefault(target.relative_to(book.resolve()).as_posix(), set()).add(row)
    return found


def test_no_link_reaches_a_goal_for_the_reader(desk, site, book):
    """On arrival from any page, and where words of the page move its picture."""
    wrong, shown, links = {}, set(), settings(book)
    assert sum(map(len, links.values())) > 400
    for page, rows in links.items():
        name = page.removesuffix(".html")
        goals = {e.id for e in explorers(name) if e.goals} | {e.id for e in live_pictures(name) if e.spec["goals"]}
        tab = None
        for box, query, elsewhere in sorted(row for row in rows if row[0] in goals):
            if tab is None or elsewhere:
                tab = fresh(desk, f"{site}{page}#{box}{query}")
            told, kept = tab.evaluate(TOLD, [box, query])
            shown |= {(page, box, query) for _, said in told if said.startswith("Shown here, not won")}
            if kept is not None or any(reached or said.startswith("Won") for reached, said in told):
                wrong[page, box, query] = told
    assert wrong == {}
    assert len(shown) > 10  # where a goal is to be seen, it is told so


@pytest.mark.parametrize("how", ["no script", "paper"])
def test_where_nothing_moves_the_sentence_stands_alone(bare, desk, site, how):
    reader = bare if how == "no script" else desk
    tab = reader.open(f"{site}chapters/start.html")
    if how == "paper":
        tab.emulate_media(media="print")
    asked = goal(tab, "xray")
    assert re.fullmatch(r"Goal: Find a sequence .*\.", asked.inner_text().strip())
    reader.rest()


@pytest.mark.parametrize("width", [390, 1280])
def test_how_it_stands_is_seen_with_what_is_asked_and_moves_nothing(desk, site, width):
    """Between the goal and the picture; there is room for each sentence, won or not."""
    tab = fresh(desk, f"{site}chapters/yun-contextual-mapping.html")
    tab.set_viewport_size({"width": width, "height": 844})
    desk.settle()
    stage, asked, told = tab.locator("#explorer-film .stage"), goal(tab, "film"), state(tab, "film")

    def places():
        (above, line, drawing) = (part.bounding_box() for part in (asked, told, stage))
        return [line["y"] - above["y"], drawing["y"] - above["y"], drawing["height"]]

    line, drawing, _ = before = places()
    assert 0 < line < drawing
    two, three = (handle(tab, f"token {k}") for k in (2, 3))
    for way, says in ((1, "Won: "), (-1, "Won before; now: ")):
        by_mouse(tab, two, 0, way * (centre(three)[1] - centre(two)[1] or 40))
        expect(told).to_contain_text(says)
        assert places() == pytest.approx(before, abs=0.2)
        assert told.bounding_box()["height"] <= drawing - line
    tab.set_viewport_size(desk.size)
