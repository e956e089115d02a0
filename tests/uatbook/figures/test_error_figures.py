"""Pictures of errors: what is drawn is what was given."""

import numpy as np

from uatbook.figures import error as error_figures


def test_errors_below_the_floor_lie_on_it():
    errors = np.array([[0.0, 0.0], [1e-3, 1e-30]])
    ax = error_figures.errors_by_layer(errors, ["input", "shift"], limits=(1e-20, 10)).axes[0]
    assert [line.get_ydata().tolist() for line in ax.lines[:2]] == [[1e-20, 1e-3], [1e-20, 1e-20]]


def test_pieces_leave_a_gap_at_a_jump_of_the_first_curve_only():
    t = np.array([0.0, 1.0, 2.0])
    ax = error_figures.pieces(t, {"jumps": t, "ramps": 2 * t}, [(0.5, 1)], [1]).axes[0]
    first, _ = ax.lines
    assert np.isnan(first.get_ydata()).tolist() == [False, True, False, False]
    assert [(band.get_x(), band.get_x() + band.get_width()) for band in ax.patches] == [(0.5, 1)]


def test_budget_piles_the_terms():
    ax = error_figures.budget([2, 4], {"a": [3, 2], "b": [1, 0.5]}, [0.5, 0.2], 0.4, 2).axes[0]
    assert [(bar.get_y(), bar.get_height()) for bar in ax.patches] == [(0, 3), (0, 2), (3, 1), (2, 0.5)]
    assert ax.get_ylim()[1] > 4
    colours = [handle.get_facecolor() for handle in ax.get_legend().get_patches()]
    assert colours == [ax.patches[2].get_facecolor(), ax.patches[0].get_facecolor()], "those of the pile"


def test_strip_has_x1_to_the_right_and_far_away_on_top():
    values = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    ax = error_figures.strip([-1, -0.5, 0], ["10", "100"], values, 9, (-0.4, 0)).axes[0]
    image = ax.images[0]
    assert image.get_array().tolist() == values.tolist()
    assert image.origin == "lower"
