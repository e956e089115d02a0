"""The reader's own function under several proofs: it is there at once, moves nothing, and goes out as a card."""

import io
import json
import re

import numpy as np
import pytest
from conftest import ROOT
from live_pages import PICTURES, STILL, fragment, open_live, said
from PIL import Image
from reader import PHONE

from uatbook.figures.style import STEPS
from uatbook.live.picture import FILES

OWN = {"formula": "x_1 (1 - x_2)", "paint": ""}
KEEP = "kept => localStorage.setItem('uat-mine', kept)"
SHIFTS = """() => new Promise((done) => new PerformanceObserver((list) => done(
  list.getEntries().reduce((sum, { value }) => sum + value, 0))).observe({ type: "layout-shift", buffered: true })
  || setTimeout(() => done(0), 300))"""


@pytest.fixture
def kept(phone, tmp_path):
    phone.show("light", PHONE)
    open_live(phone, PICTURES["bill"](), tmp_path).evaluate(KEEP, json.dumps(OWN))
    yield phone
    phone.forget()


def test_it_opens_with_what_the_reader_made_unless_an_address_asks_for_something(kept, tmp_path):
    picture = PICTURES["bill"]()
    tab = open_live(kept, picture, tmp_path)
    assert said(tab) == picture.describe({**picture.start, **OWN})
    assert tab.evaluate("location.hash") == ""  # or a reload would scroll here
    tab.get_by_role("button", name="Reset").click()
    tab.evaluate(STILL)
    assert said(tab) == picture.describe(picture.start)
    tab = open_live(kept, picture, tmp_path, fragment(picture, {"formula": "x_2"}))
    assert said(tab) == picture.describe({**picture.start, "formula": "x_2"})
    assert kept.complaints == []


@pytest.mark.parametrize("name", ["bill", "square", "x-ray of one head"])
def test_nothing_moves_where_its_buttons_come(kept, tmp_path, name):
    tab = open_live(kept, PICTURES[name](), tmp_path)
    assert tab.get_by_role("button", name="Your f", exact=True).is_visible()
    assert tab.evaluate(SHIFTS) == 0
    heights = []
    for text in (json.dumps(OWN), "{}"):
        tab.evaluate(KEEP, text)
        tab.evaluate("dispatchEvent(new Event('uat-mine'))")
        heights.append(tab.evaluate("document.body.scrollHeight"))
    assert heights[0] == heights[1]
    assert tab.get_by_role("button", name="Your f", exact=True).is_hidden()


def rgb(colour):
    return tuple(bytes.fromhex(colour[1:]))


def test_one_press_makes_a_card_and_the_link_reopens_it(desk, tmp_path):
    picture = PICTURES["bill"]()
    tab = open_live(desk, picture, tmp_path)
    tab.get_by_role("textbox").fill("x_1 x_2")
    tab.evaluate(STILL)
    with tab.expect_download() as download:
        tab.get_by_role("button", name="A card to share").press("Enter")
    assert download.value.suggested_filename == "transformer-x_1-x_2.png"
    card = np.asarray(Image.open(io.BytesIO(download.value.path().read_bytes())).convert("RGB"))
    paper = re.search(r"--uat-card: (#\w{6})", (ROOT / "assets" / "face.css").read_text(encoding="utf-8"))
    assert {tuple(pixel) for pixel in card[0].tolist()} == {rgb(paper[1])}
    title = re.search(r"^# (.*)$", (ROOT / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert f'title: "{title[1]}"' in next(file for file in FILES if file.name == "bill.js").read_text(encoding="utf-8")
    head = card[: 2 * (20 + 44)].reshape(-1, 3).tolist()
    assert {rgb(step) for step in STEPS} < {tuple(pixel) for pixel in head}  # below its stairs
    assert len(np.unique(card.reshape(-1, 3), axis=0)) > 100  # squares in it
    link = tab.get_by_role("link", name="Link to this setting").get_attribute("href")
    tab = open_live(desk, picture, tmp_path, link)
    assert said(tab) == picture.describe({**picture.start, "formula": "x_1 x_2"})
    assert desk.complaints == []
    desk.forget()


def test_what_is_typed_leaves_nothing_of_what_was_painted(desk, tmp_path):
    picture = PICTURES["bill"]()
    painted = {"formula": "x_1", "paint": "h" * 240 + "y" * 16}
    tab = open_live(desk, picture, tmp_path, fragment(picture, painted))
    assert said(tab) == picture.describe({**picture.start, **painted})
    tab.get_by_role("textbox").fill("x_2")
    tab.evaluate(STILL)
    assert said(tab) == picture.describe({**picture.start, "formula": "x_2"})


TOP = "() => document.getElementById('yours').getBoundingClientRect().top"
PADDING = "() => parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop)"


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "desk"])
def test_a_link_to_it_that_is_followed_early_leads_there(desk, site, size):
    tab = desk.open("about:blank")
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    tab.goto(f"{site}chapters/conclusion.html", wait_until="commit")
    tab.locator("#yours").wait_for(state="attached")
    tab.evaluate("() => { location.hash = 'yours'; }")  # as a link does, before all is laid out
    tab.wait_for_load_state("load")
    tab.wait_for_timeout(1500)
    assert abs(tab.evaluate(TOP) - tab.evaluate(PADDING)) < 40
    tab.goto("about:blank")
    tab.goto(f"{site}chapters/conclusion.html")
    tab.evaluate("() => document.querySelector('a[href=\"#yours\"]').click()")
    before = -1
    while before != (now := tab.evaluate("scrollY")):  # it scrolls there
        before = now
        tab.wait_for_timeout(700)
    assert abs(tab.evaluate(TOP) - tab.evaluate(PADDING)) < 40
    desk.rest()


def test_on_a_phone_the_table_of_the_bill_is_read_without_going_sideways(phone, site):
    tab = phone.open(f"{site}chapters/conclusion.html")
    tab.set_viewport_size({"width": 320, "height": 640})
    table = tab.locator(".uat-comparison")
    table.scroll_into_view_if_needed()
    rows = table.locator("tbody tr")
    assert rows.count() == 6
    for row in rows.all():
        boxes = [cell.bounding_box() for cell in row.locator("th, td").all()]
        assert len(boxes) == 11
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 320 for box in boxes)
    heads = table.locator("tbody tr:first-child td").evaluate_all(
        "(cells) => cells.map((cell) => getComputedStyle(cell, '::before').content)"
    )
    assert [head.strip('"') for head in heads] == table.locator("thead th").evaluate_all(
        "(heads) => heads.slice(1).map((head) => head.textContent.replace(/\\s/g, ' ')"
        ".replace(/d2/, 'd\\u2082').trim())"
    )
