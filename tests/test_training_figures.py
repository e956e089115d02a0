"""Pictures of training: what is drawn is what was given."""

import numpy as np
import pytest

from uatlib.view import training_figures

pytestmark = pytest.mark.usefixtures("closed_figures")


def test_a_network_looks_the_same_in_all_pictures():
    looks = training_figures.looks([["a", "b"], ["c"]])
    assert looks["a"]["color"] == looks["b"]["color"] != looks["c"]["color"]
    assert len({(look["color"], look["linestyle"]) for look in looks.values()}) == 3
    assert len({look["marker"] for look in looks.values()}) == 3
    ax = training_figures.learning({"c": [[0.3, 0.4], [0.5, 0.6]], "a": [[0.7, 0.8, 0.9]]}, looks=looks).axes[0]
    first, second, mean, _, other, one = ax.lines
    assert first.get_xdata().tolist() == [1, 2]
    assert [line.get_ydata()[-1] for line in (first, second, mean, other)] == pytest.approx([0.4, 0.6, 0.5, 0.9])
    assert first.get_color() == second.get_color() == mean.get_color() == looks["c"]["color"]
    assert (other.get_color(), other.get_linestyle()) == (looks["a"]["color"], looks["a"]["linestyle"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["c", "a"]
    assert set(one.get_ydata()) == {1}
    table = {"b": ((1, 2), (0.5, 0.75))}
    below = training_figures.rounding(np.zeros((3, 2), dtype=bool), table, "b", 1, looks).axes[1]
    assert below.lines[0].get_color() == looks["b"]["color"]


def test_tokens_stand_in_the_plane_and_on_the_curve():
    points = np.array([[1.0, -2.0], [0.5, 1.0]])
    vectors = np.array([0.5, 0.0]), np.array([0.0, 2.0])
    plane, ax = training_figures.listening(points, vectors, ([-1, 1], [0, 2]), ([0.5, 1.0], [1.5, 2.0])).axes
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in plane.lines] == [(1, 0.5), (-2, 1)]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines[1:]] == [(0.5, 1.5), (1, 2)]
    assert list(ax.lines[0].get_ydata()) == [0, 2]
    assert [text.get_text() for text in ax.texts] == ["1", "2"]
    tips = [text.xy for text in plane.texts if not text.get_text()]
    assert np.allclose(tips, [(1.6, 0), (0, 1.6)])


def test_wrong_answers_are_crosses_at_their_places():
    wrong = np.array([[False, True, False], [False, False, False]])
    curves = {"a": ((1, 2), (0.5, 0.75)), "b": ((1, 2), (0.25, 1.0))}
    above, below = training_figures.rounding(wrong, curves, "b", 1, training_figures.looks([curves])).axes
    (crosses,) = above.lines
    assert [crosses.get_xdata().tolist(), crosses.get_ydata().tolist()] == [[1], [2]]
    assert (above.images[0].get_array() == wrong.T).all()
    a, b, mark = below.lines
    assert b.get_linewidth() > a.get_linewidth()
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
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["wrong", "label 0", "label 1"]
