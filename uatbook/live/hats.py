"""Hats of three ReLUs each, which the reader puts on the line of ids until their sum answers at all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Handle, Slider
from uatlib.checks import finite, mapping, refused

from .parsers import entry, is_real, parsed
from .picture import LivePicture

__all__ = ["Hats"]

MOST, FAR, MARGIN, TOP = 4, 9.0, 0.018, 1.2
STEEPNESS = (12, 16, 24, 32, 48, 64, 96, 128, 192, 256)


class Hats(LivePicture):
    """Hats h (relu(R(z - c) - 1) - 2 relu(R(z - c)) + relu(R(z - c) + 1)), whose sum answers at ids, a panel a token.

    The reader drags the centre c and the height h >= 0 of each, one hat for each id, and sets the R of all. A hat
    without height is not used. A centre that is an id to three digits is that id, and there a height that is its
    answer to two digits is that answer: so a hat stands on a ring exactly, dragged there or by an address. Goals:
    "all", all answers are right within the tolerance; "fewest", with as few hats as there must be: their sum turns
    down only at a centre, and rises only left of one.

    Parameters
    ----------
    ids : by token, and there by what stands beside it, the id and its answer; ids increase from 0 to 9, answers are at
        most 1
    steepness : the R shown first, one out of `STEEPNESS`
    tolerance : how far from its answer an id may be, at most 0.1
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Up to four tokens of up to four ids are expected, and numbers within these limits.
    """

    picture = "hats"
    caption = "What the hats answer together at each id, and (rings) what they shall; dashed, the ReLUs of one hat."
    size = (0.5, 330, 360, 480)

    def __init__(
        self,
        ids: Mapping[str, Mapping[str, Sequence[float]]],
        steepness: float = 32,
        tolerance: float = 0.02,
        *,
        title: str = "Put a hat on each id",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        rows = {token: _pairs(entry("ids", token), given) for token, given in mapping("ids", ids).items()}
        z, answers = np.array([pair for row in rows.values() for pair in row.values()]).reshape(-1, 2).T
        if not 1 <= len(rows) <= MOST or not (np.diff([0, *z, FAR]) > 0).all():
            raise refused("ids", f"one to {MOST} tokens with ids that increase from 0 to {FAR:g}", ids)
        if not is_real(steepness) or steepness not in STEEPNESS:
            raise refused("steepness", f"one of {', '.join(map(str, STEEPNESS))}", steepness)
        off = finite("tolerance", tolerance, 0, 0.1)
        half = max(max(row.values())[0] - min(row.values())[0] for row in rows.values()) / 2 + MARGIN
        controls: dict[str, Any] = {"R": Control(STEEPNESS, start=steepness, label="steepness R")}
        panels: list[dict[str, Any]] = []
        handles: list[Handle] = []
        for token, row in rows.items():
            places = [place for place, _ in row.values()]
            middle = (places[0] + places[-1]) / 2
            low, high = round(middle - half, 3), round(middle + half, 3)
            panels.append({
                "token": token,
                "low": low,
                "high": high,
                "ids": [{"name": key, "z": place, "answer": answer} for key, (place, answer) in row.items()],
            })  # fmt: skip
            for aside in np.linspace(low + 0.006, high - 0.006, len(row)):
                k = len(handles) + 1
                at, tall = (aside, 0.0) if handles else (places[0], answers[0])  # one stands where it shall
                controls[f"c{k}"] = Slider(low, high, round(float(at), 3), "centre", 3)
                controls[f"h{k}"] = Slider(0, TOP, round(float(tall), 2), "height")
                handles.append(Handle(f"hat {k}, token {token}", f"c{k}", f"h{k}"))
        controls["hat"] = Control([f"{k + 1}" for k in range(max(2, len(handles)))], label="hat in hand", hidden=True)
        data = {"rows": panels, "top": TOP, "tolerance": off, "least": _least(z.tolist(), answers.tolist(), off)}
        super().__init__(controls, handles, data, title=title, name=name, goals=goals)


def _pairs(name: str, given: object) -> dict[str, tuple[float, float]]:
    """The id and its answer by what stands beside the token."""
    row = mapping(name, given)
    found = parsed([*row.values()])
    if found.shape[1:] != (2,) or not 1 <= len(found) <= MOST or not ((found[:, 1] >= 0) & (found[:, 1] <= 1)).all():
        raise refused(name, f"for one to {MOST} neighbours an id, and an answer from 0 to 1", given)
    return {key: (place, answer) for key, (place, answer) in zip(row, found.tolist(), strict=True)}


def _least(z: Sequence[float], answers: Sequence[float], tolerance: float) -> int:
    """How many hats there must be at least.

    Where a chord is steeper than the next, whatever the tolerance does to them, the sum turns down in between, and it
    does so at a centre only. Where it rises, a centre lies further right; where it falls, further left. Of such
    intervals we count disjoint ones.
    """
    steps = [b - a for a, b in pairwise(z)]
    lowest, highest = (
        [(b - a + sign * 2 * tolerance) / step for (a, b), step in zip(pairwise(answers), steps, strict=True)]
        for sign in (-1, 1)
    )
    turns = [(z[k], z[k + 2]) for k in range(len(steps) - 1) if lowest[k] > highest[k + 1]]
    rises = [(z[k], math.inf) for k in range(len(steps)) if lowest[k] > 0]
    falls = [(-math.inf, z[k + 1]) for k in range(len(steps)) if highest[k] < 0]
    count, end = 0, -math.inf
    for low, high in sorted([*falls[:1], *turns, *rises[-1:]], key=lambda one: one[1]):
        if low >= end:
            count, end = count + 1, high
    return max(count, int(max(answers) > tolerance))
