"""Pictures: what is drawn is what was given, and colours can be told apart and read in both themes."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from explorables.live import stops
from explorables.sheet import NARROW, sheet_of
from uatbook import figures
from uatbook.figures.style import ERROR, ERRORS, GREY, INK, STEPS, VALUES

ROOT = Path(__file__).parents[3]


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


@pytest.mark.parametrize("ground", ["#ffffff", "#121212"])
def test_larger_errors_differ_more_from_the_page(ground):
    colours = ERRORS(np.linspace(0, 1, 50))
    on_page = colours[:, :3] * colours[:, 3:] + np.array(to_rgb(ground)) * (1 - colours[:, 3:])
    found = [contrast(colour, ground) for colour in on_page]
    assert found[0] == 1
    assert (np.diff(found) > 0).all()
    assert found[-1] > 3


def oklab(colours):
    """Ottosson (2020): lightness, and two axes of hue."""
    linear = [
        [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)] for colour in colours
    ]
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    axes = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    return np.cbrt(linear @ np.transpose(cones)) @ np.transpose(axes)


def test_equal_steps_of_values_look_equal_and_are_read_in_grey():
    lab = oklab(stops(VALUES))
    steps = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    assert steps.max() < 1.3 * steps.min()
    assert (np.diff(lab[:, 0]) > 0.6 * steps.mean()).all()


def test_values_have_no_hue_of_a_step_or_of_an_error():
    hues = {colour: np.angle(complex(*oklab([colour])[0, 1:]), deg=True) for colour in (*stops(VALUES), *STEPS, ERROR)}
    coloured = [colour for colour in stops(VALUES) if np.hypot(*oklab([colour])[0, 1:]) > 0.035]
    assert len(coloured) > 25
    for colour, other in itertools.product(coloured, (*STEPS, ERROR)):
        assert 40 < (hues[colour] - hues[other]) % 360 < 320, (colour, other)


def test_what_one_may_press_has_colours_of_the_values():
    sheet = (ROOT / "assets" / "face.css").read_text(encoding="utf-8")
    assert set(re.findall(r"--uat-blue: (#\w{6})", sheet)) <= {*INK}
    assert sheet.count("--uat-blue: #") == 2


def test_squares_put_x1_to_the_right_and_x2_upwards():
    values = np.zeros((4, 4))
    values[3, 0] = 1  # large x_1, small x_2: lower right
    image = figures.squares([("f", values)], "v").axes[0].images[0]
    assert image.get_array()[0, 3] == 1
    assert image.origin == "lower"


def test_squares_have_a_key_for_values_and_one_for_errors():
    values = np.array([[1.0, np.nan], [3.0, 4.0]])
    figure = figures.squares([("f", 2 * values), ("g", values)], "v", (0, 9), errors=(values - 1, "e", (0, 5)))
    images = [image for ax in figure.axes for image in ax.images]
    assert [image.get_clim() for image in images] == [(0, 9), (0, 9), (0, 5)]
    assert images[2].get_array()[1].tolist() == [None, 3]
    grey = images[1].to_rgba(images[1].get_array())[1, 0]
    assert grey[:3] == pytest.approx(to_rgb(GREY))


def test_several_errors_have_a_panel_each_and_one_key():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    errors = ({"error of f": values - 1, "error of g": values}, "e", (0, 5))
    axes = figures.squares([("f", values), ("g", 2 * values)], "v", (0, 9), errors=errors).axes
    panels = [ax for ax in axes if ax.images]
    assert [ax.get_title() for ax in panels] == ["f", "g", "error of f", "error of g"]
    assert [ax.images[0].get_clim() for ax in panels] == [(0, 9), (0, 9), (0, 5), (0, 5)]
    assert panels[2].images[0].get_array().T.tolist() == (values - 1).tolist()
    assert len(axes) == 4 + 2


def test_panels_of_errors_have_their_colours():
    errors = np.array([[0.0, 0.1], [0.2, 0.4]])
    figure = figures.squares([("a", errors), ("b", 2 * errors)], "error", (0, 0.5), palette=ERRORS)
    first, second = (image.to_rgba(image.get_array()) for ax in figure.axes for image in ax.images)
    assert first[0, 0] == pytest.approx(ERRORS(0.0))
    assert first[0, 1] == pytest.approx(ERRORS(0.4), abs=0.02)
    assert second[0, 1] == pytest.approx(ERRORS(0.8), abs=0.02)


def test_in_a_larger_square_the_box_is_outlined():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    ax, *_ = figures.squares([("a", values), ("b", -values)], "answer", (0, 9), ends=(-0.5, 1.5)).axes
    (image,) = ax.images
    assert image.get_array().tolist() == values.T.tolist()
    assert list(image.get_extent()) == [-0.5, 1.5, -0.5, 1.5]
    assert image.get_clim() == (0, 9)
    (box,) = ax.patches
    assert box.get_bbox().bounds == (0, 0, 1, 1)
    assert not figures.squares([("a", values)], "answer").axes[0].patches


def test_weights_are_pairs_of_bars_with_their_numbers():
    ax = figures.weights([1, 0.5], [0.75, 0.25], [1, 0]).axes[0]
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(0, 0.75), (0, 0.25), (0, 1), (0, 0)]
    assert [text.get_text() for text in ax.texts] == ["0.750", "0.250", "1", "0"]
    middles = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    low, high = ax.get_ylim()
    assert low > high, "token 1 stands on top"
    assert middles == pytest.approx([-0.19, 0.81, 0.19, 1.19])


def test_film_draws_one_line_a_token():
    states = np.array([[0.0, 1.0], [3.0, 1.0], [3.0, 7.0]])
    axes = figures.film([("a", states), ("b", states)], ["0", "1", "2"], ylabel="y").axes
    assert [line.get_ydata().tolist() for line in axes[0].lines] == [[0, 3, 3], [1, 1, 7]]
    low, high = axes[0].get_ylim()
    assert low < states.min() < states.max() < high
    numbers = [(text.xy, text.get_text()) for text in axes[0].texts if text.get_text() in ("3", "7")]
    assert numbers == [((1, 3), "3")]  # the last layer lifts all, and its numbers stand nowhere
    named = lambda ax: [text.get_text() for text in ax.texts[-2:] if text.get_visible()]  # noqa: E731
    assert [named(ax) for ax in axes] == [[], ["token 1", "token 2"]]
    sheet_of(axes[0].figure).fit(NARROW)
    assert [named(ax) for ax in axes] == [["token 1", "token 2"]] * 2


def test_windows_show_tokens_and_where_they_should_end():
    states, names = np.array([[13, 13.5], [13, 13.5], [0.5, 13.5]]), ["ids", "outside?", "id 13", "return"]
    figure = figures.windows(states, names, (12.75, 13.25), (0.5, 0.75), (12.6, 14.6), (-17, 2))
    for ax in figure.axes:
        lines, crosses = ax.lines[:2], ax.lines[2:]
        assert [line.get_ydata().tolist() for line in lines] == states.T.tolist()
        assert [(cross.get_marker(), *cross.get_xydata()[0]) for cross in crosses] == [("x", 3, 0.5), ("x", 3, 0.75)]
        (band,) = ax.patches
        assert (band.get_y(), band.get_height()) == (12.75, 0.5)
    lower = figure.axes[1]
    assert [ax.get_ylim() for ax in figure.axes] == [(12.6, 14.6), (-17, 2)]
    shown = lambda: [label.get_text() for label in lower.get_xticklabels()]  # noqa: E731
    assert shown() == names
    sheet_of(figure).fit(NARROW)
    assert shown() == ["ids", "\noutside?", "id 13", "\nreturn"]  # on two levels


def test_convergence_draws_the_bound_apart():
    lines = figures.convergence([2, 4], {"m": [1, 0.5], "b": [2, 1]}, xlabel="N", ylabel="e", bound="b").axes[0].lines
    assert lines[1].get_color() == figures.BOUND
    names = figures.convergence([2, 4], {"m": [1, 0.5], "b": [2, 1]}, xlabel="N", ylabel="e").axes[0].texts
    assert [(name.get_text(), name.arrow_patch.get_edgecolor()[:3]) for name in names] == [
        ("m", pytest.approx(to_rgb(figures.COLOURS[0]))),
        ("b", pytest.approx(to_rgb(figures.COLOURS[2]))),
    ]


def test_convergence_marks_values_that_can_be_read_off():
    near = figures.convergence([2, 4, 8], {"m": [0.4, 0.2, 0.06]}, xlabel="N", ylabel="e").axes[0]
    assert [label.get_text() for label in near.get_yticklabels()] == ["0.05", "0.1", "0.2", "0.5"]
    low, high = near.get_ylim()
    assert 0.04 < low < 0.05 < 0.5 < high < 0.6
    far = figures.convergence([2, 4], {"m": [1e5, 1]}, xlabel="N", ylabel="e").axes[0]
    assert all("10^" in label.get_text() for label in far.get_yticklabels())


def test_graphs_and_staircases_show_every_value():
    x = np.linspace(0, 1, 5)
    axes = figures.staircase_film(x, [x, np.full(5, -9.0)], ["in", "out"], sentinel=-9).axes
    low, high = axes[3].get_ylim()
    assert low < -9 < high


def test_shapes_draw_each_entry_and_say_how_many_there_are():
    sizes = {"d": 2, "n": 3, "m": 1, "r": 4}
    ax = figures.shapes({"a head": [("$W_O$", "dm"), ("$X$", "dn")]}, sizes).axes[0]
    edges = [patch for patch in ax.patches if not patch.get_fill()]
    assert len(edges) == 2 * 1 + 2 * 3
    assert len({patch.get_edgecolor() for patch in edges}) == 1 + 3
