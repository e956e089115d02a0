"""How far apart one head of softmax attention keeps the contexts of a token, as its scale varies; the best scale.

Tokens are numbers x_1, ..., x_V here (v^T x of each, see `directions`). In a context C, n tokens among which t is
one, the token t hears m_t(C) = sum_{x in C} x softmax(beta t C)_x. The margin of a scale beta is the least
|m_t(C) - m_t(C')| over all t and all C != C' that contain t. By the theorem of Lindemann and Weierstrass it is positive
for every rational beta but 0, see `gaps.log_gap`; how large it is must be computed.

Under a mask a token sees some of n tokens, itself among them: with `masked` the contexts are those of 1 to n tokens, as
under `masks.causal` and `masks.padding`. With `repeats` contexts of different lengths may hold the same tokens in the
same proportions, as (a, b) and (a, a, b, b). Softmax weighs them alike at every scale, so they count as one context.

Source: ours; kajitsuka2024, Theorem 2, asks for a scale so large that the margin is like 10^-3749. Masks: appendix C.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import BALL, Arithmetic, Ball
from ..arithmetic.numbers import FLOAT_RANGE, Number, entries, fraction
from ..checks import flag, rationals, refused, shown, whole
from ..internal.shapes import Numbers
from . import boltzmann_operator, directions
from .boltzmann_operator import vector_of

MAX_WORK = 200_000_000
"""Exponentials that a search may take."""
MAX_CERTIFIED = 20_000
"""Exponentials that are enclosed one by one."""
MAX_BITS = 100_000
"""Binary digits of each,"""
MAX_ALL_BITS = 20_000_000
"""and of all."""
MAX_LISTED = 2_000_000
"""Tokens in a list of contexts."""
CHUNK = 4_000_000
MARGIN_BITS = 128
DIGITS = 20
"""Binary digits of a short scale."""


@dataclass(frozen=True)
class ContextSet:
    """The contexts of n of `size` tokens, as `contexts` lists them; with its errors, and none listed yet."""

    size: int
    n: int
    repeats: bool = False
    masked: bool = False

    def __post_init__(self) -> None:
        parsed = {
            "n": boltzmann_operator.length(self.n),
            "size": whole("size", self.size, 0, hint="it is the number of tokens"),
        }
        parsed |= {"repeats": flag("repeats", self.repeats), "masked": flag("masked", self.masked)}
        self.__dict__.update(parsed)
        if self.size < 2 or not (self.repeats or self.n < self.size + self.masked):
            least = f"{'at least' if self.masked else 'more than'} n = {shown(self.n)}"
            hint = "margins have an option repeats=True that allows a token more than once"
            why = f"one context has none to be told from; {hint}"
            raise ValueError(f"n: expected {least} tokens, got {self.size}: {why}.")

    @property
    def lengths(self) -> range:
        """How many tokens a context may hold."""
        return range(1 if self.masked else self.n, self.n + 1)

    def count(self, limit: int) -> int:
        """How many there are, or a little more where some count as one; if over the limit, some number over it."""
        total = 0
        for k in self.lengths:
            total += _binomial(self.size + k - 1 if self.repeats else self.size, k, limit)
            if total > limit:
                break
        return total

    def work(self, scales: int, limit: int) -> int:
        """Exponentials to take for all of them at so many scales; ValueError if they are over the limit."""
        return _limited(self.count(limit) * self.n**2 * scales, limit)

    def rows(self) -> list[tuple[int, ...]]:
        """All of them."""
        if self.count(MAX_LISTED // self.n) * self.n > MAX_LISTED:
            sets = f"sets of n = {shown(self.n)} out of {shown(self.size)} tokens"
            hint = f"the limit is {MAX_LISTED:,} tokens in all; choose fewer tokens or shorter sequences"
            raise ValueError(f"n: expected fewer {sets}, {hint}.")
        choose = itertools.combinations_with_replacement if self.repeats else itertools.combinations
        rows = [row for k in self.lengths for row in choose(range(self.size), k)]
        return [row for row in rows if not self.masked or math.gcd(*Counter(row).values()) == 1]


def contexts(size: int, n: int, repeats: bool = False, masked: bool = False) -> list[tuple[int, ...]]:
    """The sets of n of the tokens 0, ..., size - 1; with `repeats` the multisets. Each in increasing order.

    With `masked` those of 1 to n tokens, the shorter ones first; of multisets in the same proportions the shortest.

    Raises
    ------
    ValueError
        size is no int, n no int >= 2, there are fewer than two contexts, or they have more than 2,000,000 tokens.

    Source: kajitsuka2024, Definition 2; masks as in appendix C.
    """
    return ContextSet(size, n, repeats, masked).rows()


def _binomial(size: int, k: int, limit: int) -> int:
    """The binomial coefficient; where it is over the limit, an earlier one of the row that is, too."""
    value = 1
    for i in range(min(k, size - k)):
        value = value * (size - i) // (i + 1)
        if value > limit:
            break
    return value


def _limited(work: int, limit: int) -> int:
    if work > limit:
        hint = "choose fewer tokens, shorter sequences or a coarser search"
        raise ValueError(f"n: expected fewer terms to compute, the limit is {limit:,}; {hint}.")
    return work


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Contexts of one or several lengths as an array of indices, shape (contexts, longest), with -1 for no token."""
    width = max(map(len, rows))
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows])


