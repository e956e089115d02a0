"""What several statements look at: vectors, tokens, pairs of vectors; and damages of layers, and of what compares."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL
from uatlib.certificate import Certificate, Check
from uatlib.checks import refused, whole
from uatlib.kajitsuka2024.certify_layer import certify_layer
from uatlib.model import Transformer

from ..damages import Damage, hardened, in_a_layer, in_part, put, scaled
from .boltzmann_gaps import log_gap

FINE = BALL.with_bits(512)
SLACK = Fraction(1, 1000)
"""Of the bounds of Definition 1, which vocabularies are to meet strictly."""
MAX_LENGTH, MAX_SIZE, MAX_LEVELS = 64, 12, 200
MAX_TERMS = 100_000
"""Of the gaps of all pairs of vectors, n^2 a pair: some seconds."""
DRAWN = 40

Vector = tuple[Fraction, ...]
Gap = Callable[[Vector, Vector], Any]


def length(n: object, least: int = 2) -> int:
    """n, a number of tokens or entries."""
    return whole("n", n, least, MAX_LENGTH)


def lattice(size: object, d: object, least: int = 3) -> np.ndarray:
    """The first `size` points of the lattice {1, ..., k}^d, k^d >= size, as columns: many share an entry."""
    size, d = whole("size", size, least, MAX_SIZE), whole("d", d, 1, MAX_SIZE)
    k = next(k for k in itertools.count(2) if k**d >= size)
    return np.array(list(itertools.islice(itertools.product(range(1, k + 1), repeat=d), size)), dtype=object).T


def drawn(n: int) -> list[Vector]:
    """Random vectors of n entries in [-6, 0], some of them equal."""
    draws = np.random.default_rng(0).integers(-6 * 8, 1, (DRAWN, n)).tolist()
    return [tuple(Fraction(entry, 8) for entry in draw) for draw in draws]


# ---------------------------------------------------------------------------------------------------- pairs of vectors


@functools.lru_cache(maxsize=5000)  # the pairs of a statement: they come again under each of its damages
def enclosed_gap(a: Vector, b: Vector) -> Any:
    """`log_gap` in BALL."""
    return log_gap(a, b, BALL)


class Pairs(NamedTuple):
    """Vectors, what is measured of each pair, and how much larger, by its logarithm, its bound is taken."""

    n: int
    levels: int
    rows: list[Vector]
    gap: Gap = enclosed_gap
    larger: float = 0.0

    def nearest(self, name: str, bound: Callable[[Vector, Vector], float]) -> Check:
        """The pair that comes nearest to its bound."""
        pairs = list(itertools.combinations(self.rows, 2))
        return nearest(name, pairs, self.gap, lambda a, b: bound(a, b) + self.larger)


def pairs_of(n: object, levels: object, shorter: bool = False, step: Fraction | None = None) -> Pairs:
    """Decreasing vectors of n (with `shorter` 1 to n) levels around 0, whose `step` is a little over 2 log n + 3."""
    n = length(n)
    levels = whole("levels", levels, n + 1, MAX_LEVELS)
    lengths = range(1 if shorter else n, n + 1)
    if (terms := math.comb(sum(math.comb(levels, k) for k in lengths), 2) * n**2) > MAX_TERMS:
        raise refused("levels", f"few enough for {MAX_TERMS:,} terms of gaps", levels, f"all pairs make {terms:,}")
    step = Fraction(2 * math.log(n) + 3) * Fraction(1001, 1000) if step is None else step
    row = [step * (2 * k - levels + 1) / 2 for k in reversed(range(levels))]
    return Pairs(n, levels, [v for k in lengths for v in itertools.combinations(row, k)])


def nearest(name: str, pairs: Sequence[tuple[Vector, Vector]], gap: Gap, bound: Gap) -> Check:
    """The logarithm of the gap whose bound is nearest below it, or farthest above."""
    gaps = [(gap(a, b), bound(a, b), {"a": a, "b": b}) for a, b in pairs]
    least, most, pair = min(gaps, key=lambda case: float(case[0]) - case[1])
    return Check(name, least, ">", most, pair, "enclosed", len(pairs))


BLIND: Mapping[str, Damage] = {
    "hardmax": put(gap=lambda a, b: math.log(abs(max(a) - max(b))) if max(a) != max(b) else -math.inf),
    "the smallest entry left out": put(gap=lambda a, b: enclosed_gap(a[:-1] or a, b[:-1] or b)),
}
"""Operators that hear less, for what has a `gap`."""


# ----------------------------------------------------------------------------------------------------- layers


class Layer(NamedTuple):
    """A layer of attention with the vocabulary, the length and the mask that Theorem 2 is claimed for."""

    model: Transformer
    tokens: np.ndarray
    n: int
    mask: np.ndarray | None = None

    def certificate(self) -> Certificate:
        """Theorem 2 for the layer, on every sequence."""
        return certify_layer(self.model, self.tokens, self.n, slack=SLACK, mask=self.mask)


OF_LAYERS: Mapping[str, Damage] = {
    "hardmax": in_part("model", in_a_layer(hardened)),
    "nothing written": in_part("model", in_a_layer(scaled("w_o", 0))),
    "20 times as much written": in_part("model", in_a_layer(scaled("w_o", 20))),
}
