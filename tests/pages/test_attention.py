"""The live picture of attention under a hand: who is clicked listens, the scale is reached, menus name tokens."""

import re

import pytest
from live_pages import (
    attention,
    box_of,
    by_finger,
    by_mouse,
    centre,
    chosen,
    fragment,
    handle,
    open_live,
    rank_one,
    said,
    unfold,
)
from playwright.sync_api import expect

SOFT = {"network": "softmax", "mask": "none"}


def test_a_token_and_a_column_that_are_clicked_listen(desk, phone, tmp_path):
    picture = attention()
    tab = open_live(desk, picture, tmp_path, fragment(picture, {"panel": "weights"}))
    before = said(tab)
    tab.mouse.click(*centre(handle(tab, "token 5")))
    assert said(tab) == picture.describe({**picture.start, "listener": "third"}) != before
    assert chosen(tab, "listener") == "third (5 | 4)"
    tab.locator("rect[cursor=pointer]").nth(1).click()
    assert said(tab) == picture.describe({**picture.start, "listener": "second"})
    by_mouse(tab, handle(tab, "token 5"), 40, -40)  # a drag is no click
    assert chosen(tab, "listener") == "second (2 | 3)"
    assert "names stay: 5 is now at (" in said(tab)[0]
    tab.get_by_label("token 5, x").focus()
    tab.get_by_label("listener", exact=True).select_option("0")
    assert chosen(tab, "listener") == "first (1)"
    tab = open_live(phone, picture, tmp_path)
    by_finger(tab, handle(tab, "token 6"), 0, 0)
    assert said(tab) == picture.describe({**picture.start, "listener": "fourth"})


def test_an_arrow_and_two_buttons_play_the_game(desk, phone, tmp_path):
    """By finger and by keys: an upright arrow wins against means that differ, and with softmax says why it does not."""
    plane = {str(t): (t, 0) for t in range(1, 7)}
    pairs = {"means": ("124", "134"), "sums": ("1256", "1346")}
    contexts = {key: {row: {t: plane[t] for t in row} for row in pair} for key, pair in pairs.items()}
    picture = attention(masks=None, examples=contexts)
    for reader in (desk, phone):
        tab = open_live(reader, picture, tmp_path)
        arrow = handle(tab, "weights w_K")
        if reader is phone:
            by_finger(tab, arrow, 28, 0)  # a unit is as wide, and halves are sticky
        else:
            tab.get_by_label("weights w_K, first entry").focus()
            for _ in range(10):
                tab.keyboard.press("ArrowRight")
        assert said(tab) == picture.describe({**picture.start, "u1": 0})
        assert said(tab)[0].startswith("told apart: 1 ")
        assert tab.locator("svg[role=img] text", has_text=re.compile("^[14]: enlarged")).count() == 2
        tab.wait_for_function("location.hash.includes('u1=0')")  # the hand rests
        tab.evaluate(
            "hash => { location.hash = hash; }", fragment(picture, {"example": "sums", "network": "softmax", "u1": 0})
        )
        expect(tab.locator("svg[role=img] text", has_text="no score differs, so only the mean")).to_be_visible()


def test_the_menu_names_the_tokens_that_there_are(desk, tmp_path):
    three = {"three": {"a": {"1": (1, 0), "2": (2, 0)}, "b": {"1": (1, 0), "3": (3, 0)}}}
    picture = attention(masks=None)
    picture = type(picture)(
        picture.networks, {**picture.examples, **three}, {"w_K": ["w_k"], "w_Q": ["w_q"]}, window=(-3, 7, -3, 5)
    )
    tab = open_live(desk, picture, tmp_path, fragment(picture, {"example": "three", "listener": "fourth"}))
    shown = tab.get_by_label("listener", exact=True).locator("option:not([disabled])").all_inner_texts()
    assert shown == ["first (1)", "second (2 | 3)"]
    assert chosen(tab, "listener") == "second (2 | 3)"


