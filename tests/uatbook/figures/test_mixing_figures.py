"""Pictures of token mixers: what is drawn is what was given."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from uatbook.figures import mixing as mixing_figures


def squares_of(ax):
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def test_a_weight_is_a_square_of_its_size_at_its_place():
    ax = mixing_figures.mixing_weights([("W", np.array([[0.0, 4.0, 0], [-1.0, 0, 0], [0, 0, 0]]))]).axes[0]
    positive, negative = ax.collections
    (large,), (small,) = ([path.get_extents() for path in kind.get_paths()] for kind in (positive, negative))
    assert [large.width, small.width] == pytest.approx([large.height, small.height])
    assert large.width**2 == pytest.approx(4 * small.width**2)
    centres = [((s.x0 + s.x1) / 2, (s.y0 + s.y1) / 2) for s in (large, small)]
    assert np.allclose(centres, [(1, 0), (0, 1)])  # column to the right, row downwards
    assert (len(positive.get_facecolor()), len(negative.get_facecolor())) == (1, 0)  # full and hollow
    top, bottom = ax.get_ylim()
    assert top > bottom


def test_a_beam_is_propped_at_the_mean():
    figure = mixing_figures.balance({"a": (0, 3, 3), "b": (1, 1, 1)}, {"a": 2.0, "b": -1.0}, 6, (-2, 3))
    first, second, below = figure.axes
    assert [line.get_xdata()[0] for line in first.lines[1:]] == [0, 3, 3, 2]
    heights = [line.get_ydata()[0] for line in second.lines[1:4]]
    assert heights == sorted(set(heights))  # equal tokens are stacked
    dot, ring = below.lines[1:]
    assert [line.get_xdata()[0] for line in (dot, ring)] == [2, -1]
    assert dot.get_markersize() < ring.get_markersize()  # both are seen where they agree


def test_beads_are_as_many_as_the_digits():
    put, carried = mixing_figures.abacus((2, 0, 2), (0, 1, 1, 1), 2).axes
    assert [len(line.get_xdata()) for line in put.lines[2:]] == [2, 0, 0, 0, 2, 0, 0, 0]  # stayed, came; wire by wire
    assert [len(line.get_xdata()) for line in carried.lines[2:]] == [0, 0, 0, 1, 1, 0, 0, 1]
    assert [label.get_text() for label in carried.get_xticklabels()] == ["1\n×0", "2\n×1", "4\n×1", "8\n×1"]
    left, right = carried.get_xlim()
    assert left > right  # the smallest wire to the right


def test_who_is_heard_is_filled_and_what_differs_is_boxed():
    fields = [range(0, 3), range(0, 2), range(0, 1)]
    rows = (5, 6, 7, 8, 9), (5, 6, 7, 8, 4)
    ax = mixing_figures.hearing(5, (1, 1), fields, 0, rows).axes[0]
    dots = [line for line in ax.lines if line.get_marker() == "o" and line.get_markersize() == 8]
    places = {"filled": [], "hollow": []}
    for line in dots:
        kind = "hollow" if line.get_markerfacecolor() == "none" else "filled"
        places[kind] += zip(line.get_xdata(), line.get_ydata(), strict=True)
    assert places["filled"] == [(j, 2 * layer) for layer, field in enumerate(fields) for j in field]
    (box,) = squares_of(ax)
    assert box.get_x() < 4 < box.get_x() + box.get_width()
    edges = {tuple(map(tuple, segment)) for segment in ax.collections[0].get_segments()}
    into = {0: {0, 1}, 1: {0, 1, 2}}
    expected = {(layer, a, b) for layer, field in ((0, (0, 1)), (1, (0,))) for b in field for a in into[b]}
    assert edges == {((a, 2 * layer), (b, 2 * layer + 2)) for layer, a, b in expected}  # the last layer at height 4


def test_single_runs_are_dots_beside_their_ceiling():
    runs, ceilings = {"a": [0.9, 0.5, 1.0], "b": [0.7, 0.7]}, {"a": 1, "b": 0.8}
    (ax,) = mixing_figures.single_runs(runs, ceilings).axes
    for row, line in enumerate(ax.lines):
        heights = line.get_ydata().tolist()
        assert heights == sorted(set(heights)) == pytest.approx(heights)
        assert all(abs(height - row) < 0.42 for height in heights)
    segments = [segment for lines in ax.collections for segment in lines.get_segments()]
    assert [segment[0, 0] for segment in segments] == list(ceilings.values())
    assert [segment[:, 1].mean() for segment in segments] == pytest.approx([0, 1])
