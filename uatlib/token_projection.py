"""Vocabularies as exact numbers, and unit vectors that turn tokens into numbers without bringing them too close.

Source: kajitsuka2024, section B.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .arithmetic.base import entries, exact, is_int, real

__all__ = ["Direction", "direction", "direction_odds", "direction_ratio", "projections", "rational_unit", "tokens_of"]

MAX_DRAWS = 100_000


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
        raise ValueError(f"direction_odds: expected size to be an int >= 2, got {size!r}.")
    return 1 - 2 * (size - 1) / (math.pi * size)


def direction(vocabulary: Any, *, draws: int = 100, seed: int = 0) -> Direction:
    """A unit vector v with |v^T (x - x')| >= sqrt(8 / (pi d)) / (V + 1)^2 ||x - x'|| for x, x' in the vocabulary and 0.

    Random directions, as Lemma 2 promises that many will do; the best of `draws` is returned. Each is rounded by a
    stereographic projection, whose rational points are exactly the rational unit vectors.

    Raises
    ------
    ValueError
        As `tokens_of`; draws is no int in [1, 100,000], or the seed no int >= 0; no draw met the bound.

    Source: kajitsuka2024, Lemmas 2 and 3.
    """
    tokens = tokens_of(vocabulary)
    if not is_int(draws, 1) or draws > MAX_DRAWS:
        raise ValueError(f"direction: expected draws to be an int in [1, {MAX_DRAWS:,}], got {draws!r}.")
    if not is_int(seed, 0):
        raise ValueError(f"direction: expected seed to be an int >= 0, got {seed!r}.")
    d, size = tokens.shape
    constant = math.sqrt(8 / (math.pi * d)) / (size + 1) ** 2
    if d == 1:
        return Direction((Fraction(1),), 1.0, constant, draws, draws)
    points = np.column_stack([tokens.astype(np.float64), np.zeros(d)])
    first, second = np.triu_indices(size + 1, 1)
    differences = points[:, first] - points[:, second]
    differences /= np.linalg.norm(differences, axis=0)
    vectors = _unit(np.random.default_rng(seed).standard_normal((draws, d)))
    ratios = abs(vectors @ differences).min(axis=1)
    best = int(ratios.argmax())
    if ratios[best] < constant:
        raise ValueError(f"direction: none of {draws} directions met Lemma 2; take more draws or another seed.")
    exact_vector = rational_unit(vectors[best])
    return Direction(
        exact_vector, direction_ratio(tokens, exact_vector), constant, draws, int((ratios >= constant).sum())
    )


def direction_ratio(tokens: np.ndarray, vector: tuple[Fraction, ...]) -> float:
    """The least |v^T (x - x')| / ||x - x'|| over different x, x' among the columns and 0, from exact squares."""
    columns = [*tokens.T, np.array([Fraction(0)] * len(vector), dtype=object)]
    v = np.array(vector, dtype=object)
    squares = []
    for i, a in enumerate(columns):
        for b in columns[:i]:
            squares.append((v @ (a - b)) ** 2 / ((a - b) @ (a - b)))
    return math.sqrt(min(squares))


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def rational_unit(vector: np.ndarray) -> tuple[Fraction, ...]:
    """(2t, 1 - |t|^2) / (1 + |t|^2) for t near the stereographic image of +- vector: norm exactly 1."""
    vector = vector if vector[-1] >= 0 else -vector
    t = [Fraction(round(u * 2**20), 2**20) for u in (vector[:-1] / (1 + vector[-1])).tolist()]
    square = sum((u * u for u in t), Fraction(0))
    return (*(2 * u / (1 + square) for u in t), (1 - square) / (1 + square))


def projections(vocabulary: Any, vector: Any = None) -> list[Fraction]:
    """v^T x for every token x; without a vector that of `direction`.

    Raises
    ------
    ValueError
        As `tokens_of`; the vector has not d entries, or does not tell the tokens and 0 apart.
    """
    tokens = tokens_of(vocabulary)
    given = direction(tokens).vector if vector is None else vector
    v = entries(given, "vector", lambda u: Fraction(exact(real(u))))
    if v.shape != (len(tokens),):
        raise ValueError(f"vector: expected {len(tokens)} entries, got shape {v.shape}.")
    x = list(v @ tokens)
    if len({*x, Fraction(0)}) <= len(x):
        raise ValueError("vector: expected v^T x to be different for all tokens, and not 0; take that of `direction`.")
    return x
