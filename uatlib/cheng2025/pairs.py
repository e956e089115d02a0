"""Pairs of sequences of different orbits that mixers are known to take for each other, one family an idea. Ours.

Random numbers are multiples of 1/256, so that sums and differences of tokens are exact: such pairs fool rational layers
in EXACT, too. Polygons, power sums and periods are rounded.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..checks import refused

Permutation = tuple[int, ...]
InGroup = Callable[[Permutation], bool]
Sequences = tuple[np.ndarray, np.ndarray]


class Pair(NamedTuple):
    """Two sequences of shape (d, n) in different orbits, their tokens distinct within each, and the family.

    No token is 0 but in the family "a zero token", where one is.
    """

    family: str
    X: np.ndarray
    Y: np.ndarray


def pairs(n: int, d: int, in_group: InGroup, rng: np.random.Generator, zeros: bool = False) -> list[Pair]:
    """Those of all families that n and d have room for; `zeros`: also the one with tokens that are 0."""
    names = [name for name in FAMILIES if zeros or name != ZERO]
    return [Pair(name, X, Y) for name in names for X, Y in of_family(name, n, d, in_group, rng)]


def of_family(
    name: str, n: int, d: int, in_group: InGroup, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The pairs of one family, those drawn anew that do not keep what `Pair` says."""
    found = list(FAMILIES[name](n, d, in_group, rng))
    for _ in range(REDRAWS):
        kept = [_keeps(X, Y, in_group, name == ZERO) for X, Y in found]
        if all(kept):
            return found
        anew = FAMILIES[name](n, d, in_group, rng)
        found = [old if keeps else new for old, new, keeps in zip(found, anew, kept, strict=True)]
    raise refused("n", f"a number for which sequences of {name} have distinct tokens", n, "or take a larger d")


def _keeps(X: np.ndarray, Y: np.ndarray, in_group: InGroup, zero: bool) -> bool:
    """Whether tokens are distinct and, but for one `zero`, not 0, and no permutation of the group takes X to Y."""
    for Z in (X, Y):
        alike = _alike(Z, np.hstack([Z, np.zeros((len(Z), 1))]))
        if alike.sum() != Z.shape[1] + zero:
            return False
    same = _alike(X, Y)
    return not (same.any(axis=0).all() and in_group(tuple(same.argmax(axis=0).tolist())))


