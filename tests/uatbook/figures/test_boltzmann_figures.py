"""Pictures of the Boltzmann operator: what is drawn is what was given."""

import math

import numpy as np

from uatbook.figures import boltzmann as boltzmann_figures


def test_thresholds_stand_at_their_distance():
    t = np.array([0.0, 1, 2])
    ax = boltzmann_figures.small_entry(t, -t, {"one": 0.5, "two": 1.5}).axes[0]
    two, one, _, curve = ax.lines
    # Brackets: up at the threshold, and on to the right, the first one over the second.
    assert (list(one.get_xdata()), list(two.get_xdata())) == ([0.5, 0.5, 2], [1.5, 1.5, 2])
    assert one.get_ydata()[2] > two.get_ydata()[2] > 0 > curve.get_ydata()[2] > one.get_ydata()[0]


def test_bounds_are_dashed_where_they_are_proved():
    s = np.array([1.0, 2, 3, 4])
    logs = -s * math.log(10)
    bounds = {"old": (2.5, logs - 1), "new": (1.5, [math.nan, *(logs[1:] - 0.5)])}
    ax = boltzmann_figures.gaps(s, logs, bounds, (2, -2 * math.log(10)), 1.2).axes[0]
    gap, before, after, _, new, *_ = ax.lines
    assert np.allclose(gap.get_ydata(), [-1, -2, -3, -4])
    assert before.get_xdata().tolist() == [1, 2]
    assert after.get_xdata().tolist() == [3, 4]
    assert new.get_xdata().tolist() == [2, 3, 4]


def test_a_bound_that_leaves_the_picture_has_its_name_beside_it():
    s = np.array([1.0, 2, 3, 4])
    bounds = {"deep": (0, -3 * s * math.log(10))}
    ax = boltzmann_figures.gaps(s, -s, bounds, (2, -2), 1.2).axes[0]
    (name,) = (text for text in ax.texts if text.get_text() == "deep")
    assert name.xy[0] == 2
    assert -7.3 < name.xy[1] < -3