def test_the_arrow_keys_move_a_scale_by_ten_thousandths(desk, tmp_path):
    picture = attention(scale=(0.13, 0.5))
    tab = open_live(desk, picture, tmp_path, fragment(picture, {**SOFT, "scale": 0.13}))
    unfold(tab).get_by_label("sharpness \N{GREEK SMALL LETTER LAMDA}").focus()
    for _ in range(7):
        tab.keyboard.press("ArrowLeft")
    assert said(tab) == picture.describe({**picture.start, **SOFT, "scale": 0.1293})
    assert "= 0.1293 \N{MIDDLE DOT} " in said(tab)[0]


def test_hidden_places_are_blank_and_fillers_in_brackets(desk, tmp_path):
    picture = attention()
    tab = open_live(
        desk, picture, tmp_path, fragment(picture, {"mask": "padding", "network": "softmax", "panel": "weights"})
    )
    cells = tab.locator("svg[role=img] rect[fill-opacity]")
    assert cells.count() == 2 * 12
    tab.evaluate("hash => { location.hash = hash; }", fragment(picture, {"mask": "causal", "panel": "scores"}))
    expect(cells).to_have_count(2 * 10)
    tab.evaluate(
        "hash => { location.hash = hash; }",
        fragment(picture, {"mask": "padding", "example": "order", "panel": "weights"}),
    )
    expect(tab.locator("svg[role=img] text", has_text=re.compile(r"^\(4\)$"))).to_have_count(2 + 4 + 1)
    assert "4" not in said(tab)[0].split("\n")[0]  # nobody asks what comes out there


@pytest.mark.parametrize(("panel", "width"), [("close-up", 390), ("weights", 390), ("scores", 320), ("weights", 320)])
def test_close_ups_and_tables_stand_beside_each_other_on_a_phone(phone, tmp_path, panel, width):
    phone.show("light", {"width": width, "height": 740})
    picture = attention()
    tab = open_live(phone, picture, tmp_path, fragment(picture, {"panel": panel, "network": "softmax"}))
    names = ("^1: ", "^6: ") if panel == "close-up" else ("^1256$", "^1346$")
    one, two = (box_of(tab.locator("svg[role=img] text", has_text=re.compile(name))) for name in names)
    assert two["x"] > one["x"] + 80
    assert abs(one["y"] - two["y"]) < 2
    assert tab.evaluate(CROWDED, 1) == []
    phone.show("light", {"width": 390, "height": 844})


# Texts of a part of the picture that touch: 1 is the tables, -1 what lies on top.
CROWDED = """part => {
  const root = document.querySelector(".uat-view").shadowRoot;
  const group = [...root.querySelectorAll(".stage svg > g")].at(part);
  const boxes = [...group.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const touch = (a, b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3;
  return boxes.flatMap(([name, a], i) =>
    boxes.slice(i + 1).filter(([, b]) => touch(a, b)).map(([other]) => `${name} ${other}`));
}"""


def test_labels_step_aside(desk, tmp_path):
    picture = rank_one()
    tab = open_live(desk, picture, tmp_path, fragment(picture, {"x3": -1.5, "y3": 1, "u1": -1.5, "v1": 1}))
    names = tab.locator(".stage svg > g:last-of-type > text").all_text_contents()
    assert "b, c" in names
    assert tab.evaluate(CROWDED, -1) == []
    assert "b and c are equal tokens" in said(tab)[0]


def test_what_leaves_the_picture_is_said(desk, tmp_path):
    picture = rank_one()
    tab = open_live(desk, picture, tmp_path, fragment(picture, {"u3": 0, "v3": 0}))
    outside = tab.locator(".stage svg text", has_text="outside")
    assert outside.count() == 0
    tab.evaluate("hash => { location.hash = hash; }", fragment(picture, {"u3": 3, "v3": 3}))
    expect(outside.first).to_be_visible()
