"""Blocks Id + h with h = W relu(A x - b), W and A of d x d: points to points, and increasing functions.

That is the family (10) of the affine-invariant family that ReLU generates (Definition 2): at most d hidden units a
block, no second bias. In exact arithmetic. After a mixing layer they take sequences to the values of a function.

Source: cheng2025, Propositions 1 to 3, section B.1, which cite others; the blocks ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import Arithmetic, Ball
from uatlib.arithmetic.numbers import Number
from uatlib.checks import positive, rationals, refused, whole
from uatlib.internal.shapes import Numbers
from uatlib.layers import FeedForward, Layer
from uatlib.model import Transformer

SAME = Fraction(1, 2**64)
"""Tokens that are nearer are taken for the same."""


def interpolating_blocks(x: Numbers, y: Numbers, eps: Number) -> list[FeedForward]:
    """Blocks whose composition f has |f(x_i) - y_i| <= eps for all i, and f(x_i) = y_i in all entries but the first.

    With N points that are 1 + 3 ceil(N/d) blocks. Where all y_1 differ, f(x_i) = y_i. The book has the
    steps.

    Parameters
    ----------
    x, y : (N, d), d >= 2, the rows of x different

    Raises
    ------
    ValueError
        Shapes that differ, d < 2, a point twice, eps no number > 0.

    Source: cheng2025, Proposition 3.
    """
    x, y, eps = rationals("x", x, 2), rationals("y", y, 2), positive("eps", eps)
    count, d = x.shape
    if y.shape != x.shape or d < 2:
        raise refused("y", "as many rows of d >= 2 entries as x has", y.shape)
    if len({tuple(row) for row in x}) < count:
        raise refused("x", "points that differ", x.tolist())
    first, x = _shear(x)
    order = np.argsort(x[:, 0], kind="stable")
    x, y = x[order].copy(), y[order]
    levels = np.array([Fraction(i) for i in range(count)], dtype=object)
    known = sorted(set(y[:, 0]))
    tiny = min([eps, *np.diff(known)]) / count if len(known) < count else 0
    blocks = [first]
    for reads, writes, values in (
        (0, [1], levels[:, None]),
        (1, [0, *range(2, d)], np.column_stack([y[:, 0] + levels * tiny, y[:, 2:]])),
        (0, [1], y[:, 1:2]),
    ):
        blocks += _setting(x, reads, writes, values)
        x[:, writes] = values
    return blocks


def _shear(x: np.ndarray) -> tuple[FeedForward, np.ndarray]:
    """The block x_1 += relu(c . x + B), where all c . x + B > 0, and where it takes the points."""
    d = x.shape[1]
    for step in range(1, len(x) ** 2 * d + 2):
        c = np.array([Fraction(0), *(Fraction(1, step**k) for k in range(1, d))], dtype=object)
        along = x @ c
        if len(set(x[:, 0] + along)) == len(x):
            break
    shift = 1 - min(along)
    moved = x.copy()
    moved[:, 0] += along + shift
    return FeedForward([c], [shift], [[int(k == 0)] for k in range(d)]), moved


def _setting(x: np.ndarray, reads: int, writes: list[int], values: np.ndarray) -> list[FeedForward]:
    """Blocks that set the entries `writes` to `values` by kinks in the entry `reads`, in which points differ."""
    count, d = x.shape
    order = np.argsort(x[:, reads], kind="stable")
    line, missing = x[order, reads], (values - x[:, writes])[order]
    kinks = np.concatenate([[line[0] - 1], line[:-1]])
    slopes = np.diff(missing, axis=0, prepend=missing[:1] * 0) / np.diff(line, prepend=line[0] - 1)[:, None]
    turns = np.diff(slopes, axis=0, prepend=slopes[:1] * 0)
    unit = np.eye(d, dtype=int)
    blocks = []
    for k in range(0, count, d):
        some = slice(k, min(k + d, count))
        w_2 = np.zeros((d, len(kinks[some])), dtype=object)
        w_2[writes] = turns[some].T
        blocks.append(FeedForward([unit[reads]] * len(kinks[some]), -kinks[some], w_2))
    return blocks


def increasing_blocks(points: Numbers, values: Numbers, d: int) -> list[FeedForward]:
    """Blocks whose composition is, entry by entry on [t_0, t_K], the function through (t_j, v_j), linear between.

    First x + (v_0 - t_0); then, where the slope of the function is s_j > 0 from t_j on and s_{-1} = 1, in turn
    x + (s_j/s_{j-1} - 1) relu(x - v_j) for j = 0, ..., K - 1. K + 1 blocks of d hidden units.

    Parameters
    ----------
    points, values : t and v, strictly ascending

    Raises
    ------
    ValueError
        Fewer than two points, or ones that do not ascend; d no int >= 1.

    Source: cheng2025, Proposition 2.
    """
    t, v, d = rationals("points", points, 1), rationals("values", values, 1), whole("d", d, 1, 64)
    if len(t) < 2 or t.shape != v.shape:
        raise refused("values", "as many as points, at least two", v.shape)
    for name, line in (("points", t), ("values", v)):
        if not all(a < b for a, b in itertools.pairwise(line)):
            raise refused(name, "strictly ascending numbers", line.tolist(), "an increasing function with slopes > 0")
    unit = np.eye(d, dtype=int)
    slopes = [Fraction(1), *(np.diff(v) / np.diff(t))]
    turns = [s / before - 1 for before, s in itertools.pairwise(slopes)]
    shift = FeedForward(unit * 0, [1] * d, unit * (v[0] - t[0]))
    return [shift, *(FeedForward(unit, [-b] * d, unit * w) for b, w in zip(v, turns, strict=False))]


def staircase_points(inverse_delta: int, ramp: Fraction, reach: int) -> tuple[Sequence[Fraction], Sequence[Fraction]]:
    """The kinks of (36) on [-reach, reach], and its values there: levels i delta, ramps of relative width 1 - alpha."""
    delta = Fraction(1, inverse_delta)
    kinks, values = [], []
    for i in range(-reach * inverse_delta, reach * inverse_delta):
        kinks += [i * delta, (i + 1 - ramp) * delta]
        values += [i * delta, i * delta]
    return [*kinks, Fraction(reach)], [*values, Fraction(reach)]


# ------------------------------------------------------------------------------------------ Proposition 1


class Interpolation(NamedTuple):
    """The network; how many tokens it knows by heart; how far those of general position are apart, at least."""

    model: Transformer
    tokens: int
    separation: Fraction


def interpolate(mixing: Sequence[Layer], X: Any, values: Any, eps: Any, system: Arithmetic) -> Interpolation:
    """Blocks after `mixing` that give X_i with n different tokens its values up to eps/n a token, and other tokens 0.

    Tokens of sequences with a token twice go to 0 where they differ from all tokens of those without.

    Parameters
    ----------
    X, values : (M, d, n), Fractions, d >= 2; no X_i an X_j with its tokens in another order
    system : EXACT, or BALL with bits, in which tokens are told apart

    Raises
    ------
    ValueError
        Two tokens of sequences in general position that are met: the mixing does not tell them apart.

    Source: cheng2025, Proposition 1.
    """
    n = X.shape[-1]
    general = np.array([len({tuple(column) for column in x.T}) == n for x in X])
    Z = Transformer(mixing)(X, system)
    points = np.frompyfunc(lambda z: z.midpoint if isinstance(z, Ball) else Fraction(z), 1, 1)(Z)

    def columns(which: np.ndarray, of: np.ndarray) -> list[np.ndarray]:
        return list(of[which].transpose(0, 2, 1).reshape(-1, X.shape[1]))

    x, y = columns(general, points), columns(general, values)
    apart = min(_distance(a, b) for a, b in itertools.combinations(x, 2))
    if apart < SAME:
        raise refused("mixing", "layers that tell all tokens apart", "two tokens that are met")
    for token in columns(~general, points):
        if all(_distance(token, known) >= SAME for known in x):
            x.append(token)
            y.append(token * 0)
    blocks = interpolating_blocks(np.array(x), np.array(y), Fraction(eps) / n)
    return Interpolation(Transformer([*mixing, *blocks]), len(x), apart)


def _distance(a: np.ndarray, b: np.ndarray) -> Fraction:
    return Fraction(max(abs(a - b)))
