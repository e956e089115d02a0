"""Margins of a scale against plain loops over all contexts, and the search for a large one."""

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from uatlib.arithmetic import FLOAT32, FLOAT64
from uatlib.kajitsuka2024 import certified_margins
from uatlib.kajitsuka2024.certified_margins import certified_margin, context_margins, contexts, margins, practical_scale
from uatlib.kajitsuka2024.certify_layer import collisions
from uatlib.kajitsuka2024.rank_one_layer import rank_one_attention


def margin(tokens, n, beta, repeats):
    """The least difference of what a token hears in two contexts."""
    choose = combinations_with_replacement if repeats else combinations
    least = math.inf
    for t in tokens:
        heard = []
        for row in choose(tokens, n):
            if t in row:
                weights = [math.exp(beta * t * x) for x in row]
                heard.append(sum(x * w for x, w in zip(row, weights, strict=True)) / sum(weights))
        least = min([least, *(abs(a - b) for a, b in combinations(heard, 2))])
    return least


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize(("tokens", "n"), [([1, 2, 3], 2), ([-2, 1, 3, 5], 3), ([1, 2, 3, 4, 5, 6], 4)], ids=str)
def test_margins_by_loops(tokens, n, repeats):
    scales = [-0.4, -0.0525, 0.131, 0.7]
    expected = [margin(tokens, n, beta, repeats) for beta in scales]
    assert np.allclose(margins(tokens, n, scales, repeats), expected, rtol=1e-6, atol=1e-13)
    for beta, value in zip(scales, expected, strict=True):
        ball = certified_margin(tokens, n, beta, repeats)
        assert math.isclose(float(ball), value, rel_tol=1e-6, abs_tol=1e-13)
        assert ball.lower > 0
        assert ball.radius < Fraction(1, 10**15)


def test_the_numbers_that_the_book_tells():
    tokens = range(1, 7)
    assert round(float(certified_margin(tokens, 4, -0.0525)), 4) == 0.0455
    assert round(float(certified_margin(tokens, 4, -0.0525, repeats=True)), 6) == 0.000236
    # (log 2) / 4: token 4 hears 11/3 in {3, 4} and in {1, 4}.
    assert margins([1, 3, 4], 2, math.log(2) / 4) < 1e-15
    assert margins([1, 2, 5, 6, 3, 4], 4, 0.0) == 0


@pytest.mark.parametrize("repeats", [False, True])
def test_the_search_is_as_good_as_a_fine_grid_and_floats_can_run_it(repeats):
    tokens = [1, 2, 3, 4, 5]
    best = practical_scale(tokens, 3, repeats=repeats)
    fine = margins(tokens, 3, np.linspace(-1, 1, 10_001), repeats)
    assert float(best.margin) >= fine.max() * (1 - 1e-5)
    assert best.contexts == (35 if repeats else 10)
    assert best.margin.lower > 0
    assert best.scale.denominator <= 2**20
    model = rank_one_attention(tokens, 3, scale=best.scale)
    assert collisions(model, tokens, 3, FLOAT64) == collisions(model, tokens, 3, FLOAT32) == (0, 5 * math.comb(6, 2))


def test_the_search_stays_in_its_interval_and_takes_a_vector():
    best = practical_scale([1, 2, 3, 4], 2, (Fraction(1, 4), 0.5))
    assert Fraction(1, 4) <= best.scale <= Fraction(1, 2)
    tokens = np.array([[1, 2, 1, 2], [1, 1, 2, 2]])
    along = practical_scale(tokens, 2, vector=[3, 4])
    assert float(along.margin) == pytest.approx(margins([7, 10, 11, 14], 2, float(along.scale)), rel=1e-6)
    assert practical_scale(tokens, 2).margin.lower > 0


