"""A kernel that the reader types, asked as `check_mixer` asks: what fools attention with it, or that no pair does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Field
from uatlib.checks import whole

from .picture import LivePicture

__all__ = ["Mixer"]

TOKENS = (3, 4, 5)


class Mixer(LivePicture):
    """One layer of attention whose kernel the reader types, and the pair of sequences that fools it, if one does.

    k(s) is of s, the inner product of a key and a query in the plane; k(x, y) of key and query, which are numbers. The
    page has the pairs of `check_mixer` with seed 0, and its limits (`RULES`), and searches as it does, for each n in
    turn. Its goals: "four" and "five", a kernel that is fooled at this n alone, and "none", at no n, though no function
    stands in it by name.

    Parameters
    ----------
    k : the formula shown first
    n : the number of tokens shown first, one out of `TOKENS`
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        A formula that is none; another n.
    """

    picture = "mixer"
    caption = "Two sets of tokens that this attention takes for each other, or that it hardly tells apart."
    size = (0.5, 400, 430, 720)

    def __init__(
        self,
        k: str = "max(0, s)",
        n: int = 4,
        *,
        title: str = "Type a kernel, and see what fools it",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        from .mixer_asked import RULES, candidates, lines  # a chapter runs again when a source that it has read changes

        n = whole("n", n, min(TOKENS), max(TOKENS))
        controls: dict[str, Any] = {
            "k": Field(k, "k(s) or k(x, y) =", 120),
            "n": Control([str(m) for m in TOKENS], label="tokens n", start=str(n), beside=True),
            "divided": Control([False, True], label="weights divided by their sum", start=True),
        }
        self.folded = ["n"]  # which has its buttons in the picture
        asked = {d: {m: {"pairs": candidates(m, d), "lines": lines(m, d)} for m in TOKENS} for d in (1, 2)}
        data = {"asked": asked, "rules": RULES}
        try:
            super().__init__(controls, (), data, title=title, name=name, goals=goals)
        except ValueError as fault:  # what its drawing refuses is the formula
            of_drawing, drawing, why = str(fault).partition(f"{self.picture}: ")
            raise ValueError(f"k: {why}") if drawing and not of_drawing else fault from None
