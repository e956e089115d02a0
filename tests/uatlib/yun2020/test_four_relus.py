"""Three-piece functions as four ReLUs: against the pieces off the bands, the line through their ends inside."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from uatlib.arithmetic import EXACT
from uatlib.layers import RELU, FeedForward, ThreePiece
from uatlib.model import Transformer
from uatlib.yun2020.output_layers import outside_layer, return_layer, token_layer, zero_layer
from uatlib.yun2020.quantizer_layers import clip_layer, step_layer
from uatlib.yun2020.relus import bands, four_relus, with_relus

PHIS = [
    ThreePiece((0, 1), (0, 2, -3), (5, 1, 4)),  # the constant piece first, as in the text
    ThreePiece((-1, Fraction(3, 2)), (2, 0, 1), (1, -4, 7)),
    ThreePiece((2, 5), (-1, 3, 0), (0, 1, 6)),
    ThreePiece((0, 1), (-1, 0, -1), (4, 0, 4)),
    ThreePiece((-2, 2), (0, 0, 0), (0, 1, 0)),
    ThreePiece((0, 1), (-1, 0, 0), (0, 0, 0)),
    ThreePiece((0, 1), (0, -1, 0), (0, 0, 0)),
    ThreePiece((-0.5, 0.25), (0, 1, 0), (0, 0, 1)),
]
SIDES = ["below", "above", ("below", "above"), ("above", "below")]


def value(phi, t):
    """phi by its definition, and the piece."""
    piece = 0 if t < phi.breakpoints[0] else 1 if t < phi.breakpoints[1] else 2
    return phi.slopes[piece] * t + phi.intercepts[piece]


def with_bands(phi, t, eps, side):
    """phi off the bands; in a band the line from the left piece at its start to the right piece at its end."""
    sides = (side, side) if isinstance(side, str) else side
    for k, c in enumerate(phi.breakpoints):
        start = c - eps if sides[k] == "below" else c
        if start <= t < start + eps:
            left = phi.slopes[k] * start + phi.intercepts[k]
            right = phi.slopes[k + 1] * (start + eps) + phi.intercepts[k + 1]
            return left + (right - left) * (t - start) / eps
    return value(phi, t)


def exact_numbers(phi):
    return ThreePiece(*(tuple(Fraction(x) for x in getattr(phi, name)) for name in ThreePiece.NAMES))


def probes(phi, eps):
    c_1, c_2 = phi.breakpoints
    near = [c + k * eps / 4 for c in (c_1, c_2) for k in range(-6, 7)]
    return [Fraction(t) for t in (*near, c_1 - 1000, (c_1 + c_2) / Fraction(2), c_2 + 1000)]


@pytest.mark.parametrize(("phi", "side"), list(product(PHIS, SIDES)), ids=str)
@pytest.mark.parametrize("eps", [Fraction(1, 100), Fraction(1, 3), Fraction(1, 10**30)], ids=str)
def test_four_relus_equal_phi_off_the_bands_and_are_linear_inside(phi, side, eps):
    phi = exact_numbers(phi)
    form = four_relus(phi, eps, side)
    assert len(form.signs) == len(form.kinks) == len(form.jumps) == 4
    for t in probes(phi, eps):
        assert form(t) == with_bands(phi, t, eps, side)


def test_the_printed_formula():
    """Section F with a_1 = 0: the coefficients of its four ReLUs, in its order."""
    (c_1, c_2), (_, a_2, a_3), (b_1, b_2, b_3), eps = (1, 3), (0, 2, -5), (7, -1, 4), Fraction(1, 8)
    rise = (a_2 * c_1 + b_2 - b_1) / eps
    # The printed rise starts from b_1 in both ends, and b_1 is constant there.
    fall = (a_3 * c_2 + b_3 - a_2 * (c_2 - eps) - b_2) / eps
    form = four_relus(ThreePiece((c_1, c_2), (0, a_2, a_3), (b_1, b_2, b_3)), eps)
    assert form.constant == b_1
    assert form.signs == (1, 1, 1, 1)
    assert form.kinks == (c_1 - eps, c_1, c_2 - eps, c_2)
    assert form.jumps == (rise, a_2 - rise, fall - a_2, a_3 - fall)


def test_bands_are_where_phi_jumps():
    """The step layer jumps at delta only, the clip layer at both ends, the layer for negative entries nowhere."""
    eps = Fraction(1, 16)
    assert bands(step_layer(0, 0, 2, 1).activation, eps) == [(Fraction(7, 16), Fraction(1, 2))]
    assert bands(clip_layer(0, 2, 2, 1).activation, eps, "above") == [(0, eps), (1, 1 + eps)]
    assert bands(zero_layer(0, 1).activation, eps) == []
    for phi, side in product(map(exact_numbers, PHIS), SIDES):
        found = bands(phi, eps, side)
        for t in probes(phi, eps):
            if not any(start <= t < end for start, end in found):
                assert four_relus(phi, eps, side)(t) == value(phi, t)


LAYERS = [
    clip_layer(1, 3, 2, 2),
    clip_layer(0, 3, 2, 2, 9),
    step_layer(1, 2, 3, 2),
    outside_layer(2, 2, 2),
    zero_layer(1, 2),
    token_layer(5, [Fraction(1, 3), -7], 3, 2),
    return_layer(4, 3, 2),
    FeedForward([[1, 2]], None, [[1], [0]], [3, Fraction(1, 2)], PHIS[2]),
    FeedForward([[1, 2], [0, -1]], [1, Fraction(1, 3)], [[1, 2], [0, 5]], [1, 0], PHIS[0]),
]


@pytest.mark.parametrize("layer", LAYERS, ids=repr)
@pytest.mark.parametrize("side", ["below", "above"])
def test_layers_with_relus(layer, side):
    """Against X + W_2 phi~(W_1 X + b_1) + b_2 in loops, in and off bands."""
    eps = Fraction(1, 7)
    relus = with_relus(layer, eps, side)
    r, d = layer.w_1.shape
    assert relus.activation == RELU
    assert relus.w_1.shape == (4 * r, d)
    rng = np.random.default_rng(0)
    X = [[[Fraction(int(k), 21) for k in row] for row in rng.integers(-80, 120, (d, 30))]]
    X += [[[x * 100 for x in row] for row in X[0]]]
    got = Transformer([relus])(X, EXACT)
    for rows, image in zip(X, got, strict=True):
        for j in range(30):
            hidden = []
            for h in range(r):
                t = sum(layer.w_1[h, i] * rows[i][j] for i in range(d)) + (0 if layer.b_1 is None else layer.b_1[h])
                hidden.append(with_bands(layer.activation, t, eps, side))
            for i in range(d):
                want = rows[i][j] + sum(layer.w_2[i, h] * hidden[h] for h in range(r))
                assert image[i, j] == want + (0 if layer.b_2 is None else layer.b_2[i])


def test_bands_must_not_overlap():
    phi = ThreePiece((0, 1), (0, 1, 0), (0, 0, 0))
    for side in ("below", "above"):
        assert four_relus(phi, 1, side)(Fraction(1, 2)) == with_bands(phi, Fraction(1, 2), 1, side)
        with pytest.raises(
            ValueError, match=r"eps <= c_2 - c_1, got eps = 11/10 and breakpoints 0, 1; choose narrower"
        ):
            four_relus(phi, Fraction(11, 10), side)
    assert four_relus(phi, 5, ("below", "above"))(7) == 0
    with pytest.raises(ValueError, match="2 eps <= c_2 - c_1"):
        four_relus(phi, Fraction(2, 3), ("above", "below"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: four_relus(PHIS[0], 0), r"^width: expected .*(number|Fraction)"),
        (lambda: four_relus(PHIS[0], 1, "left"), 'side: expected "below" or "above"'),
        (lambda: four_relus(PHIS[0], 1, ("below",)), 'side: expected "below" or "above"'),
        (lambda: with_relus(FeedForward([[1]], None, [[1]]), 1), "activation: expected a ThreePiece"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
