"""Vocabularies as exact numbers, and unit vectors that turn tokens into numbers without bringing them too close.

Source: kajitsuka2024, section B.1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic.numbers import numbers
from ..checks import rationals, refused, whole
from ..internal.shapes import Numbers

MAX_DRAWS = 100_000
MAX_WORK = 2_000_000_000
"""Products that a search over all pairs of tokens may take."""
EXACT_PAIRS = 10_000
"""Pairs of tokens whose ratio is computed exactly, those whose float is least."""
SMALL, LARGE = 4, 100
"""What a difference of whole numbers counts, in int64 and beyond it."""
MAX_NUMBERS = 200_000
"""Numbers of a vocabulary."""
VECTOR_BITS = 20


def tokens_of(vocabulary: Numbers, name: str = "vocabulary") -> np.ndarray:
    """The vocabulary as an object array of Fraction, shape (d, V).

    Parameters
    ----------
    vocabulary : numbers of shape (d, V), columns are tokens, or (V,) for d = 1

    Raises
    ------
    ValueError
        No such array, more than 200,000 numbers, fewer than two tokens, a token twice, or the zero token, which asks no
        question.
    """
    if (count := numbers(vocabulary, name).size) > MAX_NUMBERS:
        raise refused(name, f"at most {MAX_NUMBERS:,} numbers", count)
    tokens = rationals(name, vocabulary)
    tokens = tokens[None, :] if tokens.ndim == 1 else tokens
    if tokens.ndim != 2 or tokens.shape[0] < 1 or tokens.shape[1] < 2:
        raise ValueError(f"{name}: expected two tokens or more, as columns (d, V) or (V,), got {tokens.shape}.")
    columns = [tuple(column) for column in tokens.T]
    if len(set(columns)) < len(columns):
        raise ValueError(f"{name}: expected different tokens, got one twice; np.unique(..., axis=1) removes copies.")
    if any(not any(column) for column in columns):
        raise ValueError(f"{name}: expected tokens other than 0, whose scores are all 0; shift the vocabulary.")
    return tokens


@dataclass(frozen=True)
class Direction:
    """The best of `draws` random unit vectors, of which `successes` met Lemma 2.

    Attributes
    ----------
    vector : exact rationals, of norm 1
    ratio : least |v^T (x - x')| / ||x - x'|| over different x, x' in the vocabulary and 0
    constant : what Lemma 2 asks of it, sqrt(8 / (pi d)) / (V + 1)^2
    """

    vector: tuple[Fraction, ...]
    ratio: float
    constant: float
    draws: int
    successes: int


def direction(vocabulary: Numbers, *, draws: int = 100, seed: int = 0) -> Direction:
    """A unit vector v with |v^T (x - x')| >= sqrt(8 / (pi d)) / (V + 1)^2 ||x - x'|| for x, x' in the vocabulary and 0.

    Random directions, as Lemma 2 promises that many will do; the best of `draws` is returned. Each is rounded by a
    stereographic projection, whose rational points are exactly the rational unit vectors. Differences of tokens are
    exact before they are rounded, so tokens may be of any size and as close as one likes.

    Parameters
    ----------
    vocabulary : tokens as columns, shape (d, V), or (V,) for d = 1; in any unit, which v does not depend on

    Raises
    ------
    ValueError
        As `tokens_of`; draws is no int in [1, 100,000], or the seed no int >= 0; V^2 d (draws + 4) / 2 exceeds
        2,000,000,000, with 100 in place of 4 unless tokens are small whole multiples of one number; no draw met the
        bound, or the best one no longer does when it is rounded.

    Source: kajitsuka2024, Lemmas 2 and 3.
    """
    tokens, seed = tokens_of(vocabulary), checks.seed(seed)
    draws = whole("draws", draws, 1, MAX_DRAWS)
    d, size = tokens.shape
    constant = math.sqrt(8 / (math.pi * d)) / (size + 1) ** 2
    if d == 1:
        return Direction((Fraction(1),), 1.0, constant, draws, draws)
    points, _ = _whole(tokens, draws)
    vectors = np.random.default_rng(seed).standard_normal((draws, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ratios = np.full(draws, np.inf)
    for block in _differences(points):
        np.minimum(ratios, abs(vectors @ block).min(axis=1), out=ratios)
    best = int(ratios.argmax())
    # For a large vocabulary the bound is small, and so must be what rounding changes.
    rounded = rational_unit(vectors[best], max(VECTOR_BITS, math.ceil(-math.log2(constant)) + 7))
    ratio = direction_ratio(tokens, rounded) if ratios[best] >= constant else 0.0
    if ratio < constant:
        raise ValueError(f"draws: expected one that meets Lemma 2, got none of {draws}; take more or another seed.")
    return Direction(rounded, ratio, constant, draws, int((ratios >= constant).sum()))


def direction_ratio(tokens: np.ndarray, vector: Sequence[Fraction]) -> float:
    """The least |v^T (x - x')| / ||x - x'|| over different x, x' among the columns and 0, from exact squares.

    Of over 10,000 pairs those with the least floats are computed exactly.
    """
    points, _ = _whole(tokens)
    v = np.array(vector, dtype=object)
    # A float is off by about 2^-50 here; it only picks the pairs.
    ratios = np.concatenate([abs(v.astype(np.float64) @ block) for block in _differences(points)])
    nearest = ratios.argpartition(min(EXACT_PAIRS, len(ratios)) - 1)[:EXACT_PAIRS]
    # Pair i (i - 1) / 2 + j is that of x_j and x_i, for j < i.
    starts = np.arange(points.shape[1] + 1) * np.arange(-1, points.shape[1]) // 2
    i = np.searchsorted(starts, nearest, side="right") - 1
    differences = (points[:, i] - points[:, nearest - starts[i]]).astype(object)
    return math.sqrt(min((v @ u) ** 2 / Fraction(u @ u) for u in differences.T))


def least_square(tokens: np.ndarray) -> Fraction:
    """The least squared distance of two columns, exactly; errors as `_whole`."""
    if len(tokens) == 1:
        return min(b - a for a, b in itertools.pairwise(sorted(tokens[0]))) ** 2
    points, unit = _whole(tokens, zero=False)
    squares = (((points[:, :i] - points[:, i : i + 1]) ** 2).sum(axis=0).min() for i in range(1, points.shape[1]))
    return int(min(squares)) * unit**2


def _whole(tokens: np.ndarray, draws: int = 0, *, zero: bool = True) -> tuple[np.ndarray, Fraction]:
    """The columns (and 0) as whole numbers without a common divisor, and what they are to be multiplied by.

    They are of int64 if squared distances fit it, else Python's own. ValueError if pairs take too many products.
    """
    (d, size), denominator = tokens.shape, math.lcm(*(u.denominator for u in tokens.flat))
    values = [u.numerator * (denominator // u.denominator) for u in tokens.flat]
    divisor = math.gcd(*values)
    is_small = d * (2 * max(map(abs, values)) // divisor) ** 2 < 2**62
    work = size * (size + 1) // 2 * d * (draws + (SMALL if is_small else LARGE))
    if work > MAX_WORK:
        many = f"{size:,} tokens have pairs that take {work:,} products"
        raise ValueError(f"vocabulary: expected fewer tokens or draws: {many}, the limit is {MAX_WORK:,}.")
    points = np.array([u // divisor for u in values], dtype=np.int64 if is_small else object).reshape(d, size)
    origin = np.zeros((d, int(zero)), dtype=points.dtype)
    return np.concatenate([points, origin], axis=1), Fraction(divisor, denominator)


def _differences(points: np.ndarray) -> Iterator[np.ndarray]:
    """For i = 1, 2, ... the unit vectors along x_j - x_i for j < i, shape (d, i); of differences that are exact."""
    for i in range(1, points.shape[1]):
        block = points[:, :i] - points[:, i : i + 1]
        # The quotient of two whole numbers of any size is a float, rounded once.
        block = (block / abs(block).max(axis=0)).astype(np.float64)
        yield block / np.linalg.norm(block, axis=0)


def rational_unit(vector: np.ndarray, bits: int = VECTOR_BITS) -> tuple[Fraction, ...]:
    """(2t, 1 - |t|^2) / (1 + |t|^2) for t near the stereographic image of +- vector: norm exactly 1.

    t has `bits` binary digits.
    """
    vector = vector if vector[-1] >= 0 else -vector
    t = [Fraction(round(u * 2**bits), 2**bits) for u in (vector[:-1] / (1 + vector[-1])).tolist()]
    square = sum((u * u for u in t), Fraction(0))
    return (*(2 * u / (1 + square) for u in t), (1 - square) / (1 + square))


def rational_vector(vector: Numbers, d: int) -> tuple[Fraction, ...]:
    """The entries as Fractions; ValueError unless they are d finite numbers."""
    v = rationals("vector", vector)
    if v.shape != (d,):
        raise ValueError(f"vector: expected {d} entries, got shape {v.shape}.")
    return tuple(v)


def projections(vocabulary: Numbers, vector: Numbers | None = None) -> list[Fraction]:
    """v^T x for every token x; without a vector that of `direction`.

    Raises
    ------
    ValueError
        As `tokens_of`; the vector has not d entries, or does not tell the tokens and 0 apart.
    """
    tokens = tokens_of(vocabulary)
    v = rational_vector(direction(tokens).vector if vector is None else vector, len(tokens))
    x = list(np.array(v, dtype=object) @ tokens)
    if len({*x, Fraction(0)}) <= len(x):
        raise ValueError("vector: expected v^T x to be different for all tokens, and not 0; take that of `direction`.")
    return x
