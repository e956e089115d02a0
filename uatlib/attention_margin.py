"""How far apart one head of softmax attention keeps the contexts of a token, as its scale varies; the best scale.

Tokens are numbers x_1, ..., x_V here (v^T x of each, see `token_projection`). In a context C, n tokens among which t is
one, the token t hears m_t(C) = sum_{x in C} x softmax(beta t C)_x. The margin of a scale beta is the least
|m_t(C) - m_t(C')| over all t and all C != C' that contain t. By the theorem of Lindemann and Weierstrass it is positive
for every rational beta but 0, see `boltzmann_gap.log_gap`; how large it is must be computed.

Under a mask a token sees some of n tokens, itself among them: with `masked` the contexts are those of 1 to n tokens, as
under `masks.causal` and `masks.padding`. With `repeats` contexts of different lengths may hold the same tokens in the
same proportions, as (a, b) and (a, a, b, b). Softmax weighs them alike at every scale, so they count as one context.

Source: ours; kajitsuka2024, Theorem 2, asks for a scale so large that the margin is like 10^-3749. Masks: appendix C.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .arithmetic import BALL, Ball
from .arithmetic.base import exact, numbers, real
from .boltzmann import boltz, require_length
from .token_projection import projections

__all__ = [
    "PracticalScale",
    "certified_margin",
    "context_margins",
    "contexts",
    "margins",
    "practical_scale",
    "search_scale",
]

MAX_WORK = 200_000_000
"""Exponentials that a search may take."""
MAX_CERTIFIED = 20_000
"""Values that are enclosed one by one."""
CHUNK = 4_000_000
ROUND = 2**20


def contexts(size: int, n: int, repeats: bool = False, masked: bool = False) -> list[tuple[int, ...]]:
    """The sets of n of the tokens 0, ..., size - 1; with `repeats` the multisets. Each in increasing order.

    With `masked` those of 1 to n tokens, the shorter ones first; of multisets in the same proportions the shortest.

    Raises
    ------
    ValueError
        n is no int >= 2, or there are fewer than two contexts.
    """
    n = require_several(size, n, repeats, masked)
    choose = itertools.combinations_with_replacement if repeats else itertools.combinations
    rows = [row for length in _lengths(n, masked) for row in choose(range(size), length)]
    return [row for row in rows if not masked or math.gcd(*Counter(row).values()) == 1]


def require_several(size: int, n: int, repeats: bool = False, masked: bool = False) -> int:
    """n, if `contexts` has more than one to list; its errors. Nothing is listed."""
    n = require_length(n, "contexts")
    for name, flag in (("repeats", repeats), ("masked", masked)):
        if not isinstance(flag, (bool, np.bool_)):
            raise ValueError(f"{name}: expected True or False, got {flag!r}; a mask is given to rank_one_attention.")
    if size < 2 or not (repeats or n < size or (masked and n == size)):
        least = f"at least n = {n}" if masked else f"more than n = {n}"
        raise ValueError(
            f"contexts: expected {least} tokens, got {size}: one context has none to be told from; margins have an "
            "option repeats=True that allows a token more than once."
        )
    return n


def _lengths(n: int, masked: bool) -> range:
    return range(1 if masked else n, n + 1)


def _count(size: int, n: int, repeats: bool, masked: bool) -> int:
    """How many contexts there are, or a little more where some count as one; errors as `contexts`."""
    lengths = _lengths(require_several(size, n, repeats, masked), masked)
    return sum(math.comb(size + k - 1, k) if repeats else math.comb(size, k) for k in lengths)


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Contexts of one or several lengths as an array of indices, shape (contexts, longest), with -1 for no token."""
    width = max(map(len, rows))
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows])


def margins(tokens: Sequence[Any], n: int, scales: Any, repeats: bool = False, masked: bool = False) -> np.ndarray:
    """The margin of each scale, in float64, shape of `scales`; scale 0 compares means.

    Raises
    ------
    ValueError
        As `contexts`; tokens or scales are no finite numbers; more than 200 million exponentials.
    """
    x = np.array([float(real(t)) for t in tokens])
    beta = np.asarray(numbers(scales, "scales"), dtype=np.float64)
    if not np.isfinite(beta).all():
        raise ValueError("scales: expected finite numbers, got NaN or infinity.")
    _require_work(_count(len(x), n, repeats, masked), n, beta.size, MAX_WORK)
    return context_margins(x, padded(contexts(len(x), n, repeats, masked)), beta)


