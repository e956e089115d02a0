"""A picture stays in view while the words that move it are read, and hides nothing that has the focus."""

import re

import pytest
import yaml
from conftest import ROOT

PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
PATH = [page["file"] for part in PARTS if part["caption"] != "Reference" for page in part["chapters"]]
SIZES = {"desk": (1280, 800), "phone": (390, 844), "small phone": (320, 640)}
MORE = {"large desk": (1440, 900), "phone on its side": (844, 390)}
"""Where a page says that its pictures stand beside their words, these do so as well."""
# Of each word in the middle of the screen: what share of its picture is in view above or beside it, whether it can be
# touched, how much of the screen is left for words.
SEEN = """async () => {
  for (const fold of document.querySelectorAll(".admonition.toggle-hidden:has(.uat-move) .toggle-button")) fold.click();
  const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 80)));
  await rest();
  document.getAnimations().forEach((animation) => animation.finish());
  const found = [];
  for (const word of document.querySelectorAll('a.uat-move[href^="#"]')) {
    const at = () => word.getClientRects()[0];
    scrollTo({ top: scrollY + at().top - innerHeight / 2, behavior: "instant" });
    await rest();
    const card = document.getElementById(word.hash.slice(1).split("?")[0]), group = word.closest(".uat-stay");
    const drawing = card.querySelector(".uat-view").shadowRoot.querySelector(".stage, .pictures");
    const { top, bottom, height } = drawing.getBoundingClientRect();
    const head = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
    const pinned = group?.matches(".uat-pinned[style]"), cell = card.closest(".cell").className;
    const small = innerWidth < 1000; // there the words speak of a part of some drawings
    const part = ((small && /tag_part-([0-9]+)/.exec(cell)?.[1]) || 100) / 100;
    const band = head + (pinned ? parseFloat(getComputedStyle(group, "::before").height) : 0);
    const beside = card.getBoundingClientRect().left > at().right;
    const end = pinned ? band : beside ? innerHeight : Math.min(innerHeight, at().top);
    const { left, width, top: y, height: line } = at();
    const touched = word.contains(document.elementFromPoint(left + width / 2, y + line / 2));
    const seen = (Math.min(bottom, end) - Math.max(top, head)) / (part * height);
    found.push([word.hash, seen, touched, 1 - band / innerHeight]);
  }
  return found;
}"""
FOCUS = """async (name) => {
  const group = document.getElementById(name).closest(".uat-stay"), [cell, words] = group.children;
  const shadow = cell.querySelector(".uat-view").shadowRoot;
  const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 250)));
  const word = words.querySelector("a.uat-move"), found = [];
  for (const element of shadow.querySelectorAll("select, button, input, a")) {
    if (element.closest(".handle") || !element.checkVisibility()) continue;
    shadow.activeElement?.blur();
    scrollTo({ top: scrollY + word.getBoundingClientRect().top - innerHeight / 2, behavior: "instant" });
    await rest();
    const pinned = group.classList.contains("uat-pinned");
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
        for word, share, touched, left in tab.evaluate(SEEN):
            # On a phone held upright nothing of the tour's pictures is cut off, but what their words do not speak of.
            assert share >= (0.9 if beside and width < 500 else 0.6), (size, word, share)
            assert touched, (size, word)
            assert left >= 0.5, (size, word, left)
    assert phone.complaints == []


def test_a_picture_and_its_words_are_one_group(book):
    page = (book / "chapters/start.html").read_text(encoding="utf-8")
    group = page[page.index('class="uat-stay') : page.index('id="what-we-know-and-what-is-open"')]
    assert re.search(r'id="explorer-dictionary".*?class="uat-words.*?#explorer-dictionary\?', group, re.DOTALL)
    assert page.count('class="uat-stay') == 1  # no words move the first picture


@pytest.mark.parametrize("size", SIZES)
def test_what_has_the_focus_is_seen(phone, site, size):
    tab = phone.open(f"{site}chapters/start.html")
    width, height = SIZES[size]
    tab.set_viewport_size({"width": width, "height": height})
    phone.settle()
    tab.evaluate("document.querySelector('.uat-words .admonition.toggle-hidden .toggle-button').click()")
    found = tab.evaluate(FOCUS, "explorer-dictionary")
    assert len(found) >= 5
    assert sum(pinned for _, pinned, _ in found) >= 3
    assert [element for element, _, seen in found if not seen] == []


def test_a_picture_in_its_band_can_be_dragged(phone, site):
    tab = phone.open(f"{site}chapters/yun-theorem-2.html")
    tab.set_viewport_size({"width": 390, "height": 844})
    phone.settle()
    card = "#explorer-square .uat-view"
    word = tab.locator('.uat-words a[href^="#explorer-square"]').first
    tab.evaluate("document.querySelector('.uat-words .admonition.toggle-hidden .toggle-button').click()")
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


@pytest.mark.parametrize("way", ["paper", "forced colours", "low screen", "no script"])
def test_elsewhere_it_stands_in_the_text(phone, bare, site, way):
    reader = bare if way == "no script" else phone
    tab = reader.open(f"{site}chapters/start.html")
    if way == "low screen":
        tab.set_viewport_size({"width": 640, "height": 320})
    elif way != "no script":
        tab.emulate_media(**({"media": "print"} if way == "paper" else {"forced_colors": "active"}))
    try:
        cell = tab.locator(".uat-stay > .cell")
        look = "(cell) => ['position', 'transform', 'clipPath'].map((name) => getComputedStyle(cell)[name])"
        tab.evaluate("scrollTo(0, document.querySelector('.uat-words').getBoundingClientRect().top)")
        assert cell.evaluate(look) == ["static", "none", "none"]
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
    for top in range(0, tab.evaluate("document.body.scrollHeight"), 400):
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
