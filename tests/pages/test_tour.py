"""The tour: each marked word moves the picture beside it, which stays in view, and nothing else."""

import re

import pytest
from conftest import ROOT

from uatbook.live import PROOFS

WORDS = re.findall(r"\{move\}`[^`<]+<([\w-]+)\?", (ROOT / "tour.md").read_text(encoding="utf-8"))
SEEN = """(name) => {
  const card = document.getElementById(`explorer-${name}`) ?? document.getElementById(name);
  const drawing = card.querySelector(".uat-view").shadowRoot.querySelector(".stage, .pictures").getBoundingClientRect();
  const head = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
  const hidden = Math.max(0, head - drawing.top) / drawing.height;
  return [hidden, Math.min(drawing.bottom, innerHeight) - Math.max(drawing.top, head)];
}"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "desk"])
def test_a_marked_word_moves_the_picture_in_view_and_leaves_the_page_where_it_is(phone, site, size):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    links = tab.locator("a.uat-move")
    assert links.count() == len(WORDS) > 18
    for at, name in enumerate(WORDS):
        link = links.nth(at)
        link.evaluate("(link) => scrollTo(0, link.getBoundingClientRect().top + scrollY - innerHeight * 0.7)")
        tab.wait_for_timeout(100)
        before = link.bounding_box()["y"]
        link.click()
        tab.wait_for_timeout(400)
        assert abs(link.bounding_box()["y"] - before) < 5, name
        hidden, shown = tab.evaluate(SEEN, name)
        assert hidden < 0.1, (name, hidden)  # by the header, of the drawing's height
        assert shown > 190, (name, shown)
    assert tab.url.startswith(f"{site}tour.html")
    assert phone.complaints == []


def test_no_word_of_the_tour_leads_away_but_those_at_its_end(book):
    text = (book / "tour.html").read_text(encoding="utf-8")
    moves = re.findall(r'<a class="uat-move[^"]*" href="([^"]*)"', text)
    assert len(moves) == len(WORDS)
    assert all(address.startswith("#") for address in moves)


def test_its_end_has_a_door_for_each_way_on(book):
    text = (book / "tour.html").read_text(encoding="utf-8")
    end = text[text.index('id="where-to-go-from-here"') : text.index("</article>")]
    for door in ("chapters/conclusion", "library/errata", "index", "chapters/start", "library/atlas"):
        assert f'href="{door}.html"' in end, door


def test_on_paper_and_without_a_script_the_pictures_stand_in_the_text(bare, site):
    tab = bare.open(f"{site}tour.html")
    assert tab.locator(".tag_beside svg").count() >= len(set(WORDS))
    tab.emulate_media(media="print")
    places = tab.locator(".tag_beside").evaluate_all("(cells) => cells.map((cell) => getComputedStyle(cell).position)")
    assert set(places) == {"static"}


TOLD = """(link) => {
  const group = link.closest(".uat-stay"), told = group.querySelector(".uat-told");
  const shadow = group.querySelector(".uat-view").shadowRoot;
  const { top, bottom } = told.getBoundingClientRect(), at = link.getClientRects()[0];
  return {
    pinned: group.matches(".uat-pinned[style]"), seen: getComputedStyle(told).visibility === "visible",
    said: told.textContent && told.textContent === shadow.querySelector(".readout").textContent.split("\\n")[0],
    share: bottom / innerHeight, free: at.top >= bottom,
    drawn: shadow.querySelector(".stage, .pictures").getBoundingClientRect().top < top,
    clip: getComputedStyle(group).overflowY,
  };
}"""
CONTRAST = """(link) => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data]
      .map((c) => (c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor } = getComputedStyle(link);
  const [a, b] = [light(color), light(backgroundColor)].sort((a, b) => b - a);
  return (a + 0.05) / (b + 0.05);
}"""
SMALL = """() => [...document.querySelectorAll(".uat-view")].flatMap(({ shadowRoot }) =>
  [...shadowRoot.querySelectorAll("select, button, input:not([type=checkbox]), .actions a, .more > summary")]
    .filter((control) => !control.closest(".slot, .handle") && control.checkVisibility())
    .filter((control) => control.offsetHeight < 43)
    .map((control) => [control.outerHTML, control.offsetHeight]))"""


def test_on_a_phone_a_pinned_picture_says_its_verdict_and_ends_with_its_words(phone, site):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    links = tab.locator("a.uat-move")
    pinned = 0
    for at, name in enumerate(WORDS):
        link = links.nth(at)
        link.evaluate("(link) => scrollTo(0, link.getBoundingClientRect().top + scrollY - innerHeight * 0.52)")
        tab.wait_for_timeout(100)
        link.click()
        tab.wait_for_timeout(300)
        found = link.evaluate(TOLD)
        assert found["said"], name
        assert found["clip"] == "clip", name
        if found["pinned"]:
            pinned += 1
            assert all(found[what] for what in ("seen", "free", "drawn")), (name, found)
            assert found["share"] <= 0.5, (name, found)
    assert pinned > len(WORDS) / 2
    assert tab.evaluate("matchMedia('(pointer: coarse)').matches")
    assert tab.evaluate(SMALL) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pressed_words_can_be_read(phone, site, theme):
    tab = phone.open(f"{site}tour.html")
    tab.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    link = tab.locator("a.uat-move").first
    assert link.evaluate(CONTRAST) >= 4.5
    link.click()
    tab.wait_for_timeout(400)
    assert link.evaluate(CONTRAST) >= 4.5


def test_the_last_stop_shows_the_readers_own_function_under_each_proof(phone, site):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    card = tab.locator("#explorer-yours")
    card.scroll_into_view_if_needed()
    card.get_by_role("textbox").fill("x_1 x_2")
    card.get_by_text("The bill in words").click()
    told = card.locator(".readout").inner_text()
    assert re.findall(r"^(.+?): \d+ layers.* misses f by", told, re.MULTILINE) == list(PROOFS)
    assert card.get_by_role("button", name="A card to share").is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    phone.forget()


PART = """(link) => {
  const group = link.closest(".uat-stay"), { shown, fit } = Object.fromEntries(
    ["shown", "fit"].map((name) => [name, parseFloat(group.style.getPropertyValue(`--${name}`))]));
  const drawing = group.querySelector(".uat-view").shadowRoot.querySelector(".stage, .pictures");
  const [, part] = /tag_part-(\\d+)/.exec(group.firstElementChild.className) ?? [];
  return [part && part / 100, shown / (fit * drawing.offsetHeight), fit];
}"""


def test_on_a_phone_the_part_that_words_speak_of_is_shown_larger(phone, site):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.wait_for_timeout(300)
    links, found = tab.locator("a.uat-move"), {}
    for at, name in enumerate(WORDS):
        found[name] = links.nth(at).evaluate(PART)
    parts = {name: seen for name, seen in found.items() if seen[0]}
    assert len(parts) == 5
    for name, (part, shown, fit) in parts.items():
        assert abs(shown - part) < 0.02, name  # all of it, and no more
        assert fit > 0.85, name


# Letters of the part that is shown which lie on others, and how high the smallest are on the screen.
LETTERS = """(link) => {
  const group = link.closest(".uat-stay"), shadow = group.querySelector(".uat-view").shadowRoot;
  const drawing = shadow.querySelector(".stage, .pictures").getBoundingClientRect();
  const [, part] = /tag_part-(\\d+)/.exec(group.firstElementChild.className) ?? [0, 100];
  const end = drawing.top + (drawing.height * part) / 100;
  const texts = [...shadow.querySelectorAll(":is(.stage, .pictures) svg text")]
    .filter((text) => text.textContent.trim())
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([, { width, bottom }]) => width && bottom <= end);
  const both = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const meet = (a, b) => both(a, b, "left", "right") > 2 && both(a, b, "top", "bottom") > 0.4 * a.height; // of a line
  const met = texts.flatMap(([said, box], i) =>
    texts.slice(i + 1).filter(([, b]) => meet(box, b)).map(([other]) => [said, other]));
  return [texts.length, met, Math.min(...texts.map(([, { height }]) => height))];
}"""


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (844, 390)], ids=str)
def test_on_a_phone_letters_can_be_read_and_lie_on_no_others(phone, site, size):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    phone.settle()
    links = tab.locator("a.uat-move")
    for at, name in enumerate(WORDS):
        link = links.nth(at)
        link.evaluate("(link) => scrollTo(0, link.getBoundingClientRect().top + scrollY - innerHeight * 0.6)")
        tab.wait_for_timeout(100)
        link.click()
        tab.wait_for_timeout(400)
        count, met, height = link.evaluate(LETTERS)
        assert count >= 2, name
        assert met == [], (name, met)
        assert height >= 9, (name, height)


def test_on_a_phone_on_its_side_words_stand_beside_their_picture(phone, site):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size({"width": 844, "height": 390})
    phone.settle()
    boxes = tab.locator(".uat-stay > *").evaluate_all("""(parts) => parts.map((part) => {
      const { left, right } = part.getBoundingClientRect();
      return [left, right];
    })""")
    assert len(boxes) == 18
    for (picture, _), (left, right) in zip(boxes[::2], boxes[1::2], strict=True):
        assert right <= picture
        assert right - left > 300
    assert tab.evaluate("document.documentElement.scrollWidth") <= 844


@pytest.mark.parametrize("width", [1000, 1280, 1600])
def test_the_words_of_each_stop_begin_below_its_heading(desk, site, width):
    tab = desk.open(f"{site}tour.html")
    tab.set_viewport_size({"width": width, "height": 900})
    desk.settle()
    gaps = tab.locator("section:has(> .uat-beside)").evaluate_all("""(stops) => stops.map((stop) =>
      stop.querySelector(".uat-words p").getBoundingClientRect().top -
      stop.querySelector("h2").getBoundingClientRect().bottom)""")
    assert len(gaps) == 9
    assert all(0 <= gap < 60 for gap in gaps), gaps
