"""Pictures of a pair: the key to the right, the query upwards, weights as they were given."""

import numpy as np
import pytest

from uatbook import figures

TABLE = np.arange(6.0).reshape(2, 3) / 5


def drawn(ax):
    """Values of an image by key and query."""
    (image,) = ax.images
    assert image.get_extent() == [-1, 1, -1, 1]
    assert image.origin == "lower"
    return image.get_array().T


def test_squares_and_errors():
    figure = figures.pair_squares([("f", TABLE), ("g", TABLE + 1)], "v", (0, 2), errors=(TABLE / 2, "e", (0, 1)))
    first, second, errors = figure.axes[:3]
    assert np.allclose(drawn(first), TABLE)
    assert np.allclose(drawn(second), TABLE + 1)
    assert np.allclose(drawn(errors), TABLE / 2)


def test_tables_go_to_their_largest_weight():
    figure = figures.heard_tables([("a", TABLE), ("b", TABLE / 7)], (0.3, -0.4))
    for ax in figure.axes[:2]:
        assert np.allclose(drawn(ax), TABLE / TABLE.max())
        assert [line.get_xydata().tolist() for line in ax.lines] == [[[0.3, -0.4]]] * 2


def test_bars_stand_at_their_cells():
    p, q = np.array([0.2, 0.8]), np.array([0.5, 0.1])
    said, heard = figures.look_up(p, q, TABLE[:, :2], (0, 0), (0, 1)).axes[:2]
    assert np.allclose(drawn(said), TABLE[:, :2])
    assert np.allclose(drawn(heard), np.outer(p, q) / 0.4)
    up, across = heard.patches[:2], heard.patches[2:]
    assert np.allclose([bar.get_x() + bar.get_width() / 2 for bar in up], [-0.5, 0.5])
    assert np.allclose([bar.get_y() + bar.get_height() / 2 for bar in across], [-0.5, 0.5])
    assert up[0].get_height() / up[1].get_height() == pytest.approx(0.25)
    assert across[1].get_width() / across[0].get_width() == pytest.approx(0.2)
