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


def test_no_picture_stays_over_a_door_to_the_atlas(phone, site):
    tab = phone.open(f"{site}tour.html")
    assert tab.locator(".uat-beside ~ .uat-door").count() == 1
    assert tab.locator(".uat-stay .uat-door").count() == 0  # there the picture would stay above it


def test_on_paper_and_without_a_script_the_pictures_stand_in_the_text(bare, site):
    tab = bare.open(f"{site}tour.html")
    assert tab.locator(".tag_beside svg").count() >= len(set(WORDS))
    tab.emulate_media(media="print")
    places = tab.locator(".tag_beside").evaluate_all("(cells) => cells.map((cell) => getComputedStyle(cell).position)")
    assert set(places) == {"static"}


TOLD = """(link) => {
  const group = link.closest(".uat-stay"), shadow = group.querySelector(".uat-view").shadowRoot;
  const told = shadow.querySelector(".told p"), end = parseFloat(group.style.getPropertyValue("--end"));
  const lines = shadow.querySelector(".readout").textContent.trim().split("\\n"), { textContent: said } = told;
  const rows = [...shadow.querySelectorAll(".slot")].map((row) => row.getBoundingClientRect());
  const { top, bottom, height } = told.getBoundingClientRect(), at = link.getClientRects()[0];
  return {
    pinned: group.matches(".uat-pinned[style]"), seen: getComputedStyle(told).visibility === "visible",
    said: [lines[0], lines.at(-1)].some((line) => ["", line, line.replace(/; [^;]*$/, "")].includes(said)), none: !said,
    rows: height / parseFloat(getComputedStyle(told).lineHeight),
    cut: rows.filter((row) => row.top < end - 1 && row.bottom > end + 1).length,
    share: bottom / innerHeight, free: at.top >= bottom,
    drawn: shadow.querySelector(".stage, .pictures").getBoundingClientRect().top < top,
    ends: bottom <= group.querySelector(":scope > .cell").nextElementSibling.getBoundingClientRect().bottom + 1,
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


@pytest.mark.parametrize("size", [(390, 844), (360, 740), (430, 932)], ids=str)
def test_on_a_phone_a_pinned_picture_says_its_verdict_and_ends_with_its_words(phone, site, size):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    links = tab.locator("a.uat-move")
    pinned = told = 0
    for at, name in enumerate(WORDS):
        link = links.nth(at)
        link.evaluate("(link) => scrollTo(0, link.getBoundingClientRect().top + scrollY - innerHeight * 0.62)")
        tab.wait_for_timeout(100)
        link.click()
        tab.wait_for_timeout(300)
        found = link.evaluate(TOLD)
        assert found["said"], name
        assert found["ends"], name
        told += not found["none"]
        if found["pinned"]:
            pinned += 1
            assert all(found[what] for what in ("seen", "free", "drawn")), (name, found)
            assert found["share"] <= 0.5, (name, found)
            assert found["rows"] < 3, (name, found)
            assert found["cut"] == 0, name  # no row of buttons is half in the band
    assert min(pinned, told) > len(WORDS) / 2
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


FITS = """(button) => {
  const words = document.createRange();
  words.selectNodeContents(button);
  return words.getBoundingClientRect().width <= button.clientWidth;
}"""


def test_the_last_stop_shows_the_readers_own_function_under_each_proof(phone, site):
    tab = phone.open(f"{site}tour.html")
    tab.evaluate("() => localStorage.setItem('uat-mine', JSON.stringify({ formula: 'x_2', paint: '' }))")
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    card = tab.locator("#explorer-yours")
    card.scroll_into_view_if_needed()
    tab.locator("a.uat-move[href='#explorer-yours?&N=4']").click()
    tab.wait_for_timeout(300)
    assert card.get_by_role("textbox").input_value() == "x_2"  # brought from another page
    assert card.locator(".readout").text_content().startswith("Yun et al.: 25 layers")
    card.get_by_role("textbox").fill("x_1 x_2")
    card.get_by_text("The bill in words").click()
    told = card.locator(".readout").inner_text()
    assert re.findall(r"^(.+?): \d+ layers.* misses f by", told, re.MULTILINE) == list(PROOFS)
    button = card.get_by_role("button", name="A card to share")
    assert button.evaluate(FITS)  # its words are in it
    for cells in (4, 16):
        tab.locator(f"a.uat-move[href='#explorer-yours?&N={cells}']").click()
        tab.wait_for_timeout(300)
        assert card.get_by_role("textbox").input_value() == "x_1 x_2", cells  # the function stays the reader's
    assert re.findall(r"(?m)^Yun et al\.: (\d+) layers", card.locator(".readout").text_content()) == ["277"]
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    phone.forget()


def test_words_of_the_first_stop_change_one_thing(phone, site):
    tab = phone.open(f"{site}tour.html")
    card = tab.locator("#explorer-imitate")
    said = []
    for words in ("after five", "after ten", "to layer 13", "the last one", "sixteen cells a side", "another function"):
        tab.locator("a.uat-move").filter(has_text=words).click()
        tab.wait_for_timeout(400)
        said.append(card.locator(".readout").text_content().split("\n")[0])
    cut, told, one, all_four, fine, other = said
    assert cut == "After 5 of 25 layers: token 1 is a number between 0 and 1 on 100 % of the square"
    assert told == "After 10 of 25 layers: token 1 is an id on 100 % of the square"
    assert one == "After 13 of 25 layers: token 1 is an id on 69 % of the square, an answer on 31 % of the square"
    assert [line.split(" ")[0] for line in (all_four, fine, other)] == ["25", "277", "277"]
    assert fine != other
    phone.forget()


PART = """(link) => {
  const group = link.closest(".uat-stay"), { shown, fit } = Object.fromEntries(
    ["shown", "fit"].map((name) => [name, parseFloat(group.style.getPropertyValue(`--${name}`))]));
  const drawing = group.querySelector(".uat-view").shadowRoot.querySelector(".stage, .pictures");
  const [, tagged] = /tag_part-(\\d+)/.exec(group.firstElementChild.className) ?? [], high = drawing.offsetHeight;
  const top = drawing.getBoundingClientRect().top, seen = drawing.getBoundingClientRect().height;
  const rows = [...drawing.querySelectorAll(".slot")].map((row) => row.getBoundingClientRect())
    .filter((row) => row.top - top < (seen * tagged) / 100);
  const part = rows.length ? Math.max(...rows.map((row) => row.bottom - top)) / seen : tagged / 100;
  return [tagged && part, shown / (fit * high), fit];
}"""


def test_on_a_phone_the_part_that_words_speak_of_is_shown_larger(phone, site):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.wait_for_timeout(300)
    links, found = tab.locator("a.uat-move"), {}
    for at, name in enumerate(WORDS):
        found[name] = links.nth(at).evaluate(PART)
    parts = {name: seen for name, seen in found.items() if seen[0]}
    assert len(parts) == 4
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
