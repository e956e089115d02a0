"""The network over the square in a browser: formulas that are typed, surfaces that are painted, what is refused."""

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest
from live_pages import (
    RESTED,
    STILL,
    box_of,
    by_finger,
    by_mouse,
    centre,
    chosen,
    handle,
    open_live,
    pixels_of,
    said,
    square,
    swipe,
)
from page_explorers import ALL_PAGES, live_pictures
from playwright.sync_api import expect
from reader import DESK, PHONE

from explorables.live.picture import node
from uatbook.live.picture import FILES
from uatbook.live.square import BRUSH, OWN, PAINTED, PRESETS

from ..uatbook.live.drawn import elements, pixels, points


def typed(tab, text: str) -> None:
    tab.get_by_role("textbox").fill(text)
    tab.evaluate(STILL)


def painting(tab) -> str:
    """The letters of the painted surface in the address."""
    for still in (RESTED, STILL, STILL):  # the address follows when the hand has rested, by the clock of the page
        tab.evaluate(still)
    return re.search(r"paint=([0-9a-z]*)", tab.evaluate("location.hash"))[1]


TEXTS = ["sin(9 x_1) / 3 + x_2", "-5 - x_2", "0", "1000 exp(x1 x2)", "x_1 ^ 2 (1 - x_2)", PRESETS["wave"]]


def test_a_formula_that_is_typed_is_what_the_network_imitates(desk, tmp_path):
    picture = square()
    tab = open_live(desk, picture, tmp_path)
    for text in TEXTS:
        typed(tab, text)
        assert chosen(tab, "f") == OWN
        assert said(tab) == picture.describe({**picture.start, "f": OWN, "formula": text})
    tab.get_by_label("f", exact=True).select_option(label="ripples")
    expect(tab.get_by_role("textbox")).to_have_value(PRESETS["ripples"])
    tab.evaluate(STILL)
    assert said(tab) == picture.describe({**picture.start, "f": "ripples"})
    assert desk.complaints == []


