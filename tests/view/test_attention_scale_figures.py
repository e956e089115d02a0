"""Pictures of the experiments with trained heads: what is drawn is what was given."""

import numpy as np
import pytest

from uatlib.view.figures import attention_scale

pytestmark = pytest.mark.usefixtures("closed_figures")


def test_images_have_one_scale():
    panels = [("clean", np.eye(3)), ("noise", 2 - 5 * np.eye(3))]
    axes = attention_scale.images(panels, "brightness").axes
    for ax, (title, values) in zip(axes, panels, strict=False):
        (image,) = ax.images
        assert np.array_equal(image.get_array(), values)
        assert image.get_clim() == (-3, 2)
        assert ax.get_title() == title


def test_bands_are_medians_between_the_least_and_the_largest():
    runs = np.array([[3.0, 5, 4], [1, 1, 7]])
    (ax, other) = attention_scale.bands([0, 1], {"K": {"a": runs}, "Q": {"a": runs + 1}}, xlabel="level").axes
    (line,) = ax.lines
    assert line.get_ydata().tolist() == [4, 1]
    (band,) = ax.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert {(0, 3), (0, 5), (1, 1), (1, 7)} <= corners
    assert other.lines[0].get_ydata().tolist() == [5, 2]
    assert (ax.get_xlabel(), other.get_xlabel(), ax.get_ylabel()) == ("", "level", "K")


def test_kinks_lie_on_the_largest_component():
    x = np.linspace(-1, 1, 5)
    scores = np.stack([0 * x, 2 * x])
    target, learned = np.sign(x), np.array([-9, 0.1, 0.2, 0.3, 9])
    above, below = attention_scale.learned_steps(x, target, learned, scores, [0.0], [0.5], (-2, 2)).axes
    step, wanted, found = above.lines
    assert list(step.get_xdata()) == [0.5, 0.5]
    assert wanted.get_ydata().tolist() == target.tolist()
    assert found.get_ydata().tolist() == [-2, 0.1, 0.2, 0.3, 2]
    _, one, two, largest, rings = below.lines
    assert [list(line.get_ydata()) for line in (one, two)] == scores.tolist()
    assert largest.get_ydata().tolist() == [0, 0, 0, 1, 2]
    assert (list(rings.get_xdata()), list(rings.get_ydata())) == ([0], [0])
