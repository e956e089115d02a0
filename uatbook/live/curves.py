"""The weights under which two tokens meet, as curves in the plane of weights, and a glass that shows them large."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Handle, Slider
from uatlib.checks import listed, positive, refused, whole

from .picture import LivePicture

__all__ = ["Curves"]

KINDS = ("softmax", "mean", "hardmax")
BETA, W = 0.4, 3.0
MOST, LONGEST = 16, 300
ZOOMS = (4, 16, 64, 256, 1024)


class Curves(LivePicture):
    """All weights (beta, w) for which two tokens come out equal: curves, or areas; and what lies under a glass.

    Tokens are positive numbers, and become x_i + w h_i, where h_i is what token i hears: of softmax(beta x_i x_j), of
    their mean, or of hardmax. The reader drags the glass, by mouse, finger or keys, and chooses what it magnifies.

    Parameters
    ----------
    sequences : of equally many different tokens each
    counts : how many of the sequences, from the first on, a menu offers, in increasing order
    shares : by kind and count, a text about random weights, which the read-out repeats
    start : the count shown first; the first if not given
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Sequences that are none, counts that are not in order or too large, shares that are missing.
    """

    picture = "curves"
    caption = "Weights under which two tokens come out equal, and some of them under a glass."
    size = (0.56, 330, 390, 690)

    def __init__(
        self,
        sequences: Sequence[Sequence[float]],
        counts: Sequence[int],
        shares: Mapping[tuple[str, int], str],
        *,
        start: int | None = None,
        title: str = "Weights that fail",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        expected = f"up to {MOST} rows of equally many different positive numbers"
        rows = [
            [float(positive("sequences", x)) for x in listed("sequences", row, expected, most=MOST)]
            for row in listed("sequences", sequences, expected, most=MOST)
        ]
        if len({*map(len, rows)}) != 1 or any(len({*row}) < max(2, len(row)) for row in rows):
            raise refused("sequences", expected, sequences)
        increasing = f"increasing numbers from 1 to {len(rows)}"
        offered = [whole("counts", N, 1, len(rows)) for N in listed("counts", counts, increasing, most=MOST)]
        if not offered or offered != sorted({*offered}):
            raise refused("counts", increasing, counts)
        first = offered[0] if start is None else whole("start", start, 1, len(rows))
        texts = {}
        for kind, N in itertools.product(KINDS, offered):
            said = shares.get((kind, N)) if isinstance(shares, Mapping) else None
            if not isinstance(said, str) or len(said) > LONGEST:
                raise refused("shares", f"a text of up to {LONGEST} signs for each kind and count", shares)
            texts[f"{kind} {N}"] = said
        controls: dict[str, Any] = {
            "kind": Control(list(KINDS), label="mixer"),
            "N": Control([str(N) for N in offered], start=str(first), label="sequences"),
            "zoom": Control([str(zoom) for zoom in ZOOMS], start="16", label="the glass magnifies"),
            "b": Slider(-BETA, BETA, 0.3, "\u03b2", digits=4),
            "w": Slider(-W, W, -1.2, "w", digits=3),
        }
        self.folded = ["zoom"]
        data = {"sequences": rows, "shares": texts}
        super().__init__(controls, [Handle("glass", "b", "w")], data, title=title, name=name, goals=goals)
