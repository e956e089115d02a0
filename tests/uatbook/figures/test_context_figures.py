"""Pictures of tokens in their contexts: what is drawn is what was given."""

import numpy as np
import pytest

from explorables.sheet import NARROW, WIDE, sheet_of
from uatbook.figures import context as context_figures

ROWS = {"a": ((1, 2, 4), (0, 0, 1)), "b": ((1, 3), (0.5, 0.5))}
HEARD = {"token 1": {"A": 1.0, "B": 3.0}, "token 2": {"A": 2.0, "C": 2.0}}


def marks(ax, marker):
    return [line for line in ax.lines if line.get_marker() == marker]


def test_a_row_is_propped_at_its_weighted_mean():
    ax = context_figures.temperature(ROWS, np.array([0.0, 1]), np.zeros(2), 0, xlabel="scale").axes[0]
    assert [line.get_xdata().tolist() for line in marks(ax, "o")] == [[1, 2, 4], [1, 3]]
    assert [line.get_xdata()[0] for line in marks(ax, "^")] == [4, 2]
    sizes = [disc.get_sizes() for disc in ax.collections]
    assert np.allclose(sizes[0] / sizes[0].sum(), [0, 0, 1])


def test_the_marked_scale_is_on_the_curve():
    scales, difference = np.array([-1.0, 0, 1]), np.array([0.0, 2, 1])
    _, below = context_figures.temperature(ROWS, scales, difference, 0, xlabel="scale").axes
    (dot,) = marks(below, "o")
    assert dot.get_xydata().tolist() == [[0, 2]]


def test_a_tick_stands_where_its_token_hears_its_context():
    ax = context_figures.heard_lines(HEARD, {"token 2": [2.0]}, xlabel="heard").axes[0]
    names = {text.get_text().replace("\n", " "): tuple(text.xy) for text in ax.texts}
    assert names == {"A": (1, 0), "B": (3, 0), "C": (2, -1)}
    ticks = [sorted(map(tuple, line.get_xydata())) for line in marks(ax, "|")]
    assert ticks == [[(1, 0), (2, -1)], [(3, 0)], [(2, -1)], [], []]
    rings = [tuple(point) for line in marks(ax, "o") for point in line.get_xydata()]
    assert rings == [(2, -1)]
    many = {"token": {str(k): float(k) for k in range(7)}}
    ax = context_figures.heard_lines(many, {}, xlabel="heard").axes[0]
    assert not ax.texts
    assert [line.get_xdata().tolist() for line in marks(ax, "|")] == [[0, 5], [1, 6], [2], [3], [4]]


def test_a_ring_is_named_where_its_value_has_a_name():
    many = {"token": {str(k): float(k // 2) for k in range(6)}}
    ax = context_figures.heard_lines(many, {"token": {1.0: "2 3", 2.0: "4 5"}}, xlabel="heard").axes[0]
    assert {text.get_text(): tuple(text.xy) for text in ax.texts} == {"2 3": (1, 0), "4 5": (2, 0)}
    assert [tuple(point) for line in marks(ax, "o") for point in line.get_xydata()] == [(1, 0), (2, 0)]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("count", [3, 15, 35])
def test_in_order_each_ring_holds_its_own_tick_alone(count, width):
    """However near values are, on a phone, too: 35 is what four tokens of eight come to."""
    values = [1 + 2.0**-k for k in range(count)]
    figure = context_figures.heard_lines(
        {"token": {str(k): x for k, x in enumerate(values)}},
        {"token": values[::2] + values[1:2]},
        xlabel="",
        in_order=True,
    )
    sheet_of(figure).fit(width)
    (ax,) = figure.axes
    (rings,) = marks(ax, "o")
    assert rings.get_xdata().tolist() == [count - 1 - k for k in (*range(0, count, 2), 1)]
    unit = 72 * width * ax.get_position().width / np.diff(ax.get_xlim())[0]  # points between two ticks
    drawn = rings._marker.get_path().transformed(rings._marker.get_transform()).get_extents()
    wide, high = rings.get_markersize() * drawn.width, rings.get_markersize() * drawn.height
    assert wide + rings.get_markeredgewidth() <= unit
    assert wide > 2 * max(tick.get_markeredgewidth() for tick in marks(ax, "|"))
    assert high > 10


def test_small_margins_lie_on_the_floor():
    scales, margins = np.array([0.0, 1, 2]), np.array([0.0, 0.5, 1e-9])
    above, below = context_figures.margin_and_lines(
        scales, margins, (1, 0.5), HEARD, {"token 1": [2.0]}, floor=1e-4, heard=(0, 5)
    ).axes
    curve, *_ = above.lines
    assert curve.get_ydata().tolist() == [1e-4, 0.5, 1e-4]
    assert above.get_ylim()[0] < 1e-4
    assert np.allclose(below.get_xlim(), [-0.15, 5.15])


def test_feet_lie_on_the_line():
    points, v = np.array([[1, 2], [2, 0]]), (0.6, 0.8)
    ax = context_figures.shadows(points, v, (0, 2)).axes[0]
    (feet,) = marks(ax, "D")
    assert np.allclose(feet.get_xydata(), [[2.2 * 0.6, 2.2 * 0.8], [1.2 * 0.6, 1.2 * 0.8], [0, 0]])
    (falls,) = (line for line in ax.lines if line.get_linestyle() == ":")
    assert np.allclose(falls.get_xydata()[::3], [[1, 2], [2, 0], [0, 0]])
    assert np.allclose(falls.get_xydata()[1::3], feet.get_xydata())
    assert np.isnan(falls.get_xydata()[2::3]).all()
    (box,) = marks(ax, "s")
    assert box.get_xydata().tolist() == [[1, 2], [0, 0]]
    assert not marks(context_figures.shadows(points, v, None).axes[0], "s")
