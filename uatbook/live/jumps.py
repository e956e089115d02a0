"""Tokens that jump, value by value, as the selective shift moves them: the reader's own tokens, typed or dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Field
from uatlib.checks import listed, refused, whole

from .picture import LivePicture

__all__ = ["Jumps"]

LARGEST, MOST, WIDEST = 16, 8, 40


class Jumps(LivePicture):
    """Number lines, one below the other: tokens jump when their value is called, by the base times the range.

    The reader types two to eight whole numbers below the base, perhaps as a date, or drags those of the first line.

    Parameters
    ----------
    tokens : those shown first, as in "0 1 3"
    bases : of which a menu offers a choice, from 2 to 16, the first of them first
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Bases that are none, tokens that are none in the first base.
    """

    picture = "jumps"
    caption = "Number lines, one below the other: each token jumps far beyond the others."
    size = (0.6, 350, 410, 330)

    def __init__(
        self,
        tokens: str = "0 1 3",
        bases: Sequence[int] = (10, 4),
        *,
        title: str = "Each token jumps, and leaves a digit",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        expected = f"two or more whole numbers from 2 to {LARGEST}, each once"
        row = [whole("bases", N, 2, LARGEST) for N in listed("bases", bases, expected, most=LARGEST)]
        if not 2 <= len({*row}) == len(row):
            raise refused("bases", expected, bases)
        if not isinstance(tokens, str) or len(tokens) > WIDEST:
            raise refused("tokens", "a text such as '0 1 3'", tokens)
        controls: dict[str, Any] = {
            "N": Control([str(N) for N in row], start=str(row[0]), label="base N"),
            "tokens": Field(tokens, "tokens", WIDEST),
        }
        super().__init__(controls, (), {"most": MOST}, title=title, name=name, goals=goals)