def context_margins(x: np.ndarray, rows: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The margin of each scale over some contexts only, in float64; infinity if no token is in two of them.

    Parameters
    ----------
    x : the tokens as numbers, shape (V,)
    rows : the contexts, all different, as indices of tokens, shape (contexts, n); -1 for no token
    """
    least = np.full(scales.size, np.inf)
    for t in np.unique(rows[rows >= 0]):
        row = rows[(rows == t).any(axis=1)]
        # Where there is no token stands the listener, and its power is 0 there.
        values, present = x[np.where(row < 0, t, row)], row >= 0
        if len(values) < 2:
            continue
        step = max(1, CHUNK // values.size)
        for start in range(0, scales.size, step):
            scores = scales.ravel()[start : start + step, None, None] * x[t] * values
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * present
            heard = np.sort((weights * values).sum(axis=-1) / weights.sum(axis=-1), axis=-1)
            gaps = np.diff(heard, axis=-1).min(axis=-1)
            least[start : start + step] = np.minimum(least[start : start + step], gaps)
    return least.reshape(scales.shape)


def certified_margin(
    tokens: Sequence[Any], n: int, scale: Any, repeats: bool = False, masked: bool = False, *, bits: int = 128
) -> Ball:
    """The margin of a rational scale, as a ball: every context of every token is enclosed, none is left out.

    Raises
    ------
    ValueError
        As `contexts`; the scale or a token is 0; more than 20,000 values.
    """
    x, beta = [Fraction(exact(real(t))) for t in tokens], Fraction(exact(real(scale)))
    if not beta or not all(x):
        raise ValueError("certified_margin: expected a scale and tokens other than 0, where scores say nothing.")
    _require_work(_count(len(x), n, repeats, masked), n, 1, MAX_CERTIFIED)
    system = BALL.with_bits(bits)
    low = high = None
    for t in range(len(x)):
        heard = []
        for row in contexts(len(x), n, repeats, masked):
            if t in row:
                ball = boltz([beta * x[t] * x[k] for k in row], system=system)
                centre, radius = ball.midpoint / (beta * x[t]), ball.radius / abs(beta * x[t])
                heard.append((centre - radius, centre + radius))
        heard.sort()
        for (a_low, a_high), (b_low, b_high) in itertools.pairwise(heard):
            low = b_low - a_high if low is None else min(low, b_low - a_high)
            high = b_high - a_low if high is None else min(high, b_high - a_low)
    assert low is not None
    assert high is not None
    low = max(low, Fraction(0))
    with system.context():
        return Ball((low + high) / 2, (high - low) / 2)


def _require_work(contexts: int, n: int, scales: int, limit: int) -> None:
    work = contexts * n * n * scales
    if work > limit:
        raise ValueError(
            f"margins: {work:,} terms to compute, the limit is {limit:,}; choose fewer tokens, shorter sequences or a "
            "coarser search."
        )


@dataclass(frozen=True)
class PracticalScale:
    """The best scale that was found in an interval.

    Attributes
    ----------
    scale : an exact rational
    margin : enclosed, over all contexts
    contexts : how many there are
    """

    scale: Fraction
    margin: Ball
    contexts: int


def practical_scale(
    vocabulary: Any,
    n: int,
    interval: tuple[Any, Any] = (-1, 1),
    repeats: bool = False,
    masked: bool = False,
    *,
    vector: Any = None,
    grid: int = 2001,
) -> PracticalScale:
    """The scale beta with the largest margin found in the interval, and this margin, certified.

    The margin is that of what a token hears, before W_O, over all sequences of n different tokens; with `repeats` over
    all multisets; with `masked` over all that a token may see under a mask, see `contexts`. It has many local maxima:
    the interval is sampled at `grid` points, and the neighbourhoods of the best eight are sampled finer and finer. So a
    larger one may exist; the one returned is certain.

    Parameters
    ----------
    vocabulary : tokens as columns, shape (d, V), or (V,) for d = 1
    vector : a vector to see them along; without it that of `token_projection.direction`

    Raises
    ------
    ValueError
        As `projections`, `contexts` and `margins`; no interval of numbers low < high; grid < 3.
    """
    x = projections(vocabulary, vector)
    try:
        low, high = (float(real(end)) for end in interval)
    except (TypeError, ValueError):
        raise ValueError(f"practical_scale: expected an interval (low, high) of numbers, got {interval!r}.") from None
    if not low < high:
        raise ValueError(f"practical_scale: expected low < high, got {interval!r}.")
    if not isinstance(grid, int) or grid < 3:
        raise ValueError(f"practical_scale: expected grid to be an int >= 3, got {grid!r}.")
    _require_work(_count(len(x), n, repeats, masked), n, 1, MAX_CERTIFIED)
    rows = contexts(len(x), n, repeats, masked)
    scale = search_scale(x, rows, (low, high), grid)
    return PracticalScale(scale, certified_margin(x, n, scale, repeats, masked), len(rows))


def search_scale(
    tokens: Sequence[Any], rows: Sequence[Sequence[int]], interval: tuple[float, float], grid: int
) -> Fraction:
    """The scale in the interval with the largest margin found over the contexts `rows`; a rational, never 0.

    The contexts may be of several lengths.

    Raises
    ------
    ValueError
        More than 200 million exponentials at `grid` scales.
    """
    low, high = interval
    x, index = np.array([float(t) for t in tokens]), padded(rows)
    scales = np.linspace(low, high, grid)
    _require_work(len(index), index.shape[1], grid, MAX_WORK)
    found = context_margins(x, index, scales)
    width = (high - low) / (grid - 1)
    best = scales[np.argsort(found)[-8:]]
    for _ in range(5):
        around = np.clip(best[:, None] + np.linspace(-width, width, 41), low, high)
        values = context_margins(x, index, around)
        best = around[np.arange(len(best)), values.argmax(axis=1)]
        width /= 20
    beta = best[context_margins(x, index, best).argmax()]
    unit = ROUND / 2 ** math.floor(math.log2(high - low))
    # Scale 0 weighs all alike; the next one does nearly.
    steps = round(float(beta) * unit) or (1 if high > 0 else -1)
    return steps / Fraction(unit)
