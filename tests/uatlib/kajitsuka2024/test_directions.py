"""Vocabularies and directions, against the inequalities of Lemma 2 in plain loops."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uatbook.kajitsuka2024.one_layer import direction_odds
from uatlib.kajitsuka2024.directions import (
    direction,
    direction_ratio,
    least_square,
    projections,
    tokens_of,
)

from ..oracles import EXAMPLES


def ratio(points, v):
    """The least |v^T (x - y)| / ||x - y|| of points and 0."""
    points = [*points, [0] * len(v)]
    values = []
    for x, y in combinations(points, 2):
        difference = [a - b for a, b in zip(x, y, strict=True)]
        along = sum(a * b for a, b in zip(v, difference, strict=True))
        values.append(abs(float(along)) / math.sqrt(sum(float(a) ** 2 for a in difference)))
    return min(values)


def vocabularies(d):
    token = st.tuples(*[st.integers(-5, 5)] * d).filter(any)
    return st.lists(token, min_size=2, max_size=6, unique=True)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_the_direction_meets_lemma_2(d):
    @EXAMPLES
    @given(vocabularies(d))
    def check(tokens):
        found = direction(np.array(tokens).T)
        size = len(tokens)
        assert sum(u * u for u in found.vector) == 1
        assert all(isinstance(u, Fraction) for u in found.vector)
        assert math.isclose(found.ratio, ratio(tokens, found.vector), rel_tol=1e-9)
        assert math.isclose(found.constant, math.sqrt(8 / (math.pi * d)) / (size + 1) ** 2)
        assert found.constant <= found.ratio <= 1 + 1e-15
        assert projections(np.array(tokens).T) == [
            sum(u * x for u, x in zip(found.vector, t, strict=True)) for t in tokens
        ]

    check()


@pytest.mark.parametrize(("d", "size"), [(2, 4), (2, 12), (3, 8), (10, 6), (40, 10)])
def test_random_directions_succeed_as_often_as_the_union_bound_says(d, size):
    rng = np.random.default_rng(d)
    tokens = np.unique(rng.integers(-9, 10, (d, size)), axis=1)
    found = direction(tokens, draws=2000, seed=1)
    assert found.successes / 2000 >= direction_odds(tokens.shape[1] + 1) - 0.03
    assert direction_odds(size + 1) == pytest.approx(1 - 2 * size / (math.pi * (size + 1)))


def test_an_axis_fails_on_a_lattice_and_the_line_needs_no_search():
    lattice = np.array([[1, 1, 2, 2], [1, 2, 1, 2]], dtype=object)
    assert direction_ratio(lattice, (Fraction(1), Fraction(0))) == 0
    with pytest.raises(ValueError, match="different for all tokens"):
        projections(lattice, [1, 0])
    assert direction([3, -1, 7]).vector == (1,)
    assert projections([3, -1, Fraction(1, 2)]) == [3, -1, Fraction(1, 2)]
    assert projections(lattice, [3, 4]) == [7, 11, 10, 14]


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        ([1], "two tokens or more"),
        (np.ones((2, 2, 2)), "two tokens or more"),
        ([1, 2, 1], "one twice"),
        ([[1, 1], [2, 2]], "one twice"),
        ([0, 1], "other than 0"),
        (np.ones((2, 10**5 + 1)), "vocabulary: expected at most 200,000 numbers"),
    ],
)
def test_bad_vocabularies_are_refused(vocabulary, words):
    with pytest.raises(ValueError, match=words):
        tokens_of(vocabulary)


def test_bad_searches_are_refused():
    for draws in (0, 10**6):
        with pytest.raises(ValueError, match="draws: expected"):
            direction([1, 2], draws=draws)
    with pytest.raises(ValueError, match="seed: expected"):
        direction([1, 2], seed=-1)
    with pytest.raises(ValueError, match="size: expected"):
        direction_odds(1)
    with pytest.raises(ValueError, match="expected 1 entries"):
        projections([1, 2], [1, 2])


def test_one_draw_may_fail_and_says_so():
    crowd = np.array([[1, 10**6], [1, 10**6 + 1], [2, 1], [1, 3]] + [[k, 7 * k + 1] for k in range(3, 9)]).T
    refused = 0
    for seed in range(60):
        try:
            assert direction(crowd, draws=1, seed=seed).successes == 1
        except ValueError:
            refused += 1
    assert 0 < refused < 60
    with pytest.raises(ValueError, match="meets Lemma 2, got none of 1;"):
        [direction(crowd, draws=1, seed=seed) for seed in range(60)]


# --------------------------------------------------------------------------------------------------- tokens of any size

TINY = Fraction(1, 10**400)


@pytest.mark.parametrize(
    "tokens",
    [
        [[1, 1 + Fraction(1, 10**20)], [1, 1]],
        [[1e-200, 2e-200], [1e-200, 1e-200]],
        [[1e200, 2e200, 3e200], [1e200, 1e200, 5e200]],
        [[10**400, 10**400 + 1, 3], [1, TINY, 2]],
        [[1e300, 2e-300, -4], [1e200, 1e200, 5e-324]],
        [[10**17, 10**17 + 1, 10**17 + 2], [10**17, 10**17 + 2, 10**17 + 1]],
    ],
    ids=["close", "small", "large", "both", "apart", "beyond 2^53"],
)
def test_the_direction_meets_lemma_2_for_tokens_of_any_size(tokens):
    """Squared ratios in rationals, in loops."""
    found = direction(tokens)
    points = [*zip(*[[Fraction(u) for u in row] for row in tokens], strict=True), (Fraction(0), Fraction(0))]
    squares = []
    for x, y in combinations(points, 2):
        a, b = x[0] - y[0], x[1] - y[1]
        squares.append((found.vector[0] * a + found.vector[1] * b) ** 2 / (a * a + b * b))
    assert found.constant <= found.ratio
    assert math.isclose(found.ratio, math.sqrt(min(squares)), rel_tol=1e-12)
    assert found.successes > 30


@pytest.mark.parametrize("unit", [1, Fraction(1, 3), TINY, 10**330, Fraction(1, 10**18)], ids=str)
@pytest.mark.parametrize("offset", [0, 10**17, 10**320], ids=["near 0", "10^17", "10^320"])
def test_the_least_square_by_loops(unit, offset):
    rng = np.random.default_rng(0)
    for d, size in [(1, 9), (2, 5), (3, 7)]:
        rows = sorted({tuple(row) for row in rng.integers(-20, 21, (size, d)).tolist() if any(row)})
        tokens = np.array(rows, dtype=object).T * unit + offset
        square = min(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for x, y in combinations(tokens.T, 2))
        assert least_square(tokens) == square


def test_large_vocabularies_are_searched_in_pieces_or_refused():
    tokens = np.random.default_rng(0).normal(size=(2, 400))
    found = direction(tokens)
    differences = tokens.T[:, None] - tokens.T[None]
    norms = np.linalg.norm(differences, axis=-1) + np.eye(400)
    v = np.array(found.vector, dtype=float)
    ratios = abs(differences @ v) / norms + 2 * np.eye(400)
    least = min(ratios.min(), (abs(v @ tokens) / np.linalg.norm(tokens, axis=0)).min())
    assert math.isclose(found.ratio, least, rel_tol=1e-6)
    assert found.ratio >= found.constant
    assert math.isclose(least_square(tokens_of(tokens)), (norms + 9 * np.eye(400)).min() ** 2, rel_tol=1e-9)
    with pytest.raises(ValueError, match=r"400 tokens have pairs that take .* the limit is 2,000,000,000"):
        direction(tokens, draws=100_000)
    assert least_square(np.arange(1, 6001)[None]) == 1
    assert direction_odds(10**400) == 1 - 2 / math.pi
