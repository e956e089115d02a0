"""Theorem 1 of kajitsuka2024: what one layer of hardmax attention does not tell apart, and what it does when small."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from uatlib.checks import whole
from uatlib.layers import Attention, Head

MAX_LENGTH = 1_000_000


def hardmax_pair(n: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sequences of numbers whose shared tokens no layer of hardmax attention tells apart: (1, 2, 5, 6), (1, 3, 4, 6).

    For n > 4 both go on with 7, ..., n + 2. For tokens that are multiples of one vector, a head weighs the tokens by
    their scores kappa x_k x_j: it takes the mean of the largest x_j, of the smallest, or of all if the scores tie. All
    three are equal for the pair.

    Raises
    ------
    ValueError
        n is no int in [4, 1,000,000]: for fewer tokens a layer can be a contextual mapping, see `small_hardmax`.

    Source: kajitsuka2024, Theorem 1, whose proof has (1, 2, 4) and (1, 3, 4); their means differ. The pair is ours.
    """
    n = whole("n", n, 4, MAX_LENGTH, "shorter sequences are told apart")
    rest = tuple(range(7, n + 3))
    return (1, 2, 5, 6, *rest), (1, 3, 4, 6, *rest)


def hardmax_heads(writes: Mapping[int, object]) -> Attention:
    """Hardmax attention on numbers: for each sign of the scores' factor kappa = 1, 0, -1 a head that writes so much.

    On positive tokens the head of 1 hears the maximum, that of -1 the minimum, that of 0 the mean.
    """
    return Attention([Head([[sign]], [[1]], [[1]], [[write]]) for sign, write in writes.items()], "hardmax")


def small_hardmax(n: int, size: int) -> Attention:
    """A hardmax layer that is a contextual mapping for n = 2 or 3 different tokens out of 1, ..., size.

    n = 2: one head of the mean. n = 3: heads of the mean, the maximum and the minimum, which together say which three
    tokens there are. They are written as digits in a base M > n size: x + n mean / M + max / M^2 + min / M^3.

    Raises
    ------
    ValueError
        n is neither 2 nor 3, or size is no int > n.

    Source: ours; it shows that kajitsuka2024, Theorem 1, needs n >= 4.
    """
    n = whole("n", n, 2, 3)
    size = whole("size", size, n + 1)
    M = n * size + 1
    mean = {0: Fraction(n, M)}
    return hardmax_heads(mean if n == 2 else {**mean, 1: Fraction(1, M**2), -1: Fraction(1, M**3)})
