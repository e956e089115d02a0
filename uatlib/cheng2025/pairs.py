"""Pairs of sequences of different orbits that mixers are known to take for each other, one family an idea. Ours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

Permutation = tuple[int, ...]


class Pair(NamedTuple):
    """Two sequences of shape (d, n) in different orbits, their tokens distinct within each, and the family."""

    family: str
    X: np.ndarray
    Y: np.ndarray


def pairs(n: int, d: int, in_group: Callable[[Permutation], bool], rng: np.random.Generator) -> Iterator[Pair]:
    """Those with nonzero tokens."""
    yield from _permuted(n, d, in_group, rng)
    for _ in range(2):
        X, Y = rng.normal(size=(2, d, n))
        yield Pair("two at random", X, Y)
    for k in range(min(n, 3)):
        X, Y = rng.normal(size=(2, d, n))
        yield Pair("one token changed", X, _with(X, {k: Y[:, k]}))
        yield Pair("one token shared", X, _with(Y, {k: X[:, k]}))
    yield from _equal_means(n, d, rng)
    yield from _polygons(n, d, rng)
    yield from _power_sums(n, d, rng)
    yield from _antipodal(n, d, rng)


def zero_pairs(n: int, d: int, rng: np.random.Generator) -> Iterator[Pair]:
    """(0, u, -u, ...) and (0, v, -v, ...), the rest shared: a query 0 hears the mean."""
    if n >= 3:
        for _ in range(3):
            X = rng.normal(size=(d, n))
            u, v, o = rng.normal(size=d), rng.normal(size=d), np.zeros(d)
            yield Pair("a zero token", _with(X, {0: o, 1: u, 2: -u}), _with(X, {0: o, 1: v, 2: -v}))


def _with(X: np.ndarray, tokens: dict[int, np.ndarray]) -> np.ndarray:
    Y = X.copy()
    for k, token in tokens.items():
        Y[:, k] = token
    return Y


def _permuted(n: int, d: int, in_group: Callable[[Permutation], bool], rng: np.random.Generator) -> Iterator[Pair]:
    """The same tokens in an order outside the group: all for few tokens, else swaps, reversal, rotations and others."""
    identity = tuple(range(n))
    if n <= 4:
        tried = list(itertools.permutations(range(n)))
    else:
        swaps = [(i, j) for i, j in itertools.combinations(range(n), 2) if i == 0 or j == i + 1 or j == n - 1]
        tried = [tuple({i: j, j: i}.get(k, k) for k in range(n)) for i, j in swaps[:40]]
        tried += [identity[::-1], identity[1:] + identity[:1], *(tuple(rng.permutation(n).tolist()) for _ in range(8))]
    for s in dict.fromkeys(tried):
        if s != identity and not in_group(s):
            X = rng.normal(size=(d, n))
            yield Pair("the same tokens in another order", X, X[:, list(s)])


def _equal_means(n: int, d: int, rng: np.random.Generator) -> Iterator[Pair]:
    """Two tokens move apart by the same vector: the mean stays, and n - 2 tokens are shared."""
    if n >= 3:
        for k in range(min(n - 2, 2)):
            X, v = rng.normal(size=(d, n)), rng.normal(size=d)
            yield Pair("equal means", X, _with(X, {k + 1: X[:, k + 1] + v, k + 2: X[:, k + 2] - v}))


def _circle(m: int, angle: float) -> np.ndarray:
    turns = angle + 2 * math.pi * np.arange(m) / m
    return np.array([np.cos(turns), np.sin(turns)])


def _polygons(n: int, d: int, rng: np.random.Generator) -> Iterator[Pair]:
    """Regular polygons, turned: all moments up to n - 2 agree. Whole sequences, and beside a shared token."""
    if d < 2:
        return
    basis = np.linalg.qr(rng.normal(size=(d, 2)))[0]
    for shared in (0, 1):
        m = n - shared
        if m >= 3:
            X, Y = (basis @ _circle(m, angle) for angle in (0.1, 0.1 + math.pi / m))
            token = rng.normal(size=(d, shared))
            yield Pair("turned polygons", np.hstack([token, X]), np.hstack([token, Y]))


def _power_sums(n: int, d: int, rng: np.random.Generator) -> Iterator[Pair]:
    """Tokens on a line with equal sums of all powers below their number: roots of Chebyshev's T_m = c, for two c."""
    for shared in (0, 1):
        m = n - shared
        if m >= 2:
            direction, token = rng.normal(size=(d, 1)), rng.normal(size=(d, shared))
            for start in (0.0, rng.normal()):
                X, Y = (direction * (start + np.cos((angle + 2 * math.pi * np.arange(m)) / m)) for angle in (0.4, 1.9))
                yield Pair("equal power sums on a line", np.hstack([token, X]), np.hstack([token, Y]))


def _antipodal(n: int, d: int, rng: np.random.Generator) -> Iterator[Pair]:
    """(p, -p, a, -a) and (p, -p, b, -b), the rest shared; (p, a, -a) and (p, b, -b)."""
    for both in (False, True):
        if n >= 3 + both:
            X, (a, b) = rng.normal(size=(d, n)), rng.normal(size=(2, d))
            base = _with(X, {1: -X[:, 0]}) if both else X
            k = 1 + both
            yield Pair("antipodal tokens", _with(base, {k: a, k + 1: -a}), _with(base, {k: b, k + 1: -b}))


EQUAL_POWERS = {
    2: ((0, 3), (1, 2)),
    3: ((0, 4, 5), (1, 2, 6)),
    4: ((0, 4, 7, 11), (1, 2, 9, 10)),
    5: ((0, 4, 8, 16, 17), (1, 2, 10, 14, 18)),
    6: ((0, 5, 6, 16, 17, 22), (1, 2, 10, 12, 20, 21)),
}
"""m numbers and m others with equal sums of the powers 1, ..., m - 1 (Prouhet, Tarry, Escott)."""


def equal_power_pair(n: int, d: int = 1) -> np.ndarray:
    """Two sequences (2, d, n) on a line: token 0 is shared, the others have equal sums of the powers 1, ..., n - 2."""
    line = np.array([Fraction(1, 1 + r) for r in range(d)], dtype=object)[:, None]
    rows = [[-1, *(1 + t for t in others)] for others in EQUAL_POWERS[n - 1]]
    return np.array([line * np.array([[Fraction(t, 8) for t in row]], dtype=object) for row in rows])
