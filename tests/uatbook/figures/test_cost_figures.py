"""Pictures of costs and floats: what is drawn is what was given."""

import numpy as np
import pytest

from explorables.sheet import NARROW, WIDE, sheet_of
from uatbook.figures.cost import curves, float_line
from uatbook.figures.style import COLOURS


def test_a_formula_takes_the_colour_of_the_curve_before_it():
    series = {"a": ([1, 2], [3, 4]), "_a": ([1, 2], [3, 5]), "b": ([1, 2], [6, 7])}
    ax = curves(series, xlabel="x", ylabel="y", formulas=["_a"], levels={"limit": 5}, xticks=[1, 2], ylim=(1, 9)).axes[
        0
    ]
    a, formula, b, _ = ax.lines
    assert [line.get_color() for line in (a, formula, b)] == [COLOURS[0], COLOURS[0], COLOURS[1]]


def test_an_inverted_axis_grows_to_the_left():
    ax = curves({"a": ([1, 0.1], [3, 4])}, xlabel="x", ylabel="y", invert=True, chosen=0.5).axes[0]
    left, right = ax.get_xlim()
    assert left > right


@pytest.mark.parametrize(("narrow", "shown"), [(False, "1 2 3 4 5 6"), (True, "1 3 5")])
def test_of_many_marks_every_second_is_named_on_a_phone(narrow, shown):
    x = [1, 2, 3, 4, 5, 6]
    figure = curves({"a": (x, x)}, xlabel="x", ylabel="y", xticks=x)
    sheet_of(figure).fit(NARROW if narrow else WIDE)
    (ax,) = figure.axes
    assert ax.get_xticks().tolist() == x
    assert [text for label in ax.get_xticklabels() if (text := label.get_text())] == shown.split()


@pytest.mark.parametrize(
    ("got", "reach", "marks", "unit"), [(-2, 5.2, [-5, 0, 5], ""), (3e11, 4.4e11, [-4, -2, 0, 2, 4], "10^{11}")]
)
def test_distances_from_an_id_can_be_read_off(got, reach, marks, unit):
    ax = float_line(2.0, 0, got, reach).axes[0]
    ax.figure.draw_without_rendering()
    power = 10**11 if unit else 1
    shown = {
        x: label.get_text() for x, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True) if abs(x) <= reach
    }
    assert shown == {m * power: str(m).replace("-", "−") for m in marks}
    assert unit in ax.get_xlabel()


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


def test_the_ring_stands_at_the_result():
    ax = float_line(2.0, 0, -2.0, 5.2).axes[0]
    (ring,) = (line for line in ax.lines if line.get_marker() == "o")
    assert ring.get_xdata() == [-2.0]
    (strip,) = ax.patches
    assert (strip.get_x(), strip.get_width()) == (-0.5, 1.0)
