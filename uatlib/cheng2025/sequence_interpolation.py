"""Proposition 1: mixing, then residual blocks, take sequences to the values of a function. Source: cheng2025, B.1."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import Arithmetic, Ball
from ..checks import refused
from ..layers import Layer
from ..model import Transformer
from .residual_blocks import interpolating_blocks

SAME = Fraction(1, 2**64)
"""Tokens that are nearer are taken for the same."""


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