def _alike(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """(i, j): whether token i of X and j of Y are one, up to rounding."""
    return (np.abs(X[:, :, None] - Y[:, None, :]) < 1e-6).all(axis=0)


def _draw(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return np.round(256 * rng.normal(size=shape)) / 256


def _with(X: np.ndarray, tokens: dict[int, np.ndarray]) -> np.ndarray:
    Y = X.copy()
    for k, token in tokens.items():
        Y[:, k] = token
    return Y


Found = Iterator[Sequences]


def _permuted(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """All orders outside the group for few tokens, else swaps, reversal, rotations and others."""
    identity, orders = tuple(range(n)), np.random.default_rng(n)  # the same, however often pairs are drawn
    if n <= 4:
        tried = list(itertools.permutations(range(n)))
    else:
        swaps = [(i, j) for i, j in itertools.combinations(range(n), 2) if i == 0 or j == i + 1 or j == n - 1]
        tried = [tuple({i: j, j: i}.get(k, k) for k in range(n)) for i, j in swaps[:40]]
        tried += [
            identity[::-1],
            identity[1:] + identity[:1],
            *(tuple(orders.permutation(n).tolist()) for _ in range(8)),
        ]
    for s in dict.fromkeys(tried):
        if s != identity and not in_group(s):
            X = _draw(rng, d, n)
            yield X, X[:, list(s)]


def _random(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    for _ in range(2):
        yield _draw(rng, d, n), _draw(rng, d, n)


def _changed(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """Each token in turn, of many eight, for who does not hear it."""
    for k in dict.fromkeys(np.linspace(0, n - 1, min(n, 8)).astype(int).tolist()):
        X = _draw(rng, d, n)
        yield X, _with(X, {k: _draw(rng, d)})


def _shared(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    for k in range(min(n, 3) if n > 1 else 0):
        X = _draw(rng, d, n)
        yield X, _with(_draw(rng, d, n), {k: X[:, k]})


def _opposite(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """x becomes -x, for mixers that are even in what they hear."""
    X = _draw(rng, d, n)
    yield X, _with(X, {n - 1: -X[:, n - 1]})


def _stretched(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """x becomes 2 x, for mixers that hear directions alone."""
    X = _draw(rng, d, n)
    yield X, _with(X, {n - 1: 2 * X[:, n - 1]})


def _inside(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """A token between two others moves there, for mixers that listen to extreme tokens alone."""
    if n >= 3:
        X = _draw(rng, d, n)
        a, b = X[:, 0], X[:, 1]
        yield _with(X, {n - 1: (a + b) / 2}), _with(X, {n - 1: (3 * a + b) / 4})


def _equal_means(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """Two tokens move apart by the same vector: the mean stays, and n - 2 tokens are shared."""
    for k in range(min(n - 2, 2)):
        X, v = _draw(rng, d, n), _draw(rng, d)
        yield X, _with(X, {k + 1: X[:, k + 1] + v, k + 2: X[:, k + 2] - v})


def _polygons(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """Regular polygons, turned: all moments below the number of corners agree. Alone, and beside a shared token."""
    if d >= 2:
        basis = np.linalg.qr(rng.normal(size=(d, 2)))[0]
        for shared in (0, 1):
            if (m := n - shared) >= 3:
                turns = [angle + 2 * math.pi * np.arange(m) / m for angle in (0.1, 0.1 + math.pi / m)]
                X, Y = (basis @ np.array([np.cos(turn), np.sin(turn)]) for turn in turns)
                token = _draw(rng, d, shared)
                yield np.hstack([token, X]), np.hstack([token, Y])


def _power_sums(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """Tokens on a line with equal sums of all powers below their number: roots of Chebyshev's T_m = c, for two c."""
    for shared in (0, 1):
        if (m := n - shared) >= 2:
            direction, token = _draw(rng, d, 1), _draw(rng, d, shared)
            direction = direction / max(abs(direction).max(), 1 / 256)
            for start in (0.0, rng.normal()):
                X, Y = (direction * (start + np.cos((angle + 2 * math.pi * np.arange(m)) / m)) for angle in (0.4, 1.9))
                yield np.hstack([token, X]), np.hstack([token, Y])


def _antipodal(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """(p, a, -a, ...) and (p, b, -b, ...), the rest shared, and (p, -p, a, -a, ...) and (p, -p, b, -b, ...)."""
    if n >= 3:
        X, (a, b) = _draw(rng, d, n), _draw(rng, 2, d)
        yield _with(X, {1: a, 2: -a}), _with(X, {1: b, 2: -b})
    if n >= 4:
        halves = _draw(rng, d, n // 2)
        paired = np.stack([halves, -halves], axis=-1).reshape(d, -1)
        X = np.hstack([paired, _draw(rng, d, n % 2)])
        yield X, _with(X, {2: (b := _draw(rng, d)), 3: -b})


def _mirrored(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """a, b, -a - b and their opposites, the rest shared: the same mean, and the same of every even function."""
    if n >= 4:
        X, (a, b) = _draw(rng, d, n), _draw(rng, 2, d)
        three = {1: a, 2: b, 3: -a - b}
        yield _with(X, three), _with(X, {k: -token for k, token in three.items()})


def _on_a_ray(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """u, 4 u and 2 u, 3 u, the rest shared: the same directions and the same sum."""
    if n >= 3:
        X, u = _draw(rng, d, n), _draw(rng, d)
        yield _with(X, {1: u, 2: 4 * u}), _with(X, {1: 2 * u, 2: 3 * u})


def _squares_on_a_ray(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """Tokens t u, for who hears t^2, as 1 + 64 = 16 + 49, or t and t^2, as of 1, 5, 6 and 2, 3, 7; the rest shared."""
    (own,) = rng.spawn(1)  # what other families draw stays as it was
    for least, ts in ((3, ((1, 8), (4, 7))), (4, ((1, 5, 6), (2, 3, 7)))):
        if n >= least:
            X, u = _draw(own, d, n), _draw(own, d) / 4
            first, second = ({k: t * u for k, t in enumerate(numbers, 1)} for numbers in ts)
            yield _with(X, first), _with(X, second)


def _one_entry(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """Each entry in turn, of many eight, for who listens to some entries alone."""
    if n >= 2 and d >= 2:
        for r in np.linspace(0, d - 1, min(d, 8)).astype(int):
            X = _draw(rng, d, n)
            yield X, _with(X, {n - 1: np.where(np.arange(d) == r, _draw(rng, d), X[:, n - 1])})


def _exchanged(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """The entries of a token in reverse, and the first two exchanged, for who listens to their sum."""
    if n >= 2 and d >= 2:
        for order in dict.fromkeys((tuple(range(d))[::-1], (1, 0, *range(2, d)))):
            X = _draw(rng, d, n)
            yield X, _with(X, {n - 1: X[list(order), n - 1]})


def _turned(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """a becomes 2 p - a, for who hears even functions of a - p, as the distance."""
    if n >= 2:
        X = _draw(rng, d, n)
        yield X, _with(X, {n - 1: 2 * X[:, 0] - X[:, n - 1]})


def _across(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """s p + w becomes s p - w, w at right angles to p: the same length, distance from p, and inner product with p."""
    if n >= 2 and d >= 2:
        X, (s, c) = _draw(rng, d, n), _draw(rng, 2)
        p = X[:, 0]
        w = c * np.array([-p[1], p[0], *np.zeros(d - 2)])
        yield _with(X, {n - 1: s * p + w}), _with(X, {n - 1: s * p - w})


def _shifted(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """x becomes x + 2 or x + 2 pi in each entry, for who hears waves sin(k pi x) or sin(k x) of whole k."""
    if n >= 2:
        for period in (2, 2 * math.pi):
            X = _draw(rng, d, n)
            yield X, _with(X, {n - 1: X[:, n - 1] + period})


def _zero(n: int, d: int, in_group: InGroup, rng: np.random.Generator) -> Found:
    """(0, u, -u, ...) and (0, v, -v, ...), the rest shared: a query 0 hears the mean."""
    if n >= 3:
        for _ in range(3):
            X, u, v, zero = _draw(rng, d, n), _draw(rng, d), _draw(rng, d), np.zeros(d)
            yield _with(X, {0: zero, 1: u, 2: -u}), _with(X, {0: zero, 1: v, 2: -v})


ZERO = "a zero token"
ROUNDED = ("turned polygons", "equal power sums on a line", "a token shifted by a period")
REDRAWS = 1000
FAMILIES: dict[str, Callable[[int, int, InGroup, np.random.Generator], Found]] = {
    "the same tokens in another order": _permuted,
    "two at random": _random,
    "one token changed": _changed,
    "one token shared": _shared,
    "one token turned to its opposite": _opposite,
    "one token stretched": _stretched,
    "one token between two others moved": _inside,
    "equal means": _equal_means,
    "turned polygons": _polygons,
    "equal power sums on a line": _power_sums,
    "antipodal tokens": _antipodal,
    "a centred triple mirrored": _mirrored,
    "two tokens on one ray, equal sum": _on_a_ray,
    "tokens on one ray, equal squares": _squares_on_a_ray,
    "one entry changed": _one_entry,
    "entries exchanged": _exchanged,
    "a token turned about a shared one": _turned,
    "a token moved across a shared one": _across,
    "a token shifted by a period": _shifted,
    ZERO: _zero,
}
