"""Values that the reader calls, one attention layer a call, until no two sequences share an id."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from explorables.goals import Goal
from explorables.live import Field
from uatlib.checks import whole

from .picture import LivePicture

__all__ = ["Calls"]

LARGEST, MOST, WIDEST = 6, 8, 40


class Calls(LivePicture):
    """All sequences of n distinct tokens out of 0 to D - 1, a line each: the reader calls values, in any order.

    A call is a selective shift: a token that stands at the value called jumps by D (max - min) of its sequence. An id
    is the largest number of a sequence. Goal "apart": all ids differ, after as few calls as can do that, by trying all.

    Parameters
    ----------
    D : how many values a token may have, 3 to 6
    n : tokens of a sequence, 2 to D - 1
    calls : those made at first, as in "0 1"
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Numbers that are none of these; calls that are no whole numbers.
    """

    picture = "calls"
    caption = "Sequences on number lines; whoever has the value that is called jumps, and the largest number is the id."
    size = (0.66, 400, 430)

    def __init__(
        self,
        D: int = 5,
        n: int = 3,
        calls: str = "",
        *,
        title: str = "Call values until all ids differ",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        D = whole("D", D, 3, LARGEST)
        rows = [*combinations(range(D), whole("n", n, 2, D - 1))]
        data = {"D": D, "rows": rows, "most": MOST}
        controls = {"calls": Field(calls, "values called", WIDEST)}
        super().__init__(controls, (), data, title=title, name=name, goals=goals)
