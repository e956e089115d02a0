"""The picture of the atlas: bars are as long as the shares that were given."""

import numpy as np

from uatbook.figures import atlas as atlas_figures


def test_bars_are_shares_side_by_side():
    rows = {
        "one": {"a": [(0.25, 0.5), (1, 0)], "b": [(0, 1), (0, 0)]},
        "two": {"c": [(0.5, 0.5), (0, 0.75)]},
    }
    left, right = atlas_figures.mixer_depths(rows).axes
    for ax, mixers in ((left, rows["one"]), (right, rows["two"])):
        bars = [(bar.get_x(), bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in ax.patches]
        wanted = []
        for y, depths in enumerate(mixers.values(), start=1):
            for layers, (apart, alike) in enumerate(depths, start=1):
                wanted += [(layers - 0.44, y, 0.88 * apart), (layers - 0.44 + 0.88 * apart, y, 0.88 * alike)]
        assert np.allclose(bars, wanted)
        assert [text.get_text() for text in ax.get_yticklabels()] == list(mixers)
        thick, thin = (ax.patches[k].get_height() for k in (0, 1))
        assert thick > 3 * thin
    assert left.patches[0].get_facecolor() != left.patches[1].get_facecolor()
    assert [ax.texts[0].get_text() for ax in (left, right)] == ["one", "two"]


def test_families_stand_in_their_order_in_two_columns_of_like_length():
    names = {
        name: {f"{name}{k}": [(1, 0)] for k in range(count)} for name, count in zip("abcd", (5, 5, 9, 1), strict=True)
    }
    left, right = atlas_figures.mixer_depths(names).axes
    assert [text.get_text() for ax in (left, right) for text in ax.texts] == list("abcd")
    assert len(left.get_yticks()) == len(right.get_yticks()) == 10
    (_, b), (_, last) = (left.texts[1].get_position(), (0, left.get_yticks()[4]))
    assert b - last == 1 + atlas_figures.GAP
