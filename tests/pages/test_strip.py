"""The strip of the network in the built chapters: where it stands, how it opens, how it looks in other lights."""

import re
import zlib

import pytest
import yaml
from conftest import ROOT
from reader import PHONE

PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
PATH = [
    page["file"]
    for part in PARTS
    if part["caption"] != "Reference"
    for page in part["chapters"]
    if page["file"].startswith("chapters/")
]
STEPS = ("cut", "tell", "look")
STRIP = re.compile(r'<details class="uat-strip">.*?</details>', re.DOTALL)
NAMES = (".uat-strip", ".uat-strip summary", ".uat-stairs", "h1", ".uat-facts")
BOXES = """(names) => Object.fromEntries(names.map((name) => {
  const { left, right, top, bottom } = document.querySelector(`.bd-article ${name}`).getBoundingClientRect();
  return [name, { left, right, top, bottom }];
}))"""
WIDTHS = (320, 390, 576, 768, 900, 1000, 1200, 1280, 1440, 1800)


def test_each_chapter_from_the_second_on_has_one_of_its_own_step(book):
    for page in PATH:
        text = (book / f"{page}.html").read_text(encoding="utf-8")
        found = STRIP.findall(text)
        assert len(found) == (page != PATH[0]), page
        for strip in found:
            about = re.search(r'class="stair (\w+) here"', text[text.index('class="uat-stairs') :])
            lit = {*re.findall(r'<g class="(\w+) here"', strip)}
            assert lit in ({about[1]}, {*STEPS})
            assert len(zlib.compress(strip.encode(), 9)) < 3000
            alt = re.search(r'role="img" aria-label="([^"]+)"', strip)
            assert alt[1].startswith("The network")


@pytest.mark.parametrize("page", [PATH[1], PATH[4], PATH[7], PATH[-1]])
def test_it_covers_nothing_at_any_width(desk, site, page):
    tab = desk.open(f"{site}{page}.html")
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 800})
        desk.settle()
        boxes = tab.evaluate(BOXES, NAMES)
        own = boxes.pop(".uat-strip")
        inside = boxes.pop(".uat-strip summary")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert own["left"] <= inside["left"] < inside["right"] <= min(own["right"], width)
        assert own["bottom"] - own["top"] <= 120
        for name, box in boxes.items():
            beside = own["left"] >= box["right"]
            assert beside or own["top"] > box["bottom"] - 1 or own["bottom"] < box["top"] + 1, (width, name, own, box)
    assert desk.complaints == []


def test_a_finger_opens_it_and_it_pushes_the_text_down(phone, site):
    tab = phone.open(f"{site}{PATH[2]}.html")
    strip = tab.locator(".uat-strip")
    below = tab.locator(".uat-strip + *")
    before = below.bounding_box()["y"]
    strip.locator("summary").tap()
    assert strip.get_by_role("listitem").count() == len(STEPS)
    assert below.bounding_box()["y"] > before + 100
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for link in strip.get_by_role("link").all():
        assert link.bounding_box()["x"] >= 0
    strip.get_by_role("link").first.tap()
    tab.wait_for_url("**/chapters/yun-quantization.html")
    assert phone.complaints == []


def test_keys_open_and_close_it_and_its_links_follow(desk, site):
    tab = desk.open(f"{site}{PATH[4]}.html")
    summary = tab.locator(".uat-strip summary")
    summary.focus()
    tab.keyboard.press("Enter")
    assert tab.locator(".uat-strip[open]").count() == 1
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.getAttribute('href')") == "kajitsuka-universality.html"
    # What lies over the text is in front of it.
    card = tab.locator(".uat-strip > div").bounding_box()
    at = (card["x"] + card["width"] / 2, card["y"] + card["height"] - 8)
    assert tab.evaluate("([x, y]) => !!document.elementFromPoint(x, y).closest('.uat-strip')", at)
    summary.focus()
    tab.keyboard.press("Space")
    assert tab.locator(".uat-strip[open]").count() == 0


def test_without_scripts_it_opens_too(bare, site):
    tab = bare.open(f"{site}{PATH[6]}.html")
    tab.locator(".uat-strip summary").click()
    assert "16 keys" in tab.locator(".uat-strip").inner_text()


def test_a_part_under_the_pointer_says_what_it_is(desk, site):
    tab = desk.open(f"{site}{PATH[1]}.html")
    assert tab.locator(".uat-strip g > title").all_text_contents() == [
        "cut: 5 feed-forward layers, 4 hidden units each",
        "tell apart: 5 attention layers, 9 heads of softmax",
        "look up: 15 feed-forward layers, 4 hidden units each",
    ]
    for part in tab.locator(".uat-strip g").all():
        box = part.locator("path").first.bounding_box()
        at = (box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 4)
        assert tab.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('g')?.className.baseVal", at) == (
            part.get_attribute("class")
        )


@pytest.mark.parametrize(
    ("scheme", "media", "forced"),
    [("light", "screen", "none"), ("dark", "screen", "none"), ("light", "print", "none"), ("dark", "screen", "active")],
)
def test_what_is_here_differs_from_the_rest_in_each_light(desk, site, scheme, media, forced):
    tab = desk.open(f"{site}{PATH[4]}.html")
    desk.show(scheme, media=media, forced=forced)
    look = "(name) => getComputedStyle(document.querySelector(`.uat-strip ${name} path`)).fill"
    here, other = (tab.evaluate(look, name) for name in (".here", "g:not(.here)"))
    assert here != other
    assert tab.locator(".uat-strip svg").bounding_box()["width"] > 100
    desk.show("light")
