"""Vocabularies as exact numbers, and unit vectors that turn tokens into numbers without bringing them too close.

Source: kajitsuka2024, section B.1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic.base import entries, exact, is_int, log2, real, shown

MAX_DRAWS = 100_000
MAX_WORK = 2_000_000_000
"""Products that a search over all pairs of tokens may take."""
EXACT_PAIRS = 10_000
"""Pairs of tokens whose ratio is computed exactly, those whose float is least."""
FINE = 2.0**-12
NEAR = 2.0**-20
"""Pairs whose distances in floats are nearer than this, in binary digits, are compared exactly."""
VECTOR_BITS = 20


def tokens_of(vocabulary: Any) -> np.ndarray:
    """The vocabulary as an object array of Fraction, shape (d, V).

    Parameters
    ----------
    vocabulary : numbers of shape (d, V), columns are tokens, or (V,) for d = 1

    Raises
    ------
    ValueError
        No such array, fewer than two tokens, a token twice, or the zero token, which asks no question.
    """
    tokens = entries(vocabulary, "vocabulary", lambda u: Fraction(exact(real(u))))
    tokens = tokens[None, :] if tokens.ndim == 1 else tokens
    if tokens.ndim != 2 or tokens.shape[0] < 1 or tokens.shape[1] < 2:
        raise ValueError(
            f"vocabulary: expected two tokens or more, as columns of shape (d, V) or (V,), got shape {tokens.shape}."
        )
    columns = [tuple(column) for column in tokens.T]
    if len(set(columns)) < len(columns):
        raise ValueError("vocabulary: expected different tokens, got one twice; np.unique(..., axis=1) removes copies.")
    if any(not any(column) for column in columns):
        raise ValueError("vocabulary: expected tokens other than 0, whose scores are all 0; shift the vocabulary.")
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


def direction_odds(size: int) -> float:
    """1 - 2 (N - 1) / (pi N): a lower bound on the odds that a random unit vector meets Lemma 2 on N = `size` points.

    The density of v^T u, for a unit vector u, is at most sqrt(d / (2 pi)) for d >= 3, so |v^T u| < t has a
    probability of at most t sqrt(2d / pi); this bound holds for d = 2 too. With t = sqrt(8 / (pi d)) / N^2
    it is 4 / (pi N^2), for each of N (N - 1) / 2 differences. For d = 1 every unit vector meets it.

    Raises
    ------
    ValueError
        size is no int >= 2.

    Source: kajitsuka2024, Lemma 2; the proof is that of Lemma 13 in the work it cites, in our words.
    """
    if not is_int(size, 2):
        raise ValueError(f"direction_odds: expected size to be an int >= 2, got {shown(size)}.")
    return 1 - 2 / math.pi * ((size - 1) / size)


def direction(vocabulary: Any, *, draws: int = 100, seed: int = 0) -> Direction:
    """A unit vector v with |v^T (x - x')| >= sqrt(8 / (pi d)) / (V + 1)^2 ||x - x'|| for x, x' in the vocabulary and 0.

    Random directions, as Lemma 2 promises that many will do; the best of `draws` is returned. Each is rounded by a
    stereographic projection, whose rational points are exactly the rational unit vectors. Differences of tokens are
    exact before they are rounded, so tokens may be of any size and as close as one likes.

    Raises
    ------
    ValueError
        As `tokens_of`; draws is no int in [1, 100,000], or the seed no int >= 0; V^2 (draws + d) / 2 exceeds
        2,000,000,000; no draw met the bound, or the best one no longer does when it is rounded.

    Source: kajitsuka2024, Lemmas 2 and 3.
    """
    tokens = tokens_of(vocabulary)
    if not is_int(draws, 1) or draws > MAX_DRAWS:
        raise ValueError(f"direction: expected draws to be an int in [1, {MAX_DRAWS:,}], got {shown(draws)}.")
    if not is_int(seed, 0):
        raise ValueError(f"direction: expected seed to be an int >= 0, got {seed!r}.")
    d, size = tokens.shape
    constant = math.sqrt(8 / (math.pi * d)) / (size + 1) ** 2
    if d == 1:
        return Direction((Fraction(1),), 1.0, constant, draws, draws)
    _require_work("direction", size, draws + d)
    vectors = _unit(np.random.default_rng(seed).standard_normal((draws, d)))
    ratios = np.full(draws, np.inf)
    for block, _ in _differences(_with_zero(tokens)):
        np.minimum(ratios, abs(vectors @ block).min(axis=1), out=ratios)
    best = int(ratios.argmax())
    # For a large vocabulary the bound is small, and so must be what rounding changes.
    rounded = rational_unit(vectors[best], max(VECTOR_BITS, math.ceil(-math.log2(constant)) + 7))
    ratio = direction_ratio(tokens, rounded) if ratios[best] >= constant else 0.0
    if ratio < constant:
        raise ValueError(f"direction: none of {draws} directions met Lemma 2; take more draws or another seed.")
    return Direction(rounded, ratio, constant, draws, int((ratios >= constant).sum()))


def direction_ratio(tokens: np.ndarray, vector: Sequence[Fraction]) -> float:
    """The least |v^T (x - x')| / ||x - x'|| over different x, x' among the columns and 0, from exact squares.

    Of over 10,000 pairs those with the least floats are computed exactly.
    """
    points, v = _with_zero(tokens), np.array(vector, dtype=object)
    floats = v.astype(np.float64)
    # A float is off by about 2^-50 here; it only picks the pairs.
    parts: list[np.ndarray] = []
    for i, (block, _) in enumerate(_differences(points), start=1):
        parts.append(np.stack([abs(floats @ block), np.full(i, float(i)), np.arange(i)]))
        if i == points.shape[1] - 1 or sum(part.shape[1] for part in parts) > 50 * EXACT_PAIRS:
            together = np.concatenate(parts, axis=1)
            parts = [together[:, together[0].argsort()[:EXACT_PAIRS]]]
    squares = []
    for i, j in parts[0][1:].astype(int).T.tolist():
        difference = points[:, i] - points[:, j]
        squares.append((v @ difference) ** 2 / Fraction(difference @ difference))
    return math.sqrt(min(squares))


def least_square(tokens: np.ndarray) -> Fraction:
    """The least squared distance of two columns, exactly; ValueError if V^2 d / 2 exceeds 2,000,000,000."""
    d, size = tokens.shape
    if d == 1:
        row = sorted(tokens[0])
        return Fraction(min(b - a for a, b in itertools.pairwise(row))) ** 2
    _require_work("separation", size, d)
    points, unit = _whole(tokens)
    floats, is_exact, _ = _floats(points)
    if is_exact.all() and 4 * d * float(abs(floats).max()) ** 2 < 2**53:
        # Whole numbers so small are summed without rounding.
        least = min(float(((floats[:, :i] - floats[:, i : i + 1]) ** 2).sum(axis=0).min()) for i in range(1, size))
        return int(least) * unit**2
    lengths = [length for _, length in _differences(points)]
    near = min(float(length.min()) for length in lengths) + NEAR
    pairs = ((i, j) for i, length in enumerate(lengths, start=1) for j in np.flatnonzero(length <= near))
    return min(sum((points[:, i] - points[:, j]) ** 2) for i, j in pairs) * unit**2


def _require_work(what: str, size: int, each: int) -> None:
    work = size * (size + 1) // 2 * each
    if work > MAX_WORK:
        raise ValueError(
            f"{what}: {size:,} tokens have pairs that take {work:,} products, the limit is {MAX_WORK:,}; choose fewer "
            "tokens or draws."
        )


def _with_zero(tokens: np.ndarray) -> np.ndarray:
    """The columns and 0 last, as whole numbers: multiples of one rational."""
    points, _ = _whole(tokens)
    return np.column_stack([points, np.full(len(points), 0, dtype=object)])


def _whole(tokens: np.ndarray) -> tuple[np.ndarray, Fraction]:
    """Whole numbers without a common divisor, and the rational that they are to be multiplied by."""
    values = [exact(u) for u in tokens.flat]
    denominator = math.lcm(*(u.denominator for u in values))
    whole = [u.numerator * (denominator // u.denominator) for u in values]
    divisor = math.gcd(*whole)
    points = np.array([u // divisor for u in whole], dtype=object)
    return points.reshape(tokens.shape), Fraction(divisor, denominator)


def _floats(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Columns of whole numbers as floats, divided by 2^shift if they are too large, and which of them are exact."""
    shift = max(0, max(abs(u) for u in points.flat).bit_length() - 1000)
    floats = (points / 2**shift if shift else points).astype(np.float64)
    back = [[Fraction(u) * 2**shift for u in row] for row in floats.tolist()]
    return floats, np.asarray((np.array(back, dtype=object) == points).all(axis=0), dtype=bool), shift


def _differences(points: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For i = 1, 2, ... the unit vectors along x_j - x_i for j < i, shape (d, i), and log2 of the lengths, shape (i,).

    From whole numbers; what is rounded has a relative error of at most 2^-40.
    """
    floats, is_exact, shift = _floats(points)
    size = abs(floats).max(axis=0)
    for i in range(1, points.shape[1]):
        block = floats[:, :i] - floats[:, i : i + 1]
        largest = abs(block).max(axis=0)
        # A difference of exact floats has a relative error of 2^-53; that of others, unless they are close.
        doubtful = np.flatnonzero(~(is_exact[:i] & is_exact[i]) & (largest <= FINE * (size[:i] + size[i])))
        logs = np.zeros(i)
        for j in doubtful:
            difference = points[:, j] - points[:, i]
            longest = max(abs(u) for u in difference)
            block[:, j], largest[j], logs[j] = (difference / longest).astype(np.float64), 1.0, log2(longest) - shift
        block /= largest
        norms = np.linalg.norm(block, axis=0)
        yield block / norms, logs + np.log2(largest) + np.log2(norms)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def rational_unit(vector: np.ndarray, bits: int = VECTOR_BITS) -> tuple[Fraction, ...]:
    """(2t, 1 - |t|^2) / (1 + |t|^2) for t near the stereographic image of +- vector: norm exactly 1.

    t has `bits` binary digits.
    """
    vector = vector if vector[-1] >= 0 else -vector
    t = [Fraction(round(u * 2**bits), 2**bits) for u in (vector[:-1] / (1 + vector[-1])).tolist()]
    square = sum((u * u for u in t), Fraction(0))
    return (*(2 * u / (1 + square) for u in t), (1 - square) / (1 + square))


def rational_vector(vector: Any, d: int) -> tuple[Fraction, ...]:
    """The entries as Fractions; ValueError unless they are d finite numbers."""
    v = entries(vector, "vector", lambda u: Fraction(exact(real(u))))
    if v.shape != (d,):
        raise ValueError(f"vector: expected {d} entries, got shape {v.shape}.")
    return tuple(v)


def projections(vocabulary: Any, vector: Any = None) -> list[Fraction]:
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
