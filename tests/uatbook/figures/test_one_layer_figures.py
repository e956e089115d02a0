"""Sums of ReLUs: what is drawn is what was given."""

import numpy as np

from uatbook.figures import one_layer as one_layer_figures


def test_sums_are_drawn_within_the_limits_and_bands_shaded():
    z = np.array([-1.0, 0, 2])
    ax = one_layer_figures.relu_sums(z, {"a": z, "b": 2 * z}, [(0, 0.25), (1, 1.25)], (-1, 1)).axes[0]
    spans = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches]
    assert spans == [(0, 1), (0, 0.25), (1, 1.25)]
