"""The reader's own function under several proofs: it is there at once, moves nothing, and goes out as a card."""

import io
import json
import re

import numpy as np
import pytest
from conftest import ROOT
from live_pages import PICTURES, STILL, fragment, open_live, said
from matplotlib import colormaps
from PIL import Image
from reader import PHONE

from uatbook.figures.style import STEPS, VALUES
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


@pytest.mark.parametrize(
    ("name", "button"),
    [("bill", "Use my function"), ("square", "Your f"), ("x-ray of one head", "Use my function")],
)
def test_nothing_moves_where_its_buttons_come(kept, tmp_path, name, button):
    tab = open_live(kept, PICTURES[name](), tmp_path)
    assert tab.get_by_role("button", name=button).is_visible()
    assert tab.evaluate(SHIFTS) == 0
    heights = []
    for text in (json.dumps(OWN), "{}"):
        tab.evaluate(KEEP, text)
        tab.evaluate("dispatchEvent(new Event('uat-mine'))")
        heights.append(tab.evaluate("document.body.scrollHeight"))
    assert heights[0] == heights[1]
    assert tab.get_by_role("button", name=button).is_hidden()


def test_two_buttons_are_in_view_and_what_is_rare_is_behind_one_that_opens(kept, tmp_path):
    tab = open_live(kept, PICTURES["bill"](), tmp_path)
    seen = tab.locator(".actions :is(button, a, summary)").evaluate_all("""(all) => all
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => [one.textContent, one.offsetHeight])""")
    assert [words for words, _ in seen] == ["Reset", "Save, link \N{HORIZONTAL ELLIPSIS}", "Use my function"]
    assert all(height >= 44 for _, height in seen)
    reset, fold = tab.get_by_role("button", name="Reset"), tab.locator(".rare > summary")
    reset.focus()
    tab.keyboard.press("Tab")
    before = reset.bounding_box(), fold.bounding_box()
    tab.keyboard.press("Enter")
    assert (reset.bounding_box(), fold.bounding_box()) == before
    parts = [tab.get_by_role("button", name=name) for name in ("Download this picture", "Forget my function")]
    for part in (*parts, tab.get_by_role("link", name="Link to this setting")):
        assert part.is_visible()
        assert part.bounding_box()["height"] >= 44 - 0.01
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    parts[1].press("Enter")
    assert tab.evaluate("localStorage.getItem('uat-mine')") is None
    assert tab.get_by_role("button", name="Use my function").is_hidden()
    assert parts[1].is_hidden()


# What a card shows before anything is computed: the colours of the first bitmap, whether others are seen, what is said.
EARLY = """async (id) => {
  const card = document.getElementById(id).querySelector(".uat-first"), kind = innerWidth < 500 ? "narrow" : "wide";
  const [image, ...rest] = card.querySelectorAll(`.stage .${kind} > svg > *`), map = new Image();
  map.src = image.getAttribute("href");
  await map.decode();
  const brush = Object.assign(document.createElement("canvas"), { width: map.width, height: map.height })
    .getContext("2d");
  brush.drawImage(map, 0, 0);
  return {
    side: map.width, bytes: [...brush.getImageData(0, 0, map.width, map.height).data],
    seen: getComputedStyle(image).visibility, others: rest.map((part) => getComputedStyle(part).visibility),
    faded: card.querySelector(".explorer").classList.contains("stale"),
    said: card.querySelector(".stage > .note")?.textContent ?? "",
    fields: [...card.querySelectorAll("[type=text]")].map((field) => field.value),
  };
}"""


@pytest.mark.parametrize(
    ("page", "name", "end"),
    [
        ("chapters/conclusion", "bill", ""),
        ("tour", "yours", ""),
        ("tour", "imitate", "#explorer-imitate?f=my own formula&formula=x_2"),
        ("index", "square", "#explorer-square?f=my own formula&formula=x_2"),
    ],
)
def test_ones_own_function_is_drawn_before_anything_is_computed(browser, site, page, name, end):
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(f"{site}404.html")
    tab.evaluate(KEEP, json.dumps({"formula": "x_2", "paint": ""}))
    tab.route("**/explorers/*.js", lambda route: None)  # what it takes to compute does not come
    tab.goto(f"{site}{page}.html{end}", wait_until="domcontentloaded")  # by then the script has run
    early = tab.evaluate(EARLY, f"explorer-{name}")
    side, found = early["side"], np.array(early["bytes"]).reshape(early["side"], early["side"], 4)
    for row in range(side):  # x_2 rises from 0 below to 1 above, whatever x_1 is
        wanted = 255 * np.array(colormaps[VALUES]((side - row - 0.5) / side))
        assert abs(found[row] - wanted).max() <= 4, row
    assert early["fields"] == ["x_2"]
    assert early["seen"] == "visible"
    assert {*early["others"]} == {"hidden"}
    assert early["said"] == "computing \N{HORIZONTAL ELLIPSIS}"
    tab.close()


OPACITY = """(card, at) => {
  for (const late of card.getAnimations({ subtree: true })) late.currentTime = at;
  return Number(getComputedStyle([...card.querySelectorAll(".picture")].find((one) => one.checkVisibility())).opacity);
}"""


