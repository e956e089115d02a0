"""How large scores must be for softmax: every grid sequence in enclosures, against the ids of the text by cases."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from uatlib import yun2020
from uatlib.arithmetic import BALL
from uatlib.layers import Attention, FeedForward
from uatlib.model import Transformer
from uatlib.yun2020.ids import column_vector
from uatlib.yun2020.positional_layers import positional_shift
from uatlib.yun2020.shift_layers import selective_shift
from uatlib.yun2020.softmax_layers import softmax_scale, with_softmax_layers

from . import oracles as oracle

GRIDS = [(2, 2, 1), (3, 2, 1), (3, 3, 1), (2, 2, 2), (4, 3, 1), (2, 3, 1), (5, 2, 1)]
ENCODED = [(2, 2, 1), (3, 2, 1), (2, 2, 2), (2, 3, 1), (5, 2, 1), (3, 3, 1)]
EXTENDED = [(2, 2, 1), (3, 2, 1), (2, 3, 1), (2, 2, 2)]


def true_ids(N, n, d, kind="grid"):
    """Sequences, and their ids after the last layer, in units of delta, by the cases of sections E.3 and G.2."""
    rows = [oracle.in_real_units(L, N).tolist() for L in oracle.grid(N, n, d, extended=kind == "extended")]
    shift = oracle.selective_shift
    if kind == "encoded":
        rows, shift = [oracle.encoded(x) for x in rows], oracle.positional_shift
    return rows, [[t * N for t in oracle.column_ids(shift(x, N), N)] for x in rows]


def worst_in_balls(N, n, d, scale, kind="grid"):
    """The largest error of an id over the whole grid, in units of delta, an upper and a lower bound."""
    rows, ids = true_ids(N, n, d, kind)
    model = (positional_shift if kind == "encoded" else selective_shift)(inverse_delta=N, n=n, d=d)
    Z = with_softmax_layers(model, scale)(rows, BALL.with_bits(600 if kind == "encoded" else 400))
    low = high = Fraction(0)
    for k, x in enumerate(Z):
        for j in range(n):
            upper = sum(u * x[i, j].upper for i, u in enumerate(column_vector(N, d))) * N
            lower = sum(u * x[i, j].lower for i, u in enumerate(column_vector(N, d))) * N
            high = max(high, upper - ids[k][j], ids[k][j] - lower)
            low = max(low, lower - ids[k][j], ids[k][j] - upper)
    return low, high


KINDS = [("grid", *g) for g in GRIDS] + [("extended", *g) for g in EXTENDED] + [("encoded", *g) for g in ENCODED]


@pytest.mark.parametrize("tolerance", [Fraction(1, 2), Fraction(1, 10**6)], ids=str)
@pytest.mark.parametrize(("kind", "N", "n", "d"), KINDS)
def test_every_id_is_right_to_the_tolerance(kind, N, n, d, tolerance):
    scale = softmax_scale(N, n, d, tolerance, positional=kind == "encoded")
    assert worst_in_balls(N, n, d, scale, kind)[1] <= tolerance


@pytest.mark.parametrize(("kind", "N", "n", "d"), KINDS)
def test_half_of_the_factor_is_not_enough_and_with_encodings_a_third(kind, N, n, d):
    """So the proofs lose less than a factor of 2, or of 3."""
    is_encoded = kind == "encoded"
    scale = softmax_scale(N, n, d, positional=is_encoded) // (3 if is_encoded else 2)
    assert worst_in_balls(N, n, d, scale, kind)[0] > Fraction(1, 2)


@pytest.mark.parametrize(("N", "n", "d"), [*GRIDS, (10, 5, 2), (50, 40, 3)])
def test_the_formula(N, n, d):
    for tolerance in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 2**40)):
        D = N**d
        log = math.log(5 * (n - 1)) + (2 * n + 3) * math.log(D) - math.log(tolerance)
        lam = 2 * N**2 / (1 - 2 * float(tolerance) / D ** (n + 1)) ** 2 * log
        assert math.isclose(softmax_scale(N, n, d, tolerance), lam, rel_tol=1e-9, abs_tol=1)
        assert softmax_scale(N, n, d, tolerance) >= lam * (1 - 1e-14)
        F, X = n * N * D ** (n + 1), sum(N**i for i in range(d))
        log = math.log(5 * (n - 1) * X * F * D ** (n + 2)) - math.log(tolerance)
        lam = 2 * N**2 / (1 - 2 * float(tolerance / F)) / (X - 2 * float(tolerance / F)) * log
        got = softmax_scale(N, n, d, tolerance, positional=True)
        assert math.isclose(got, lam, rel_tol=1e-9, abs_tol=1)
        assert got >= lam * (1 - 1e-14)


def sweep_of(kind, N, n, d):
    """Column ids of all sequences, the levels of the sweep, and the factor of the last layer, in units of delta."""
    D, u = N**d, column_vector(N, d)
    step = N * sum(u) if kind == "encoded" else 0
    ids = [
        [sum(u[i] * L[i][j] for i in range(d)) + j * step for j in range(n)]
        for L in oracle.grid(N, n, d, extended=kind == "extended")
    ]
    levels = [j * step + c for j in range(n if kind == "encoded" else 1) for c in range(D)]
    return ids, levels, D ** (n + 1) * (n * N if kind == "encoded" else 1)


PROOF = [("encoded", *g) for g in [(3, 2, 1), (2, 3, 1), (2, 2, 2)]]
PROOF += [("extended", *g) for g in EXTENDED[1:]]


@pytest.mark.parametrize("tolerance", [Fraction(1, 2), Fraction(1, 1000)], ids=str)
@pytest.mark.parametrize(("kind", "N", "n", "d"), PROOF)
def test_every_inequality_of_the_proof(kind, N, n, d, tolerance):
    """Heads, gaps, moves and errors of every layer, for all sequences, with 150 digits and beta from the formula."""
    D = N**d
    is_encoded = kind == "encoded"
    sequences, levels, F = sweep_of(kind, N, n, d)
    with localcontext() as context:
        context.prec = 150
        beta = Decimal(softmax_scale(N, n, d, tolerance, positional=is_encoded)) / N**2
        tau = Decimal(tolerance.numerator) / tolerance.denominator
        E, eta = tau / F, tau / (5 * F * D ** (n + 2))
        a, X = D * eta, sum(N**i for i in range(d)) if is_encoded else 1
        rounding = Decimal(10) ** -100
        attained = 0
        for ids in sequences:
            moved, lifts = [Decimal(0)] * n, 0
            for level, (hard, after), (soft, soft_after), heads in oracle.soft_sweep(ids, levels, D, beta):
                for j in range(n):
                    assert abs(soft[j] - hard[j]) <= E
                    assert all(abs(soft[j] - soft[k]) >= X - 2 * E for k in range(n) if hard[j] != hard[k])
                    assert all(soft[j] == soft[k] for k in range(n) if hard[j] == hard[k])
                    for side, head in zip((-1, 1), heads[j], strict=True):
                        gap = max(soft) - head if 2 * (hard[j] - level) > side else head - min(soft)
                        assert -rounding <= gap <= eta
                lifted = [j for j in range(n) if hard[j] == level and len(set(hard)) > 1]
                top = max(abs(soft[j] - hard[j]) for j in range(n) if hard[j] == max(hard))
                least = max(abs(soft[j] - hard[j]) for j in range(n) if hard[j] == min(hard))
                for j in range(n):
                    change = soft_after[j] - soft[j]
                    if j in lifted:
                        assert hard[j] == min(x for x in hard if x >= 0)
                        assert after[j] == max(after) > max(hard)
                        own = abs(soft[j] - hard[j])
                        bound = (D - 1) * own + D * top if hard[j] == min(hard) else own + D * (top + least)
                        assert abs(soft_after[j] - after[j]) <= bound + 2 * a
                        moved[j] = Decimal(0)
                    else:
                        assert -rounding <= change <= a
                        moved[j] += change
                        if is_encoded:
                            k = hard[j] - level
                            assert change <= a * (-beta * (k - 1) * (X - 2 * E)).exp() + rounding
                            assert k > 0
                            assert moved[j] <= Decimal("1.01") * a
                lifts += bool(lifted)
                error = max(abs(s - t) for s, t in zip(soft_after, after, strict=True))
                if is_encoded and not (n == 2 and d == 1):
                    assert error <= Decimal("5.03") * D**n * a
                assert error <= Decimal("4.53" if is_encoded else "4.25") * D ** (n + 1) * a
            assert not is_encoded or lifts == n + (ids == [D - 1, D] and (n, d) == (2, 1))
            for j in range(n):
                extreme = max if after[j] > 0 else min
                want = after[j] + F * extreme(after) if any(after) else 0
                got = soft_after[j] + F * oracle.soft_head(soft_after, soft_after[j], Decimal(0), beta)
                assert abs(got - want) < tau
                attained = max(attained, abs(got - want) / tau)
        # All in all the steps give away less than a factor of 1000 under the logarithm, for d = 1.
        assert attained > (Decimal("1e-3") if d == 1 else 0)


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


@pytest.mark.parametrize("tolerance", [0, 1, Fraction(2, 3), 0.75, math.nan], ids=repr)
def test_tolerances(tolerance):
    with pytest.raises(ValueError, match=r"^tolerance: expected .*(number|Fraction)"):
        softmax_scale(2, 2, 1, tolerance)


@pytest.mark.parametrize("positional", [False, True])
def test_sizes(positional):
    with pytest.raises(ValueError, match="n: expected an int >= 2, got 1"):
        softmax_scale(2, 1, 1, positional=positional)
    assert softmax_scale(np.int64(2), np.int64(2), 1) == softmax_scale(2, 2, 1)
