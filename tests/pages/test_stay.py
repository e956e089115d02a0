"""A picture stays in view while the words that move it are read, and hides nothing that has the focus."""

import itertools
import re

import pytest
import yaml
from conftest import ROOT

from explorables.sheet import WIDE

PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
PATH = [page["file"] for part in PARTS if part["caption"] != "Reference" for page in part["chapters"]]
SIZES = {"desk": (1280, 800), "phone": (390, 844), "small phone": (320, 640)}
MORE = {"large desk": (1440, 900), "phone on its side": (844, 390)}
"""Where a page says that its pictures stand beside their words, these do so as well."""
# Of each word in the middle of the screen, or below a picture above it: what share of its picture is in view above or
# beside it, whether it can be touched, how much of the screen header and picture leave; and if it does not stay, how
# small its letters would be.
SEEN = """async () => {
  for (const fold of document.querySelectorAll(".admonition.toggle-hidden:has(.uat-move) .toggle-button")) fold.click();
  for (const fold of document.querySelectorAll(".uat-answer")) fold.open = true;
  const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 80)));
  await rest();
  document.getAnimations().forEach((animation) => animation.finish());
  const found = [];
  for (const word of document.querySelectorAll('a.uat-move[href^="#"]')) {
    const at = () => word.getClientRects()[0];
    const card = document.getElementById(word.hash.slice(1).split("?")[0]), group = word.closest(".uat-stay");
    const place = group && getComputedStyle(group).getPropertyValue("--stays") === "beside" ? 0.5 : 0.65;
    scrollTo({ top: scrollY + at().top - innerHeight * place, behavior: "instant" });
    await rest();
    const drawing = card.querySelector(".uat-view").shadowRoot.querySelector(".stage, .pictures");
    const { top, bottom, height } = drawing.getBoundingClientRect();
    const head = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
    const above = group?.matches(".uat-pinned[style]"), cell = card.closest(".cell").className;
    const small = drawing.offsetWidth < 500 && innerWidth < 1280; // there the words speak of a part of some drawings
    const tagged = ((small && /tag_part-([0-9]+)/.exec(cell)?.[1]) || 100) / 100;
    const rows = [...drawing.querySelectorAll(".slot")].map((row) => [row.offsetTop, row.offsetTop + row.offsetHeight])
      .filter(([from]) => tagged < 1 && from < tagged * drawing.offsetHeight); // a row of buttons is there to its end
    const part = rows.length ? Math.max(...rows.map(([, to]) => to)) / drawing.offsetHeight : tagged;
    const band = above ? parseFloat(group.style.getPropertyValue("--end")) : head;
    const beside = card.getBoundingClientRect().left > at().right;
    const end = above ? band : beside ? innerHeight : Math.min(innerHeight, at().top);
    const { left, width, top: y, height: line } = at();
    const touched = word.contains(document.elementFromPoint(left + width / 2, y + line / 2));
    const seen = (Math.min(bottom, end) - Math.max(top, head)) / (part * height);
    const least = Math.min(0.4 * innerHeight, 0.46 * innerHeight - head) / (part * drawing.offsetHeight);
    const stays = group && getComputedStyle(group).getPropertyValue("--stays").trim();
    const letters = stays === "above" && !group.matches("[style]") ? least : null;
    found.push([word.hash, seen, touched, 1 - band / innerHeight, letters]);
  }
  return found;
}"""
FOCUS = """async (name) => {
  const group = document.getElementById(name).closest(".uat-stay"), cell = group.querySelector(":scope > .cell");
  const words = cell.nextElementSibling;
  const shadow = cell.querySelector(".uat-view").shadowRoot;
  const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 250)));
  const word = words.querySelector("a.uat-move"), found = [];
  for (const element of shadow.querySelectorAll("select, button, input, a")) {
    if (element.closest(".handle") || !element.checkVisibility()) continue;
    shadow.activeElement?.blur();
    scrollTo({ top: scrollY + word.getBoundingClientRect().top - innerHeight / 2, behavior: "instant" });
    await rest();
    const pinned = group.classList.contains("uat-pinned") && innerWidth < 1280;
    element.focus();
    await rest();
    const { left, top, width, height } = element.getBoundingClientRect();
    found.push([element.outerHTML, pinned, shadow.elementFromPoint(left + width / 2, top + height / 2) === element]);
  }
  return found;
}"""


