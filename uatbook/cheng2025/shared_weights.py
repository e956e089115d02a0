"""One set of weights for layers of attention that tells all sequences of a data set apart, and what it remembers.

By Theorem 2 almost all weights will do if each two sequences can be told apart. So we draw some, and enclose the least
distance of two tokens that they leave.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.arithmetic import BALL, FLOAT64
from uatlib.checks import refused
from uatlib.cheng2025.random_attention import attention_layers, random_weights
from uatlib.kernels import DOT, Kernel
from uatlib.model import Transformer

from ..interpolation import interpolating_layer

DRAWS = 24
"""Weights that are drawn, of which the best are kept."""
BITS = 512


def least_gap(tokens: np.ndarray) -> tuple[Any, tuple[int, int], tuple[int, int]]:
    """The least distance of two of the N n tokens of shape (N, d, n), in the largest entry, and where they are.

    That is (sequence, place) of both. Tokens of one sequence count as well: those of one g(X) have to be distinct, too.
    Floats or Fractions.
    """
    N, d, n = tokens.shape
    flat = tokens.transpose(0, 2, 1).reshape(N * n, d)
    order = np.argsort(flat[:, 0], kind="stable")
    flat = flat[order]
    best, at = None, (0, 0)
    # Neighbours in the first entry, then second neighbours and so on, until the first entry alone is too far.
    for k in range(1, N * n):
        apart = abs(flat[k:] - flat[:-k])
        if best is not None and not (apart[:, 0] < best).any():
            break
        apart = apart.max(axis=1)
        j = int(apart.argmin())
        if best is None or apart[j] < best:
            best, at = apart[j], (j, j + k)
    one, other = sorted(int(order[j]) for j in at)
    return best, divmod(one, n), divmod(other, n)


@dataclass(frozen=True, eq=False)
class Separation:
    """Layers of attention, and what they make of sequences.

    Attributes
    ----------
    model : the layers, with rational weights
    sequences : shape (N, d, n)
    tokens : the midpoints of enclosures of the values, Fractions, shape (N, d, n)
    radius : of these enclosures, the largest
    gap : so much at least are two of the N n tokens apart, in their largest entry; 0 or below: nothing is known
    at : the nearest two, each as (sequence, place)
    """

    model: Transformer
    sequences: np.ndarray
    tokens: np.ndarray
    radius: Fraction
    gap: Fraction
    at: tuple[tuple[int, int], tuple[int, int]]


def enclosed(model: Transformer, sequences: np.ndarray) -> Separation:
    """The values of a network in BALL, and how far apart all tokens are at least."""
    balls = np.asarray(model(sequences, BALL.with_bits(BITS)))
    middle = np.frompyfunc(lambda ball: ball.midpoint, 1, 1)(balls)
    radius = max(ball.radius for ball in balls.flat)
    gap, *at = least_gap(middle)
    return Separation(model, sequences, middle, radius, gap - 2 * radius, (at[0], at[1]))


def separating_layers(
    sequences: np.ndarray, kernel: Kernel = DOT, patterns: Sequence[Any] | None = None, *, seed: int = 0
) -> Separation:
    """Of some random weights those with the largest least gap, jointly for all sequences.

    Raises
    ------
    ValueError
        The gap that they leave cannot be told from 0: there are sequences that these layers take for each other.

    Source: cheng2025, Theorem 2.
    """
    rng, d = np.random.default_rng(seed), sequences.shape[1]
    layers = 1 if patterns is None else len(patterns)
    drawn = [attention_layers(random_weights(layers, d, rng), kernel, patterns) for _ in range(DRAWS)]
    best = max(drawn, key=lambda model: least_gap(model(sequences, FLOAT64.on("cpu")).numpy())[0])
    found = enclosed(best, sequences)
    if not found.gap > 0:
        expected = "those of different orbits, which these layers can tell apart"
        raise refused("sequences", expected, f"tokens {found.at} that no weights told apart")
    return found


def recalling(separation: Separation, labels: np.ndarray, *, seed: int = 0) -> Transformer:
    """The layers, and one of ReLUs that gives every token its label, shape (N, d, n): one broken line a row.

    A vector reads the N n tokens, the best of some random ones.

    Source: cheng2025, section 4.1 and the remark after Theorem 2; `interpolating_layer`.
    """
    Z, Y = (part.transpose(0, 2, 1).reshape(-1, part.shape[1]) for part in (separation.tokens, labels))
    rng = np.random.default_rng(seed)
    readings = random_weights(DRAWS, Z.shape[1], rng)[:, 0, 0]
    spread = [min(high - low for low, high in itertools.pairwise(sorted(Z @ a))) for a in readings]
    reading = readings[spread.index(max(spread))]
    layer = interpolating_layer(Z, Y, reading, list(Z @ reading))
    return Transformer([*separation.model.layers, layer])