@pytest.mark.parametrize("kept", [True, False])
def test_what_another_function_replaces_is_not_seen_before_the_script_comes(browser, site, kept):
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(f"{site}404.html")
    if kept:
        tab.evaluate(KEEP, json.dumps({"formula": "x_2", "paint": ""}))
    tab.route("**/uat-explorer*.js*", lambda route: None)
    for page, name, end, faded in (
        ("chapters/conclusion", "bill", "", kept),
        ("tour", "yours", "", kept),
        ("tour", "imitate", "", False),
        ("tour", "imitate", "#explorer-imitate?f=hill", True),
    ):
        tab.goto("about:blank")
        tab.goto(f"{site}{page}.html{end}", wait_until="commit")
        card = tab.locator(f"#explorer-{name}")
        card.wait_for(state="attached")
        assert card.evaluate(OPACITY, 0) == (0.1 if faded else 1), (page, end)
        assert card.evaluate(OPACITY, 7000) == 1  # one that never comes hides nothing
    tab.close()


def test_without_a_function_of_ones_own_nothing_fades(browser, site):
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.route("**/explorers/*.js", lambda route: None)
    for page, name in (("chapters/conclusion", "bill"), ("index", "square")):
        tab.goto(f"{site}{page}.html#explorer-{name}", wait_until="domcontentloaded")
        early = tab.evaluate(EARLY, f"explorer-{name}")
        assert not early["faded"]
        assert {*early["others"]} == {"visible"}
    tab.close()


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
    link = tab.get_by_role("link", name="Link to this setting", include_hidden=True).get_attribute("href")
    tab = open_live(desk, picture, tmp_path, link)
    assert said(tab) == picture.describe({**picture.start, "formula": "x_1 x_2"})
    assert desk.complaints == []
    desk.forget()


WRITTEN = """() => {
  window.written = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    written.push(text);
    fillText.call(this, text, ...place);
  };
  Object.defineProperty(navigator, "clipboard", { configurable: true,
    value: { writeText: (text) => Promise.resolve((window.copied = text)) } });
}"""
LIES = """([address, root]) => {
  document.head.insertAdjacentHTML("beforeend", `<link rel="canonical" href="${address}">`);
  document.documentElement.dataset.content_root = root;
}"""


@pytest.mark.parametrize(
    ("address", "root", "home"),
    [
        ("https://someone.github.io/a-book/", "./", "someone.github.io/a-book"),
        ("https://someone.github.io/a-book/chapters/conclusion.html", "../", "someone.github.io/a-book"),
        ("https://a-book.org/chapters/conclusion.html", "../", "a-book.org"),
        ("", "", ""),
    ],
)
def test_a_card_says_where_the_book_lies_online_and_nothing_where_nobody_knows(desk, tmp_path, address, root, home):
    tab = open_live(desk, PICTURES["bill"](), tmp_path)  # from a folder, which nobody else can open
    tab.evaluate(WRITTEN)
    if address:
        tab.evaluate(LIES, [address, root])
    with tab.expect_download():
        tab.get_by_role("button", name="A card to share").click()
    written = tab.evaluate("written")
    assert written[0] == "Transformers as universal approximators"
    assert [text for text in written[1:] if "book" in text] == [home] * bool(home)
    tab.get_by_text("The card is among your downloads").wait_for()
    copied = tab.evaluate("window.copied ?? ''")
    assert copied.partition("#")[0] == address
    assert bool(copied) == ("copied" in tab.locator(".note").inner_text())


PLACED = """() => {
  window.placed = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { a, e } = this.getTransform(), wide = this.measureText(text).width;
    const from = this.textAlign === "right" ? x - wide : x;
    placed.push([text, this.font, e + a * from - 40, this.canvas.width - 40 - e - a * (from + wide)]);
    fillText.call(this, text, x, y);
  };
}"""
LEAVES = """() => [...document.querySelector(".uat-view").shadowRoot.querySelectorAll(".stage svg :is(text, tspan)")]
  .filter((part) => !part.children.length && part.textContent.trim()).map((part) => part.textContent)"""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_card_has_the_letters_of_the_page_within_equal_margins(desk, tmp_path, width):
    tab = open_live(desk, PICTURES["bill"](), tmp_path)
    tab.set_viewport_size({"width": width, "height": 844})
    tab.add_style_tag(content="html { --pst-font-family-base: monospace } body { font-family: monospace }")
    tab.evaluate(STILL)
    tab.evaluate(PLACED)
    with tab.expect_download():
        tab.get_by_role("button", name="A card to share").click()
    placed = tab.evaluate("placed")
    assert {*tab.evaluate(LEAVES)} <= {text for text, *_ in placed}
    plain = [font for text, font, *_ in placed if text in ("Yun et al.", "layers", "weights")]
    assert len(plain) >= 3
    assert all("monospace" in font for font in plain)
    for text, _, left, right in placed:
        assert min(left, right) > -8, text  # in pixels, of which two are one of CSS
    assert min(left for *_, left, _ in placed) < 8
    assert min(right for *_, right in placed) < 8


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
    desk.rest()


def test_on_a_phone_the_table_of_the_bill_is_read_without_going_sideways(phone, site):
    tab = phone.open(f"{site}chapters/conclusion.html")
    tab.set_viewport_size({"width": 320, "height": 640})
    tab.get_by_text("The whole bill").locator("visible=true").click()
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
