"""The designs for rings beside their definitions: groups by brute force, sums by loops, layers by what is heard."""

import math

import numpy as np
import pytest

from uatbook import statements
from uatbook.cheng2025 import symmetry
from uatbook.cheng2025.mixing_terms import cyclic_convolution
from uatlib.cheng2025 import automorphism_generators, connectivity_depth, local_fooling_pairs, pattern
from uatlib.groups import elements

from ..test_statements import damaged

IDS = ("cheng2025:cor-4", "cheng2025:directed", "cheng2025:convolution")


@pytest.mark.parametrize("n", range(3, 13))
def test_one_step_beyond_the_bound(n):
    """Even n: all but the opposite token, so pairs of opposite tokens go anywhere. Odd n: all tokens."""
    beyond = max(1, (n - 1) // 2)
    order = 2 ** (n // 2) * math.factorial(n // 2) if n % 2 == 0 else math.factorial(n)
    assert automorphism_generators(pattern("circulant", n, window=beyond)).order == order
    assert (order == 2 * n) == (n <= 4)
    assert automorphism_generators(pattern("circulant", n, window=0)).order == math.factorial(n)


@pytest.mark.parametrize("kind", ["circulant", "directed"])
@pytest.mark.parametrize("n", range(5, 10))
def test_as_many_layers_as_connect_the_ring_are_enough_and_needed(kind, n):
    both = kind == "circulant"
    for w in range(1, (n - 1) // 2 if both else n - 1):
        rows, depth = pattern(kind, n, window=w), math.ceil((n // 2 if both else n - 1) / w)
        assert connectivity_depth([rows] * n) == depth
        assert local_fooling_pairs([rows] * depth, group="dihedral" if both else "cyclic") == []
        assert local_fooling_pairs([rows] * (depth - 1)) is None if depth > 1 else True


def test_which_damage_breaks_what():
    wrong = {
        "names trade places": "rotations and reflections of the group that do not",
        "one side alone": "permutations that keep the pattern",
        "one layer too few": "views in 2 layers",
        "the widest window": "permutations that keep the pattern",
        "a token that hears one more": "permutations that keep the pattern",
    }
    for damage, name in wrong.items():
        assert any(check.name.startswith(name) for check in damaged(IDS[0], 0, damage).failures)


def test_the_trade_of_names_keeps_the_order_of_the_group():
    failed = {check.name for check in damaged(IDS[0], 0, "names trade places").failures}
    assert "permutations that keep the pattern" not in failed


def test_the_printed_index_gives_all_tokens_the_same():
    n, reach = 6, 2
    X, psi = np.arange(12.0).reshape(2, 6), [3, 5, 7]
    right = [[sum(psi[j] * row[(i + j) % n] for j in range(reach + 1)) for i in range(n)] for row in X]
    text = [[sum(psi[j] * row[(reach + j) % n] for j in range(reach + 1)) for i in range(n)] for row in X]
    assert cyclic_convolution(X, psi).tolist() == right
    assert symmetry.convolution(variant="printed").mix(X, np.array(psi)).tolist() == text
    assert all(len(set(row)) == 1 for row in text)
    certificate = statements.get(IDS[2]).verify(variant="printed", n=n, l=reach)
    assert certificate["layers until each token has heard of all"].measured == math.inf


def test_weights_that_read_the_same_backwards_do_not_see_the_direction():
    parts = statements.get(IDS[2]).damages["weights that read the same backwards"](symmetry.convolution(), None)
    X = np.random.default_rng(0).integers(-9, 9, (2, 6)).astype(float)
    values, backwards = parts.network(X), parts.network(X[:, ::-1])
    assert {tuple(token) for token in values.T} == {tuple(token) for token in backwards.T}
    assert sorted(elements("cyclic", 6)) != sorted(elements("dihedral", 6))


@pytest.mark.parametrize(("n", "reach"), [(12, 1), (12, 11), (7, 3)])
def test_the_numbers_of_the_convolution_stay_exact(n, reach):
    built = symmetry.convolution(n=n, l=reach)
    X = np.full((1, n), 2.0 * n)
    assert 0 < np.abs(built.network(X)).max() < 2**53


@pytest.mark.parametrize(
    ("id", "wrong", "words"),
    [
        (IDS[0], {"n": 4}, "n: expected an int from 5 to 12"),
        (IDS[0], {"n": 6, "w": 2}, "w: expected"),
        (IDS[0], {"w": 0}, "w: expected"),
        (IDS[1], {"n": 6, "w": 5}, "w: expected an int from 1 to 4"),
        (IDS[2], {"n": 6, "l": 6}, "l: expected an int from 1 to 5"),
    ],
)
def test_what_lies_outside_the_hypotheses_is_refused(id, wrong, words):
    with pytest.raises(ValueError, match=words):
        statements.get(id).verify(**wrong)
