"""Pictures of a network with one layer of attention: what is drawn is what was given."""

import numpy as np

from uatbook.figures import one_layer as one_layer_figures


def test_sums_are_drawn_within_the_limits_and_bands_shaded():
    z = np.array([-1.0, 0, 2])
    ax = one_layer_figures.relu_sums(z, {"a": z, "b": 2 * z}, [(0, 0.25), (1, 1.25)], (-1, 1)).axes[0]
    spans = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches]
    assert spans == [(0, 1), (0, 0.25), (1, 1.25)]


def test_a_hat_stands_on_its_centre():
    rows = {"token 1": {"p": (1.0, 0.5), "q": (2.0, 0.25)}, "token 2": {"p": (3.0, 1.0)}}
    axes = one_layer_figures.hats(rows, 0.25, xlabel="id", ylabel="answer").axes
    corners = [[patch.get_xy()[:3].tolist() for patch in ax.patches] for ax in axes]
    assert corners[0] == [[[0.75, 0], [1, 0.5], [1.25, 0]], [[1.75, 0], [2, 0.25], [2.25, 0]]]
    assert corners[1] == [[[2.75, 0], [3, 1], [3.25, 0]]]
