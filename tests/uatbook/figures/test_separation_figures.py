"""Pictures of weights under which tokens meet: what is drawn is what was given."""

import numpy as np

from uatbook import figures


def test_what_is_below_the_floor_is_drawn_on_it():
    curves = {"a": np.array([0, 1.0]), "b": np.array([1e-9, 0.5])}
    figure = figures.through_holes(
        np.array([0, 1.0]), [("one", curves, 1e-3), ("two", curves, None)], {0.5: "x"}, xlabel="p"
    )
    low, linear = ([line.get_ydata().tolist() for line in ax.lines] for ax in figure.axes)
    assert low == [[1e-3, 1], [1e-3, 0.5]]
    assert linear == [[0, 1], [1e-9, 0.5]]
    gaps = np.array([[1, 0.1], [1, 0], [1, 0.01]])
    figure = figures.least_gaps([2, 4], gaps, -1, {"low": 1e-2}, floor=1e-6, name="law")
    *thin, median, law, _ = [line.get_ydata() for line in figure.axes[0].lines]
    assert np.array_equal(thin, [[1, 0.1], [1, 1e-6], [1, 0.01]])
    assert median.tolist() == [1, 0.01]
    assert law.tolist() == [1, 0.5]
