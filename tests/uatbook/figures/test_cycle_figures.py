"""Pictures of rings: what is drawn is what was given."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from uatbook.figures import cycle as cycle_figures
from uatbook.figures.style import COLOURS

ROWS = [{0, 1, 3}, {0, 1}, {2, 1}, {3}]
SQUARE = cycle_figures.Ring("four", ROWS, [0, 1, 2, 1], ["a", "b", "c", "d"], ["0", "1", "2", "3"])
PLACES = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])


def drawn(ax):
    """Places of discs with their colours, texts with their places, pairs that are linked, arrows."""
    discs = {tuple(np.round(line.get_xydata()[0], 9)): line for line in ax.lines[1:8:2]}  # each on a white one
    assert [line.get_color() for line in ax.lines[0:8:2]] == ["white"] * 4
    texts = {text.get_text(): text.get_position() for text in ax.texts if text.get_text()}
    (links,) = (kind for kind in ax.collections if isinstance(kind, LineCollection))
    arrows = [(text.xy, text.get_position()) for text in ax.texts if getattr(text, "arrow_patch", None)]
    return discs, texts, links.get_segments(), arrows


def test_tokens_go_clockwise_from_the_top_with_their_names():
    discs, texts, _, _ = drawn(cycle_figures.ring(SQUARE).axes[0])
    assert np.allclose(list(discs), PLACES)
    assert [disc.get_markeredgecolor() for disc in discs.values()] == [COLOURS[k] for k in (0, 1, 2, 1)]
    assert [to_hex(disc.get_color()) for disc in discs.values()] == [to_hex(COLOURS[k]) for k in (0, 1, 2, 1)]
    for k, place in enumerate(PLACES):
        assert np.allclose(texts["abcd"[k]], place)
        assert np.allclose(texts[str(k)] / np.linalg.norm(texts[str(k)]), place)


def test_two_who_hear_each_other_have_a_link_and_one_way_is_an_arrow_to_the_listener():
    _, _, links, arrows = drawn(cycle_figures.ring(SQUARE).axes[0])
    assert [link.round(9).tolist() for link in links] == [PLACES[[0, 1]].tolist()]
    to = sorted((tuple(np.round(end, 9)), tuple(np.round(start, 9))) for end, start in arrows)
    assert to == sorted([((0, 1), (-1, 0)), ((0, -1), (1, 0))])  # 0 hears 3, 2 hears 1


@pytest.mark.parametrize("listener", [None, 2])
def test_a_circle_is_around_the_listener(listener):
    ax = cycle_figures.rings([SQUARE._replace(listener=listener)]).axes[0]
    circles = [line.get_xydata()[0] for line in ax.lines[8:]]
    assert len(circles) == (listener is not None)
    assert all(np.allclose(at, PLACES[listener]) for at in circles)


def test_a_signal_is_drawn_once_around():
    figure = cycle_figures.ring_and_signal(SQUARE, {"x": [1, 2, 0, 1], "y": [0, 0, 0, 3]}, (-1, 4))
    lines = {tuple(line.get_ydata()) for line in figure.axes[1].lines}
    assert lines == {(1, 2, 0, 1, 1), (0, 0, 0, 3, 0)}
    assert figure.axes[1].get_ylim() == (-1, 4)
