"""Pictures of small domains: what is drawn is what was given."""

import numpy as np
import pytest
from matplotlib.collections import PatchCollection, PathCollection
from matplotlib.transforms import Bbox

from explorables.sheet import NARROW, WIDE, sheet_of
from uatbook import figures

PATH = np.array([[-1, 0], [0, 1], [1, 0.5]])
BALLS = np.array([[0.5, -0.5], [-0.25, 0.75]]), 0.3


def discs(ax):
    """(centre, width and height) of the balls on the axes, in data."""
    ax.figure.canvas.draw()
    (drawn,) = [part for part in ax.collections if isinstance(part, PathCollection)]
    (path,) = drawn.get_paths()
    moved = drawn.get_transform().transform_path(path)
    size = ax.transData.inverted().transform_bbox(Bbox.from_extents(*moved.get_extents().extents))
    return drawn.get_offsets().tolist(), (size.width, size.height)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_balls_have_their_place_and_their_radius_at_any_width(width):
    figure = figures.cells_and_balls(PATH, np.array([[0.5, -1]]), 0.5, BALLS, ("cells", "balls"))
    sheet_of(figure).fit(width)
    centers, size = discs(figure.axes[1])
    assert centers == BALLS[0].tolist()
    assert size == pytest.approx((0.6, 0.6))


def test_cells_that_are_met_are_filled_and_the_path_is_drawn_twice():
    figure = figures.cells_and_balls(PATH, np.array([[0.5, -1], [-1, 0]]), 0.5, BALLS, ("4 cells", "2 balls"))
    (cells,) = [part for part in figure.axes[0].collections if isinstance(part, PatchCollection)]
    assert [path.get_extents().bounds for path in cells.get_paths()] == [(0.5, -1, 0.5, 0.5), (-1, 0, 0.5, 0.5)]


def test_answers_and_errors_are_those_given_and_nothing_is_drawn_where_none_is():
    answer = np.arange(16.0).reshape(4, 4)
    errors = np.where(answer > 7, answer / 16, np.nan)
    look = {"limits": (0, 20), "top": 2, "reach": 1.5, "unit": "ε"}
    figure = figures.small_domain(PATH, BALLS, answer, errors, **look)
    _, middle, right = figure.axes[:3]
    assert middle.images[0].get_array().tolist() == answer.T.tolist()
    shown = right.images[0]
    assert shown.get_array().filled(-1).tolist() == np.where(np.isnan(errors), -1, errors).T.tolist()
    assert shown.get_clim() == (0, 2)
    assert shown.get_cmap()(np.ma.masked_invalid([np.nan]))[0][3] == 0


def test_single_points_are_dots():
    dots = np.insert(PATH, range(3), np.nan, axis=0)
    look = {"limits": (0, 1), "top": 1, "reach": 1, "unit": "ε"}
    for path, marker in ((dots, "o"), (PATH, "")):
        figure = figures.small_domain(path, BALLS, np.zeros((2, 2)), np.zeros((2, 2)), **look)
        assert {ax.lines[0].get_marker() for ax in figure.axes[:3]} == {marker}
