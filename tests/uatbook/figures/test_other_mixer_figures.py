"""Pictures of mixing without a table: what is drawn is what was given."""

import numpy as np
from matplotlib.patches import Circle

from explorables.sheet import NARROW, WIDE, sheet_of
from uatbook.figures import fooled
from uatbook.figures import other_mixers as drawn


def test_pulls_start_at_the_listener_and_the_black_one_is_their_sum():
    tokens, pulls = np.array([[0.5, 0.0], [1, 1], [-1, 0]]), np.array([[0.0, 0.0], [0.25, 0.5], [-0.5, 0]])
    ax = drawn.pulls([("X", "abc", tokens, pulls)], 2).axes[0]
    arrows = [text for text in ax.texts if text.arrow_patch is not None]
    assert [tuple(a.xyann) for a in arrows] == [(0.5, 0)] * 3  # none for a pull of nothing
    assert [tuple(a.xy) for a in arrows] == [(0.75, 0.5), (0, 0), (0.25, 0.5)]


def test_a_difference_of_nothing_is_a_line_at_zero():
    b = np.linspace(0, 1, 5)
    *_, below = drawn.hummed({"X": (0, 1), "Y": (0.5,)}, b, {"X": b, "Y": 2 * b}, 0 * b).axes
    assert [label.get_text() for label in below.get_yticklabels()] == ["0"]
    assert not below.lines[0].get_ydata().any()


def test_discs_are_full_where_told_and_lines_are_where_the_layer_bends():
    w, b = np.array([3.0, 4.0]), 2.0
    ax = drawn.bends(np.array([[0, 1], [1, 0]]), (True, False), [(w, b)], ("1", "2")).axes[0]
    full, ring = [patch for patch in ax.patches if isinstance(patch, Circle)]
    assert (full.get_facecolor()[3], ring.get_facecolor()[3]) == (1, 0)
    assert np.allclose(w @ np.array(ax.lines[0].get_data()), b)


def test_marks_of_a_gap_of_0_stand_whole_in_a_row_between_rounding_and_the_axis():
    X = np.array([[0.5, -0.5], [1, -1]])
    figure = fooled.fooled_pair(
        X, 2 * X, (0, 1), {"2 layers": np.full(9, 0.1), "1 layer": np.zeros(9)}, np.full(9, 1.6e-17)
    )
    _, ax = figure.axes
    points = [ax.transData.transform(line.get_xydata())[:, 1] * 72 / figure.dpi for line in ax.lines]
    (far, *_), (zero, *_), (noise, *_) = points
    size = ax.lines[1].get_markersize()
    assert ax.bbox.y0 * 72 / figure.dpi + size < zero < noise - size < far
    assert ax.get_yticklabels()[0].get_text() == "0"
    assert ax.get_yticks()[0] == ax.lines[1].get_ydata()[0]


def test_where_names_lie_on_bars_that_of_a_full_one_begins_behind_it():
    X, gaps = np.array([[0.5, -0.5], [1, -1]]), {"a": 1e12, "b": 7.0, "c": 0.0}
    figure = fooled.searched_pair(X, 2 * X, (0, 1), gaps, (100, 1e4))
    sheet_of(figure).fit(NARROW)
    at = {text.get_text(): text.get_position()[0] for text in figure.axes[1].texts}
    assert at["b"] > 7
    assert at["a"] == at["c"] < 1
    sheet_of(figure).fit(WIDE)
    assert all(text.get_position()[0] > 1e4 for text in figure.axes[1].texts if text.get_text() in gaps)


def test_the_hardest_pair_has_a_tick_for_each_trap_and_words_at_the_ends_of_its_line():
    X, gaps = np.array([[0.5, -0.5], [1, -1]]), {"a": 1e12, "b": 7.0, "c": np.nan}
    plane, line = fooled.hardest_pair(X, 2 * X, (0, 1), gaps, (100, 1e4)).axes
    ticks, disc = line.lines[-2].get_xdata(), line.lines[-1].get_xdata()
    assert [list(ticks), list(disc)] == [[1e12, 7], [7]]
    assert [label.get_text() for label in line.get_xticklabels()] == ["a rounding apart", "worlds apart"]
    assert not [*plane.get_xticks(), *plane.get_yticks()]
