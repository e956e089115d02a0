"""Pictures of the experiments with trained heads: what is drawn is what was given."""

import numpy as np
import pytest

from uatbook.figures import attention_scale


def test_images_have_scales_of_their_own_and_say_them():
    panels = [("clean", np.eye(3)), ("noise", 2 - 5 * np.eye(3))]
    axes = attention_scale.images(panels).axes
    for ax, (title, _), ends in zip(axes, panels, ((0, 1), (-3, 2)), strict=True):
        (image,) = ax.images
        assert image.get_clim() == ends
        assert ax.get_title().replace("\N{MINUS SIGN}", "-") == f"{title}\n{ends[0]:.1f} to {ends[1]:.1f}"
        assert "-" not in ax.get_title()


def test_bands_are_medians_between_the_least_and_the_largest():
    runs = np.array([[3.0, 5, 4], [1, 1, 7]])
    panels = {"K": {"a": runs, "b": 2 * runs}, "Q": {"a": runs + 1, "b": runs}}
    made = attention_scale.bands([0, 1], panels, xlabel="level").axes
    here = {tuple(ax.lines[1].get_ydata()): ax for ax in made}
    assert set(here) == {(4, 1), (8, 2), (5, 2)}  # (4, 1) twice
    assert [list(ax.lines[0].get_ydata()) for ax in here.values()] == [[y, y] for y, _ in here]
    ax, other = here[8, 2], here[5, 2]
    (band,) = ax.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert {(0, 6), (0, 10), (1, 2), (1, 14)} <= corners
    assert ax.get_ylim() == pytest.approx((0, 1.05 * 14))
    assert (ax.get_xlabel(), other.get_xlabel()) == ("", "level")
    assert (ax.get_ylabel(), other.get_ylabel()) == ("b\nK", "Q")


def test_kinks_lie_on_the_largest_component():
    x = np.linspace(-1, 1, 5)
    scores = np.stack([0 * x, 2 * x])
    target, learned = np.sign(x), np.array([-9, 0.1, 0.2, 0.3, 9])
    above, below = attention_scale.learned_steps(x, target, learned, scores, [0.0], [0.5], (-2, 2)).axes
    *_, found = above.lines
    assert found.get_ydata().tolist() == [-2, 0.1, 0.2, 0.3, 2]
    *_, largest, rings = below.lines
    assert largest.get_ydata().tolist() == [0, 0, 0, 1, 2]
    assert (list(rings.get_xdata()), list(rings.get_ydata())) == ([0], [0])
