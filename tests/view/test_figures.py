"""Pictures: what is drawn is what was given, and colours can be told apart and read in both themes."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from uatlib.view import figures

pytestmark = pytest.mark.usefixtures("closed_figures")


def luminance(colour):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", figures.COLOURS)
def test_colours_stand_out_in_light_and_dark(colour):
    assert contrast(colour, "#ffffff") >= 3
    assert contrast(colour, "#121212") >= 3


def test_the_first_colours_differ_for_colour_blind_readers():
    # Machado, Oliveira, Fernandes (2009): full deuteranopia, on linear light.
    matrix = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
    seen = [np.clip(matrix @ np.array(to_rgb(c)) ** 2.2, 0, 1) ** (1 / 2.2) for c in figures.COLOURS[:3]]
    assert min(np.abs(a - b).max() for a, b in itertools.combinations(seen, 2)) > 0.1


def test_squares_put_x1_to_the_right_and_x2_upwards():
    values = np.zeros((4, 4))
    values[3, 0] = 1  # large x_1, small x_2: lower right
    image = figures.squares([("f", values)], "v").axes[0].images[0]
    assert image.get_array()[0, 3] == 1
    assert image.origin == "lower"


def test_film_draws_one_line_a_token():
    states = np.array([[0.0, 1.0], [3.0, 1.0], [3.0, 7.0]])
    axes = figures.film([("a", states), ("b", states)], ["0", "1", "2"], ylabel="y").axes
    assert len(axes) == 2
    assert [line.get_ydata().tolist() for line in axes[0].lines] == [[0, 3, 3], [1, 1, 7]]
    low, high = axes[0].get_ylim()
    assert low < states.min() < states.max() < high


def test_id_lines_keep_the_order_of_the_groups():
    axes = figures.id_lines({"first": np.array([5.0]), "second": np.array([9.0])}, (4, 6), linear=1).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["second", "first"]
    assert [line.get_xdata().tolist() for line in axes.lines] == [[9.0], [5.0]]


def test_convergence_draws_the_bound_apart():
    lines = figures.convergence([2, 4], {"m": [1, 0.5], "b": [2, 1]}, xlabel="N", ylabel="e", bound="b").axes[0].lines
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    assert lines[1].get_color() == figures.BOUND


def test_convergence_marks_values_that_can_be_read_off():
    near = figures.convergence([2, 4, 8], {"m": [0.4, 0.2, 0.06]}, xlabel="N", ylabel="e").axes[0]
    assert [label.get_text() for label in near.get_yticklabels()] == ["0.05", "0.1", "0.2", "0.5"]
    low, high = near.get_ylim()
    assert 0.04 < low < 0.05 < 0.5 < high < 0.6
    far = figures.convergence([2, 4], {"m": [1e5, 1]}, xlabel="N", ylabel="e").axes[0]
    assert all("10^" in label.get_text() for label in far.get_yticklabels())


def test_graphs_and_staircases_show_every_value():
    x = np.linspace(0, 1, 5)
    lines = figures.graphs(x, {"a": x, "b": x**2}, xlabel="x", ylabel="y").axes[0].lines
    assert np.array_equal(lines[1].get_ydata(), x**2)
    axes = figures.staircase_film(x, [x, np.full(5, -9.0)], ["in", "out"], sentinel=-9).axes
    low, high = axes[3].get_ylim()
    assert low < -9 < high


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_squares_fit_the_column(panels):
    figure = figures.squares([("f", np.zeros((2, 2)))] * panels, "v", limits=(0, 1))
    width, _ = figure.get_size_inches()
    assert width <= 6.9
    # A phone shows 3.5 of these inches: letters of 7 points or more.
    for ax in figure.axes:
        for text in (ax.title, *ax.get_xticklabels(), *ax.get_yticklabels()):
            assert not text.get_text() or text.get_fontsize() * min(1, 3.5 / width) >= 7
