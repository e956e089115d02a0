"""A pair of sequences that the reader designs, until mixers take one for the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorables.goals import Goal
from explorables.live import Handle, Slider
from uatlib.checks import listed, refused, whole

from .picture import LivePicture

__all__ = ["Pair"]

MOST, OWN, ASKS = 6, 3, 1
"""The largest token, how many each sequence has alone, and the largest query that is drawn."""


class Pair(LivePicture):
    """Sequences X and Y of five tokens, whole numbers; two tokens stand in both, and each has three of its own.

    The reader drags them all. Five mixers answer, heads of attention on numbers without biases: mean (every weight 1),
    linear (q x_j, not divided), hardmax, sigmoid (not divided) and softmax. A token of both, which is not 0, may have
    any query q, by its weights. A mixer is fooled if the token hears the same in X and in Y for all q, though these are
    different sets of distinct tokens; that is decided in whole numbers. Goals: "mean", the mean is fooled; "two" and
    "four", so many are, by one pair.

    Parameters
    ----------
    X, Y : the three tokens of each alone, shown first, from -6 to 6
    both : those that both have, one negative and one positive
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Tokens that are none of these, or not different.
    """

    picture = "pair"
    caption = (
        "Drag the tokens. Below, what a black token hears in X (blue) and in Y (pink, dashed) if it asks with q, its "
        "number times a weight: a lamp burns where that is the same for all q."
    )
    size = (0.55, 350, 370, 560)

    def __init__(
        self,
        X: Sequence[int] = (-5, 2, 5),
        Y: Sequence[int] = (-4, 0, 4),
        both: Sequence[int] = (-2, 3),
        *,
        title: str = "Design a pair that fools a mixer",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        rows = {"X": _tokens("X", X, OWN), "Y": _tokens("Y", Y, OWN), "both": _tokens("both", both, 2)}
        if not rows["both"][0] < 0 < rows["both"][1]:
            raise refused("both", "a negative and a positive number", both)
        for key in ("X", "Y"):
            if len({*rows[key], *rows["both"]}) < OWN + 2:
                raise refused(key, "tokens that differ from each other and from those of both", rows[key])
        controls: dict[str, Any] = {}
        handles: list[Handle] = []
        for key, row in rows.items():
            for k, token in enumerate(row, 1):
                named = f"{key[0].lower()}{k}"
                low, high = (-MOST, MOST) if key != "both" else ((-MOST, -1), (1, MOST))[k - 1]
                controls[named] = Slider(low, high, token, "place", 0)
                handles.append(Handle(f"token {k} of {key}", named))
        super().__init__(controls, handles, {"most": MOST, "asks": ASKS}, title=title, name=name, goals=goals)


def _tokens(name: str, given: object, count: int) -> list[int]:
    """So many whole numbers of the line."""
    found = [whole(f"{name}[{k}]", token, -MOST, MOST) for k, token in enumerate(listed(name, given))]
    if len(found) != count:
        raise refused(name, f"{count} whole numbers", given)
    return found
