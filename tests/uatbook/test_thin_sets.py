"""The pictures of cells, strips and bands, against the definitions of the proofs as plain loops."""

from fractions import Fraction
from itertools import product

import pytest
from bs4 import BeautifulSoup

from uatbook import thin_sets
from uatbook.thin_sets import HIGH, LEFT, LOW, SIDE, TAU, UNIT, WIDTH, N


def ends(k):
    """`ends` of kajitsuka2024/proposition_1_d_p.v for the box [0, 1]."""
    return Fraction(k, N) + WIDTH if k <= N else Fraction(0)


def in_bands(X, many, end):
    """`in_bands` of yun2020/upper_integral.v."""
    return any(end(k) - WIDTH <= x < end(k) for x in X for k in range(many))


def in_strip(X):
    """`in_strip` of kajitsuka2024/proposition_1.v."""
    return any(Fraction(t, N) <= x < Fraction(t, N) + WIDTH for x in X for t in range(N + 1))


def near_tokens(X):
    """`near_tokens` of yun2020/upper_integral.v."""
    return any(j != k and abs(X[j] - X[k]) < TAU for j in (0, 1) for k in (0, 1))


BANDS = {"kajitsuka2024": (N + 2, ends), "yun2020": (N + 1, lambda k: Fraction(k, N))}
STEP = Fraction(1, UNIT)
"""A pixel; points are inside of them, so that no edge is asked, nor that of the strip."""
PLACES = [LOW + STEP / 2 + 5 * k * STEP for k in range(int((HIGH - LOW) / STEP / 5))]


def drawn(name):
    """The picture as a tree, and the squares of its pixels: left, top, right, bottom of what is shown."""
    svg = BeautifulSoup(thin_sets.picture(name), "html.parser").svg
    box = svg.select_one("rect.all")
    return svg, float(box["x"]), float(box["y"])


def covers(rect, x, y):
    left, top, wide, high = (float(rect[key]) for key in ("x", "y", "width", "height"))
    return left <= x < left + wide and top < y <= top + high


def inside(polygon, x, y):
    """Whether a point lies in a polygon: a ray from it crosses its sides an odd number of times."""
    corners = [tuple(map(float, pair.split(","))) for pair in polygon["points"].split()]
    odd = False
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True):
        if (b > y) != (d > y) and x < a + (y - b) * (c - a) / (d - b):
            odd = not odd
    return odd


@pytest.mark.parametrize("name", thin_sets.PICTURES)
def test_the_square_shades_what_the_definitions_say(name):
    svg, left, top = drawn(name)
    rects = [rect for rect in svg.select("rect.band") if float(rect["y"]) >= top]
    strip = svg.select_one("polygon.strip")
    assert (strip is not None) == (name == "yun2020")
    many, end = BANDS[name]
    seen = set()
    for X in product(PLACES, (place + STEP / 4 for place in PLACES)):
        x, y = left + float((X[0] - LOW) * UNIT), top + float((HIGH - X[1]) * UNIT)
        bands = any(covers(rect, x, y) for rect in rects)
        assert bands == in_bands(X, many, end), X
        if strip is not None:
            assert inside(strip, x, y) == near_tokens(X), X
        seen.add((bands, strip is not None and inside(strip, x, y)))
    assert len(seen) == (4 if strip is not None else 2)


def test_the_line_shows_each_strip_and_each_band_that_covers_it():
    svg, _, top = drawn("kajitsuka2024")
    rows = {kind: [rect for rect in svg.select(f"rect.{kind}") if float(rect["y"]) < top] for kind in ("strip", "band")}
    assert (len(rows["strip"]), len(rows["band"])) == (N + 1, N + 2)
    for x in PLACES:
        at = LEFT + float((x - LOW) * UNIT)
        shown = {
            kind: any(float(r["x"]) <= at < float(r["x"]) + float(r["width"]) for r in row)
            for kind, row in rows.items()
        }
        assert shown == {"strip": in_strip([x]), "band": in_bands([x], N + 2, ends)}
        assert shown["band"] or not shown["strip"]  # what is off the bands is off the strips


@pytest.mark.parametrize("name", thin_sets.PICTURES)
def test_a_picture_says_what_it_shows_and_keeps_to_its_frame(name):
    svg = drawn(name)[0]
    assert svg["role"] == "img"
    assert len(svg["aria-label"]) > 100
    wide, high = map(float, svg["viewbox"].split()[2:])
    for rect in svg.select("rect"):
        assert float(rect["x"]) >= 0
        assert float(rect["x"]) + float(rect["width"]) <= wide
        assert float(rect["y"]) + float(rect["height"]) <= high
    assert float(svg.select_one("rect.all")["width"]) == SIDE
