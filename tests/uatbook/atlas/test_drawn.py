"""Drawings of the atlas: what is alike looks alike, a change is what it is called, bars are as long as their shares."""

import re

import lxml.etree
import numpy as np
import pytest

from uatbook.atlas import drawn


@pytest.mark.parametrize(
    ("X", "Y", "said"),
    [
        ([[1, 2, 3]], [[3, 2, 1]], "the same tokens in another order"),
        ([[1, 2, 3]], [[1, 2, -3]], "one token turned to its opposite"),
        ([[1, 2, 3]], [[1, 2, 4]], "one token changed"),
        ([[1, 2, 3]], [[1, 2.5, 2.5 + 1e-12]], "two tokens changed, their sum kept"),
        ([[2, 1, 8]], [[2, 4, 7]], "two tokens changed, their sum of squares kept"),
        ([[1, 2, 3]], [[1, 5, 9]], "two tokens changed"),
        ([[1, 2, 3, 4], [0, 1, 0, 1]], [[1, -2, 3, 4], [0, -1, 0, 1]], "one token turned to its opposite"),
        ([[1, 2, 3, 4]], [[4, 3, 5, 1]], "one token changed"),
    ],
)
def test_a_change_is_what_it_is_called(X, Y, said):
    assert drawn.change(np.array(X, float), np.array(Y, float)) == said


def shapes(svg):
    """Of each token: where it stands, its outline, its fill and its colour."""
    found = lxml.etree.fromstring(svg).xpath("//path[@fill]")
    outlines = [re.fullmatch(r"M([\d.]+) (\d+)(m.*z)", path.get("d")).groups() for path in found]
    return [(*at, path.get("fill"), path.get("stroke")) for at, path in zip(outlines, found, strict=True)]


def test_equal_tokens_look_alike_and_opposite_ones_are_hollow():
    X, Y = np.array([[1, -1, 2, 0.5]]), np.array([[0.5, -1, 3, -2]])
    svg = drawn.strips(X, Y, (3, 0))
    tokens = shapes(svg)
    assert len(tokens) == 8
    first, second = tokens[:4], tokens[4:]
    assert first[3][2:] == second[0][2:]
    assert first[1][2:] == second[1][2:]
    looks = {token[2:] for token in tokens}
    assert len(looks) == 6
    for one, other in ((first[0], first[1]), (first[2], second[3])):
        assert (one[2], one[4]) == (other[2], other[4])
        assert [one[3] == "none", other[3] == "none"] == [False, True]
    assert (
        [float(token[0]) for token in first]
        == [float(token[0]) for token in second]
        == sorted(float(token[0]) for token in first)
    )
    tree = lxml.etree.fromstring(svg)
    rings = [(ring.get("cx"), ring.get("cy")) for ring in tree.xpath("//circle")]
    assert rings == [first[3][:2], second[0][:2]]
    numbers = tree.xpath("//text[@text-anchor]/text()")
    assert numbers == ["1", "\u22121", "2", "0.5", "0.5", "\u22121", "3", "\u22122"]
    assert tree.get("aria-label").endswith("Alike: token 4 of X and token 1 of Y.")


def test_nine_looks_are_nine_and_close_tokens_have_more_digits():
    X = np.arange(1.0, 9)[None]
    Y = np.where(X == 8, 8.004, X)
    svg = drawn.strips(X, Y, (0, 0))
    assert len({token[2:] for token in shapes(svg)}) == 9
    assert "8.004" in svg


def test_a_number_stands_on_the_line_where_its_power_is():
    places = []
    for gap in (1e2, 1e4, 1e8, 1e16, 1e300, 0.0):
        tree = lxml.etree.fromstring(drawn.gauge(gap))
        low, high, mark = (path.get("d") for path in tree.xpath("//path"))
        ends = (float(low.rpartition("H")[2]), float(re.match(r"M([\d.]+)", high)[1]))
        places.append(float(re.match(r"M([\d.]+)", mark)[1]))
    assert places[:2] == list(ends)
    assert np.allclose(
        np.diff([places[5], *places[:4]]), np.diff([0, 2, 4, 8, 16]) * (places[3] - places[5]) / 16, atol=0.2
    )
    assert places[3] == places[4]


def test_bars_are_shares_side_by_side_thick_or_thin_full_or_open():
    """Proved is full, searched is open, with no need of a colour; told apart is four times as high as fooled."""
    depths = [
        drawn.Share(0.25, 0.5),
        drawn.Share(1),
        drawn.Share(0, 0.25, 0.75),
        drawn.Share(),
        drawn.Share(0, 0, 0, 1),
    ]
    tree = lxml.etree.fromstring(drawn.bars(depths, "so"))
    full, opened, thin, seen = tree.xpath("//path")
    found = [re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)", path.get("d")) for path in (full, opened, thin, seen)]
    assert [[tuple(map(float, one)) for one in some] for some in found] == [
        [(0, 2, 5.5, 8), (25, 2, 22, 8)],
        [(6.1, 2.6, 9.8, 6.8), (50.6, 2.6, 4.3, 6.8)],
        [(55.5, 5, 16.5, 2)],
        [(100.6, 5.6, 20.8, 0.8)],
    ]
    assert [path.get("fill") == "none" for path in (full, opened, thin, seen)] == [False, True, False, True]
    assert [path.get("stroke") is None for path in (full, opened, thin, seen)] == [True, False, True, False]
    assert full.get("fill") == opened.get("stroke") != thin.get("fill") == seen.get("stroke")
    assert tree.get("aria-label") == "so"
