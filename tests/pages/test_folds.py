"""Two controls at most stand above a picture; the others are in a fold below, which opens where something moves one."""

import itertools
import re

import pytest
from bs4 import BeautifulSoup
from page_explorers import ALL_PAGES, live_pictures
from playwright.sync_api import expect

from explorables.live.picture import node
from uatbook.live.picture import FILES

BULK = re.compile(r"<svg\b.*?</svg>|<script\b.*?</script>", re.DOTALL)
PAGE, BOX = "chapters/ground.html", "#explorer-shuffle"
# By how much these words move on the screen when they are pressed, in the middle of it.
SHIFT = """async (words) => {
  const rest = () => new Promise((done) => setTimeout(done, 400)), top = () => word.getBoundingClientRect().top;
  const word = [...document.querySelectorAll("a.uat-move")].find((link) => link.textContent === words);
  if (!word.checkVisibility()) word.closest(".uat-answer").open = true;
  word.scrollIntoView({ block: "center", behavior: "instant" });
  await rest();
  const before = top();
  word.click();
  await rest();
  return top() - before;
}"""


def test_no_page_shows_more_than_two_controls_above_a_picture(book):
    """Counted are rows, with their play button, that are shown when a page or its slides open."""
    folds = []
    for file in sorted(book.rglob("*.html")):
        page = BeautifulSoup(BULK.sub("", file.read_text(encoding="utf-8")), "html.parser")
        for card in page.select(".uat-explorer .explorer"):
            above = card.select(":scope > .controls > .control:not([hidden])")
            assert len(above) <= 2, (file.name, card.select_one(".title").text, len(above))
            folds += card.select(":scope > .words:not(.verdict) ~ .more")
    assert len(folds) > 40  # with those of slides
    for fold in folds:
        names = [row.select_one(".name").text for row in fold.select(".control:not([hidden])")]
        assert [word.text for word in fold.select("summary > span:not([hidden])")] == names != []
        assert not fold.has_attr("open")


@pytest.mark.parametrize("page", ALL_PAGES)
def test_nor_does_a_choice_bring_a_third(page):
    """Tried is each pair of choices above a live picture; a formula belongs to the menu that brings its field."""
    for spec in (picture.spec for picture in live_pictures(page)):
        named = {c["name"]: (k, c) for k, c in enumerate(spec["controls"]) if c["kind"] != "hidden"}
        below = {*spec.get("fold", {"controls": ()})["controls"], *(h[axis] for h in spec["handles"] for axis in "xy")}
        above = {name: found for name, found in named.items() if name not in below}
        menus = [[(k, choice) for choice in range(len(c["keys"]))] for k, c in above.values() if c.get("keys")]
        for chosen in itertools.product(*menus):
            at = [dict(chosen).get(k, control["start"]) for k, control in enumerate(spec["controls"])]
            away = node(FILES).ask({"spec": spec, "at": at, "widths": [650]})["hide"]
            shown = [name for name in above if name not in away and name != "formula"]
            assert len(shown) <= 2, (spec["title"], chosen, shown)


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_words_that_move_a_folded_control_open_the_fold_and_stay_where_they_are(phone, site, size):
    tab = phone.open(f"{site}{PAGE}")
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    phone.settle()
    fold = tab.locator(f"{BOX} .more")
    for words, is_open in (("in place 3", False), ("hardmax", True)):  # hardmax alone stands in the fold
        shift = tab.evaluate(SHIFT, words)
        assert fold.evaluate("(fold) => fold.open") == is_open, words
        assert abs(shift) <= 1, words
    expect(tab.locator(BOX).get_by_role("radio", name="hardmax")).to_be_checked()
    fold.locator("summary").click()
    tab.evaluate(SHIFT, "hardmax")
    assert not fold.evaluate("(fold) => fold.open")  # nothing has moved in it
    tab.locator(BOX).get_by_role("button", name="Reset").click()
    assert not fold.evaluate("(fold) => fold.open")
    assert phone.complaints == []


@pytest.mark.parametrize(("setting", "is_open"), [("order=2&kind=hardmax", True), ("order=2&kind=softmax", False)])
def test_an_address_opens_the_fold_of_what_it_sets(desk, folder, site, book, setting, is_open):
    for reader, root in ((desk, site), (folder, f"{book.as_uri()}/")):
        tab = reader.open(f"{root}{PAGE}{BOX}?{setting}&add=False")
        field = tab.locator(BOX).get_by_role("radiogroup", name="attention", include_hidden=True)
        assert field.is_visible() == is_open


def test_the_fold_opens_by_keyboard_and_its_control_comes_next(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    box = tab.locator(BOX)
    said = box.locator(".readout").inner_text()
    box.locator(".more > summary").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    expect(box.get_by_role("radio", name="softmax")).to_be_focused()
    tab.keyboard.press("ArrowRight")
    expect(box.locator(".readout")).not_to_have_text(said)
    expect(box.locator(".picture")).to_be_visible()


def test_the_fold_opens_under_a_finger_and_without_a_script(phone, bare, site):
    for reader, hand in ((phone, "tap"), (bare, "click")):
        tab = reader.open(f"{site}{PAGE}")
        summary, row = (tab.locator(f"{BOX} .more {part}") for part in ("> summary", ".control"))
        assert not row.locator("label").first.is_visible()
        getattr(summary, hand)()
        expect(row.locator("label").first).to_be_visible()
    assert phone.tab.locator(f"{BOX} .more > summary").bounding_box()["height"] >= 44
    assert bare.tab.locator(f"{BOX} .more .controls").get_attribute("inert") is not None


def test_the_fold_names_what_the_setting_has(desk, site):
    tab = desk.open(f"{site}chapters/kajitsuka-hardmax-fails.html")
    box = tab.locator("#explorer-find")
    summary = box.locator(".more > summary")
    assert summary.locator("span:visible").all_inner_texts() == ["listener", "close-up or table"]
    box.get_by_label("attention", exact=True).locator("label").nth(1).click()
    expect(summary.locator("span:visible")).to_have_text(["listener", "close-up or table", "sharpness λ"])
    summary.press("Enter")  # it may be behind the words that move the picture
    expect(box.get_by_role("slider", name="sharpness")).to_be_visible()


def test_on_paper_the_fold_is_open(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    tab.emulate_media(media="print")
    assert tab.locator(f"{BOX} .more").get_by_text("softmax").is_visible()
    assert not tab.locator(f"{BOX} .more > summary").is_visible()
    desk.rest()
