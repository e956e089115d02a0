"""The picture of cells in a browser: sites and the probe by hand, keys and finger; its pixels and lines."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from live_pages import (
    STILL,
    box_of,
    by_finger,
    by_mouse,
    cells,
    chosen,
    fragment,
    handle,
    open_live,
    pixels_of,
    said,
    swipe,
    unfold,
)
from playwright.sync_api import expect
from reader import DESK, PHONE

from ..uatbook.live.drawn import elements, pixels


def plane(tab):
    return tab.locator(".stage svg rect[style*=crosshair]")


def values_of(tab, *names) -> list[float]:
    return [
        float(tab.get_by_label(f"{name}, {part} entry").input_value()) for name in names for part in ("first", "second")
    ]


@pytest.mark.parametrize("kind", ["indicator", "constants", "affine"])
def test_the_canvas_has_the_pixels_of_the_first_frame(desk, tmp_path, kind):
    picture, values = cells(), {"values": kind, "R": 2.4, "N": "6", "w2": 1.5}
    tab = open_live(desk, picture, tmp_path, fragment(picture, values))
    found = pixels_of(tab, 0)
    assert found.shape == (144, 144, 4)
    (image,) = elements(picture, "image", **values)
    # A canvas holds colours times opacity, in whole numbers.
    assert abs(found - pixels(image["href"]).astype(int)).max() <= 2


def test_a_site_is_dragged_by_mouse_finger_and_keys_alike(desk, phone, tmp_path):
    picture, found = cells(), {}
    for hand, reader, drag in (("mouse", desk, by_mouse), ("finger", phone, by_finger)):
        reader.show("light", DESK)
        tab = open_live(reader, picture, tmp_path)
        side = box_of(plane(tab))["width"]
        drag(tab, handle(tab, "site s3"), -side / 6, side / 4)
        tab.evaluate(STILL)
        assert values_of(tab, "site s3") == [pytest.approx(-0.6, abs=0.02), pytest.approx(-2.8, abs=0.02)]
        found[hand] = said(tab)
        x, y = values_of(tab, "site s3")
        assert found[hand] == picture.describe({**picture.start, "x3": x, "y3": y, "site": "s3"})
        assert reader.complaints == []
    tab = open_live(desk, picture, tmp_path)
    tab.get_by_label("site s3, first entry").focus()
    for _ in range(20):
        tab.keyboard.press("ArrowLeft")
    for _ in range(30):
        tab.keyboard.press("ArrowDown")
    assert values_of(tab, "site s3") == pytest.approx([0.2, -1.6])
    assert said(tab) == picture.describe({**picture.start, "x3": 0.2, "y3": -1.6})


def test_while_the_hand_moves_fewer_points_are_run(desk, tmp_path):
    tab = open_live(desk, cells(), tmp_path)
    box = box_of(handle(tab, "site s1"))
    tab.mouse.move(box["x"] + 16, box["y"] + 16)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 40, box["y"] + 30, steps=4)
    said(tab)
    assert len(pixels_of(tab, 0)) == 36
    tab.mouse.up()
    tab.evaluate(STILL)
    moved = pixels_of(tab, 0)
    assert len(moved) == 144
    box = box_of(handle(tab, "probe"))
    tab.mouse.move(box["x"] + 16, box["y"] + 16)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 40, box["y"] + 30, steps=4)
    said(tab)
    assert np.array_equal(pixels_of(tab, 0), moved)  # the probe changes nothing in the plane
    tab.mouse.up()


def test_the_probe_goes_where_the_plane_is_touched(desk, phone, tmp_path):
    picture = cells()
    tab = open_live(desk, picture, tmp_path)
    box = box_of(plane(tab))
    tab.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.1 * box["height"])
    said(tab)  # the picture follows by a frame
    x, y = values_of(tab, "probe")
    assert (x, y) == (pytest.approx(-1.5, abs=0.03), pytest.approx(2.4, abs=0.03))
    assert said(tab) == picture.describe({**picture.start, "px": x, "py": y})
    phone.show("light", PHONE)
    tab = open_live(phone, picture, tmp_path)
    box = box_of(plane(tab))
    tab.touchscreen.tap(box["x"] + 0.6 * box["width"], box["y"] + 0.45 * box["height"])
    said(tab)
    assert values_of(tab, "probe") == [pytest.approx(0.6, abs=0.04), pytest.approx(0.3, abs=0.04)]
    before = said(tab)
    swipe(tab, (box["x"] + 0.3 * box["width"], box["y"] + 0.9 * box["height"]), (-2, -120))
    assert tab.evaluate("scrollY") > 50
    assert said(tab) == before  # a finger that scrolls moves nothing


def test_a_press_chooses_whose_weight_can_be_moved(desk, tmp_path):
    picture = cells()
    tab = unfold(open_live(desk, picture, tmp_path))
    menu = tab.get_by_label("weight of site", exact=True)
    sliders = tab.locator(".control.slider:visible label")
    assert sliders.all_inner_texts() == ["sharpness R", "w1"]
    box = box_of(handle(tab, "site s4"))
    tab.mouse.click(box["x"] + 16, box["y"] + 16)
    said(tab)
    assert chosen(tab, "weight of site") == "s4"
    assert sliders.all_inner_texts() == ["sharpness R", "w4"]
    tab.get_by_label("w4", exact=True).press("End")
    assert said(tab) == picture.describe({**picture.start, "site": "s4", "w4": 4})
    circles = tab.locator(".stage svg circle[stroke-dasharray]")
    side = box_of(plane(tab))["width"]
    assert [float(circle.get_attribute("r")) for circle in circles.all()] == [pytest.approx(2 * side / 6, abs=0.1)]
    tab.get_by_label("cells", exact=True).select_option("0")  # two are left, and neither has a weight
    assert said(tab) == picture.describe({**picture.start, "N": "2", "site": "s2"})
    assert menu.evaluate("menu => [...menu.options].filter((o) => !o.disabled).map((o) => o.text)") == ["s1", "s2"]
    assert circles.count() == 0
    assert tab.locator(".handle:visible").count() == 3
    tab.get_by_role("button", name="Reset").click()
    assert said(tab) == picture.describe(picture.start)


def test_on_a_border_no_precision_helps(desk, tmp_path):
    picture = cells()
    middle = {"N": "2", "x1": -1, "y1": 0.5, "x2": 1, "y2": 0.5, "px": 0, "py": -2}
    tab = open_live(desk, picture, tmp_path, fragment(picture, middle))
    for key in ("Home", "End"):
        tab.get_by_label("sharpness R").press(key)
        assert "on the border of cells 1 and 2, counted to 1; margin 0" in said(tab)[0]
        assert "the head puts 0.5000 on cell 1, 0.5000 elsewhere" in said(tab)[0]


LINES = """() => [...document.querySelector(".uat-view").shadowRoot.querySelectorAll(".stage svg g[clip-path] path")]
  .filter((path) => path.getAttribute("stroke-width") !== "3")  // the rims of cells lie inside
  .map((path) => [path.getAttribute("stroke-dasharray"), path.getAttribute("d")])"""


def test_borders_and_cores_are_drawn_where_they_are(desk, tmp_path):
    """Two sites on a horizontal line: the border is upright in the middle, the cores begin ln(100)/R beside it."""
    picture, border = cells(), Fraction(1, 4)
    at = {"N": 2, "x1": -1, "y1": 0, "x2": 1, "y2": 0, "w1": 1, "R": 10}
    tab = open_live(desk, picture, tmp_path, fragment(picture, at))
    frame, box = plane(tab), box_of(plane(tab))
    left, side = float(frame.get_attribute("x")), box["width"]
    found = {None: set(), "5 4": set()}
    for dash, d in tab.evaluate(LINES):
        for u in re.findall(r"[ML]([\d.-]+) ", d):
            x = (float(u) - left) / side * 6 - 3
            if abs(x) < 3:
                found[dash].add(round(x, 2))
    core = np.log(100) / 10 / 2  # y_1 - y_2 changes by 2 for a step of 1
    assert found[None] >= {float(border)}
    assert sorted(found["5 4"]) == pytest.approx([0.25 - core, 0.25 + core], abs=0.02)
    assert sorted(found[None]) == pytest.approx([0.25 - core, 0.25, 0.25 + core], abs=0.02)  # the paper under dashes


def test_a_triangle_made_by_hand_is_shown_by_a_sharp_head_and_one_of_a_link_as_the_link_says(desk, tmp_path):
    picture = cells(goals={"triangle": "Make it a triangle."})
    triangle = {"x1": 0.3, "y1": 0.3, "x2": -0.3, "y2": 0.3, "x3": 0.3, "y3": -0.3, "x4": 0.7, "y4": 0.7}
    tab = open_live(desk, picture, tmp_path, fragment(picture, {"N": 4, **triangle, "R": 3.2}))
    tab.evaluate(STILL)
    assert "R = 3.2: the head" in said(tab)[0]
    tab = open_live(desk, picture, tmp_path, fragment(picture, {"N": 4, **triangle, "x2": -0.5, "R": 3.2}))
    tab.get_by_label("site s2, first entry").focus()
    for step in range(20):
        assert "R = 3.2: the head" in said(tab)[0], step
        if step == 10:
            tab.evaluate(STILL)
        tab.keyboard.press("ArrowRight")
    tab.evaluate(STILL)
    assert "R = 100: the head" in said(tab)[0]
    assert "now R = 100" in tab.locator(".stage svg").text_content()
    tab.get_by_label("site s2, first entry").press("ArrowRight")  # still a triangle: nothing is set again
    unfold(tab)
    tab.get_by_label("sharpness R").fill("0")
    tab.evaluate(STILL)
    assert "R = 100" not in said(tab)[0]
    assert "now R" not in tab.locator(".stage svg").text_content()


def test_a_setting_has_an_address_and_places_are_hundredths(desk, tmp_path):
    picture = cells()
    tab = open_live(desk, picture, tmp_path, "#explorer-cells?x1=-1.23456&px=0.129&R=42&values=affine")
    assert said(tab) == picture.describe({**picture.start, "x1": -1.23, "px": 0.13, "R": 42, "values": "affine"})
    tab.get_by_label("site s2, second entry").press("ArrowUp")
    tab.wait_for_function("location.hash.includes('y2=1.41')")
    assert json.dumps(tab.evaluate("location.hash")).count("R=42") == 1
    expect(tab.locator(".note")).to_have_text("")