@pytest.mark.parametrize(
    ("tokens", "interval", "grid"),
    [
        ([1, 2, 4, 7], (0.3992552, 4.9267), 11),
        ([1, 2, 3], (-1e-9, 1e9), 2001),
        ([1, 2, 3], (0, 1e-310), 5),
        ([1, 2, 3], (0, 5), 2001),
        ([1, 2, 4, 7], (-1, 1000), 2001),
    ],
    ids=str,
)
def test_rounding_stays_in_the_interval_and_keeps_the_margin(tokens, interval, grid):
    best = practical_scale(tokens, 2, interval, grid=grid)
    assert interval[0] <= best.scale <= interval[1]
    assert best.scale
    reached = margins(tokens, 2, np.linspace(*interval, grid)).max()
    assert float(best.margin) >= 0.89 * reached > 0
    assert best.margin.lower > 0


def test_a_scale_near_0_stays_short():
    """For n = 2 means tell contexts apart, so the best scale is 0, which says nothing of a sum of three."""
    assert practical_scale([1, 2, 3], 2).scale == Fraction(1, 2**19)


@pytest.mark.parametrize("chunk", [1, certified_margins.CHUNK])
def test_contexts_of_many_tokens_are_grouped_once(monkeypatch, chunk):
    """999 tokens, half a million contexts; and rows with a token twice, and with none, by a plain loop."""
    assert chunk == 1 or margins(range(1, 1000), 2, 1) == 0
    monkeypatch.setattr(certified_margins, "CHUNK", chunk)
    rows = np.array([[0, 0, 2], [0, 1, 2], [1, 2, 2], [2, 0, 1], [1, -1, -1], [2, 3, -1]])
    x, beta = np.array([1.0, 2, 4, 5]), np.array([0.3, 0.3])
    least = math.inf
    for t in range(4):
        heard = []
        for row in rows.tolist():
            if t in row:
                powers = {j: math.exp(0.3 * x[t] * x[j]) for j in row if j >= 0}
                total = sum(powers[j] for j in row if j >= 0)
                heard.append(sum(x[j] * powers[j] for j in row if j >= 0) / total)
        least = min([least, *(abs(a - b) for a, b in combinations(heard, 2))])
    assert context_margins(x, rows, beta) == pytest.approx(least, rel=1e-9, abs=1e-15)
    assert context_margins(x, rows[[0, 1, 2, 4, 5]], beta)[0] > 0


def test_contexts():
    assert contexts(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert contexts(2, 2, repeats=True) == [(0, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: contexts(3, 3), "expected more than n = 3 tokens"),
        (lambda: contexts(3, 1), "n: expected an int >= 2"),
        (lambda: margins(range(1, 60), 8, [0.1]), "the limit is"),
        (lambda: certified_margin([1, 2, 3], 2, 0), "other than 0"),
        (lambda: practical_scale([1, 2, 3], 2, (1, 1)), "interval: expected .low, high. with low < high"),
        (lambda: practical_scale(range(1, 40), 9), "the limit is"),
        (lambda: practical_scale([1, 2], 2), "expected more than"),
        (lambda: practical_scale([1, 2, 3], 2, grid=10**9), "the limit is"),
        (lambda: practical_scale([1, 2, 3], 2, (-1e308, 1.7e308)), "interval: expected scores scale x_i x_j"),
        (lambda: practical_scale([1, 2, 1e200], 2), "interval: expected scores scale x_i x_j of at most"),
        (lambda: margins([1, 2, 3], 2, 1e308), r"scores scale x_i x_j of at most 2\^1000"),
        (lambda: margins([1e200, 2e200, 3e200], 2, 1), r"scores scale x_i x_j of at most 2\^1000"),
        (lambda: margins([1, 2, 3], 2, [0, 10**400]), "scales: expected scores"),
        (lambda: margins(range(1, 20001), 10_000, 1), "the limit is"),
        (lambda: margins(range(1, 10_000), 2, 1), "the limit is 2,000,000 tokens"),
        (lambda: certified_margin([1, 2, 3], 2, 10**400), "scale.*expected at most"),
        (lambda: certified_margin(range(1, 20001), 10_000, 1), "the limit is"),
        (lambda: certified_margin([1, 2, 3], 2, 1, bits=10**8), "bits: expected an int from 1 to 100,000"),
        (lambda: contexts(10**6, 2), "the limit is 2,000,000 tokens"),
        (lambda: contexts(10**6, 10**6, masked=True), "the limit is 2,000,000 tokens"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
