"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Lemma 6, softmax and four ReLUs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ... import yun2020
from ...arithmetic import BALL, EXACT, distances
from ...certificate import Certificate, Check
from ...grids import Grid
from ...layers import Attention, Layer, ThreePiece
from ...model import Transformer
from ...registry import register_by_seed as register
from ...targets import mean_product
from .._four_relus import FourRelus, bands, four_relus
from .._selective_shift import selective_shift
from .._softmax_scale import softmax_scale, with_softmax_layers
from ..ids import column_ids, context_ids
from ..stages import ball_bits, largest_in_bands, softmax_drift
from .contextual import exact_sequences

MAX_ENCLOSED = 100_000
"""Entries that layers with softmax may compute in BALL."""


def printed_relus(phi: ThreePiece, eps: Fraction) -> FourRelus:
    """The four ReLUs of section F for a phi whose first piece is constant, as they stand there, for any eps."""
    (c_1, c_2), (_, a_2, a_3), (b_1, b_2, b_3) = phi.breakpoints, phi.slopes, phi.intercepts
    rise = (a_2 * c_1 + b_2 - b_1) / eps
    fall = (a_3 * c_2 + b_3 - a_2 * (c_2 - eps) - b_2) / eps
    return FourRelus((1, 1, 1, 1), (c_1 - eps, c_1, c_2 - eps, c_2), (rise, a_2 - rise, fall - a_2, a_3 - fall), b_1)


def displayed_cases(phi: ThreePiece, eps: Fraction, t: Fraction) -> list[Fraction]:
    """The values that the second display of section F gives at t: of every case whose condition holds there."""
    (c_1, c_2), (_, a_2, a_3), (b_1, b_2, b_3) = phi.breakpoints, phi.slopes, phi.intercepts
    cases = [
        (t < c_1 - eps, b_1),
        (c_1 - eps <= t < c_1, (a_2 * c_1 + b_2 - b_1) / eps * (t - c_1) + a_2 * c_1 + b_2),
        (c_1 <= t < c_2 - eps, a_2 * t + b_2),
        (
            c_2 - eps <= t < c_2,
            (a_3 * c_2 + b_3 - a_2 * (c_2 - eps) - b_2) / eps * (t - c_2) + a_3 * c_2 + b_3,
        ),
        (c_2 <= t, a_3 * t + b_3),
    ]
    return [value for holds, value in cases if holds]


def _relu_checks(grid: Grid, width: Fraction, damage: Fraction | None = None) -> list[Check]:
    """The displays for bands of `width` times c_2 - c_1; and phi itself off bands, any piece being the constant one."""
    delta = grid.delta
    constant_first = [
        ThreePiece((0, 1), (0, 2, -3), (5, 1, 4)),
        ThreePiece((0, delta), (0, -1, 0), (0, 0, 0)),
        ThreePiece((-delta / 2, delta / 2), (0, 0, 0), (0, 1, 0)),
    ]
    others = [ThreePiece((0, 1), (-1, 0, -1), (4, 0, 4)), ThreePiece((0, 1), (-1, 3, 0), (2, 0, 1))]
    cases = wrong = off = 0
    witness = None
    for phi in constant_first:
        c_1, c_2 = phi.breakpoints
        eps = width * (c_2 - c_1)
        form = printed_relus(phi, eps)
        if damage is not None:
            form = form._replace(jumps=(*form.jumps[:3], form.jumps[3] + damage))
        for k in range(-60, 90):
            t = c_1 + Fraction(k, 24) * (c_2 - c_1)
            cases += 1
            if any(form(t) != value for value in displayed_cases(phi, eps, t)):
                wrong += 1
                values = [str(value) for value in displayed_cases(phi, eps, t)]
                witness = witness or (f"c_1, c_2, eps = {c_1}, {c_2}, {eps}", f"t = {t}", str(form(t)), f"not {values}")
    for phi in (*constant_first, *others):
        c_1, c_2 = phi.breakpoints
        eps = Fraction(c_2 - c_1) / 5
        form, among = four_relus(phi, eps), bands(phi, eps)
        for k in range(-60, 90):
            t = c_1 + Fraction(k, 24) * (c_2 - c_1)
            value = phi.slopes[(t >= c_1) + (t >= c_2)] * t + phi.intercepts[(t >= c_1) + (t >= c_2)]
            off += form(t) != value and not any(start <= t < end for start, end in among)
    name = f"t where four ReLUs are not the displayed cases, eps = {width} (c_2 - c_1)"
    return [
        Check(name, wrong, "==", 0, witness, "sampled", cases),
        Check("t off the bands where four ReLUs are not phi", off, "==", 0, None, "sampled", 150 * 5),
    ]


