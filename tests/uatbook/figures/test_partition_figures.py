"""Pictures of max-affine partitions: what is drawn is what was given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from explorables.sheet import NARROW, sheet_of
from uatbook.figures import partition
from uatbook.figures.style import COLOURS, GREY

X = np.linspace(-2, 2, 9)
LINES = np.array([-X, np.ones(9), X])
OWNER = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])


def boxes(ax):
    """(left, right, colour) of the rectangles, from left to right."""
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return [(box.get_x(), box.get_x() + box.get_width(), box.get_facecolor()[:3]) for box in found]


def bold(ax):
    """The bold stretches of lines: where, how high, in which colour."""
    return [(line.get_xdata(), line.get_ydata(), line.get_color()) for line in ax.lines if line.get_linewidth() == 4]


def test_the_highest_line_is_bold_in_the_colour_of_its_owner():
    above, below = partition.envelope(X, dict(zip("abc", LINES, strict=True)), OWNER, (-3, 3)).axes
    stretches = bold(above)
    assert [colour for _, _, colour in stretches] == list(COLOURS[:3])
    for k, (x, y, _) in enumerate(stretches):
        assert y.tolist() == LINES[k][np.isin(X, x)].tolist()
    assert [x[0] for x, _, _ in stretches] == [-2, -0.5, 1.5]
    assert [x[-1] for x, _, _ in stretches] == [-0.5, 1.5, 2]
    assert boxes(below) == [
        (-2, -0.75, to_rgb(COLOURS[0])),
        (-0.75, 1.25, to_rgb(COLOURS[1])),
        (1.25, 2, to_rgb(COLOURS[2])),
    ]


def test_a_cell_that_returns_is_drawn_twice_and_a_thin_one_has_no_number():
    _, below = plt.subplots()
    owner = np.array([0] * 50 + [1] * 2 + [0] * 49)
    partition._strip(below, np.linspace(0, 1, 101), owner)
    assert [colour for _, _, colour in boxes(below)] == [to_rgb(COLOURS[k]) for k in (0, 1, 0)]
    assert [text.get_text() for text in below.texts] == ["1", "1"]


def test_cells_of_the_plane_are_coloured_by_their_owner_and_sites_numbered():
    owner = np.array([[0, 1], [2, 2]])
    sites, points = np.array([[0.2, 0.8], [0.3, 0.6]]), np.array([[0.1, 0.9, 0.5], [0.1, 0.9, 0.4]])
    ax = partition.plane_cells([("cells", owner, sites)], (0, 1), (points, [1, 0, 1])).axes[0]
    shade = ax.images[0].get_array()
    for i in range(2):
        for j in range(2):
            assert shade[j, i, :3].tolist() == list(to_rgb(COLOURS[owner[i, j]]))
    assert ax.images[0].origin == "lower"
    dots = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in ax.lines]
    assert dots == [([0.2], [0.3]), ([0.8], [0.6]), ([0.9], [0.9]), ([0.1, 0.5], [0.1, 0.4])]
    assert [line.get_color() for line in ax.lines[2:]] == [COLOURS[0], COLOURS[1]]


def test_cells_without_sites_are_numbered_at_their_middles_where_no_points_are():
    owner = np.array([[0, 0, 2, 2], [0, 0, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1]])
    left, right = partition.plane_cells([("a", owner, None)] * 2, (0, 8), (np.array([[1.0], [2.0]]), [0])).axes
    assert {text.get_text(): text.get_position() for text in left.texts} == {"1": (2, 2), "2": (6, 4), "3": (2, 6)}
    assert (list(left.lines), list(right.texts), len(right.lines)) == ([], [], 1)
    (alone,) = partition.plane_cells([("a", owner, None)], (0, 8)).axes
    assert len(alone.texts) == 3


def test_a_line_of_leads_goes_on_as_far_again():
    owner, lines = np.array([[0, 0], [1, 2]]), [((0, 2), np.array([0.9, 0.8]), np.array([0.7, 0.65]))]
    ax = partition.lead_lines(owner, (0, 1), lines).axes[0]
    tokens = [
        ([float(t) for t in line.get_xdata()], line.get_color()) for line in ax.lines if len(line.get_xdata()) == 1
    ]
    assert tokens == [([0.7], COLOURS[0]), ([0.9], COLOURS[2])]
    (line,) = (line for line in ax.lines if len(line.get_xdata()) == 2)
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([0.9, 0.7], [0.8, 0.65])
    (head,) = (text for text in ax.texts if not text.get_text())
    assert (head.xy, head.xyann) == (pytest.approx((0.5, 0.5)), pytest.approx((0.7, 0.65)))
    assert "1 > 3" in [text.get_text() for text in ax.texts]


def test_what_is_lost_is_shaded_in_all_panels_but_the_strip():
    above, _, below = partition.melting(X, OWNER, np.array([X] * 3), {"wanted": X}, lost=[(-1, 0)]).axes
    for ax in (above, below):
        assert boxes(ax) == [(-1, 0, to_rgb(GREY))]


def test_areas_are_weights_and_columns_without_a_token_are_grey():
    weights = np.array([[0.64, 0.25], [0.36, 0.75]])
    left, right = partition.attended(X, LINES, OWNER, np.array([-1.5]), weights).axes
    found = {}
    for box in right.patches:
        i, j = round(box.get_y() + box.get_height() / 2), round(box.get_x() + box.get_width() / 2)
        found[i, j] = (box.get_width() * box.get_height() / 0.92**2, box.get_facecolor())
    for (i, j), (area, colour) in found.items():
        assert area == pytest.approx(weights[i, j])
        assert colour[:3] == to_rgb(COLOURS[i] if j == 0 else GREY)
    assert len(found) == 4
    dot = next(line for line in left.lines if line.get_marker() == "o")
    assert (dot.get_xdata(), dot.get_ydata()) == ([-1.5], [1.5])


def test_two_panels_stand_side_by_side_on_a_phone_too():
    panel = ("cells", np.array([[0, 1], [1, 0]]), np.zeros((2, 0)))
    figure = partition.plane_cells([panel, panel], (0, 1))
    sheet_of(figure).fit(NARROW)
    one, other = (ax.get_position() for ax in figure.axes)
    assert one.y0 == pytest.approx(other.y0)
