"""Pictures of errors: what is drawn is what was given."""

import numpy as np
import pytest

from uatbook.figures import error as error_figures

pytestmark = pytest.mark.usefixtures("closed_figures")


def test_decay_marks_its_point_and_both_lines():
    ax = error_figures.decay([10, 20, 30], [5.0, 0.5, 0.05], mark=(20, 0.5), proved=25, limits=(0.01, 9)).axes[0]
    curve, mark, level, proved = ax.lines
    assert curve.get_ydata().tolist() == [5.0, 0.5, 0.05]
    assert mark.get_xydata().tolist() == [[20, 0.5]]
    assert set(level.get_ydata()) == {0.5}
    assert set(proved.get_xdata()) == {25}
    assert ax.get_yscale() == "log"
    assert ax.get_ylim() == (0.01, 9)
    assert [text.get_text() for text in ax.texts] == ["proved", "measured", r"$\delta/2$"]


def test_errors_below_the_floor_lie_on_it():
    errors = np.array([[0.0, 0.0], [1e-3, 1e-30]])
    ax = error_figures.errors_by_layer(errors, ["input", "shift"], limits=(1e-20, 10)).axes[0]
    assert [line.get_ydata().tolist() for line in ax.lines[:2]] == [[1e-20, 1e-3], [1e-20, 1e-20]]
    assert ax.get_ylim()[0] < 1e-20
    assert set(ax.lines[2].get_ydata()) == {0.5}
    assert [text.get_text() for text in ax.texts] == ["token 1", "token 2", r"$\delta/2$"]


def test_pieces_leave_a_gap_at_a_jump_of_the_first_curve_only():
    t = np.array([0.0, 1.0, 2.0])
    ax = error_figures.pieces(t, {"jumps": t, "ramps": 2 * t}, [(0.5, 1)], [1]).axes[0]
    first, second = ax.lines
    assert first.get_xdata().tolist()[0] == 0
    assert np.isnan(first.get_ydata()).tolist() == [False, True, False, False]
    assert second.get_ydata().tolist() == [0, 2, 4]
    assert [(band.get_x(), band.get_x() + band.get_width()) for band in ax.patches] == [(0.5, 1)]
    assert [text.get_text() for text in ax.texts] == ["band", "jumps", "ramps"]


def test_budget_piles_the_terms():
    ax = error_figures.budget([2, 4], {"a": [3, 2], "b": [1, 0.5]}, [0.5, 0.2], 0.4, 2).axes[0]
    assert [(bar.get_y(), bar.get_height()) for bar in ax.patches] == [(0, 3), (0, 2), (3, 1), (2, 0.5)]
    assert ax.lines[0].get_ydata().tolist() == [0.5, 0.2]
    assert set(ax.lines[1].get_ydata()) == {0.4}
    assert ax.get_ylim()[1] > 4
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["b", "a", "estimated\ntotal", "answering 0"]
    colours = [handle.get_facecolor() for handle in ax.get_legend().get_patches()]
    assert colours == [ax.patches[2].get_facecolor(), ax.patches[0].get_facecolor()], "those of the pile"


def test_strip_has_x1_to_the_right_and_far_away_on_top():
    values = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    ax = error_figures.strip([-1, -0.5, 0], ["10", "100"], values, 9, (-0.4, 0)).axes[0]
    assert [line.get_xdata()[0] for line in ax.lines] == [-0.4, 0]
    image = ax.images[0]
    assert image.get_array().tolist() == values.tolist()
    assert image.origin == "lower"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["10", "100"]
    assert image.get_clim() == (0, 9)
