"""Pictures of training: what is drawn is what was given."""

import numpy as np

from uatbook.figures import training as training_figures


def test_a_network_looks_the_same_in_all_pictures():
    looks = training_figures.looks([["a", "b"], ["c"]])
    assert looks["a"]["color"] == looks["b"]["color"] != looks["c"]["color"]
    assert len({(look["color"], look["linestyle"]) for look in looks.values()}) == 3
    assert len({look["marker"] for look in looks.values()}) == 3
    table = {"b": ((1, 2), (0.5, 0.75))}
    below = training_figures.rounding(np.zeros((3, 2), dtype=bool), table, "b", 1, looks).axes[1]
    assert below.lines[0].get_color() == looks["b"]["color"]


def test_every_run_is_a_dot_and_those_that_never_came_stand_apart():
    runs = {"a": [30.0, 40.0, 90.0, float("inf")], "b": [float("inf")] * 2}
    looks = training_figures.looks([["a", "b"]])
    ax = training_figures.arrivals(runs, last=100, looks=looks).axes[0]
    a, middle, b, *_ = ax.lines
    assert a.get_xdata().tolist()[:3] == [30, 40, 90]
    assert a.get_xdata()[3] == b.get_xdata()[0] == b.get_xdata()[1] > 100
    assert [round(y) for y in a.get_ydata()] == [1] * 4
    assert len(set(a.get_ydata())) == 3
    assert list(middle.get_xdata()) == [65, 65]
    labels = dict(zip(ax.get_xticks(), [text.get_text() for text in ax.get_xticklabels()], strict=True))
    assert labels[b.get_xdata()[0]] == "never"


def test_wrong_answers_are_crosses_at_their_places():
    wrong = np.array([[False, True, False], [False, False, False]])
    curves = {"a": ((1, 2), (0.5, 0.75)), "b": ((1, 2), (0.25, 1.0))}
    above, below = training_figures.rounding(wrong, curves, "b", 1, training_figures.looks([curves])).axes
    (crosses,) = above.lines
    # One cross is two strokes around the middle of its cell.
    strokes = crosses.get_xydata().reshape(2, 3, 2)
    assert np.isnan(strokes[:, 2, 0]).all()
    assert np.allclose(strokes[:, :2].mean(axis=1), [1, 2])
    assert np.allclose(np.diff(strokes[:, :2], axis=1)[:, 0], [[0.6, 0.6], [0.6, -0.6]])
    assert (above.images[0].get_array() == wrong.T).all()
    *_, mark = below.lines
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (1, 0.25)


def test_every_context_has_its_label_and_its_place():
    rows = [
        (np.array([3.0, 1.0, 2.0]), np.array([0, 1, 1]), np.array([True, False, False])),
        (np.array([5.0, 5.0]), np.array([0, 0]), np.array([False, False])),
    ]
    ax = training_figures.word_lines(rows, 2).axes[0]
    marks = [(x, y) for line in ax.lines if line.get_marker() == "x" for x, y in line.get_xydata()]
    assert marks == [(1, 1)]
    zero = [(x, y) for line in ax.lines if line.get_marker() == "o" for x, y in line.get_xydata()]
    other = [(x, y) for line in ax.lines if line.get_marker() == "s" for x, y in line.get_xydata()]
    assert zero == [(1, 1), (0, 2), (0, 2)]
    assert other == [(0, 1), (0.5, 1)]
