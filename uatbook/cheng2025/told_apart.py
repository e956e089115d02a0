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
from uatlib.cheng2025.automorphisms import Permutation
from uatlib.cheng2025.certify_network import two_tokens
from uatlib.model import Transformer

from .distinguishing import equal_power_pair

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
    X = [base[:, order] for order in orders]
    for j in range(n):
        X.append(base.copy())
        X[-1][:, j] += Fraction(1, 16)
    if n >= 3:
        for u in apart(rng, d):
            X.append(base.copy())
            X[-1][:, 1], X[-1][:, 2] = u, -u
        X += list(equal_power_pair(n, d))
    return np.array(X)


def _orbit(x: np.ndarray, group: Sequence[Permutation] | None) -> tuple[object, ...]:
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
        units = np.maximum(low[one] - high[other], low[other] - high[one]).max(axis=1)
        k = int(units.argmin())
        where = two_tokens(X, *(divmod(p, n) for p in pairs[k]))
        label = f"{name}: least distance of tokens of {what}"
        checks.append(Check(label, Fraction(max(0, units[k]), 2**SHIFT), ">", 0, where, "enclosed", len(pairs)))
    return checks


def ends(balls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends, as whole multiples of 2^-SHIFT: whole numbers are compared fast."""
    pairs = np.frompyfunc(ends_of, 1, 1)(balls)
    low = np.frompyfunc(lambda pair: math.floor(pair[0] * 2**SHIFT), 1, 1)(pairs)
    return low, np.frompyfunc(lambda pair: math.ceil(pair[1] * 2**SHIFT), 1, 1)(pairs)


def symmetry(name: str, model: Transformer, X: np.ndarray, steps: Sequence[Permutation]) -> Check:
    """That the layers commute with these permutations."""
    out = model(X, FINE)
    off = [distances(model(X[..., list(s)], FINE), out[..., list(s)]).max() for s in steps]
    label, cases = f"{name}: tokens permuted before or after the layers, largest difference", len(steps) * len(X)
    return Check.worst(label, off, "<=", SAME, lambda k: {"permutation": tuple(steps[k])}, "enclosed", cases)