def test_what_cannot_be_imitated_is_told_and_the_last_picture_stays(desk, tmp_path):
    picture = square()
    tab = open_live(desk, picture, tmp_path)
    typed(tab, "x_2")
    before, complaint = said(tab), tab.locator(".complaint")
    for text in ("1 / (x_1 - x_2)", "x_1 +", "log(x_1)", "exp(2000 x_1)", "1e7 x_1", "alert(1)", ""):
        typed(tab, text)
        why, still = complaint.inner_text().removesuffix(".").split(" The picture still shows ")
        assert still == "x_2"
        with pytest.raises(ValueError, match=f"^square: {re.escape(why)} The picture still shows "):
            picture.frame(f=OWN, formula=text)
        assert len(why) > 20
        assert said(tab) == before
    for part in (".stage", ".readout"):
        assert float(tab.locator(part).evaluate("part => getComputedStyle(part).opacity")) < 0.6
    expect(tab.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
    assert tab.locator(".failure").inner_text() == ""
    typed(tab, "x_1")
    assert complaint.inner_text() == ""
    assert tab.locator(".stage").evaluate("part => getComputedStyle(part).opacity") == "1"
    assert said(tab) == picture.describe({**picture.start, "f": OWN, "formula": "x_1"})


def test_keys_move_the_cross_the_way_they_point_and_into_the_corners(desk, tmp_path):
    picture = square()
    tab = open_live(desk, picture, tmp_path)
    cross = tab.locator(".handle input")
    cross.first.focus()
    x = [picture.start[name] for name in ("x1", "x2")]
    for way in ("Up", "Right", "Right", "Down", "Left", "Up", "Up"):  # the first key on another axis acts there, too
        tab.keyboard.press(f"Arrow{way}")
        x[way in ("Up", "Down")] += 0.01 if way in ("Up", "Right") else -0.01
        assert [float(field.input_value()) for field in cross.all()] == pytest.approx(x)
    before = said(tab)
    for key in "+-=":  # which change f only where dragging does
        cross.first.press(key)
    assert said(tab) == before == picture.describe({**picture.start, "x1": round(x[0], 2), "x2": round(x[1], 2)})
    for key, corner in (("Home", 0), ("End", 0.99)):
        for field in cross.all():
            field.press(key)
        assert said(tab) == picture.describe({**picture.start, "x1": corner, "x2": corner})


@pytest.mark.parametrize(("formula", "most"), [("1000 x_1", "1000"), ("x_1 - 3 x_2", "4"), ("sin(30 x_1)", "2")])
def test_painting_begins_with_the_surface_that_is_shown(desk, tmp_path, formula, most):
    picture = square()
    tab = open_live(desk, picture, tmp_path)
    typed(tab, formula)
    own, painted = said(tab), pixels_of(tab, 0)
    tab.get_by_label("f", exact=True).select_option(label=PAINTED)
    tab.evaluate(STILL)
    assert np.array_equal(pixels_of(tab, 0), painted)
    assert tab.get_by_role("textbox").is_visible()
    assert chosen(tab, "dragging on f") == BRUSH[1]  # whoever chooses to paint can
    first, rest = own[0].split("\n", 1)
    assert said(tab)[0] == f"{first}; drag on f to paint on it, at most ±{most}.000\n{rest}"
    assert said(tab) == picture.describe({**picture.start, "f": PAINTED, "formula": formula, "brush": BRUSH[1]})
    by_mouse(tab, tab.locator(".stage svg rect[style*=crosshair]").first, 0, 25)
    assert "; f is painted on, at most" in said(tab)[0]
    assert not np.array_equal(pixels_of(tab, 0), painted)


def test_the_text_ends_at_200_characters(desk, tmp_path):
    tab = open_live(desk, square(), tmp_path)
    field = tab.get_by_role("textbox")
    field.fill("1+" * 98)
    field.press("End")
    field.press_sequentially("1+" * 6, delay=0)
    assert field.input_value() == "1+" * 100


def test_a_surface_is_painted_by_mouse_finger_and_keys_alike(desk, phone, tmp_path):
    picture, found = square(), {}
    for name, reader, size in (("mouse", desk, DESK), ("finger", phone, PHONE)):
        reader.show("light", size)
        tab = open_live(reader, picture, tmp_path)
        tab.get_by_label("dragging on f").select_option(label="raises f")
        panel = tab.locator(".stage svg rect[style*=crosshair]").first
        scroll = tab.evaluate("scrollY")
        (by_mouse if name == "mouse" else by_finger)(tab, panel, 0, 25)
        found[name] = painting(tab)
        assert len(found[name]) == 256
        assert name == "mouse" or tab.evaluate("scrollY") >= scroll
        values = {**picture.start, "f": PAINTED, "paint": found[name], "brush": "raises f"}
        assert said(tab) == picture.describe(values)
        assert chosen(tab, "f") == PAINTED
        begun = picture.frame(f=PAINTED, brush="raises f").text
        assert said(tab)[0] != begun
        tab = open_live(reader, picture, tmp_path, "#" + reader.tab.url.split("#")[1])
        assert said(tab) == picture.describe(values)  # the address holds it
        assert reader.complaints == []
    desk.show("light")
    tab = open_live(desk, picture, tmp_path)
    tab.get_by_label("dragging on f").select_option(label="lowers f")
    handle(tab, "cross").locator("input").first.focus()
    heights = []
    for key in "+++---":
        tab.keyboard.press(key)
        heights.append(float(re.search(r"token 1 gets [\d.]+, f says ([\d.]+)", said(tab)[0])[1]))
    assert heights[0] < heights[1] < heights[2] > heights[3] > heights[4]
    values = {**picture.start, "f": PAINTED, "paint": painting(tab), "brush": "lowers f"}
    assert said(tab) == picture.describe(values)


def test_the_cross_goes_where_any_square_is_touched(desk, phone, tmp_path):
    picture = square()
    for k in range(3):
        tab = open_live(desk, picture, tmp_path)
        box = box_of(tab.locator(".stage svg rect[style*=crosshair]").nth(k))
        tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tab.mouse.down()
        tab.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"], steps=3)
        tab.mouse.up()
        x1, x2 = (float(field.input_value()) for field in tab.locator(".handle input").all())
        assert (x1, x2) == (pytest.approx(0.7, abs=0.011), pytest.approx(0.6, abs=0.011))
        assert said(tab) == picture.describe({**picture.start, "x1": x1, "x2": x2})
    phone.show("light", PHONE)
    tab = open_live(phone, picture, tmp_path)
    before = said(tab)
    by_finger(tab, tab.locator(".stage svg rect[style*=crosshair]").nth(2), -2, -150)
    assert said(tab) == before  # a finger that scrolls moves nothing


def test_a_finger_on_the_ring_moves_the_cross_any_way_in_any_square(phone, tmp_path):
    picture = square()
    phone.show("light", {"width": 360, "height": 480})
    for k in range(3):
        tab = open_live(phone, picture, tmp_path)
        panel = tab.locator(".stage svg rect[style*=crosshair]").nth(k)
        centre(panel)  # scrolls it into view
        box, scroll = box_of(panel), tab.evaluate("scrollY")
        x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.2 * box["height"]
        swipe(tab, (x + 4, y - 4), (0, 0.5 * box["height"]))
        assert tab.evaluate("scrollY") == scroll
        x1, x2 = (float(field.input_value()) for field in tab.locator(".handle input").all())
        assert (x1, x2) == (0.3, pytest.approx(0.3, abs=0.011))
        assert said(tab) == picture.describe({**picture.start, "x1": x1, "x2": x2})
        tab.touchscreen.tap(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
        said(tab)  # the picture follows by a frame
        x1, x2 = (float(field.input_value()) for field in tab.locator(".handle input").all())
        assert (x1, x2) == (pytest.approx(0.75, abs=0.011), pytest.approx(0.75, abs=0.011))
    phone.show("light", PHONE)


def test_the_same_ring_stands_in_all_squares(desk, tmp_path):
    tab = open_live(desk, square(), tmp_path)
    rings = tab.locator(".stage svg circle[r='15.25']").all()
    boxes = [box_of(ring) for ring in [rings[0], tab.locator(".handle"), rings[1]]]
    panels = [box_of(panel) for panel in tab.locator(".stage svg rect[style*=crosshair]").all()]
    for ring, panel in zip(boxes, panels, strict=True):
        middle = [(ring[a] + ring[size] / 2 - panel[a]) / panel[size] for a, size in (("x", "width"), ("y", "height"))]
        assert middle == [pytest.approx(0.3, abs=0.01), pytest.approx(0.2, abs=0.01)]
        assert ring["width"] == pytest.approx(32, abs=1.6)


def test_the_canvases_have_the_pixels_of_the_first_frame(desk, tmp_path):
    picture = square()
    tab = open_live(desk, picture, tmp_path)
    images = sorted(elements(picture, "image"), key=lambda image: float(image["x"]))
    for k in (0, 1):  # the third is transparent where there is no error
        found = pixels_of(tab, 2 - k)  # the last canvas stands first
        assert found.shape == (96, 96, 4)
        assert abs(found - pixels(images[k]["href"]).astype(int)).max() <= 2


# ----------------------------------------------------------------------------------------------------- curves in pieces

STEEP = "tanh(20 * (x_1 - 0.5))"


def settings(spec: dict) -> Iterator[dict]:
    """The start, each choice of each menu; of networks over the square each proof on each grid, with a steep f, too."""
    start = [control["start"] for control in spec["controls"]]
    names = [control["name"] for control in spec["controls"]]
    menus = {c["name"]: range(len(c["keys"])) for c in spec["controls"] if c.get("keys")}
    if spec["picture"] == "square":
        own = {"f": [*PRESETS, OWN].index(OWN), "formula": STEEP}
        for proof, N in itertools.product(menus.get("proof", [None]), menus["N"]):
            for chosen in ({}, own):
                yield {**dict(zip(names, start, strict=True)), "proof": proof, "N": N, **chosen}
        return
    yield dict(zip(names, start, strict=True))
    for name, keys in menus.items():
        for k in keys:
            yield {**dict(zip(names, start, strict=True)), name: k}


def curves(drawing: str) -> Iterator[list[np.ndarray]]:
    """The pieces of each curve that measures something: of many points, from the left to the right."""
    for d, colour in re.findall(r'<path [^>]*?\bd="([ML\d. -]+)"[^>]*?\bstroke="([^"]+)"', drawing):
        pieces = [points(piece) for piece in d.split("M")[1:]]
        across = np.concatenate(pieces)[:, 0]
        if (
            len(across) > 30 and (np.diff(across) >= 0).all() and colour != "currentColor"
        ):  # which is for what is wanted
            yield pieces


def test_a_curve_is_in_one_piece_unless_its_network_jumps(book):
    """Over all live pictures; a network jumps at borders of cells, if its proof promises nothing at the worst point."""
    count, jumped, proofs = 0, set(), set()
    for page in ALL_PAGES:
        for spec in (one.spec for one in live_pictures(page)):
            for values in settings(spec):
                at = [values[control["name"]] for control in spec["controls"]]
                answer = node(FILES).ask({"spec": {**spec, "goals": []}, "at": at, "widths": [653]})
                proof, N = 0, 1
                if spec["picture"] == "square":
                    menus = {control["name"]: control.get("keys") for control in spec["controls"]}
                    N = int(menus["N"][values["N"]])
                    proof = [*spec["data"]["networks"]][values["proof"] or 0]
                    proofs.add(proof)
                    *_, sup = spec["data"]["networks"][proof][str(N)]["proved"]
                for pieces in curves(answer["drawings"][0]):
                    count += 1
                    if len(pieces) == 1:
                        continue
                    assert spec["picture"] == "square", (page, spec["name"], values, len(pieces))
                    assert sup is None, (page, spec["name"], values, len(pieces))
                    low, high = pieces[0][0, 0], pieces[-1][-1, 0]
                    for one, other in itertools.pairwise(pieces):
                        ends = N * (np.array([one[-1, 0], other[0, 0]]) - low) / (high - low)
                        assert abs(ends - np.round(ends.mean())).max() < 0.1, (page, spec["name"], values)
                    jumped.add(proof)
    assert count > 150
    assert jumped == proofs - {"Liu et al."}