@pytest.mark.parametrize("page", PATH)
def test_the_picture_of_each_word_is_in_view(phone, site, page):
    tab = phone.open(f"{site}{page}.html")
    beside = page == "tour"
    for size, (width, height) in (SIZES | (MORE if beside else {})).items():
        tab.set_viewport_size({"width": width, "height": height})
        phone.settle()
        for word, share, touched, left, letters in tab.evaluate(SEEN):
            # Of the pictures no more than a margin is cut off, and what their words do not speak of; those whose
            # letters of 12 pixels would have about seven or less stay where they are.
            assert share >= 0.95 if letters is None else 12 * letters < 7.21, (size, word, share, letters)
            assert touched, (size, word)
            assert left >= 0.5, (size, word, left)
    assert phone.complaints == []


ROLL = """async () => {
  for (const fold of document.querySelectorAll(".admonition.toggle-hidden:has(.uat-move) .toggle-button")) fold.click();
  for (const fold of document.querySelectorAll(".uat-answer")) fold.open = true;
  document.documentElement.dataset.whole = "";
  const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 40)));
  let shift = 0;
  for (let wait = 0; wait < 20; wait++) await rest();
  const shifts = new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { shift += value; }));
  shifts.observe({ type: "layout-shift" });
  const found = [], group = document.querySelector(".uat-stay"), cell = group.querySelector(":scope > .cell");
  const words = cell.nextElementSibling, shadow = cell.querySelector(".uat-view").shadowRoot;
  const stage = shadow.querySelector(".stage, .pictures"), held = shadow.querySelector(".told");
  const small = stage.offsetWidth < 500 && innerWidth < 1280;
  const [, tagged] = (small && /tag_part-([0-9]+)/.exec(cell.className)) || [0, 100];
  const head = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
  const beside = getComputedStyle(group).getPropertyValue("--stays") === "beside";
  const start = scrollY + group.getBoundingClientRect().top - innerHeight;
  for (let top = start; words.getBoundingClientRect().bottom > head; top += 60) {
    scrollTo({ top, behavior: "instant" });
    await rest();
    const drawn = stage.getBoundingClientRect(), tall = (drawn.height * tagged) / 100;
    const above = group.matches(".uat-pinned"), last = words.getBoundingClientRect().bottom;
    const end = above ? parseFloat(group.style.getPropertyValue("--end")) + held.firstChild.offsetHeight : head;
    const lines = [...words.querySelectorAll("a.uat-move")].map((word) => word.getClientRects()[0])
      .filter(({ top, bottom }) => top > end + 4 && bottom < innerHeight - 4 && bottom < last);
    const seen = (Math.min(drawn.top + tall, innerHeight) - Math.max(drawn.top, head)) / tall;
    const size = (of) => parseFloat(group.style.getPropertyValue(`--${of}`)), shown = size("shown");
    const high = (stage.offsetHeight - Math.max(0, size("hide"))) * size("scale");
    const below = shadow.querySelector(".tail")?.nextElementSibling;
    const hole = above ? below.getBoundingClientRect().top - drawn.top - high : 0;
    const hit = lines.every(({ left, top, width, height }) =>
      words.contains(document.elementFromPoint(left + width / 2, top + height / 2)));
    const read = group.lastElementChild.lastElementChild.getBoundingClientRect().bottom;
    const come = group.getBoundingClientRect().top <= parseFloat(cell.style.getPropertyValue("--top"));
    const whole = above ? last >= end : beside && come && read >= innerHeight / 3;
    found.push({ width: drawn.width, tall, seen, hit, whole, above, hole, rests: above && high < shown + 1,
      rows: held?.firstChild.offsetHeight, told: above ? held?.innerText ?? "" : "" });
  }
  return { found, shift, readout: shadow.querySelector(".readout").textContent,
    words: words.offsetWidth + 1, em: parseFloat(getComputedStyle(words).fontSize),
    beside: cell.getBoundingClientRect().left > words.getBoundingClientRect().right };
}"""
ROLLED = ["chapters/yun-contextual-mapping", "chapters/kajitsuka-hardmax-fails", "chapters/liu-partitions"]
WINDOWS = [(1280, 800), (1440, 900), (1024, 768), (820, 1180), (390, 844), (320, 640)]


