"""The film of tokens in a browser: what is decided at a hair's breadth, lanes, and the handle of the scale."""

import math
from itertools import product

import pytest
from live_pages import COLLISIONS, box_of, by_finger, by_mouse, film, go, handle, open_live, said
from playwright.sync_api import expect
from reader import DESK, PHONE


def test_verdicts_are_those_of_python_where_they_change(desk, tmp_path):
    picture, seen = film(soft=True, start=(4, 3)), set()
    tab = open_live(desk, picture, tmp_path)
    for (N, n), share in product(((4, 3), (4, 2), (3, 3)), (0, 0.05, 0.15, 0.3, 0.45, 0.55, 0.6, 0.68, 0.75, 1)):
        values = {**picture.start, "t2": 0.4, "N": str(N), "n": str(n), "scale": round(share * 500)}
        word = go(tab, picture, values)[0].split("; ")[-1].split(":")[0]
        expect(tab.locator("svg").get_by_text(word, exact=True)).to_have_count(1)
        seen.add(word)
    assert seen == {"right", "too far", "WRONG"}


@pytest.mark.parametrize("soft", [False, True])
def test_a_token_is_dragged_along_its_lane(desk, phone, tmp_path, soft):
    picture = film(soft=soft, start=(4, 3))
    found = []
    for reader, size, drag in ((desk, DESK, by_mouse), (phone, PHONE, by_finger)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        drag(tab, handle(tab, "token 2"), 0, -500)  # to the end of its lane, however long that is
        expect(tab.get_by_label("token 2, value")).to_have_value("1.25")
        found.append(said(tab))
        assert reader.complaints == []
    tab = open_live(desk, picture, tmp_path)
    tab.get_by_label("token 2, value").press("End")
    assert {said(tab), *found} == {picture.describe({**picture.start, "t2": 1.25})}
    assert "cut to 0 −256 3" in found[0][0]


def test_the_scale_is_dragged_along_its_curve(desk, tmp_path):
    picture = film(soft=True, start=(4, 3))
    desk.show("light", DESK)
    tab = open_live(desk, picture, tmp_path)
    field = tab.get_by_label("softmax, sharpness λ")
    assert field.get_attribute("aria-valuetext") == "500"
    by_mouse(tab, handle(tab, "softmax"), -2000)
    assert field.input_value() == "0"
    assert said(tab) == picture.describe({**picture.start, "scale": 0})
    field.press("ArrowRight")
    assert said(tab) == picture.describe({**picture.start, "scale": 1})
    expect(tab.locator("svg").get_by_text("λ = 1", exact=True)).to_be_visible()


def test_the_scale_goes_where_its_curve_is_touched(desk, phone, tmp_path):
    picture = film(soft=True, start=(4, 3))
    for reader, size, finger in ((desk, DESK, False), (phone, PHONE, True)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        field, plot = tab.get_by_label("softmax, sharpness λ"), tab.locator("svg rect[style*=ew-resize]")
        plot.scroll_into_view_if_needed()
        box, most = box_of(plot), picture.controls["scale"].high
        x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.8 * box["height"]
        (tab.touchscreen.tap if finger else tab.mouse.click)(x, y)
        scale = 30 * math.expm1(0.4 * math.log1p(most / 30))
        said(tab)
        assert float(field.input_value()) == pytest.approx(scale, rel=0.02)
        assert said(tab) == picture.describe({**picture.start, "scale": float(field.input_value())})
        before = said(tab)
        if finger:  # that scrolls
            by_finger(tab, plot, 2, -200)
            assert said(tab) == before


@pytest.mark.parametrize("soft", [False, True])
def test_on_a_phone_no_name_lies_on_another(phone, tmp_path, soft):
    picture = film(soft=soft, start=(4, 3), tokens=(0.1, 0.3, 0.9, 0.6))
    phone.show("light", PHONE)
    tab = open_live(phone, picture, tmp_path)
    for values in ({}, {"t2": 0.8}, {"t1": -0.2}, {"n": "2"}, {"N": "2", "n": "2", "t2": 0.7}, {"N": "3"}):
        for scale in (0, 20, 150, 340, 500, 1000) if soft else (None,):
            setting = {**picture.start, **values, **({"scale": scale} if soft else {})}
            go(tab, picture, setting)
            assert tab.evaluate(COLLISIONS) == [], setting


def test_tokens_that_are_given_up_are_grey(desk, tmp_path):
    picture = film(start=(4, 3))
    desk.show("light", DESK)
    tab = open_live(desk, picture, tmp_path)
    label = tab.locator("svg").get_by_text("43,947", exact=True)
    assert picture.spec()["colours"][2] in label.get_attribute("fill")
    tab.get_by_label("token 2, value").fill("0.8")
    grey = tab.locator("svg").get_by_text("10,023", exact=True)
    expect(grey).to_have_count(2)
    assert all("#808080" in text.get_attribute("fill") for text in grey.all())
