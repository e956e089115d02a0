"""Pictures of sequences: what is drawn is what was given."""

import numpy as np
from matplotlib.colors import to_hex

from uatbook.figures import sequence as sequence_figures
from uatbook.figures.style import COLOURS, MARKERS


def dots(ax, marker):
    return [tuple(point) for line in ax.lines if line.get_marker() == marker for point in line.get_xydata()]


def test_a_token_keeps_its_colour_and_marker_wherever_it_stands():
    figure = sequence_figures.places([2, 0, 1], [5, 1, 3], [6, 2, 4], [6, 2, 3.5], (-1, 7))
    above, below = figure.axes
    for token, place in ((0, 1), (1, 2), (2, 0)):
        for ax, values in ((above, [5, 1, 3]), (below, [6, 2, 4])):
            (line,) = [k for k in ax.lines if k.get_marker() == MARKERS[token] and k.get_color() == COLOURS[token]]
            assert line.get_xydata().tolist() == [[place, values[place]]]
    (rings,) = [line for line in below.lines if to_hex(line.get_color()) == "#000000"]
    assert rings.get_xydata().tolist() == [[0, 6], [1, 2], [2, 3.5]]


def test_jumps_go_from_line_to_line_and_only_where_a_token_moves():
    states = np.array([[0.0, 2], [6, 2], [6, 14]])
    figure = sequence_figures.jumps(states, ["k = 0", "k = 2"], linear=4, limit=20)
    (ax,) = figure.axes
    assert dots(ax, MARKERS[0]) == [(0, 0), (6, -1), (6, -2)]
    assert dots(ax, MARKERS[1]) == [(2, 0), (2, -1), (14, -2)]
    arrows = [(text.xyann, text.xy) for text in ax.texts if text.arrow_patch is not None]
    assert arrows == [((0, 0), (6, -1)), ((2, -1), (14, -2))]
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["6", "14"]
    bars = [list(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
    assert bars == [[0, 2], [2, 6]]


def test_ticks_stand_at_their_ids_and_rings_around_the_named_ones():
    rows = {"one": [(3, 0), (5, 1)], "other": [(5, 7)]}
    figure = sequence_figures.id_rows(rows, {"one": [5]}, xlabel="id", interval=(4, 6))
    (ax,) = figure.axes
    assert sorted(dots(ax, "|")) == [(3, 0), (5, -1), (5, 0)]
    colours = {line.get_xydata()[0, 1]: line.get_color() for line in ax.lines if line.get_marker() == "|"}
    assert colours[-1] == COLOURS[1]  # the eighth of six colours
    assert dots(ax, "o") == [(5, 0)]


def test_powers_of_ten_do_not_crowd():
    figure = sequence_figures.id_rows({"a": [(-50, 0), (3e4, 0)]}, {}, xlabel="id", linear=10, limits=(-2e4, 1e5))
    (ax,) = figure.axes
    assert ax.get_xticks().tolist() == [-1e4, -1e2, 0, 1e2, 1e4]
