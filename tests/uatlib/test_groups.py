"""Groups of permutations: generators, elements and orbits, beside all of them by hand."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest

from uatlib.groups import elements, generators, orbits


def compose(p, q):
    return tuple(p[i] for i in q)


def closure(given, n):
    """All products of the given permutations, by brute force."""
    found = {tuple(range(n)), *map(tuple, given)}
    while True:
        more = found | {compose(p, q) for p, q in product(found, found)}
        if more == found:
            return found
        found = more


def rotations(n):
    return {tuple((i + k) % n for i in range(n)) for k in range(n)}


@pytest.mark.parametrize("n", range(1, 6))
def test_named_groups_are_what_they_are_called(n):
    turned = rotations(n)
    expected = {
        "symmetric": set(permutations(range(n))),
        "cyclic": turned,
        "dihedral": turned | {p[::-1] for p in turned},
        "trivial": {tuple(range(n))},
    }
    for name, group in expected.items():
        found = elements(name, n)
        assert found[0] == tuple(range(n))
        assert len(found) == len(set(found))
        assert set(found) == group
        assert closure(generators(name, n), n) == group
        assert tuple(range(n)) not in generators(name, n)


@pytest.mark.parametrize("seed", range(8))
def test_groups_by_generators(seed):
    rng = np.random.default_rng(seed)
    given = [tuple(rng.permutation(4).tolist()) for _ in range(rng.integers(3))]
    group = closure(given, 4)
    assert set(elements(given, 4)) == group
    expected = {tuple(sorted({p[i] for p in group})) for i in range(4)}
    assert orbits(given, 4) == sorted(expected)


def test_orbits_of_tokens():
    assert orbits("symmetric", 4) == [(0, 1, 2, 3)]
    assert orbits("trivial", 3) == [(0,), (1,), (2,)]
    assert orbits([(1, 0, 2, 4, 3)], 5) == [(0, 1), (2,), (3, 4)]
    assert orbits("cyclic", 1) == [(0,)]
    assert orbits("symmetric", 10_000) == [tuple(range(10_000))]


def test_large_groups_are_refused_and_their_generators_are_not():
    assert len(elements("symmetric", 8)) == math.factorial(8)
    with pytest.raises(ValueError, match=r"^group: expected at most 50,000 permutations .*; .*generators"):
        elements("symmetric", 9)
    assert len(generators("symmetric", 1000)) == 2


@pytest.mark.parametrize("wrong", ["alternating", None, 5, [(0, 1)], [(0, 0, 1)], [(0, 1, 3)], ["012"], [(0.0, 1, 2)]])
def test_what_is_no_group_of_three_tokens_is_refused(wrong):
    for use in (generators, elements, orbits):
        with pytest.raises(ValueError, match="group: expected"):
            use(wrong, 3)


@pytest.mark.parametrize("n", [0, True, 10**9])
def test_the_number_of_tokens_is_checked(n):
    for use in (generators, elements, orbits):
        with pytest.raises(ValueError, match="n: expected"):
            use("cyclic", n)
