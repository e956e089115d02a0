"""Live pictures in a real browser: what the page computes is what Python says, by mouse, touch and keyboard alike."""

import json
import random
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from live_pages import (
    COLLISIONS,
    HEARD,
    PICTURES,
    POLICY,
    RESTED,
    attention,
    boltzmann,
    box_of,
    by_finger,
    by_mouse,
    centre,
    chosen,
    fragment,
    go,
    handle,
    open_live,
    said,
    swipe,
    unfold,
)
from matplotlib.figure import Figure
from playwright.sync_api import expect
from reader import DESK, PHONE, STARTED, Reader
from test_pages import COLOUR_RULES, faults_by_axe

from explorables import explore
from explorables.goals import Goal
from explorables.live import Field, Slider
from uatbook.figures.style import COLOURS
from uatbook.live import Hats, XRay

on_pictures = pytest.mark.parametrize("name", PICTURES)


def some_values(picture, rng: random.Random) -> dict:
    """A value of each control, at random; texts stay what they are."""
    found = {}
    for name, control in picture.controls.items():
        if isinstance(control, Slider):
            found[name] = round(rng.uniform(control.low, control.high), control.digits)
        elif not isinstance(control, Field):
            found[name] = rng.choice(control.values)
    return found


DRAWN = """() => {
  const given = (node) => [...node.attributes].map(({ name, value }) => `${name}="${value}"`).sort();
  const tell = (node) => node.data ?? [node.nodeName, given(node), [...node.childNodes].map(tell)];
  return JSON.stringify(tell(document.querySelector(".uat-view").shadowRoot.querySelector(".stage svg")));
}"""


# ---------------------------------------------------------------------------------------------------- what is computed


@on_pictures
def test_the_page_says_what_python_says_whatever_was_drawn_before(folder, tmp_path, name):
    """And it draws the same: elements are kept from frame to frame."""
    picture, rng = PICTURES[name](), random.Random(0)
    tab = open_live(folder, picture, tmp_path)
    assert said(tab) == picture.describe(picture.start) == (picture.frame().text, picture.alt)
    for _ in range(12):
        values = some_values(picture, rng)
        go(tab, picture, values)
    drawn = tab.evaluate(DRAWN)
    assert folder.complaints == []
    assert open_live(folder, picture, tmp_path, fragment(picture, values)).evaluate(DRAWN) == drawn
    assert folder.complaints == []


def test_mouse_touch_and_keyboard_lead_to_the_same(desk, phone, tmp_path):
    picture = boltzmann()
    found = {}
    for hand, reader, drag in (("mouse", desk, by_mouse), ("touch", phone, by_finger)):
        reader.show("light", DESK)
        tab = open_live(reader, picture, tmp_path)
        ring = handle(tab, "entry a3")
        field = ring.locator("input")
        unit = (box_of(tab.locator(".stage"))["width"] - 54) / 7
        drag(tab, ring, -1.5 * unit)
        found[hand] = said(tab)
        assert field.input_value() == "-3.5"
        assert field.get_attribute("aria-valuetext") == "\N{MINUS SIGN}3.50"
        expect(field).to_be_focused()
        assert reader.complaints == []
    desk.tab.keyboard.press("ArrowRight")
    assert said(desk.tab) == picture.describe({**picture.start, "a3": -3.49})
    tab = open_live(desk, picture, tmp_path)
    tab.get_by_label("entry a3, value").focus()
    for _ in range(150):
        tab.keyboard.press("ArrowLeft")
    found["keyboard"] = said(tab)
    assert set(found.values()) == {picture.describe({**picture.start, "a3": -3.5})}
    for key, value in (("Home", -6), ("End", 1), ("PageDown", 0.3), ("PageUp", 1)):
        tab.keyboard.press(key)
        assert said(tab)[0] == picture.describe({**picture.start, "a3": value})[0]


def test_every_handle_is_in_the_order_of_tab_and_shows_its_focus(desk, tmp_path):
    tab = open_live(desk, boltzmann(), tmp_path)
    tab.get_by_role("radiogroup", name="left of the lines boltz").get_by_role("radio", checked=True).focus()
    for k in range(1, 5):
        tab.keyboard.press("Tab")
        ring = handle(tab, f"entry a{k}")
        assert (
            ring.evaluate("ring => getComputedStyle(ring).outlineStyle + getComputedStyle(ring).outlineWidth")
            == "solid3px"
        )
        expect(ring.locator("input")).to_be_focused()
    tab.keyboard.press("Tab")
    expect(tab.get_by_role("button", name="Reset")).to_be_focused()


