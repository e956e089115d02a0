"""The recurring schematic: what is lit is in colour, lines go from those that are heard."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from uatbook import figures
from uatbook.figures.style import COLOURS, GREY
from uatbook.sources import SOURCES, STEPS


def colours_of(ax):
    """Colours of what the glyph of a step draws."""
    return {to_hex(line.get_color()) for line in ax.lines}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("lit", [*STEPS, STEPS[:2], STEPS])
def test_steps_that_a_page_is_about_are_in_colour(source, lit):
    axes = figures.schematic(source, lit=lit).axes
    for ax, step, colour in zip(axes, STEPS, COLOURS, strict=False):
        on = step == lit or step in np.atleast_1d(lit)
        assert colours_of(ax) == {colour if on else GREY}
        title = next(text for text in ax.texts if text.get_text().endswith(step))
        assert title.get_weight() == ("bold" if on else "normal")


def test_lines_go_to_a_token_from_those_that_it_hears():
    hears = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    ax = figures.schematic("cheng2025", hears=hears).axes[1]
    ends = {tuple(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2}
    x = sorted({end for pair in ends for end in pair})
    assert ends == {(x[i], x[j]) for i in range(3) for j in range(3) if hears[i][j]}


def test_an_unknown_step_is_said():
    with pytest.raises(ValueError, match=r"expected lit among .*got .'mix'"):
        figures.schematic("yun2020", lit=("cut", "mix"))
