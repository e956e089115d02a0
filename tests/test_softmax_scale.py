"""How large scores must be for softmax: every grid sequence in enclosures, against the ids of Lemma 8 by cases."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from uatlib.arithmetic import BALL
from uatlib.constructions import yun2020
from uatlib.contextual_mapping import column_vector, selective_shift
from uatlib.layers import Attention, FeedForward
from uatlib.model import Transformer
from uatlib.quantization import Grid
from uatlib.softmax_scale import softmax_scale, with_softmax_layers

from . import oracles_yun2020 as oracle

GRIDS = [(2, 2, 1), (3, 2, 1), (3, 3, 1), (2, 2, 2), (4, 3, 1), (2, 3, 1), (5, 2, 1)]


def true_ids(N, n, d):
    """The ids after the selective shifts and the last layer, in units of delta, by the cases of section E.3."""
    rows = [oracle.in_real_units(L, N).tolist() for L in oracle.grid(N, n, d)]
    return rows, [[t * N for t in oracle.column_ids(oracle.selective_shift(x, N), N)] for x in rows]


def worst_in_balls(N, n, d, scale):
    """The largest error of an id over the whole grid, in units of delta, an upper and a lower bound."""
    rows, ids = true_ids(N, n, d)
    model = with_softmax_layers(selective_shift(inverse_delta=N, n=n, d=d), scale)
    Z = model(rows, BALL.with_bits(400))
    low = high = Fraction(0)
    for k, x in enumerate(Z):
        for j in range(n):
            upper = sum(u * x[i, j].upper for i, u in enumerate(column_vector(N, d))) * N
            lower = sum(u * x[i, j].lower for i, u in enumerate(column_vector(N, d))) * N
            high = max(high, upper - ids[k][j], ids[k][j] - lower)
            low = max(low, lower - ids[k][j], ids[k][j] - upper)
    return low, high


@pytest.mark.parametrize("tolerance", [Fraction(1, 2), Fraction(1, 4), Fraction(1, 10**6)], ids=str)
@pytest.mark.parametrize(("N", "n", "d"), GRIDS)
def test_every_id_of_the_grid_is_right_to_the_tolerance(N, n, d, tolerance):
    assert worst_in_balls(N, n, d, softmax_scale(N, n, d, tolerance))[1] <= tolerance


@pytest.mark.parametrize(("N", "n", "d"), GRIDS)
def test_half_of_the_factor_is_not_enough(N, n, d):
    """So the proof loses less than a factor of 2."""
    assert worst_in_balls(N, n, d, softmax_scale(N, n, d) // 2)[0] > Fraction(1, 2)


@pytest.mark.parametrize(("N", "n", "d"), [*GRIDS, (10, 5, 2), (50, 40, 3)])
def test_the_formula(N, n, d):
    for tolerance in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 2**40)):
        D = N**d
        log = math.log(5 * (n - 1)) + (2 * n + 3) * math.log(D) - math.log(tolerance)
        lam = 2 * N**2 / (1 - 2 * float(tolerance) / D ** (n + 1)) ** 2 * log
        assert math.isclose(softmax_scale(N, n, d, tolerance), lam, rel_tol=1e-9, abs_tol=1)
        assert softmax_scale(N, n, d, tolerance) >= lam * (1 - 1e-14)


def test_the_steps_of_the_proof():
    """Its inequalities in D and n, which are stated without more words."""
    for D, n in product(range(2, 40), range(2, 12)):
        assert (2 * D - 1) * (D - 2) + 2 <= 2 * D**2
        assert (D - 1) ** 2 + D * (D - 2) + 2 <= 2 * D**2
        assert Fraction(2 * D**2 * (D**n - 1), D - 1) <= 4 * D ** (n + 1)
        eta = Fraction(1, 5 * D ** (2 * n + 3))
        e = Fraction(17, 4) * D ** (n + 2) * eta
        assert 4 * D ** (n + 1) * D * eta + D * D * eta <= e < Fraction(1, D ** (n + 1))
        assert e * (1 + D ** (n + 1)) + D ** (n + 1) * eta <= Fraction(485, 100) * D ** (2 * n + 3) * eta < 1
        # and of the one for sequences outside the box: beta >= 2 ln(5 D^{2n+3} ...), the least with tolerance 1/2.
        beta = 2 * math.log(10 * (n - 1) * D ** (2 * n + 3))
        assert n / beta < 1
        assert (D ** (n + 1) - 0.5) / n > 1 + n / beta
        assert D ** (n + 1) * (D**n - n) > 1


def test_only_attention_is_softened():
    feed_forward = FeedForward([[1]], None, [[1]])
    layers = selective_shift(inverse_delta=2, n=2, d=1).layers
    soft = with_softmax_layers(Transformer([feed_forward, *layers], n=2), 7)
    assert soft.layers[0] is feed_forward
    assert soft.n == 2
    for hard, layer in zip(layers, soft.layers[1:], strict=True):
        assert isinstance(layer, Attention)
        assert layer.normalization == "softmax"
        assert (layer.heads[0].w_q == 7 * hard.heads[0].w_q).all()
    assert yun2020.softmax_scale is softmax_scale


@pytest.mark.parametrize("tolerance", [0, 1, -1, Fraction(2, 3), 0.25, True, None, "1/2"], ids=repr)
def test_tolerances(tolerance):
    with pytest.raises(ValueError, match=r"expected a tolerance in \(0, 1/2\], an int or Fraction"):
        softmax_scale(2, 2, 1, tolerance)


def test_sizes():
    with pytest.raises(ValueError, match="softmax_scale: expected n >= 2, got 1"):
        softmax_scale(2, 1, 1)
    for bad in ((1, 2, 1), (2, 2, 0), (2.5, 2, 1)):
        with pytest.raises(ValueError, match="expected an int"):
            softmax_scale(*bad)
    assert softmax_scale(np.int64(2), np.int64(2), 1) == softmax_scale(2, 2, 1)
    assert Grid(2, 2, 1).delta ** 2 * softmax_scale(2, 2, 1) < 20
