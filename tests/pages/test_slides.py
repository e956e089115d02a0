"""Decks of slides, made of chapters: by keys, on paper, on a phone, from a folder, in both themes."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect
from reader import PHONE, SHEET

PIECES = {"start", "kajitsuka-hardmax-fails", "cheng-your-mixer"}
"""Decks that are opened: a picture of drawn frames, a live one, and one with a form beside it."""
AT = "[...document.querySelectorAll('main > section')].map((slide) => Math.round(slide.getBoundingClientRect().top))"

RUN = "axe.run({ exclude: ['.katex-html'] }, { resultTypes: ['violations'], preload: false })"


def decks(book: Path) -> list[Path]:
    return sorted((book / "slides").glob("*.html"))


def at(tab: Page) -> int:
    """Which slide is at the top of the screen."""
    return tab.evaluate(AT).index(0)


def test_each_chapter_has_a_deck_and_its_links_lead_somewhere(book):
    """A question, a picture, a claim, what breaks, an exercise; but where a chapter says nothing of one of them."""
    few, broken = [], []
    for deck in decks(book):
        text = deck.read_text(encoding="utf-8")
        assert text.count("<h1>") == 1
        if len(re.findall("<section tabindex", text)) < 5:
            few.append(deck.stem)
        for address in re.findall(r'\s(?:href|src)="([^":#?]+)(?=["#?])', text):
            if not (deck.parent / address).exists():
                broken.append((deck.stem, address))
        assert 'class="uat-explorer"' in text
        assert "admonition solution" not in text
    assert broken == []
    assert len(decks(book)) > 30
    assert len(few) <= 3, few


@pytest.mark.parametrize("name", sorted(PIECES))
def test_a_deck_goes_by_keys(desk, site, name):
    tab = desk.open(f"{site}slides/{name}.html")
    last = tab.locator("main > section").count() - 1
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "PageDown", "PageUp"):
        tab.keyboard.press(key)
        seen.append(at(tab))
    assert seen == [1, 2, 1, last, last, 0, 1, 0]
    assert desk.complaints == []


def test_a_control_keeps_its_own_keys(desk, site):
    tab = desk.open(f"{site}slides/start.html")
    tab.keyboard.press("ArrowRight")
    slider = tab.get_by_role("slider", name="cells a side, 1/δ")
    before = slider.input_value()
    slider.press("ArrowRight")
    assert slider.input_value() != before
    assert at(tab) == 1


@pytest.mark.parametrize("name", sorted(PIECES))
def test_a_deck_is_read_in_both_themes_on_paper_and_on_a_phone(desk, site, name):
    tab = desk.open(f"{site}slides/{name}.html")
    tab.evaluate(AXE_SCRIPT)
    for scheme in ("dark", "light"):
        desk.show(scheme)
        found = tab.evaluate(RUN)["violations"]
        assert [(fault["id"], fault["nodes"][0]["html"][:90]) for fault in found] == []
    desk.show("light", PHONE)
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    desk.show("dark", SHEET, media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details.note p").first.is_visible()
    complaints = [*desk.complaints]
    desk.rest()
    assert complaints == []


def test_a_deck_opens_from_a_folder(folder, book):
    tab = folder.open((book / "slides" / "start.html").as_uri())
    tab.keyboard.press("End")
    assert at(tab) > 2
    assert folder.complaints == []


TEXTS = """() => [...document.querySelectorAll("main > section:not(:has(.uat-explorer))")].map((slide) => {
  const { fontSize } = getComputedStyle(slide);
  const inner = [...slide.children].map((child) => child.getBoundingClientRect());
  const filled = (Math.max(...inner.map(({ bottom }) => bottom)) - inner[0].top) / innerHeight;
  return [parseFloat(fontSize), slide.offsetHeight - innerHeight, slide.scrollWidth - slide.clientWidth, filled];
})"""


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768)], ids=["1280", "1024"])
def test_a_text_is_set_as_large_as_the_wall_has_room_for(desk, site, book, size):
    for name in [deck.stem for deck in decks(book)]:
        tab = desk.open(f"{site}slides/{name}.html")
        tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        tab.wait_for_timeout(100)
        found = tab.evaluate(TEXTS)
        for font, tall, wide, filled in found:
            assert wide <= 1, (name, found)
            assert font >= 40 or filled > 0.55 or tall > 0, (name, found)
            assert tall <= 1 or font < 21, (name, found)  # what is longer than the wall is as small as it gets
    desk.rest()


def test_the_deck_of_chapter_4_has_its_game_on_the_second_slide(desk, site):
    tab = desk.open(f"{site}slides/kajitsuka-hardmax-fails.html")
    slide = tab.locator("main > section").nth(1)
    assert slide.get_by_role("group", name="Can you beat the printed pair?").is_visible()
    slide.locator("details.note summary").click()
    slide.locator("details.note a").first.click()
    expect(slide.locator(".readout")).not_to_contain_text("no shared token is told apart")
