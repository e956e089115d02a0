"""Hearing through others, and how many layers are enough, beside plain loops."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from uatbook import statements
from uatbook.cheng2025.hearing import EXAMPLES, FIVE, FOUR, THREE, heard_of, random_keys
from uatbook.cheng2025.random_patterns import random_friends, swaps_expected
from uatbook.cheng2025.sparse import enough_layers
from uatlib.cheng2025 import (
    automorphism_group,
    connectivity_depth,
    distinguishes,
    local_fooling_pairs,
    pattern,
)
from uatlib.kernels import DOT

BLOCK, SUMMARY = (pattern("fixed", 6, stride=3, part=part) for part in ("block", "summary"))
SELF = [[{0}, {1}, {2}]]


def reaches(patterns, i, j):
    """By hops from the last layer back to the first; each layer may be sat out."""
    if i == j:
        return True
    return bool(patterns) and any(reaches(patterns[:-1], k, j) for k in {i, *patterns[-1][i]})


@pytest.mark.parametrize("name", EXAMPLES)
def test_heard_of_is_that_of_hops(name):
    layers = EXAMPLES[name]()[:5]
    heard, n = heard_of(layers), len(layers[0])
    assert heard.shape == (len(layers) + 1, n, n)
    for r, i, j in np.ndindex(heard.shape):
        assert heard[r, i, j] == reaches(layers[:r], i, j)
    reached = [r for r in range(len(heard)) if heard[r].all()]
    assert connectivity_depth(layers) == (reached[0] if reached else None)


def enough_by_loops(patterns):
    """The least m such that for some k the first k keep no more permutations than all, and the rest connects."""
    n = len(patterns[0])

    def common(rows):
        every = itertools.permutations(range(n))
        kept = (all((j in N[i]) == (s[j] in N[s[i]]) for N in rows for i in range(n) for j in range(n)) for s in every)
        return list(kept)

    for m in range(len(patterns) + 1):
        for k in range(m + 1):
            linked = all(reaches(patterns[k:m], i, j) for i in range(n) for j in range(n))
            if linked and common(patterns[:k]) == common(patterns):
                return m
    return None


@pytest.mark.parametrize(
    ("patterns", "layers"),
    [
        ([THREE] * 3, 2),
        ([FOUR] * 4, 3),
        ([FIVE] * 4, 3),
        ([pattern("full", 4)] * 3, 1),
        ([pattern("sliding_window", 4, window=1)] * 5, 4),
        ([BLOCK, SUMMARY] * 3, 4),
        ([THREE, *SELF * 3], None),
        ([pattern("full", 3), THREE, THREE], 3),
        ([THREE], None),
        ([[{0}]], 0),
    ],
)
def test_enough_layers_are_those_of_the_proposition(patterns, layers):
    assert enough_layers(patterns) == enough_by_loops(patterns) == layers


def test_enough_layers_leave_no_pair_and_depth_may():
    rng = np.random.default_rng(5)
    fooled = 0
    for _ in range(60):
        n = int(rng.integers(3, 6))
        layers = [random_keys(n, int(rng.integers(1, n)), rng) for _ in range(2)] * 8
        enough = enough_layers(layers)
        if enough is not None:
            assert local_fooling_pairs(layers[:enough]) == []
            fooled += bool(local_fooling_pairs(layers[: connectivity_depth(layers)]))
    assert fooled > 5


def test_a_list_that_stops_connecting_stays_blind():
    """What is said of infinite lists in the erratum: more layers do not help."""
    for more in range(1, 5):
        layers = [THREE, *SELF * more]
        assert connectivity_depth(layers) == 1
        assert ((2, 1, 0), 1) in local_fooling_pairs(layers)


def test_layers_cannot_settle_a_symmetry_that_only_later_layers_break():
    """All permutations keep the first pattern; the second is not among the layers that connect."""
    layers = [pattern("full", 3), THREE]
    assert connectivity_depth(layers) == 1
    assert local_fooling_pairs(layers[:1], group=automorphism_group(layers)) != []


def test_the_numerical_search_agrees_with_the_repair():
    """Of the pattern that fools one layer less; that it does so is among the tests of `distinguishes`."""
    assert distinguishes(DOT, [THREE] * enough_layers([THREE] * 5), d=1).verdict == "yes"


def test_random_keys_are_others_and_all_alike():
    rng = np.random.default_rng(0)
    counts = np.zeros((4, 4))
    for _ in range(600):
        N = random_keys(4, 2, rng)
        assert all(i in row and len(row) == 3 for i, row in enumerate(N))
        counts += [[j in row for j in range(4)] for row in N]
    assert (abs(counts[~np.eye(4, dtype=bool)] / 600 - 2 / 3) < 0.08).all()
    N = random_friends(30, 0.5, rng)
    assert all((j in N[i]) == (i in N[j]) for i in range(30) for j in range(30))
    assert 0.4 < (sum(map(len, N)) - 30) / 870 < 0.6


def swappable(N, a, b):
    s = list(range(len(N)))
    s[a], s[b] = b, a
    return all((j in N[i]) == (s[j] in N[s[i]]) for i in range(len(N)) for j in range(len(N)))


@pytest.mark.parametrize(("kind", "n"), [(1, 4), (2, 4), (3, 4), ("friends", 4), ("friends", 5)])
def test_the_mean_number_of_swaps_is_counted(kind, n):
    pairs = list(itertools.combinations(range(n), 2))
    if kind == "friends":
        patterns = [
            [{i, *(j for j in range(n) if tuple(sorted((i, j))) in chosen)} for i in range(n)]
            for size in range(len(pairs) + 1)
            for chosen in map(set, itertools.combinations(pairs, size))
        ]
    else:
        rows = [[{i, *row} for row in itertools.combinations(set(range(n)) - {i}, kind)] for i in range(n)]
        patterns = list(itertools.product(*rows))
    total = sum(swappable(N, a, b) for N in patterns for a, b in pairs)
    assert Fraction(total, len(patterns)) == swaps_expected(kind, n)


@pytest.mark.parametrize(
    ("id", "wrong", "message"),
    [
        ("def-4", {"example": "five tokens"}, "example: expected"),
        ("def-4", {"layers": 9}, "layers: expected"),
        ("cor-2", {"example": "five tokens"}, "example: expected"),
        ("depths", {"n": 4}, "n: expected"),
        ("depths", {"window": 0}, "window: expected"),
        ("random-patterns", {"kind": 4}, "kind: expected"),
        ("random-patterns", {"n": 4}, "n: expected"),
        ("random-patterns", {"samples": 1}, "samples: expected"),
    ],
)
def test_statements_refuse_what_is_outside(id, wrong, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        statements.get(f"cheng2025:{id}").verify(**wrong)


def test_the_printed_corollary_fails_at_every_example_where_the_depth_is_not_enough():
    corollary = statements.get("cheng2025:cor-2")
    for name, blind in {
        "a host": True,
        "four tokens": True,
        "longformer": True,
        "bigbird": True,
        "window": False,
    }.items():
        assert corollary.verify(variant="printed", example=name).holds is not blind
