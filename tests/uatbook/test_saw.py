"""The picture of the saw, against its definition in proofs/liu2025/coarse_grids.v (`middle`: grid.v) as plain loops."""

from fractions import Fraction
from itertools import pairwise
from math import exp

import pytest
from bs4 import BeautifulSoup

from uatbook.saw import BASE, LEFT, UNIT, H, L, P, picture

SVG = BeautifulSoup(picture(), "html.parser").svg


def middle(k):
    return (2 * k + 1 - P) * H


def nearest(u):
    best = 0
    for k in range(P):
        if abs(u - middle(k)) < abs(u - middle(best)):
            best = k
    return best


def saw(u):
    return L * abs(u - middle(nearest(u)))


def place(x):
    """Of a pixel across: the coordinate."""
    return Fraction(x - LEFT) / UNIT - P * H


def value(y):
    """Of a pixel down: the value."""
    return Fraction(BASE - y) / UNIT


def points():
    return [tuple(map(Fraction, pair.split(","))) for pair in SVG.select_one(".saw")["points"].split()]


def test_the_line_of_the_saw_has_its_value_at_each_pixel():
    corners = points()
    assert (place(corners[0][0]), place(corners[-1][0])) == (-P * H, P * H)
    seen = 0
    for (a, b), (c, d) in pairwise(corners):
        for x in range(int(a), int(c) + 1):
            assert value(b + (x - a) * (d - b) / (c - a)) == saw(place(x))
            seen += 1
    assert seen > 2 * P * UNIT


def test_dots_are_the_middles_and_lie_on_the_saw():
    dots = [(place(Fraction(dot["cx"])), value(Fraction(dot["cy"]))) for dot in SVG.select(".centre")]
    assert dots == [(middle(k), saw(middle(k))) for k in range(P)]
    assert {height for _, height in dots} == {0}


@pytest.mark.parametrize("rho", [0, 1, 30])
def test_the_flat_line_is_the_smoother_of_the_saw_for_every_sharpness(rho):
    _, low, _ = SVG.select_one(".head")["d"].replace("M", "").replace("H", " ").split()
    for x in range(LEFT, int(LEFT + 2 * P * H * UNIT)):
        weights = [exp(-rho / 2 * float(place(x) - middle(k)) ** 2) for k in range(P)]
        mean = sum(weights[k] * float(saw(middle(k))) for k in range(P)) / sum(weights)
        assert mean == value(Fraction(low))


def test_the_gap_in_the_corner_is_the_error_that_the_theorem_names():
    start, top = SVG.select_one(".gap")["d"].removeprefix("M").split("V")
    x, low = start.split()
    assert place(Fraction(x)) == -P * H
    assert value(Fraction(low)) == 0
    assert value(Fraction(top)) == saw(-P * H) == L * H


def test_the_picture_says_what_it_shows_and_keeps_to_its_frame():
    assert SVG["role"] == "img"
    assert f"into {P} cells" in SVG["aria-label"]
    wide, high = map(float, SVG["viewbox"].split()[2:])
    for tag in SVG.select("text, circle"):
        x, y = float(tag.get("x", tag.get("cx"))), float(tag.get("y", tag.get("cy")))
        assert 9 <= x <= wide - 9
        assert 9 <= y <= high - 4
