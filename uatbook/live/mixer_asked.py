"""What the page's search for a kernel's pair takes from `check_mixer`: its pairs, its lines of noise and its limits."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from uatlib.cheng2025 import mixer_network as network
from uatlib.cheng2025 import mixer_search as search
from uatlib.cheng2025.mixer_parsing import asked_of_kernel
from uatlib.cheng2025.pairs import ROUNDED
from uatlib.kernels import DOT

__all__ = ["RULES", "candidates", "lines"]

RULES = {
    "scales": network.SCALES,
    "again": search.AGAIN_SCALES,
    "look": search.LOOK,
    "draws": search.LOOK + search.DRAWS,
    "told": search.TOLD,
    "fooled": search.FOOLED,
    "seen": search.SEEN,
    "steps": search.STEPS,
    "starts": search.STARTS,
    "anew": search.AGAIN,
    "rate": network.RATE,
    "alike": search.ALIKE,
    "points": network.POINTS,
    "lost": network.LOST,
    "rough": network.ROUGH,
    "flat": network.FLAT,
    "rounded": ROUNDED,
}
"""What the page's search takes from that of Python."""


@functools.cache
def candidates(n: int, d: int) -> Sequence[tuple[str, list[list[float]], list[list[float]]]]:
    """The pairs that `check_mixer` tries on kernels, in its order: families and sequences."""
    asked = asked_of_kernel(DOT, [[range(n)] * n], d, group="symmetric", seed=0)
    return [(pair.family, pair.X.tolist(), pair.Y.tolist()) for pair in search.Search(asked).tried]


def lines(n: int, d: int) -> dict[str, Any]:
    """Where it is looked for noise: the first points X, theta, and steps V, W, to a few digits, and their lengths."""
    starts = [part[: network.LINES] for part in network.probes(d, n, 3 * d * d, np.random.default_rng(0))]
    parts = dict(zip("XtVW", (*starts, *network.directions(*starts)), strict=True))
    return {"steps": network.line_steps(n)} | {name: part.round(5).tolist() for name, part in parts.items()}