@pytest.mark.parametrize("page", ROLLED)
@pytest.mark.parametrize("size", WINDOWS, ids=str)
def test_a_picture_is_whole_from_the_first_word_to_the_last(desk, site, page, size):
    """It shrinks as what is below comes up, and leaves no hole; no line moves, no word that moves it is covered."""
    tab = desk.open(f"{site}{page}.html")
    width, height = size
    tab.set_viewport_size({"width": width, "height": height})
    desk.settle()
    rolled = tab.evaluate(ROLL)
    steps = rolled["found"]
    read = [step for step in steps if step["whole"]]
    assert len(read) >= 3
    assert [step["seen"] for step in read if step["seen"] < 0.97] == []
    assert all(step["hit"] for step in steps)
    sizes = [round(step["width"]) for step in steps]
    changes = sum(a != b for a, b in itertools.pairwise(sizes))
    assert rolled["shift"] == pytest.approx(0, abs=1e-4)
    assert rolled["beside"] == (width >= 1280)
    if width >= 1280:
        assert changes == 0
        assert width < 1400 or sizes[0] >= round(96 * WIDE)  # so its letters are as large as they were drawn
        assert rolled["words"] >= 26 * rolled["em"]
        return
    assert all(a >= b for a, b in itertools.pairwise(sizes))
    assert max(step["hole"] for step in steps) < 40
    held = [step for step in steps if step["rests"]]
    assert len({round(step["width"]) for step in held}) == 1
    assert all(step["tall"] <= 0.401 * height for step in held)
    assert all(step["rows"] <= 42 for step in held)
    said = [" ".join(line.split()) for line in rolled["readout"].strip().split("\n")]
    told = [" ".join(step["told"].split()) for step in held]
    # One of the first and the last is the verdict, if need be without what stands behind its last semicolon.
    whole = {" ".join(said), f"{said[0]} {said[-1]}", said[-1], said[-1].rpartition("; ")[0], ""}
    assert {*told} <= whole
    assert held


CONTENTS = """() => {
  const list = document.querySelector(".bd-sidebar-secondary"), { left, top, width } = list.getBoundingClientRect();
  const seen = list.contains(document.elementFromPoint(left + width / 2, top + 60));
  return seen && getComputedStyle(list).opacity === "1";
}"""


def test_beside_a_picture_a_button_shows_the_list_of_contents(desk, site):
    tab = desk.open(f"{site}chapters/kajitsuka-hardmax-fails.html")
    tab.set_viewport_size({"width": 1280, "height": 800})
    desk.settle()
    tab.evaluate("document.querySelector('.uat-stay > .cell').scrollIntoView()")
    button = tab.locator(".bd-header-article .secondary-toggle")
    assert not tab.evaluate(CONTENTS)
    for way in (button.click, lambda: tab.keyboard.press("Enter")):
        way()
        tab.locator(".bd-sidebar-secondary a:focus").wait_for()
        assert tab.evaluate(CONTENTS)
        tab.keyboard.press("Escape")
        assert button.evaluate("(button) => button === document.activeElement")
        assert not tab.evaluate(CONTENTS)
    button.click()
    tab.locator(".bd-sidebar-secondary a[href^='#']").first.click()
    assert not tab.locator("#pst-secondary-sidebar-checkbox").is_checked()


def test_a_picture_and_its_words_are_one_group(book):
    page = (book / "chapters/start.html").read_text(encoding="utf-8")
    group = page[page.index('class="uat-stay') : page.index('id="what-we-know-and-what-is-open"')]
    assert re.search(r'id="explorer-dictionary".*?class="uat-words.*?#explorer-dictionary\?', group, re.DOTALL)
    assert page.count('class="uat-stay') == 1  # no words move the X-ray


