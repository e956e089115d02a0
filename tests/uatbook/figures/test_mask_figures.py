"""Pictures of masks: what is drawn is what was given."""

import numpy as np

from uatbook.figures import mask as mask_figures
from uatlib.masks import causal


def panel(**changes):
    weights = np.array([[1, 0.25], [0, 0.75]])
    given = {"title": "t", "tokens": ("4", "7"), "visible": causal(2), "weights": weights, "heard": ("a", "b")}
    return mask_figures.Hearing(**{**given, **changes})


def test_hidden_keys_are_hatched_and_areas_are_weights():
    ax = mask_figures.hearing_grids([panel()]).axes[0]
    hatched = [patch for patch in ax.patches if patch.get_hatch()]
    squares = [patch for patch in ax.patches if not patch.get_hatch()]
    # Key 2 (the lower row) is hidden from query 1 (the left column).
    assert [(patch.get_x() + 0.5, patch.get_y() + 0.5) for patch in hatched] == [(0, 1)]
    at = {(s.get_x() + s.get_width() / 2, s.get_y() + s.get_height() / 2): s.get_width() ** 2 for s in squares}
    assert np.allclose([at[0, 0], at[1, 0], at[1, 1]], np.array([1, 0.25, 0.75]) * 0.92**2)
    assert ax.get_ylim() == (1.5, -0.5)


def test_what_is_heard_stands_below_its_column():
    first, _ = mask_figures.hearing_grids([panel(), panel(heard=("c", "d"))]).axes
    assert [(text.get_text(), text.xy[0]) for text in first.texts[:2]] == [("a", 0), ("b", 1)]


def test_a_weight_of_zero_has_no_square():
    ax = mask_figures.hearing_grids([panel(visible=np.ones((2, 2), bool))]).axes[0]
    assert len(ax.patches) == 3
