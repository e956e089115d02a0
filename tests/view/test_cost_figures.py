"""Pictures of costs and floats: what is drawn is what was given."""

import numpy as np
import pytest

from uatlib.view.figures.cost import capacity, curves, float_line
from uatlib.view.figures.style import BOUND, COLOURS

pytestmark = pytest.mark.usefixtures("closed_figures")


def test_a_formula_takes_the_colour_of_the_curve_before_it():
    series = {"a": ([1, 2], [3, 4]), "_a": ([1, 2], [3, 5]), "b": ([1, 2], [6, 7])}
    ax = curves(series, xlabel="x", ylabel="y", formulas=["_a"], levels={"limit": 5}, xticks=[1, 2], ylim=(1, 9)).axes[
        0
    ]
    a, formula, b, limit = ax.lines
    assert [line.get_color() for line in (a, formula, b)] == [COLOURS[0], COLOURS[0], COLOURS[1]]
    assert formula.get_linestyle() == ":"
    assert a.get_marker() != b.get_marker()
    assert b.get_ydata().tolist() == [6, 7]
    assert limit.get_ydata() == [5, 5]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2"]
    assert ax.get_ylim() == (1, 9)


def test_an_inverted_axis_grows_to_the_left():
    ax = curves({"a": ([1, 0.1], [3, 4])}, xlabel="x", ylabel="y", invert=True, chosen=0.5).axes[0]
    left, right = ax.get_xlim()
    assert left > right
    assert ax.lines[1].get_xdata() == [0.5, 0.5]


def test_a_legend_above_covers_nothing():
    figure = curves({"a": ([1, 10], [3, 4]), "b": ([1, 10], [5, 6])}, xlabel="x", ylabel="y", legend="above")
    figure.canvas.draw()
    (ax,) = figure.axes
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1
    assert ax.get_legend().get_window_extent().y1 <= figure.bbox.y1


@pytest.mark.parametrize(("system", "last"), [("float32", 4), ("int64", None)])
def test_capacity_shades_what_fits(system, last):
    sizes = {"float32": 24, "float64": 53, "int64": 63}
    ax = capacity([2, 4, 8], [12, 24, 36], sizes, system, last).axes[0]
    (shade,) = ax.patches
    assert shade.get_y() == 0
    assert shade.get_height() == sizes[system]
    rings = [line for line in ax.lines if line.get_color() == BOUND]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in rings] == ([(4, 24)] if last else [])


@pytest.mark.parametrize(("exact", "spacing"), [(17439786, 2.0), (23183546, 2.0), (8982458370, 1024.0), (12, 2.0**-49)])
def test_floats_stand_where_they_are(exact, spacing):
    """The triangles, moved back to where the id is, are all numbers of that spacing within reach."""
    reach = max(2.6 * spacing, 2.6)
    ax = float_line(spacing, exact % int(spacing) if spacing >= 1 else 0, 0, reach).axes[0]
    triangles = [line for line in ax.lines if line.get_marker() == "^"]
    if spacing < 1:
        assert not triangles
        return
    floats = [exact + x for x in triangles[0].get_xdata()]
    assert floats == [x for x in np.arange(exact - exact % spacing - 9 * spacing, exact + 9 * spacing, spacing)
                      if abs(x - exact) <= reach]  # fmt: skip
    assert all(float(np.float32(x)) == x for x in floats)
    assert ax.get_xlim() == (-reach, reach)


def test_the_ring_stands_at_the_result():
    ax = float_line(2.0, 0, -2.0, 5.2).axes[0]
    (ring,) = (line for line in ax.lines if line.get_marker() == "o")
    assert ring.get_xdata() == [-2.0]
    (strip,) = ax.patches
    assert (strip.get_x(), strip.get_width()) == (-0.5, 1.0)