@pytest.mark.parametrize("size", SIZES)
def test_what_has_the_focus_is_seen(phone, site, size):
    tab = phone.open(f"{site}chapters/start.html")
    width, height = SIZES[size]
    tab.set_viewport_size({"width": width, "height": height})
    phone.settle()
    tab.evaluate("document.querySelector('.uat-words .uat-answer').open = true")
    found = tab.evaluate(FOCUS, "explorer-dictionary")
    assert len(found) >= 5
    assert size == "desk" or sum(pinned for _, pinned, _ in found) >= 3
    assert [element for element, _, seen in found if not seen] == []


def test_a_picture_in_its_band_can_be_dragged(phone, site):
    tab = phone.open(f"{site}chapters/yun-theorem-2.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    phone.settle()
    card = "#explorer-square .uat-view"
    word = tab.locator('.uat-words a[href^="#explorer-square"]').first
    tab.evaluate("document.querySelector('.uat-words .uat-answer').open = true")
    word.evaluate("(word) => scrollTo(0, scrollY + word.getBoundingClientRect().top - innerHeight / 2)")
    tab.wait_for_selector(".uat-pinned")
    ring = tab.locator(f"{card} .handle").first
    before = ring.bounding_box()
    x, y = (before[at] + before[side] / 2 for at, side in (("x", "width"), ("y", "height")))
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 24, y + 12, steps=4)
    tab.mouse.up()
    tab.wait_for_timeout(300)
    after = ring.bounding_box()
    moved = after["x"] - before["x"], after["y"] - before["y"]
    assert moved == pytest.approx((24, 12), abs=1.5)  # under the hand, though the picture is smaller


LIES = """(cell) => {
  const drawing = (cell.querySelector(".uat-view")?.shadowRoot ?? cell).querySelector(".stage, .pictures");
  const { position, scale } = getComputedStyle(drawing);
  return [getComputedStyle(cell).position, position === "relative" ? "static" : position, scale];
}"""


@pytest.mark.parametrize("way", ["paper", "forced colours", "low screen", "no script"])
def test_elsewhere_it_stands_in_the_text(phone, bare, site, way):
    reader = bare if way == "no script" else phone
    tab = reader.open(f"{site}chapters/start.html")
    if way == "low screen":
        tab.set_viewport_size({"width": 640, "height": 320})
    elif way != "no script":
        tab.emulate_media(**({"media": "print"} if way == "paper" else {"forced_colors": "active"}))
    try:
        tab.evaluate("scrollTo(0, document.querySelector('.cell + .uat-words').getBoundingClientRect().top)")
        assert tab.locator(".uat-stay > .cell").evaluate(LIES) == ["static", "static", "none"]
    finally:
        tab.emulate_media(media="screen", forced_colors="none")


# A handle that can be pressed where it is seen: its middle.
GRIPS = """() => [...document.querySelectorAll(".uat-view")].flatMap((view) =>
  [...view.shadowRoot.querySelectorAll(".handle")].flatMap((ring) => {
    const { left, top, width, height } = ring.getBoundingClientRect(), x = left + width / 2, y = top + height / 2;
    const hit = document.elementFromPoint(x, y) === view &&
      view.shadowRoot.elementFromPoint(x, y)?.closest(".handle") === ring;
    return hit ? [[x, y]] : [];
  })).slice(0, 1)"""


@pytest.mark.parametrize("page", ["tour", "chapters/liu-partitions", "chapters/yun-theorem-2"])
def test_a_press_on_a_handle_leaves_the_page_where_it_is(desk, site, page):
    tab = desk.open(f"{site}{page}.html")
    desk.settle()
    pressed = 0
    for top in range(0, tab.evaluate("document.body.scrollHeight"), 200):
        tab.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", top)
        tab.wait_for_timeout(100)
        for x, y in tab.evaluate(GRIPS):
            before = tab.evaluate("scrollY")
            tab.mouse.move(x, y)
            tab.mouse.down()
            tab.wait_for_timeout(50)
            assert tab.evaluate("scrollY") == before, top
            tab.mouse.up()
            pressed += 1
        tab.evaluate("document.activeElement?.shadowRoot?.activeElement?.blur()")
    assert pressed >= 2