def _certify_lemma_6(grid: Grid, soft: Transformer, checks: list[Check]) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    largest = largest_in_bands(grid, positional=False, repaired=True, drift=softmax_drift(grid))
    Z = soft(exact_sequences(L, N), BALL.with_bits(ball_bits(soft, Fraction(largest))))
    # The attention layers write to the first row only, so the others are known exactly.
    below = column_ids(exact_sequences(L, N), inverse_delta=N) - exact_sequences(L, N)[:, 0]
    errors = distances(Z[:, 0], context_ids(L, inverse_delta=N) * grid.delta - below)
    k = int(errors.max(axis=-1).argmax())
    witness = [[str(t) for t in row] for row in exact_sequences(L[k], N)]
    g = yun2020.build(mean_product(n, d), inverse_delta=N, stage="softmax")
    hard = yun2020.build(mean_product(n, d), inverse_delta=N)
    X = (exact_sequences(L, N) + Fraction(1, 2 * N))[:: max(1, len(L) // 30)]
    gap = distances(g(X, BALL.with_bits(g.parameters["bits"])), hard(X, EXACT)).max()
    return Certificate(
        [
            Check("ids with softmax, |error|", errors.max(), "<=", grid.delta / 2, witness, "enclosed", len(L)),
            *checks,
            Check(
                "|g - g-bar| off the bands", gap, "<=", g.parameters["tolerance"] * grid.delta, None, "enclosed", len(X)
            ),
            Check("heads h of softmax attention", max(len(x.heads) for x in _attention(g.model)), "<=", 2),
            Check("hidden units r", g.claim.hidden, "<=", 4),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _attention(model: Transformer) -> list[Attention]:
    return [layer for layer in model.layers if isinstance(layer, Attention) and layer.normalization == "softmax"]


def _grid(inverse_delta: int, n: int, d: int) -> Grid:
    grid = Grid(inverse_delta, n, d)
    if n < 2:
        raise ValueError(f"yun2020:lem-6: expected n >= 2, got {n}; a lone token has no context.")
    if (work := grid.size() * d * n * grid.column_values) > MAX_ENCLOSED:
        raise ValueError(
            f"yun2020:lem-6: the layers with softmax would compute about {work:,} enclosures, the limit is "
            f"{MAX_ENCLOSED:,}; choose a coarser grid, shorter sequences or fewer dimensions."
        )
    return grid


def _perturb_lemma_6(*, seed: int = 0, inverse_delta: int = 2, n: int = 2, d: int = 1) -> Certificate:
    """The scores are a third as large, or a layer of attention writes twice as much, or a ReLU is damaged."""
    grid = _grid(inverse_delta, n, d)
    rng = np.random.default_rng(seed)
    scale = softmax_scale(inverse_delta, n, d)
    shift = selective_shift(inverse_delta=inverse_delta, n=n, d=d)
    damage = seed % 3
    layers: list[Layer] = list(with_softmax_layers(shift, scale // 3 if damage == 0 else scale).layers)
    if damage == 1:
        place = int(rng.integers(len(layers)))
        weights = layers[place].weights()
        doubled = {name: w * 2 if name.endswith("w_o") else w for name, w in weights.items()}
        layers[place] = layers[place].with_weights(doubled)
    jump = Fraction(int(rng.integers(1, 9)), 8) if damage == 2 else None
    return _certify_lemma_6(grid, Transformer(layers, n=n), _relu_checks(grid, Fraction(1, 2), jump))


@register(
    "yun2020:lem-6",
    "softmax and four ReLUs stand in for hardmax and three pieces",
    source="Lemma 6, section F",
    chapter="yun-softmax",
    perturb=_perturb_lemma_6,
    concerns="proof",
    erratum=(
        "The displayed cases of the four ReLUs are theirs for eps <= c_2 - c_1 only, which the text does not say: "
        "beyond, the bands overlap, and in [c_1 - eps, c_2) the sum is another. (The constant b_1 needs the bias b_2 "
        "of the layer; where the second or third piece is the constant one, some ReLUs look to the left.)"
    ),
)
def verify_lemma_6(*, variant: str = "repaired", inverse_delta: int = 2, n: int = 2, d: int = 1) -> Certificate:
    """Ids with softmax of `softmax_scale`, enclosed for all grid sequences; four ReLUs, exact; a network with both."""
    grid = _grid(inverse_delta, n, d)
    shift = selective_shift(inverse_delta=inverse_delta, n=n, d=d)
    soft = with_softmax_layers(shift, softmax_scale(inverse_delta, n, d))
    width = Fraction(1) if variant == "repaired" else Fraction(3, 2)
    return _certify_lemma_6(grid, soft, _relu_checks(grid, width))
