"""Kajitsuka, Sato (2024): tokenwise separated sequences and contextual mappings; Definitions 1 and 2."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.kajitsuka2024.rank_one_layer import Separation, separation
from uatlib.layers import Attention
from uatlib.model import Transformer

from ..damages import edited
from ..registry import register
from .common import SLACK, lattice
from .hardmax_fails import hardmax_heads, small_hardmax

# --------------------------------------------------------------------------------------------------------- Definition 1


class Separated(NamedTuple):
    """Sequences of shape (N, d, n), and the numbers that Theorem 2 takes for them."""

    X: np.ndarray
    bounds: Separation


def _certify_definition_1(parts: Separated) -> Certificate:
    """The three conditions on the columns of X by their squares; equal columns are compared with others once."""
    X, bounds = parts
    N, d, n = X.shape
    places = [(tuple(x[:, k]), f"column {k + 1} of sequence {i + 1}") for i, x in enumerate(X) for k in range(n)]
    norms = [(sum(u * u for u in z), place) for z, place in places]
    counts, firsts = Counter(z for z, _ in places), dict(reversed(places))
    apart = [
        (sum((u - v) ** 2 for u, v in zip(z, w, strict=True)), f"{firsts[z]} and {firsts[w]}")
        for z, w in itertools.combinations(counts, 2)
    ]
    pairs = sum(counts[z] * counts[w] for z, w in itertools.combinations(counts, 2))
    (squares, at), (gaps, between) = zip(*norms, strict=True), zip(*apart, strict=True)
    name = "3. ||z - z'||^2 of different columns, least, against delta^2"
    checks = [
        Check.worst("1. ||z||^2, least, against r_min^2", squares, ">", bounds.r_min**2, at),
        Check.worst("2. ||z||^2, largest, against r_max^2", squares, "<", bounds.r_max**2, at),
        Check.worst(name, gaps, ">", bounds.eps**2, between, cases=pairs),
    ]
    return Certificate(checks, parameters={"d": d, "n": n, "N": N})


def _in_a_column(new: Any) -> Any:
    """One column of one sequence is `new` of it, of the next one, of its squared norm and of the bounds."""

    @edited("X")
    def damage(X: np.ndarray, parts: Separated, rng: np.random.Generator) -> None:
        i, k = int(rng.integers(len(X))), int(rng.integers(X.shape[2]))
        X[i, :, k] = new(X[i, :, k], X[i, :, (k + 1) % X.shape[2]], parts.bounds)

    return damage


@register(
    "kajitsuka2024:def-1",
    "sequences whose tokens are tokenwise (r_min, r_max, delta)-separated",
    source="Definition 1",
    chapter="kajitsuka-one-layer",
    construction=separation,
    certify=_certify_definition_1,
    cases=[{"size": 3, "d": 1}, {"size": 7, "d": 3, "n": 3}],
    damages={
        # Half of r_min at most, as r_min <= ||x||; at least r_max, as ||x|| (1 + 1/||x||^2) > 1.
        "a column too short": _in_a_column(lambda x, _, b: x * b.r_min**2 / (2 * sum(x * x))),
        "a column too long": _in_a_column(lambda x, _, b: x * (1 + b.r_max) * (1 + Fraction(1, sum(x * x)))),
        "a column next to another": _in_a_column(lambda _, y, b: y + b.eps / (2 * len(y))),
    },
)
def tokenwise(*, size: int = 5, d: int = 2, n: int = 2) -> Separated:
    """The three conditions for all sets of n points of a lattice, with the numbers that Theorem 2 takes for them."""
    tokens = lattice(size, d)
    rows = itertools.combinations(range(tokens.shape[1]), whole("n", n, 2, tokens.shape[1]))
    return Separated(np.stack([tokens[:, list(row)] for row in rows]), separation(tokens, n, SLACK))


# --------------------------------------------------------------------------------------------------------- Definition 2


class Mapping(NamedTuple):
    """A layer for n of the tokens 1, ..., size."""

    layer: Attention
    n: int
    size: int


def _certify_definition_2(parts: Mapping) -> Certificate:
    """Both conditions on all orders of n tokens, by loops over all pairs of columns.

    r = V + 1, and delta is half of 1/M^3 (of 1/M for n = 2), of which all ids are multiples.
    """
    layer, n, size = parts
    M = n * size + 1
    r, delta = size + 1, Fraction(1, 2 * (M if n == 2 else M**3))
    rows = list(itertools.permutations(range(1, size + 1), n))
    ids = Transformer([layer])(np.array(rows)[:, None], EXACT)[:, 0]
    keys: dict[tuple[frozenset[int], int], dict[Any, tuple[int, ...]]] = {}
    for row, values in zip(rows, ids, strict=True):
        for token, value in zip(row, values, strict=True):
            keys.setdefault((frozenset(row), token), {})[value] = row
    norm, longest = max((abs(value), row) for values in keys.values() for value, row in values.items())
    apart = [
        (abs(value - other), (f"token {one[1]} of {row}", f"token {two[1]} of {other_row}"))
        for one, two in itertools.combinations(keys, 2)
        for value, row in keys[one].items()
        for other, other_row in keys[two].items()
    ]
    near, witness = min(apart)
    name = "2. ||q(X)_k - q(X')_l|| where tokens or sets of tokens differ, least, against delta"
    checks = [
        Check("1. ||q(X)_k||, largest, against r", norm, "<", r, f"X = {longest}", cases=len(rows) * n),
        Check(name, near, ">", delta, witness, cases=len(apart)),
    ]
    return Certificate(checks, parameters={"n": n, "V": size})


def _without_a_head(parts: Mapping, rng: np.random.Generator) -> Mapping | None:
    rest = list(parts.layer.heads)
    rest.pop(int(rng.integers(len(rest))))
    return parts._replace(layer=Attention(rest, "hardmax")) if rest else None


@register(
    "kajitsuka2024:def-2",
    "(r, delta)-contextual mappings: ids below r in norm, more than delta apart where tokens or their sets differ",
    source="Definition 2",
    chapter="kajitsuka-hardmax-fails",
    construction=small_hardmax,
    certify=_certify_definition_2,
    cases=[{"n": 2}, {"n": 3, "size": 5}],
    damages={
        "a head left out": _without_a_head,
        # Ids meet, or are too large.
        "whole numbers written": lambda parts, rng: parts._replace(
            layer=hardmax_heads({0: parts.n * int(rng.integers(0, 4))})
        ),
    },
)
def contextual(*, n: int = 3, size: int = 6) -> Mapping:
    """Both conditions, exactly, for the layer of hardmax that is a contextual mapping for two or three tokens."""
    n, size = whole("n", n, 2, 3), whole("size", size, 5, 8)
    return Mapping(small_hardmax(n, size), n, size)
