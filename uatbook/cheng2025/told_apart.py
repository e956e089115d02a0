"""What statements about mixers of tokens share: sequences to tell apart, and enclosed distances of their outputs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.arithmetic import BALL
from uatlib.arithmetic.objects import distances
from uatlib.arithmetic.objects import ends as ends_of
from uatlib.certificate import Check
from uatlib.cheng2025.pairs import equal_power_pair
from uatlib.cheng2025.symmetry import Permutation
from uatlib.model import Transformer

FINE, SHIFT = BALL.with_bits(320), 300
SAME = Fraction(1, 2**200)
"""Enclosures of one number are this near at least."""


def numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Eighths that are not 0."""
    drawn = rng.integers(1, 13, shape) * rng.choice((-1, 1), shape)
    return np.vectorize(lambda u: Fraction(int(u), 8), otypes=[object])(drawn)


def apart(rng: np.random.Generator, d: int) -> np.ndarray:
    """Two tokens, no multiples of 1/16 as others are, neither the other nor its opposite."""
    return np.array([numbers(rng, d) + Fraction(1, 32), numbers(rng, d) + Fraction(1, 64)])


def sequences(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """(count, d, n): one in several orders, with one token changed, and pairs that fool some mixers."""
    base = numbers(rng, d, n)
    while len({tuple(token) for token in base.T}) < n:
        base = numbers(rng, d, n)
    turns = (range(n), [1, 0, *range(2, n)], [*range(1, n), 0], range(n)[::-1])
    orders = itertools.permutations(range(n)) if n <= 4 else dict.fromkeys(map(tuple, turns))
    found = [base[:, order] for order in orders]
    for j in range(n):
        found.append(base.copy())
        found[-1][:, j] += Fraction(1, 16)
    if n >= 3:
        for u in apart(rng, d):
            found.append(base.copy())
            found[-1][:, 1], found[-1][:, 2] = u, -u
        found += list(equal_power_pair(n, d))
    return np.array(found)


def _orbit(x: np.ndarray, group: Sequence[Permutation] | None) -> tuple[Any, ...]:
    """What sequences of one orbit share; None is the group of all permutations."""
    tokens = [tuple(token) for token in x.T]
    everything = group is None or len(group) == math.factorial(len(tokens))
    return tuple(sorted(tokens)) if everything else min(tuple(tokens[i] for i in s) for s in group or ())


def gaps(name: str, model: Transformer, X: np.ndarray, group: Any, counted: np.ndarray | None = None) -> list[Check]:
    """Two checks: tokens of sequences of different orbits, and those of one sequence, have some distance.

    counted : which tokens of shape (count, n) are compared; None: all
    """
    count, d, n = X.shape
    low, high = ends(model(X, FINE).swapaxes(1, 2).reshape(-1, d))
    orbits = [_orbit(x, group) for x in X]
    places = range(count * n) if counted is None else np.flatnonzero(counted.ravel()).tolist()
    checks = []
    for what, is_one in (("different sequences", False), ("one sequence", True)):
        pairs = [
            (p, q)
            for p, q in itertools.combinations(places, 2)
            if (p // n == q // n if is_one else orbits[p // n] != orbits[q // n])
        ]
        one, other = np.array(pairs).T
        gaps = np.maximum(low[one] - high[other], low[other] - high[one]).max(axis=1)
        k = int(gaps.argmin())
        where = " and ".join(f"token {p % n} of {text(X[p // n])}" for p in pairs[k])
        least = Fraction(max(0, gaps[k]), 2**SHIFT)
        label = f"{name}: least distance of tokens of {what}"
        checks.append(Check(label, least, ">", 0, where, "enclosed", len(pairs)))
    return checks


def ends(balls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends, as whole multiples of 2^-SHIFT: whole numbers are compared fast."""
    pairs = np.frompyfunc(ends_of, 1, 1)(balls)
    low = np.frompyfunc(lambda pair: math.floor(pair[0] * 2**SHIFT), 1, 1)(pairs)
    return low, np.frompyfunc(lambda pair: math.ceil(pair[1] * 2**SHIFT), 1, 1)(pairs)


def text(x: np.ndarray) -> str:
    """Columns, as [(1, 0), (2, 1)]."""
    return "[" + ", ".join("(" + ", ".join(str(u) for u in token) + ")" for token in x.T) + "]"


def symmetry(name: str, model: Transformer, X: np.ndarray, steps: Sequence[Permutation]) -> Check:
    """That the layers commute with these permutations."""
    out, worst, where = model(X, FINE), Fraction(-1), ""
    for s in map(list, steps):
        off = distances(model(X[..., s], FINE), out[..., s]).max()
        worst, where = (off, f"permutation {tuple(s)}") if off > worst else (worst, where)
    label = f"{name}: tokens permuted before or after the layers, largest difference"
    return Check(label, worst, "<=", SAME, where, "enclosed", len(steps) * len(X))