def margins(
    tokens: Sequence[Number], n: int, scales: Numbers, repeats: bool = False, masked: bool = False
) -> np.ndarray:
    """The margin of each scale, in float64, shape of `scales`; scale 0 compares means.

        min |m_t(C) - m_t(C')| over tokens t and contexts C != C' with t,  m_t(C) = sum_{x in C} x softmax(beta t C)_x

    Parameters
    ----------
    tokens : different numbers, shape (V,)
    n, repeats, masked : which contexts there are, see `contexts`
    scales : beta, of any shape, in units of 1 / token^2; the margin has the unit of a token

    Raises
    ------
    ValueError
        As `contexts`; tokens or scales are no numbers, or make scores over 2^1000; more than 200 million exponentials.

    Source: ours, on kajitsuka2024, Theorem 2; masks as in appendix C.
    """
    x, beta = vector_of(tokens, "tokens"), entries(scales, "scales", fraction)
    numbers = _floats(x, beta.flat)
    heard = ContextSet(len(x), n, repeats, masked)
    heard.work(beta.size, MAX_WORK)
    return context_margins(numbers, padded(heard.rows()), beta.astype(np.float64))


def _floats(x: Sequence[Fraction], scales: Iterable[Any], name: str = "scales") -> np.ndarray:
    """x in float64; ValueError if scores would be too large for it."""
    if max(map(abs, x)) ** 2 * Fraction(max(map(abs, scales), default=0)) > 2**FLOAT_RANGE:
        raise ValueError(f"{name}: expected scores scale x_i x_j of at most 2^{FLOAT_RANGE}; choose smaller scales.")
    return np.array([float(t) for t in x])


