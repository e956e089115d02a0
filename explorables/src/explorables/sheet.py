"""Pictures laid out in inches, at two widths: letters keep their size, axes get narrower or move below each other.

A picture is drawn once and laid out twice: as wide as the card of a page on a desk, and as wide as that on a phone.
Each is shown at its own size, so that 9 points are 12 pixels in both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["NARROW", "WIDE", "Sheet", "sheet_of"]

WIDE, NARROW = 5.75, 3.4
"""Inches: 552 pixels, the inside of a card that stands beside its words at a desk, and 326, that on a phone."""
KEY = 0.62
"""Inches that a colour key takes below."""

_SHEETS: WeakKeyDictionary[Figure, Sheet] = WeakKeyDictionary()


def sheet_of(figure: Figure) -> Sheet | None:
    """How a figure is laid out; None if not by a sheet."""
    return _SHEETS.get(figure)


@dataclass(eq=False)
class Sheet:
    """Axes in blocks: a block is a column of axes; blocks stand in lines, and in more of them where there is less room.

    Attributes
    ----------
    figure, axes : axes of shape (rows, blocks)
    heights : of the axes of a block, row by row; or one number, the largest side of squares
    sides : left, right, bottom and top of each line, room for labels
    across : blocks a line, wide and narrow
    gap : between blocks of a line, and between the rows of a block
    keys : of colours, at most two: where the last line has a place left, and else below
    """

    figure: Figure
    axes: np.ndarray
    heights: Sequence[float] | float
    sides: tuple[float, float, float, float]
    across: tuple[int, int]
    gap: tuple[float, float]
    keys: list[Axes] = field(default_factory=list)
    more: list[Callable[[bool], None]] = field(default_factory=list)
    """Called with whether the picture is narrow, after the axes have their places."""

    def __post_init__(self) -> None:
        _SHEETS[self.figure] = self
        # Kept here, since matplotlib hides the labels of shared axes by their first places.
        self.shared = tuple(len(group.get_siblings(self.axes[0, 0])) > 1 for group in self._groups())

    def _groups(self) -> tuple[Any, Any]:
        ax = self.axes[0, 0]
        return ax.get_shared_x_axes(), ax.get_shared_y_axes()

    def fit(self, width: float) -> None:
        """Give the figure this width, and each of its axes its place."""
        narrow = width < (WIDE + NARROW) / 2
        rows, blocks = self.axes.shape
        across = min(self.across[narrow], blocks)
        left, right, bottom, top = self.sides
        room = (width - left - right - self.gap[0] * (across - 1)) / across
        if isinstance(self.heights, (int, float)):
            room = min(room, self.heights)
            heights: Sequence[float] = [room] * rows
        else:
            heights = self.heights
        line = top + sum(heights) + self.gap[1] * (rows - 1) + bottom
        lines = -(-blocks // across)
        full = lines * across == blocks
        height = lines * line + (KEY if self.keys and full else 0)
        self.figure.set_size_inches(width, height)
        # Squares that are smaller than there is room stand in the middle.
        start = left + max(0.0, (width - left - right - across * room - self.gap[0] * (across - 1)) / 2)
        for block in range(blocks):
            x = start + (block % across) * (room + self.gap[0])
            y = height - (block // across) * line - top
            for row in range(rows):
                y -= heights[row]
                ax = self.axes[row, block]
                ax.set_position((x / width, y / height, room / width, heights[row] / height))
                self._label(ax, block % across == 0, row == rows - 1)
                y -= self.gap[1]
        last = start + (across - 1) * (room + self.gap[0])
        for k, key in enumerate(self.keys):
            if full:
                x, y, long = (last if k else start), 0.24, room if len(self.keys) > 1 else room * across
            else:
                x, y, long = last, bottom + sum(heights) - KEY * k - 0.4, room
            key.set_position((x / width, y / height, min(2.4, long) / width, 0.11 / height))
        for act in self.more:
            act(narrow)

    def _label(self, ax: Axes, first: bool, last: bool) -> None:
        """Numbers and names of a shared axis stand at the first block of a line and in the last row alone."""
        for axis, shared, outer in ((ax.xaxis, self.shared[0], last), (ax.yaxis, self.shared[1], first)):
            if shared:
                side: Any = {"labelbottom" if axis is ax.xaxis else "labelleft": outer}
                ax.tick_params(**side)
                axis.label.set_visible(outer)
