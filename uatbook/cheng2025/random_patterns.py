"""The symmetry of random patterns (cheng2025, section 4.2)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Certificate, Check
from uatlib.checks import seed, whole
from uatlib.cheng2025.automorphisms import automorphism_generators
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_patterns import Neighbours

from ..damages import mapped
from ..registry import register
from .hearing import random_keys


def random_friends(n: int, probability: float, rng: np.random.Generator) -> Neighbours:
    """Each two tokens hear each other with this probability."""
    pairs = np.triu(rng.random((n, n)) < probability, 1)
    return [set(np.flatnonzero(row).tolist()) for row in pairs | pairs.T | np.eye(n, dtype=bool)]


# ----------------------------------------------------------------------------------------------------- random patterns


class Drawn(NamedTuple):
    """Random patterns of a kind ("friends", or how many others each token hears), and what is said of their groups."""

    patterns: list[Neighbours]
    kind: Any
    n: int
    trivial: bool


def swaps_expected(kind: Any, n: int) -> Fraction:
    """The mean number of pairs of tokens that can be swapped, (a b) an automorphism, in random patterns. Ours.

    With k keys each, C(n, 2) / C(n-1, k) q^{n-2} for q = (C(n-3, k) + C(n-3, k-2)) / C(n-1, k): a and b hear the same
    others, and each other token hears both or neither. With friends of probability 1/2, C(n, 2) / 2^{n-2}.
    """
    pairs = math.comb(n, 2)
    if kind == "friends":
        return Fraction(pairs, 2 ** (n - 2))
    rows = math.comb(n - 1, kind)
    alike = math.comb(n - 3, kind) + (math.comb(n - 3, kind - 2) if kind > 1 else 0)
    return Fraction(pairs, rows) * Fraction(alike, rows) ** (n - 2)


def _swaps(N: Neighbours) -> list[tuple[int, int]]:
    """Pairs (a, b) whose swap is an automorphism, by (15) of the paper; sets of tokens are the bits of a number."""
    hears, heard = [0] * len(N), [0] * len(N)
    for i, row in enumerate(N):
        for j in row:
            hears[i] |= 1 << j
            heard[j] |= 1 << i

    def alike(sets: list[int], a: int, b: int) -> bool:
        """Whether the swap takes sets[a] to sets[b]."""
        one, other, both = sets[a], sets[b], 1 << a | 1 << b
        own, crossed = (one >> a ^ other >> b) & 1, (one >> b ^ other >> a) & 1
        return not (one ^ other) & ~both and not own and not crossed

    classes: dict[tuple[int, int], list[int]] = {}
    for i, (one, other) in enumerate(zip(hears, heard, strict=True)):
        classes.setdefault((one.bit_count(), other.bit_count()), []).append(i)
    pairs = (pair for tokens in classes.values() for pair in itertools.combinations(tokens, 2))
    return [(a, b) for a, b in pairs if alike(hears, a, b) and alike(heard, a, b)]


def _every(kind: Any, n: int) -> Iterator[Neighbours]:
    """All patterns of the kind."""
    if kind == "friends":
        pairs = list(itertools.combinations(range(n), 2))
        for chosen in itertools.product((False, True), repeat=len(pairs)):
            friends = [pair for pair, there in zip(pairs, chosen, strict=True) if there]
            yield [{i, *(j for pair in friends if i in pair for j in pair)} for i in range(n)]
        return
    rows = [[{i, *row} for row in itertools.combinations(sorted({*range(n)} - {i}), kind)] for i in range(n)]
    yield from (list(chosen) for chosen in itertools.product(*rows))


@functools.cache
def _of_five(kind: object) -> tuple[int, int, int, int]:
    """All patterns of the kind of five tokens: how many, their swaps, those that connect, and of them with |G| != 5."""
    few = list(_every(kind, 5))
    cycles = [N for N in few if kind == 1 and connectivity_depth([N] * 5) is not None]
    other = sum(automorphism_generators(N).order != 5 for N in cycles)
    return len(few), sum(len(_swaps(N)) for N in few), len(cycles), other


def _certify_random(parts: Drawn) -> Certificate:
    """Orders of groups and swaps of all that were drawn; beside them all patterns of the kind of five tokens."""
    kind, count = parts.kind, len(parts.patterns)
    swaps = [_swaps(N) for N in parts.patterns]
    orders = [automorphism_generators(N).order for N in parts.patterns]
    share = Fraction(sum(order == 1 for order in orders), count)
    numbers = np.array([len(pairs) for pairs in swaps], dtype=float)
    expected = swaps_expected(kind, parts.n)
    away = abs(Fraction(int(numbers.sum()), count) - expected)
    room = 4 * max(float(numbers.std()) / math.sqrt(count), 1 / count)
    free = [k for k in range(count) if swaps[k] and orders[k] == 1]
    few, total, cycles, other = _of_five(kind)
    first = next(({"pattern": k, "tokens to swap": pairs[0]} for k, pairs in enumerate(swaps) if pairs), {})
    witness = {**first, "such pairs on average": float(numbers.mean())}
    bound, relation = (Fraction(9, 10), ">=") if parts.trivial else (Fraction(1, 10), "<=")
    checks = [
        Check("five tokens: pairs to swap, all patterns", total, "==", swaps_expected(kind, 5) * few, cases=few),
        Check("pairs to swap: |mean - expected|", away, "<=", room, witness, "sampled", count),
        Check("patterns with such a pair and a trivial group", len(free), "==", 0, witness, "sampled", count),
        Check("share of trivial groups", share, relation, bound, witness, "sampled", count),
    ]
    if kind == 1:
        name = "five tokens, patterns that connect: group other than a rotation by five"
        checks.append(Check(name, other, "==", 0, cases=cycles))
    return Certificate(checks, parameters={"n": parts.n, "kind": kind, "patterns": count})


@register(
    "cheng2025:random-patterns",
    "random patterns have symmetry or none by the number of keys",
    source="section 4.2, after Corollary 2",
    chapter="cheng-sparse",
    construction=automorphism_generators,
    certify=_certify_random,
    cases=[{"kind": 2}, {"kind": 3}, {"kind": 3, "n": 100, "samples": 20}, {"kind": "friends", "n": 20}],
    damages={
        "two tokens on their own": mapped(
            patterns=lambda patterns: [[{0}, {1}, *(row - {0, 1} for row in N[2:])] for N in patterns]
        ),
        "the opposite": mapped(trivial=lambda trivial: not trivial),
        "another number of keys": mapped(kind=lambda kind: 2 if kind == 1 else 1),
    },
    concerns="sentence",
    erratum="""A random sparse pattern of many tokens is said to have a trivial automorphism group with probability near
    1. That depends on how many others each token hears. With one random key each, the expected number of pairs that
    can be swapped grows like n/(2 e^2), and connected patterns are cycles, whose group is that of the rotations. With
    two it tends to e^-4, with three to 0. (Where any two tokens hear each other with probability 1/2, patterns
    are not sparse.)""",
)
def drawn(*, variant: str = "repaired", kind: Any = 1, n: int = 64, samples: int = 60, start: int = 0) -> Drawn:
    """Patterns at random: `kind` keys each, or "friends", pairs that hear each other with probability 1/2."""
    n, samples, rng = whole("n", n, 5, 200), whole("samples", samples, 10, 1000), np.random.default_rng(seed(start))
    kind = kind if kind == "friends" else whole("kind", kind, 1, 3)
    draw = partial(random_friends, n, 0.5) if kind == "friends" else partial(random_keys, n, kind)
    return Drawn([draw(rng) for _ in range(samples)], kind, n, variant == "printed" or kind != 1)