def context_margins(x: np.ndarray, rows: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The margin of each scale over some contexts only, in float64; infinity if no token is in two of them.

    Parameters
    ----------
    x : the tokens as numbers, shape (V,)
    rows : the contexts, all different, as indices of tokens, shape (contexts, n); -1 for no token
    """
    least = np.full(scales.size, np.inf)
    for t, places in _places(rows):
        row = rows[places]
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


def _places(rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each token, with the rows it is in."""
    where = np.nonzero(rows >= 0)
    pairs = np.unique(rows[where] * len(rows) + where[0])
    tokens, places = pairs // len(rows), pairs % len(rows)
    found, starts = np.unique(tokens, return_index=True)
    yield from zip(found.tolist(), np.split(places, starts[1:]), strict=True)


def certified_margin(
    tokens: Sequence[Number],
    n: int,
    scale: Number,
    repeats: bool = False,
    masked: bool = False,
    *,
    bits: int = MARGIN_BITS,
) -> Ball:
    """The margin of a rational scale, as a ball: every context of every token is enclosed, none is left out.

    Parameters as `margins`, and `bits` of working precision.

    Raises
    ------
    ValueError
        As `contexts`; the scale or a token is 0, or over 2^1000; more than 20,000 exponentials, more than 20
        million bits for all of them or 100,000 for each.
    Undecided
        The bits are too few to enclose what is heard.

    Source: ours, on kajitsuka2024, Theorem 2.
    """
    x, (beta,) = vector_of(tokens, "tokens"), vector_of([scale], "scale")
    if not beta or not all(x):
        raise ValueError("certified_margin: expected a scale and tokens other than 0, where scores say nothing.")
    heard_of = ContextSet(len(x), n, repeats, masked)
    work = heard_of.work(1, MAX_CERTIFIED)
    system = BALL.with_bits(whole("bits", bits, 1, min(MAX_BITS, MAX_ALL_BITS // work)))
    return _enclosed(x, beta, heard_of.rows(), system)


def _enclosed(x: Sequence[Fraction], beta: Fraction, rows: Sequence[Sequence[int]], system: Arithmetic) -> Ball:
    """The least distance of what a token hears in two of the contexts."""
    lower, upper = [], []
    for t in range(len(x)):
        factor = beta * x[t]
        balls = [boltzmann_operator.boltz([factor * x[k] for k in row], system=system) for row in rows if t in row]
        heard = sorted(tuple(sorted((ball.lower / factor, ball.upper / factor))) for ball in balls)
        lower += [low - high for (_, high), (low, _) in itertools.pairwise(heard)]
        upper += [high - low for (low, _), (_, high) in itertools.pairwise(heard)]
    low, high = max(min(lower), Fraction(0)), min(upper)
    with system.context():
        return Ball((low + high) / 2, (high - low) / 2)


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
    vocabulary: Numbers,
    n: int,
    interval: tuple[object, object] = (-1, 1),
    repeats: bool = False,
    masked: bool = False,
    *,
    vector: Numbers | None = None,
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
    vector : a vector to see them along; without it that of `direction`

    Raises
    ------
    ValueError
        As `projections`, `contexts` and `margins`; no interval of numbers low < high; grid is no int >= 3.
    Undecided
        As `certified_margin`.

    Source: ours; kajitsuka2024, Theorem 2, has a scale of another size, see `separation`.
    """
    ends, grid = rationals("interval", interval, 1), whole("grid", grid, 3)
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise refused("interval", "(low, high) with low < high", interval)
    x = directions.projections(vocabulary, vector)
    heard = ContextSet(len(x), n, repeats, masked)
    heard.work(1, MAX_CERTIFIED)
    rows = heard.rows()
    scale = search_scale(x, rows, ends, grid)
    return PracticalScale(scale, _enclosed(x, scale, rows, BALL.with_bits(MARGIN_BITS)), len(rows))


def search_scale(
    x: Sequence[Fraction], rows: Sequence[Sequence[int]], interval: Iterable[Number], grid: int
) -> Fraction:
    """The scale in the interval with the largest margin found over the contexts `rows`; a rational, never 0.

    It has about 20 binary digits for the width of the interval, if that costs at most a tenth of the margin; else it is
    a float. The contexts may be of several lengths. ValueError for more than 200 million exponentials at `grid` scales,
    or scores over 2^1000.
    """
    index, tokens = padded(rows), _floats(x, interval, "interval")
    low, high = map(float, interval)
    _limited(index.shape[1] * index.size * grid, MAX_WORK)
    scales = np.linspace(low, high, grid)
    found = context_margins(tokens, index, scales)
    width = (high - low) / (grid - 1)
    best = scales[np.argsort(found)[-8:]]
    for _ in range(5):
        around = np.clip(best[:, None] + np.linspace(-width, width, 41), low, high)
        values = context_margins(tokens, index, around)
        best = around[np.arange(len(best)), values.argmax(axis=1)]
        width /= 20
    beta = float(best[context_margins(tokens, index, best).argmax()])
    unit = Fraction(2) ** (math.floor(math.log2(high - low)) - DIGITS)
    # Scale 0 weighs all alike; the next one does nearly.
    short = (round(Fraction(beta) / unit) or (1 if high > 0 else -1)) * unit
    if low <= short <= high:
        margin, kept = context_margins(tokens, index, np.array([beta, float(short)]))
        if kept >= margin * 0.9:
            return short
    return Fraction(beta or high or low)
