"""The weights under which two tokens meet, as curves in the plane of weights, and a glass that shows them large."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uatlib.checks import shown
from uatlib.explorer.controls import Control
from uatlib.explorer.goals import Goal

from .controls import Handle, Slider
from .picture import LivePicture

__all__ = ["Curves"]

KINDS = ("softmax", "mean", "hardmax")
BETA, W = 0.4, 3.0
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
        try:
            rows = np.array(sequences, dtype=float)
        except (TypeError, ValueError):
            rows = np.empty(0)
        if rows.ndim != 2 or not (rows > 0).all() or any(len({*row}) < max(2, len(row)) for row in rows.tolist()):
            raise ValueError(f"sequences: expected rows of different positive numbers, got {shown(sequences)}.")
        offered = [*counts] if isinstance(counts, Sequence) else []
        fits = all(type(N) is int and 1 <= N <= len(rows) for N in offered)
        if not offered or not fits or offered != sorted({*offered}):
            raise ValueError(f"counts: expected increasing numbers from 1 to {len(rows)}, got {shown(counts)}.")
        first = offered[0] if start is None else start
        for key in itertools.product(KINDS, offered):
            if not isinstance(shares, Mapping) or not isinstance(shares.get(key), str):
                raise ValueError(f"shares: expected a text for each kind and count, got none for {key}.")
        controls: dict[str, Any] = {
            "kind": Control(list(KINDS), label="mixer"),
            "N": Control([str(N) for N in offered], start=str(first), label="sequences"),
            "zoom": Control([str(zoom) for zoom in ZOOMS], start="16", label="the glass magnifies"),
            "b": Slider(-BETA, BETA, 0.3, "\u03b2", digits=4),
            "w": Slider(-W, W, -1.2, "w", digits=3),
        }
        data = {
            "sequences": rows.tolist(),
            "shares": {f"{kind} {N}": shares[kind, N] for kind in KINDS for N in offered},
        }
        super().__init__(controls, [Handle("glass", "b", "w")], data, title=title, name=name, goals=goals)