def test_of_two_handles_on_top_of_each_other_the_nearer_is_held(desk, tmp_path):
    tab = open_live(desk, boltzmann((0, -0.1)), tmp_path)
    for label in ("entry a1", "entry a2"):
        desk.settle()  # the picture follows the hand by a frame
        before = [field.input_value() for field in tab.locator(".handle input").all()]
        x, y = centre(handle(tab, label))
        side = 5 if label == "entry a1" else -5
        tab.mouse.move(x + side, y)
        tab.mouse.down()
        tab.mouse.move(x + side, y + 40, steps=2)  # along its line it stays
        tab.mouse.move(x + side - 200, y, steps=2)
        tab.mouse.up()
        desk.settle()
        after = [field.input_value() for field in tab.locator(".handle input").all()]
        assert [u != v for u, v in zip(before, after, strict=True)] == [label == "entry a1", label == "entry a2"]
        tab.get_by_role("button", name="Reset").click()


def test_a_menu_offers_only_what_there_is(desk, tmp_path):
    picture = boltzmann()
    tab = open_live(desk, picture, tmp_path)
    menu = tab.get_by_label("curve against", exact=True)
    shown = "menu => [...menu.options].filter((o) => !o.hidden && !o.disabled).map((o) => o.textContent)"
    for n in ("2", "3", "4"):
        go(tab, picture, {"n": n})
        offered = [f"a{k + 1}" for k in range(int(n))]
        assert menu.evaluate(shown) == offered
        assert chosen(tab, "curve against") in offered


def test_in_a_smaller_context_the_last_token_listens(desk, tmp_path):
    contexts = {"three": {"y": {"a": (0, 0), "b": (1, 0), "c": (2, 0)}}, "two": {"y": {"d": (0, 0), "e": (1, 0)}}}
    picture = attention(examples=contexts, masks=None)
    tab = unfold(open_live(desk, picture, tmp_path))
    menu = tab.get_by_label("listener", exact=True)
    menu.select_option(label="third (c)")
    tab.get_by_role("radiogroup", name="contexts").get_by_label("two").check()
    assert said(tab) == picture.describe({**picture.start, "example": "two", "listener": "second"})
    assert chosen(tab, "listener") == "second (e)"
    assert menu.evaluate("menu => [...menu.options].map((o) => o.disabled)") == [False, False, True]


# ---------------------------------------------------------------------------------------------------- a finger, a phone


def test_a_vertical_swipe_scrolls_and_moves_nothing(phone, tmp_path):
    picture = boltzmann()
    tab = open_live(phone, picture, tmp_path)
    phone.show("light", {"width": 360, "height": 420})
    before = said(tab)
    for target in (handle(tab, "entry a3"), tab.locator(".stage")):
        tab.evaluate("scrollTo(0, 0)")
        centre(target)  # scrolls it into view
        start = tab.evaluate("scrollY")
        by_finger(tab, target, -2, -150)
        assert tab.evaluate("scrollY") != start
        assert said(tab) == before
    phone.show("light", PHONE)


# Texts that stick out of the picture, and targets under 24 px.
MISFITS = """() => {
  const root = document.querySelector(".uat-view").shadowRoot, box = (e) => e.getBoundingClientRect();
  const all = (selector) => [...root.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const texts = all("svg text, svg tspan").filter((e) => e.textContent.trim());
  const stage = box(root.querySelector(".stage")), slack = 4;
  const out = ({ left, right, top, bottom }) =>
    Math.min(left - stage.left, stage.right - right, top - stage.top, stage.bottom - bottom) < -slack;
  const targets = all("input, select, button, a, .handle").filter((e) => Math.min(box(e).width, box(e).height) < 24);
  return [...texts.filter((e) => out(box(e))), ...targets].map((e) => e.outerHTML.slice(0, 90));
}"""


SIZES = """() => {
  const texts = [...document.querySelector(".uat-view").shadowRoot.querySelectorAll(".stage svg :is(text, tspan)")];
  const own = (e) => [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  return texts.filter(own).map((e) => {
    const { fontSize, fontFamily, fontStyle } = getComputedStyle(e), lowered = e.getAttribute("dy") === "3";
    return [e.textContent, parseFloat(fontSize), fontFamily, fontStyle, lowered, e.closest("[transform]") !== null];
  });
}"""


