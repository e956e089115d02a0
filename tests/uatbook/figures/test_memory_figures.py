"""Pictures of networks that recall labels: what is drawn is what was given."""

import math

import numpy as np

from uatbook.figures import memory as memory_figures


def marks(ax, marker):
    return [line for line in ax.lines if line.get_marker() == marker]


def recalled(answers):
    tokens, ids = np.array([[1, 2], [2, 1]]), np.array([[1.4, 2.1], [2.3, 1.2]])
    labels = np.array([[1, 3], [2, 3]])
    return memory_figures.recall(tokens, ids, labels, np.array(answers), 1).axes


def test_only_mistaken_labels_are_crosses_above_the_line():
    above, below = recalled([[1.25, 3.0], [2.0, 7.0]])
    (labels,) = marks(above, "o")
    # The ids of the token 1 in increasing order, whichever sequence they come from.
    assert labels.get_xydata().tolist() == [[1.2, 3], [1.4, 1]]
    (answers,) = marks(above, "x")
    assert answers.get_xydata().tolist() == [[1.2, above.get_ylim()[1]], [1.4, 1.25]]
    (right,), (wrong,) = marks(below, "o"), marks(below, "x")
    assert wrong.get_ydata().tolist() == [4]
    assert round(wrong.get_xdata()[0]) == 1
    assert sorted(right.get_ydata()) == [1e-17, 1e-17, 0.25]
    low, high = below.get_ylim()
    assert low < 1e-17 < 1e5 < high  # no mark is cut off


def test_answers_that_are_no_numbers_are_mistakes():
    _, below = recalled([[math.nan, 3.0], [2.0, math.inf]])
    (wrong,) = marks(below, "x")
    assert wrong.get_ydata().tolist() == [1e5, 1e5]


def test_the_rule_of_thumb_falls_like_one_over_the_gap():
    errors, rules = {"float64": [2.0, 0.3], "float32": [9.0, 4.0]}, {"float64": 0.5, "float32": 3.0}
    ax = memory_figures.conditioning([0.1, 10.0], errors, rules, rule="c / gap").axes[0]
    drawn = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert drawn["float64"] == [[0.1, 2], [10, 0.3]]
    assert drawn["float32"] == [[0.1, 9], [10, 4]]
    assert np.allclose(drawn["float64:\nc / gap"], [[0.1, 5], [10, 0.05]])
    assert np.allclose(drawn["float32:\nc / gap"], [[0.1, 30], [10, 0.3]])
