"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Lemma 6, softmax and four ReLUs."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from uatlib import targets, yun2020
from uatlib.arithmetic import BALL, EXACT, distances
from uatlib.certificate import Check
from uatlib.grids import Grid
from uatlib.layers import Attention, FeedForward, ThreePiece
from uatlib.model import Transformer
from uatlib.yun2020.ids import column_ids, context_ids
from uatlib.yun2020.relus import FourRelus, bands, four_relus
from uatlib.yun2020.shift_layers import selective_shift
from uatlib.yun2020.softmax_and_relu import ball_bits, largest_in_bands, softmax_drift
from uatlib.yun2020.softmax_layers import softmax_scale, with_softmax_layers

from ..damages import in_a_layer, in_every_layer, in_part, scaled
from ..registry import register
from .common import exact_sequences, grid_of, require_few

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
        (c_2 - eps <= t < c_2, (a_3 * c_2 + b_3 - a_2 * (c_2 - eps) - b_2) / eps * (t - c_2) + a_3 * c_2 + b_3),
        (c_2 <= t, a_3 * t + b_3),
    ]
    return [value for holds, value in cases if holds]


def _relu_checks(grid: Grid, width: Fraction, damage: Fraction) -> list[Check]:
    """The displays for bands of `width` times c_2 - c_1; and phi itself off bands, any piece being the constant one.

    `damage` is added to the last slope of the printed ReLUs.
    """
    delta = grid.delta
    constant_first = [
        ThreePiece((0, 1), (0, 2, -3), (5, 1, 4)),
        ThreePiece((0, delta), (0, -1, 0), (0, 0, 0)),
        ThreePiece((-delta / 2, delta / 2), (0, 0, 0), (0, 1, 0)),
    ]
    others = [ThreePiece((0, 1), (-1, 0, -1), (4, 0, 4)), ThreePiece((0, 1), (-1, 3, 0), (2, 0, 1))]
    wrong, off = [], []
    for phi in constant_first:
        c_1, c_2 = phi.breakpoints
        eps = width * (c_2 - c_1)
        form = printed_relus(phi, eps)
        form = form._replace(jumps=(*form.jumps[:3], form.jumps[3] + damage))
        for t in _places(phi):
            values, got = displayed_cases(phi, eps, t), form(t)
            if any(got != value for value in values):
                wrong.append({"c_1": c_1, "c_2": c_2, "eps": eps, "t": t, "ReLUs": got, "cases": values})
    for phi in (*constant_first, *others):
        c_1, c_2 = phi.breakpoints
        eps = Fraction(c_2 - c_1) / 5
        form, among = four_relus(phi, eps), bands(phi, eps)
        for t in _places(phi):
            piece = (t >= c_1) + (t >= c_2)
            value = phi.slopes[piece] * t + phi.intercepts[piece]
            off.append(form(t) != value and not any(start <= t < end for start, end in among))
    name = f"t where four ReLUs are not the displayed cases, eps = {width} (c_2 - c_1)"
    cases = sum(len(_places(phi)) for phi in constant_first)
    return [
        Check.none(name, wrong, None, "sampled", cases),
        Check.none("t off the bands where four ReLUs are not phi", np.array(off), None, "sampled"),
    ]


def _places(phi: ThreePiece) -> list[Fraction]:
    """Numbers around the three pieces, on both sides of each breakpoint and at it."""
    c_1, c_2 = phi.breakpoints
    return [c_1 + Fraction(k, 24) * (c_2 - c_1) for k in range(-60, 90)]


class Soft(NamedTuple):
    """The contextual mapping with softmax; the width of bands, and what is added to a slope, of the four ReLUs."""

    grid: Grid
    model: Transformer
    width: Fraction
    jump: Fraction = Fraction(0)


def _certify_lemma_6(parts: Soft) -> list[Check]:
    grid, soft, width, jump = parts
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    rows = exact_sequences(L, N)
    largest = largest_in_bands(grid, positional=False, repaired=True, drift=softmax_drift(grid))
    Z = soft(rows, BALL.with_bits(ball_bits(soft, Fraction(largest))))
    # The attention layers write to the first row only, so the others are known exactly.
    below = column_ids(rows, inverse_delta=N) - rows[:, 0]
    errors = distances(Z[:, 0], context_ids(L, inverse_delta=N) * grid.delta - below).max(axis=-1)
    g = yun2020.build(targets.mean_product(n, d), inverse_delta=N, stage="softmax")
    hard = yun2020.build(targets.mean_product(n, d), inverse_delta=N)
    X = (rows + Fraction(1, 2 * N))[:: max(1, len(L) // 30)]
    gap = distances(g(X, BALL.with_bits(g.bits)), hard(X, EXACT)).max()
    allowed = g.tolerance * grid.delta
    heads = [len(x.heads) for x in g.model.layers if isinstance(x, Attention) and x.normalization == "softmax"]
    hidden = [layer.w_1.shape[0] for layer in g.model.layers if isinstance(layer, FeedForward)]
    return [
        Check.worst("ids with softmax, |error|", errors, "<=", grid.delta / 2, lambda k: {"X": rows[k]}, "enclosed"),
        *_relu_checks(grid, width, jump),
        Check("|g - g-bar| off the bands", gap, "<=", allowed, None, "enclosed", len(X)),
        Check("heads h of softmax attention", max(heads), "<=", 2),
        Check("hidden units r", max(hidden), "<=", 4),
    ]


@register(
    "yun2020:lem-6",
    "softmax and four ReLUs stand in for hardmax and three pieces",
    source="Lemma 6, section F",
    chapter="yun-softmax",
    construction=with_softmax_layers,
    certify=_certify_lemma_6,
    cases=[{"inverse_delta": 3, "n": 3, "d": 1}, {"inverse_delta": 2, "n": 2, "d": 2}],
    damages={
        "scores a third as large": in_part("model", in_every_layer(scaled(("w_q", "b_q"), Fraction(1, 3)))),
        "a layer of attention writes twice as much": in_part("model", in_a_layer(scaled("w_o", 2))),
        "a ReLU has another slope": lambda parts, rng: parts._replace(jump=Fraction(int(rng.integers(1, 9)), 8)),
    },
    concerns="proof",
    erratum="""The displayed cases of the four ReLUs are theirs for eps <= c_2 - c_1 only, which the text does not say:
    beyond, the bands overlap, and in [c_1 - eps, c_2) the sum is another. (The constant b_1 needs the bias b_2 of the
    layer; where the second or third piece is the constant one, some ReLUs look to the left.)""",
)
def lemma_6(*, variant: str = "repaired", inverse_delta: int = 2, n: int = 2, d: int = 1) -> Soft:
    """Ids with softmax of `softmax_scale`, enclosed for all grid sequences; four ReLUs, exact; a network with both."""
    grid = grid_of("yun2020:lem-6", inverse_delta, n, d)
    work = grid.size() * grid.d * grid.n * grid.column_values
    require_few("yun2020:lem-6", "enclosures that the layers with softmax would compute", work, MAX_ENCLOSED)
    shift = selective_shift(inverse_delta=inverse_delta, n=n, d=d)
    model = with_softmax_layers(shift, softmax_scale(inverse_delta, n, d))
    return Soft(grid, model, Fraction(1) if variant == "repaired" else Fraction(3, 2))