@on_pictures
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_type_has_one_size_and_letters_of_mathematics_are_italic(phone, tmp_path, name, width):
    phone.show("light", {"width": width, "height": 740})
    tab = open_live(phone, PICTURES[name](), tmp_path)
    texts = tab.evaluate(SIZES)
    assert len(texts) > 10
    for text, size, family, style, lowered, turned in texts:
        maths = family.startswith("KaTeX")
        assert size == (11 if lowered else 14 if maths else 12), text
        assert (style == "italic") == (maths and not text.isdigit()), text
        assert not turned
    assert width > 390 or tab.evaluate(MISFITS) == []
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.show("light", PHONE)


AT = "document.querySelector('.uat-view').dataset.at"


@pytest.mark.parametrize("name", ["boltzmann", "square"])
def test_on_a_phone_no_name_lies_on_another(phone, tmp_path, name):
    picture, rng = PICTURES[name](), random.Random(1)
    phone.show("light", PHONE)
    tab = open_live(phone, picture, tmp_path)
    for _ in range(40):
        values, before = some_values(picture, rng), tab.evaluate(AT)
        tab.evaluate("hash => { location.hash = hash; }", fragment(picture, values))  # what it says is compared above
        tab.wait_for_function(f"before => ({AT}) !== before", arg=before)
        assert tab.evaluate(COLLISIONS) == [], values


