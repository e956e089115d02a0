"""Where floats end: the layers run in floats against the same operations in plain loops of NumPy scalars."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from uatbook.yun2020.float_limits import (
    Collision,
    WrongId,
    collision,
    first_beyond_bits,
    first_collision,
    first_wrong_id,
    selective_shift_in_units,
    wrong_id,
)
from uatlib.arithmetic import EXACT, FLOAT32, FLOAT64, INT64
from uatlib.model import Transformer
from uatlib.yun2020.cost import bits_needed
from uatlib.yun2020.shift_layers import selective_shift

from ...uatlib.yun2020.oracles import ids_in_units

SYSTEMS = {np.float32: FLOAT32, np.float64: FLOAT64}


def heard(ids, threshold, kind):
    """For every token the id with the largest product id (own - threshold), rounded; the mean of those that tie."""
    result = []
    for own in ids:
        query = own - kind(threshold)
        scores = [other * query for other in ids]
        tied = [other for other, score in zip(ids, scores, strict=True) if score == max(scores)]
        result.append(sum(tied[1:], tied[0]) / kind(len(tied)))
    return result


def ids_in_floats(tokens, D, kind):
    """The sweep and the global shift for d = 1, every operation rounded to `kind`."""
    ids = [kind(x) for x in tokens]
    for c in range(D):
        up, down = heard(ids, c - 0.5, kind), heard(ids, c + 0.5, kind)
        ids = [s + kind(D) * a - kind(D) * b for s, a, b in zip(ids, up, down, strict=True)]
    factor = kind(float(D ** (len(ids) + 1)))
    return [s + factor * a for s, a in zip(ids, heard(ids, 0, kind), strict=True)]


def first_wrong_by_loops(D, n, kind):
    for tokens in combinations(range(D), n):
        exact = ids_in_units([list(tokens)], D)
        got = [float(s) for s in ids_in_floats(tokens, D, kind)]
        if max(abs(Fraction(g) - e) for g, e in zip(got, exact, strict=True)) >= Fraction(1, 2):
            return WrongId(D, tokens, tuple(exact), tuple(got))
    return None


@pytest.mark.parametrize(("D", "n"), [(2, 2), (5, 2), (4, 3), (4, 4)])
def test_layers_in_units_are_the_layers(D, n):
    units, real = selective_shift_in_units(D, n), selective_shift(inverse_delta=D, n=n, d=1)
    for tokens in combinations(range(D), n):
        got = units([tokens], EXACT)
        assert got[0].tolist() == ids_in_units([list(tokens)], D)
        assert (got == D * real([[Fraction(x, D) for x in tokens]], EXACT)).all()


FRONTIER = {
    np.float32: {2: 17, 3: 9, 4: 6, 5: 5, 6: 6},
    np.float64: {2: 457, 3: 99, 4: 40, 5: 22, 6: 14},
}


@pytest.mark.parametrize(("n", "D"), FRONTIER[np.float32].items())
def test_first_wrong_id_in_float32(n, D):
    found = first_wrong_id(FLOAT32, n)
    assert found == first_wrong_by_loops(D, n, np.float32)
    assert found.inverse_delta == D
    assert found.error >= Fraction(1, 2)
    # Nothing is wrong before, on any sequence of distinct tokens.
    for smaller in range(2, D):
        assert wrong_id(FLOAT32, smaller, n) is None
        assert first_wrong_by_loops(smaller, n, np.float32) is None


@pytest.mark.parametrize(("n", "D"), FRONTIER[np.float64].items())
def test_first_wrong_id_in_float64(n, D):
    found = first_wrong_id(FLOAT64, n)
    assert found.inverse_delta == D
    assert list(found.exact) == ids_in_units([list(found.sequence)], D)
    got = ids_in_floats(found.sequence, D, np.float64)
    assert [float(s) for s in got] == list(found.got)
    assert found.error == max(abs(Fraction(float(g)) - e) for g, e in zip(got, found.exact, strict=True))
    assert found.error >= Fraction(1, 2)


@pytest.mark.parametrize("kind", SYSTEMS, ids=lambda kind: kind.__name__)
def test_ids_outgrow_the_float_where_the_first_is_wrong(kind):
    """But for n = 6 in float32: there are no six different tokens before D = 6."""
    bits = {np.float32: 24, np.float64: 53}[kind]
    for n, D in FRONTIER[kind].items():
        start = first_beyond_bits(n, bits)
        assert bits_needed(start - 1, n, 1) <= bits < bits_needed(start, n, 1)
        assert max(start, n) == D


def test_first_beyond_63_bits():
    assert [first_beyond_bits(n) for n in range(2, 7)] == [1449, 235, 79, 39, 23]
    assert [first_beyond_bits(n, domain="extended") for n in range(2, 7)] == [512, 79, 29, 16, 10]
    assert first_beyond_bits(2, 1) == 2
    for d, bits in ((1, 40), (2, 40), (3, 40), (1, 600), (1, 4096)):
        N = first_beyond_bits(3, bits, d=d)
        assert bits_needed(N, 3, d) > bits
        assert N == 2 or bits_needed(N - 1, 3, d) <= bits


@pytest.mark.parametrize(("n", "D"), [(4, 11), (5, 7), (6, 6)])
def test_first_collision_in_float32(n, D):
    found = first_collision(FLOAT32, n)
    assert found.inverse_delta == D
    (L, j), (M, k) = found.tokens
    assert (L, j) != (M, k)
    assert float(ids_in_floats(L, D, np.float32)[j]) == float(ids_in_floats(M, D, np.float32)[k]) == found.id
    for smaller in range(n, D):
        assert collision(FLOAT32, smaller, n) is None
        ids = [float(s) for L in combinations(range(smaller), n) for s in ids_in_floats(L, smaller, np.float32)]
        assert len(set(ids)) == len(ids)


def test_the_layers_that_are_given_are_the_ones_that_run():
    def without_the_lift(inverse_delta, n):
        return Transformer(selective_shift_in_units(inverse_delta, n).layers[:-1], n=n)

    assert wrong_id(FLOAT32, 5, 2) is None
    found = wrong_id(FLOAT32, 5, 2, network=without_the_lift)
    # (0, 1): landed at 5 and at 1 + 5 (5 - 1) = 21, and nothing is added.
    assert (found.sequence, found.exact, found.got) == ((0, 1), (5 + 125 * 21, 21 + 125 * 21), (5.0, 21.0))


def test_two_contexts_may_collide():
    assert collision(FLOAT32, 65, 2) == Collision(65, (((0, 63), 0), ((1, 64), 0)), 71991296000.0)


def test_nothing_found_is_none():
    assert first_wrong_id(FLOAT32, 2, largest=16) is None
    assert first_collision(FLOAT64, 6, largest=14) is None
    assert wrong_id(FLOAT32, 3, 4) is None
    assert collision(FLOAT32, 3, 4) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wrong_id(EXACT, 5, 2), "expected FLOAT32 or FLOAT64, got 'EXACT'"),
        (lambda: first_wrong_id(INT64, 2), "expected FLOAT32 or FLOAT64, got 'INT64'"),
        (lambda: wrong_id(FLOAT32, 1, 2), "inverse_delta: expected an int >= 2, got 1"),
        (lambda: collision(FLOAT32, 5, 1), "n: expected an int >= 2, got 1"),
        (lambda: first_collision(FLOAT32, 1), "n: expected an int >= 2, got 1"),
        (lambda: first_collision(FLOAT32, 3, largest=None), "largest: expected an int from 2 to 1,000,000, got None"),
        (lambda: wrong_id(FLOAT64, 1000, 3), "tokens times layers"),
        (lambda: first_beyond_bits(2, 0), "bits: expected an int from 1 to 4,096, got 0"),
        (lambda: first_beyond_bits(0), "n: expected an int >= 1"),
        (lambda: first_collision(FLOAT64, 3), "expected at most 6,000,000 tokens times layers, got 47054700"),
        (lambda: first_wrong_id(FLOAT32, 10**30), "the limit is"),
        (lambda: first_beyond_bits(2, domain="all"), "domain: expected"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