@on_pictures
def test_the_page_does_not_move_when_the_script_comes(desk, tmp_path, name):
    page, tab = PICTURES[name]().to_html(), desk.tab
    before, after = tmp_path / "before.html", tmp_path / "after.html"
    before.write_text(page[: page.index('<script class="uat-page-script">')], encoding="ascii")
    after.write_text(page, encoding="ascii")
    heights = {}
    for width in (360, 390, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        if not heights:  # without a script a page may change its width
            tab.goto(before.as_uri())
        heights[width] = box_of(tab.locator(".uat-explorer"))["height"]
    assert tab.locator(".uat-first").is_visible()
    for width, height in heights.items():
        tab.set_viewport_size({"width": width, "height": 800})
        tab.goto(after.as_uri())
        tab.locator(".uat-view").wait_for()
        assert box_of(tab.locator(".uat-explorer"))["height"] == pytest.approx(height, abs=0.6), width
    desk.rest()


# ---------------------------------------------------------------------------------------------------- what is around it


@on_pictures
def test_axe_finds_nothing(desk, tmp_path, name):
    tab = open_live(desk, PICTURES[name](), tmp_path)
    page = {"landmark-one-main", "page-has-heading-one", "region"}  # of a page that is nothing but a picture
    for scheme, rules in (("light", ()), ("dark", COLOUR_RULES)):
        tab.emulate_media(color_scheme=scheme)
        assert [fault for fault in faults_by_axe(tab, rules) if fault[0] not in page] == []


@on_pictures
def test_a_strict_policy_is_no_obstacle(browser, tmp_path, name):
    picture, tab, said_by_browser = PICTURES[name](), browser.new_page(strict=True), []
    tab.on("console", lambda message: said_by_browser.append(message.text))
    tab.on("pageerror", lambda error: said_by_browser.append(str(error)))
    headers = {"content-security-policy": POLICY, "content-type": "text/html"}
    tab.route("**/*", lambda route: route.fulfill(body=picture.to_html(), headers=headers))
    tab.goto("http://localhost/live.html")
    tab.wait_for_function(STARTED)
    assert said(tab) == picture.describe(picture.start)
    held = tab.locator(".handle input")
    first = (held if held.count() else tab.locator("input[type=text]")).first
    for key in ("Home", "2"):  # to the end of a slider, or a digit more
        first.press(key)
    assert said(tab) != picture.describe(picture.start)
    tab.close()
    assert [line for line in said_by_browser if "favicon" not in line] == []


def test_screen_readers_are_told_once_a_second(desk, tmp_path):
    tab = open_live(desk, boltzmann(), tmp_path)
    tab.evaluate(HEARD)
    assert tab.locator(".readout").get_attribute("aria-live") is None
    by_mouse(tab, handle(tab, "entry a3"), -100, steps=40)
    tab.wait_for_timeout(1300)
    times, texts = zip(*tab.evaluate("heard"), strict=True)
    assert min((v - u for u, v in pairwise(times)), default=1000) > 900
    assert tab.evaluate("seen") > 2 * len(times)
    assert texts[-1] == said(tab)[0]


def test_link_reset_and_two_pictures_on_a_page(browser, desk, tmp_path):
    one, two = boltzmann(), boltzmann((0, -3), name="second")
    body = two.to_html()
    body = body[body.index('<div class="uat-explorer"') : body.index('<script class="uat-page-script">')]
    page = one.to_html().replace('<script class="uat-page-script">', f'{body}<script class="uat-page-script">', 1)
    file = tmp_path / "two.html"
    file.write_text(page, encoding="ascii")
    desk.rest()
    tab = desk.open(file.as_uri())
    inside = tab.locator("#explorer-second")
    inside.get_by_label("entry a2, value").press("End")
    tab.wait_for_function("location.hash.includes('second')")
    assert tab.evaluate("location.hash") == "#explorer-second?along=a2&what=falls&a1=0&a2=1"
    link = inside.get_by_role("link", name="Link to this setting", include_hidden=True)
    expect(link).to_have_attribute("href", "#explorer-second?along=a2&what=falls&a1=0&a2=1")
    tab.locator("#explorer-boltzmann").get_by_label("entries", exact=True).select_option("0")
    tab.wait_for_function("location.hash.split(';').length === 2")
    address = tab.url
    state = said(tab, "explorer-boltzmann"), said(tab, "explorer-second")
    tab = desk.open(address)
    assert (said(tab, "explorer-boltzmann"), said(tab, "explorer-second")) == state
    assert tab.locator("#explorer-boltzmann .handle:visible").count() == 2
    for box in ("boltzmann", "second"):
        tab.locator(f"#explorer-{box}").get_by_role("button", name="Reset").click()
    tab.wait_for_function("location.hash === ''")
    assert said(tab, "explorer-second") == two.describe(two.start)
    assert desk.complaints == []


@pytest.mark.parametrize("turn", [1, -1])
def test_an_explorer_and_a_live_picture_share_a_page(desk, tmp_path, turn):
    """Both boxes stand before both scripts, of which that of the explorer cannot draw the live picture."""

    def dot(n):
        """A dot."""
        figure = Figure()
        figure.subplots().plot([n], [n], "o")
        return figure, f"n is {n}"

    pictures = [explore(n=[1, 2, 3])(dot), boltzmann()][::turn]
    bodies = [page[page.index("<div class=") : page.index("</body>")] for page in (p.to_html() for p in pictures)]
    boxes, scripts = zip(*(body.split('<script class="uat-page-script">') for body in bodies), strict=True)
    script = "".join(f'<script class="uat-page-script">{text}' for text in scripts)
    page = f"<!doctype html><html lang=en><title>t</title><body>{''.join(boxes)}{script}</body></html>"
    (tmp_path / "both.html").write_text(page, encoding="ascii")
    desk.rest()
    tab = desk.open((tmp_path / "both.html").as_uri())
    tab.get_by_label("n", exact=True).press("End")
    expect(tab.locator("#explorer-dot .readout")).to_have_text("n is 3")
    before = said(tab, "explorer-boltzmann")
    tab.get_by_label("entry a2, value").press("End")
    tab.wait_for_function("location.hash.split(';').length === 2")
    assert said(tab, "explorer-boltzmann") != before
    assert desk.complaints == []


@pytest.mark.parametrize("value", ["9", "-6.5", "nan", "", "1e999", "a", "Infinity"])
def test_an_address_with_a_value_that_is_none_says_so(desk, tmp_path, value):
    picture = boltzmann()
    tab = open_live(desk, picture, tmp_path, f"#explorer-boltzmann?a1={value}&along=a9")
    note = tab.locator(".note")
    assert note.inner_text() == (
        f"The address asks for curve against = a9, entry a1, value = {value}, which this picture does not have."
    )
    assert said(tab) == picture.describe(picture.start)
    tab.get_by_label("entry a2, value").press("End")
    expect(note).to_have_text("")


def test_a_picture_can_be_saved(browser, tmp_path):
    reader = Reader(browser, accept_downloads=True)
    tab = open_live(reader, boltzmann(), tmp_path)
    tab.get_by_label("entry a2, value").press("End")
    tab.get_by_label("curve against", exact=True).select_option(label="a1")
    said(tab)
    tab.get_by_text("Save, link").click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download this picture").click()
    root = ElementTree.fromstring(Path(download.value.path()).read_text(encoding="utf-8"))
    assert root[0].tag.endswith("title")
    assert root[0].text == f"Entries and their soft maximum: {said(tab)[0]}"
    text = ElementTree.tostring(root, encoding="unicode")
    assert "currentColor" not in text
    assert "var(" not in text
    assert download.value.suggested_filename == "boltzmann-along-a1-a2-1.svg"
    reader.tab.close()


# ---------------------------------------------------------------------------------------------------- what may go wrong


def damaged(page: str, **changes) -> str:
    """The page with another spec."""
    old = re.search(r'class="uat-spec">(.*?)</script>', page)[1]
    return page.replace(old, json.dumps({**json.loads(old), **changes}), 1)


def test_a_picture_that_there_is_not_leaves_the_first_frame(browser, tmp_path):
    file = tmp_path / "broken.html"
    file.write_text(damaged(boltzmann().to_html(), picture="never"), encoding="ascii")
    tab = Reader(browser).open(file.as_uri())
    assert tab.get_by_role("alert").inner_text() == "This picture cannot be moved. There is no live picture never."
    assert tab.locator(".uat-first .wide svg.uat-figure").is_visible()
    assert tab.locator(".uat-view").count() == 0
    tab.close()


def test_a_picture_that_throws_says_so_and_goes_on(browser, tmp_path):
    picture = boltzmann()
    data = {
        **picture.data,
        "thresholds": {"falls": {**picture.data["thresholds"]["falls"], "2": 1.25}},
    }  # no row of numbers
    file = tmp_path / "broken.html"
    file.write_text(damaged(picture.to_html(), data=data), encoding="ascii")
    tab = Reader(browser).open(file.as_uri())
    tab.get_by_label("entries", exact=True).select_option("0")
    expect(tab.locator(".failure")).to_contain_text("This cannot be drawn.")
    assert tab.locator(".readout").inner_text().startswith("boltz(0.00, ")
    tab.get_by_label("entries", exact=True).select_option("1")
    expect(tab.locator(".failure")).to_have_text("")
    tab.close()


# ------------------------------------------------------------------------------------------------ tokens, and a glass


def test_values_are_called_by_mouse_finger_and_keyboard(desk, phone, tmp_path):
    picture = PICTURES["calls"]()
    for reader, size in ((desk, DESK), (phone, PHONE)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        field = tab.get_by_role("textbox", name="values called")
        call = tab.get_by_role("button", name="call 1", exact=True)
        press = call.tap if reader is phone else call.click
        press()
        assert said(tab) == picture.describe({"calls": "1"})
        tab.keyboard.press("Enter")  # the button has kept the focus
        expect(field).to_have_value("1 1")
        tab.get_by_role("button", name="Undo the last call").click()
        expect(field).to_have_value("1")
        tab.get_by_role("button", name="call 3", exact=True).click()
        assert said(tab) == picture.describe({"calls": "1 3"})
        expect(tab.locator(".state")).to_contain_text("Won")
        for _ in range(8):
            press()
        expect(field).to_have_value("1 3 1 1 1 1 1 1")
        field.fill("1 q")
        complaint = "got q. The picture still shows what 1, 3, 1, 1, 1, 1, 1, 1 made."
        expect(tab.locator(".complaint")).to_contain_text(complaint)


def test_hats_are_lifted_by_mouse_finger_and_keyboard(desk, phone, tmp_path):
    """The one in hand shows its three ReLUs."""
    picture = PICTURES["hats"]()
    relus, corners_of = (
        '.stage svg path[stroke-dasharray="4 3"]',
        "paths => paths.map((path) => path.getAttribute('d'))",
    )
    for reader, size, drag in ((desk, DESK, by_mouse), (phone, PHONE, by_finger)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        ring = handle(tab, "hat 3, token 2")
        drag(tab, ring, 10, -40)
        centre_, height = (float(field.input_value()) for field in ring.locator("input").all())
        assert centre_ > picture.start["c3"]
        assert height > 0.1
        assert said(tab) == picture.describe({**picture.start, "c3": centre_, "h3": height, "hat": "3"})
        corners = tab.locator(relus).evaluate_all(corners_of)
        assert len(corners) == 3
        tab.get_by_label("hat 5, token 3, height").focus()
        for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown"):
            tab.keyboard.press(key)
        assert said(tab) == picture.describe({**picture.start, "c3": centre_, "h3": height, "h5": 0.02, "hat": "5"})
        assert not {*tab.locator(relus).evaluate_all(corners_of)} & {*corners}


BETWEEN = {"1": {"2": (1.12038, 0.1667), "3": (1.13142, 0.2222)}, "2": {"1": (2.10043, 0.3333), "3": (2.12757, 0.5556)},
           "3": {"1": (3.10052, 0.6667), "2": (3.12048, 0.8333)}}  # fmt: skip
"""Ids and answers that are no steps of a slider."""
RINGS = """(svg, n) => [...svg.querySelectorAll("circle[r='10']")].slice(0, n).map((ring) => {
  const { left, top, width, height } = ring.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
})"""


@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize("aside", [0, 5])
def test_hats_that_are_dropped_on_their_rings_win(desk, phone, tmp_path, size, aside):
    """Exactly, or some pixels beside them: a ring lights up at once, and six steep hats answer all."""
    picture = Hats(BETWEEN, goals={"all": Goal("Answer.", gained="That is it.")})
    for reader, drag in ((desk, by_mouse), (phone, by_finger)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path, fragment(picture, {"R": 192}))
        stage = tab.locator(".stage svg")
        names = [f"hat {k}, token {(k + 1) // 2}" for k in range(1, 7)]
        for k, name in enumerate(names):
            ring = handle(tab, name)
            (x, y) = centre(ring)
            (u, v) = stage.evaluate(RINGS, 6)[k]
            drag(tab, ring, u - x + aside, v - y + aside)
            tab.evaluate(RESTED)
            expect(tab.locator(".readout")).to_contain_text(
                f"{'all 6' if k == 5 else f'{k + 1} of 6'} answers are right"
            )
        expect(tab.locator(".state")).to_have_text("Won: 18 ReLUs. That is it.")
        expect(tab.locator(".goal.reached")).to_have_count(1)
        link = tab.locator(".actions a")
        expect(link).to_have_attribute("href", re.compile("c6=3.12&h6=0.83"))
        tab = reader.open(tab.url.split("#")[0] + link.get_attribute("href"))
        expect(tab.locator(".readout")).to_contain_text("all 6 answers are right")
        tab.evaluate("localStorage.clear()")


def test_a_goal_says_how_near_the_reader_came(desk, tmp_path):
    picture, places = XRay("yun2020", goals={"agree": "Agree."}), ((0.3, 0.6), (0.2, 0.6), (0.9, 0.4))
    tab, apart = open_live(desk, picture, tmp_path), []
    for values in ({}, *({"x1": a, "x2": b} for a, b in places)):
        go(tab, picture, values)
        ((reached, told),) = picture.frame(**values).goals
        assert not reached
        apart.append(re.fullmatch(r"the two answers are (0\.\d+) apart", told)[1])
    *before, last = apart
    assert min(before) < last
    expect(tab.locator(".state")).to_have_text(
        f"Not yet: the two answers are {last} apart, nearest so far {min(before)}"
    )


def test_a_pair_is_designed_by_mouse_finger_and_keyboard(desk, phone, tmp_path):
    """From the first pair to one that fools four: black tokens go outside, three go where opposites are."""
    picture = PICTURES["pair"]()
    wanted = {"b1": -6, "b2": 6, "x1": -5, "x2": 1, "x3": 4, "y1": -4, "y2": -1, "y3": 5}
    for reader, size, drag in ((desk, DESK, by_mouse), (phone, PHONE, by_finger)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        spots = {(of[0].lower(), k): handle(tab, f"token {k} of {of}")
                 for of, most in (("both", 2), ("X", 3), ("Y", 3)) for k in range(1, most + 1)}  # fmt: skip
        unit = (centre(spots["b", 2])[0] - centre(spots["b", 1])[0]) / 5  # from -2 to 3
        expect(tab.locator(".state").nth(2)).to_contain_text("Not yet: mean, linear, hardmax, sigmoid and softmax hear")
        for letter, k in (("b", 1), ("b", 2), ("x", 2), ("x", 3), ("y", 3)):
            steps = wanted[f"{letter}{k}"] - picture.start[f"{letter}{k}"]
            drag(tab, spots[letter, k], steps * unit)
            expect(spots[letter, k].locator("input")).to_have_value(str(wanted[f"{letter}{k}"]))
        tab.get_by_label("token 2 of Y, place").press("ArrowLeft")
        assert said(tab) == picture.describe(wanted)
        assert said(tab)[0] == "this pair fools 4 of 5: mean, linear, hardmax and sigmoid"
        expect(tab.locator(".state").nth(2)).to_contain_text("Won: mean, linear, hardmax and sigmoid")
        tab.get_by_label("token 1 of both, place").press("Home")  # which is there: a token of both is never 0
        tab.get_by_label("token 1 of both, place").press("End")
        expect(spots["b", 1].locator("input")).to_have_value("-1")
        expect(tab.locator(".state").nth(2)).to_contain_text("Won before; now: no pair to judge")
        expect(tab.locator(".readout")).to_contain_text("Y has two tokens at \N{MINUS SIGN}1")
        assert reader.complaints == []
    phone.show("light", PHONE)


def test_tokens_are_typed_and_dragged(desk, phone, tmp_path):
    picture = PICTURES["jumps"]()
    for reader, size in ((desk, DESK), (phone, PHONE)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        field = tab.get_by_role("textbox", name="tokens")
        for tokens in ("7 3 9", "5, 0", "7 3 10", "1 1 8 4 6"):
            field.fill(tokens)
            assert said(tab) == picture.describe({"N": "10", "tokens": tokens})
        for wrong, complaint in (
            ("7 3 x", "or a date such as 12.03.1990, got x"),
            ("4", "2 to 8 tokens"),
            ("bank", "got bank"),
        ):
            before = said(tab)
            field.fill(wrong)
            assert said(tab) == before
            expect(tab.locator(".complaint")).to_contain_text(complaint)
            expect(tab.locator(".complaint")).to_contain_text("The picture still shows 1 1 8 4 6 in base 10.")
            expect(field).to_have_attribute("aria-invalid", "true")
        field.fill("0 1 3")
        # The third token goes by mouse or by finger to where the axis says 10: the largest that there is.
        stage = box_of(tab.locator(".stage"))
        shown = tab.locator(".stage svg")
        token, ten = (
            box_of(shown.locator(f"polygon[fill='{COLOURS[2]}']").first),
            box_of(shown.get_by_text("10", exact=True)),
        )
        start = (token["x"] + token["width"] / 2, token["y"] + token["height"] / 2)
        way = ten["x"] + ten["width"] / 2 - start[0]
        assert stage["x"] < start[0] < start[0] + way < stage["x"] + stage["width"]
        if reader is phone:
            swipe(tab, start, (way, 0))
        else:
            tab.mouse.move(*start)
            tab.mouse.down()
            tab.mouse.move(start[0] + way, start[1], steps=8)
            tab.mouse.up()
        expect(field).to_have_value("0 1 9")
        assert said(tab) == picture.describe({"N": "10", "tokens": "0 1 9"})
        assert reader.complaints == []
    phone.show("light", PHONE)


def test_the_glass_moves_by_mouse_finger_and_keys_and_magnifies(desk, phone, tmp_path):
    picture = PICTURES["curves"]()
    ends = {}
    for reader, size, drag in ((desk, DESK, by_mouse), (phone, PHONE, by_finger)):
        reader.show("light", size)
        tab = unfold(open_live(reader, picture, tmp_path))
        b, w = (tab.get_by_label(f"glass, {name}", exact=True) for name in ("\u03b2", "w"))
        box = box_of(tab.locator(".stage svg rect[style*=crosshair]"))
        drag(tab, handle(tab, "glass"), -0.25 * box["width"], -0.25 * box["height"])
        ends[size["width"]] = values = [float(field.input_value()) for field in (b, w)]
        assert values == pytest.approx([0.3 - 0.2, -1.2 + 1.5], abs=0.03)
        tab.get_by_label("the glass magnifies").select_option("256")
        b.focus()
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("ArrowUp")
        stands = {"b": round(values[0] + 1e-4, 4), "w": round(values[1] + 1e-3, 3)}
        assert said(tab) == picture.describe({**picture.start, **stands, "zoom": "256"})
        assert reader.complaints == []
    phone.show("light", PHONE)
