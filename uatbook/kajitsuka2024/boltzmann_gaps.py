"""How far apart two values of the Boltzmann operator are: the gap itself, in logarithms, and lower bounds on it.

At the scale of kajitsuka2024, Theorem 2, gaps are like 10^-3749, far below every float. So a gap is given as its
natural logarithm, and so is each bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np

from uatlib.arithmetic import BALL, FLOAT64, Arithmetic, Undecided
from uatlib.arithmetic.numbers import FLOAT_RANGE, Number
from uatlib.checks import finite, instance, listed, positive, rational, refused
from uatlib.kajitsuka2024.boltzmann_operator import length, vector_of

MAX_BITS = 1_000_000
"""Working precision up to which `log_gap` goes in BALL before it gives up."""
MAX_PAIRS = 250_000
"""Terms of the sum in `log_gap`."""
GUARD = 20
"""Binary digits that a sum of floats must have left."""


def log_gap(a: Sequence[Number], b: Sequence[Number], system: Arithmetic = FLOAT64) -> Any:
    """log |boltz(a) - boltz(b)| for vectors of int, Fraction and float, of any lengths; -inf if the values are equal.

    With u, v the entries of a, b,

        boltz(a) - boltz(b) = sum_{u, v} (u - v) e^{u + v} / (sum_u e^u  sum_v e^v).

    Terms of the same exponent u + v are added exactly first. What a and b have in common cancels there, as (u - v)
    e^{u + v} changes sign when u and v are exchanged. The rest is summed by logarithms: nothing underflows.

    All entries are rational (floats too). By the theorem of Lindemann and Weierstrass, powers of e with different
    rational exponents are linearly independent over the rationals, so the values are equal only if all terms have
    cancelled. Then they cancel for every multiple of a and b as well, and log sum e^{xu} and log sum e^{xv} have the
    same derivative by x: a and b hold the same numbers, in the same proportions. So rational vectors of one length
    have the same Boltzmann value only if one is a permutation of the other.

    Parameters
    ----------
    system : FLOAT64 for a float, right to 10^-6 and to its own rounding, or BALL for a certified ball. BALL starts with
        its own bits and doubles them until 0 is outside the enclosure of the sum.

    Raises
    ------
    ValueError
        a or b is no vector of finite numbers of at most 2^1000 in size, their lengths have a product over 250,000, or
        another system is asked for.
    Undecided
        Positive and negative terms cancel to within rounding, or all are near the smallest floats (FLOAT64); they
        cancel to 1,000,000 bits (BALL).
    """
    one, other = vector_of(a, "a"), vector_of(b, "b")
    balls = isinstance(instance("system", system, Arithmetic, "take FLOAT64 or BALL"), type(BALL))
    if not balls and system != FLOAT64:
        raise refused("system", "FLOAT64 or BALL", system)
    if len(one) * len(other) > MAX_PAIRS:
        got = f"got {len(one)} and {len(other)}"
        raise ValueError(f"b: expected lengths with a product of at most {MAX_PAIRS:,}, {got}.")
    factors: dict[Fraction, Fraction] = {}
    for u, v in product(one, other):
        factors[u + v] = factors.get(u + v, Fraction(0)) + u - v
    terms = [(factor, exponent) for exponent, factor in factors.items() if factor]
    if not terms:
        return -math.inf
    return _in_balls(one, other, terms, system) if balls else _in_floats(one, other, terms)


def _in_floats(one: list[Fraction], other: list[Fraction], terms: list[tuple[Fraction, Fraction]]) -> float:
    top = max(exponent for _, exponent in terms)
    factors = [float(factor) for factor, _ in terms]
    below = [float(exponent - top) for _, exponent in terms]
    summands = [f * math.exp(x) for f, x in zip(factors, below, strict=True)]
    total = abs(math.fsum(summands))
    # x is right to |x| 2^-53, and so is e^x, relatively; f, exp and the product add a few units in the last place.
    # Subnormal numbers, and zeros that they became, are right to 2^-1074.
    relative = math.fsum(abs(s) * (5 - x) for s, x in zip(summands, below, strict=True))
    absolute = math.fsum(abs(f) + 2 for f in factors)
    if not total > math.ldexp(relative, GUARD - 53) + math.ldexp(absolute, GUARD - 1074):
        why = "cancel to within the rounding of FLOAT64, or are near the smallest floats"
        raise Undecided(f"log_gap: the terms of the gap {why}; use BALL.")
    return math.log(total) + float(top - max(one) - max(other)) - _log_weight(one) - _log_weight(other)


def _in_balls(one: list[Fraction], other: list[Fraction], terms: list[tuple[Fraction, Fraction]], system: Any) -> Any:
    bits = system.bits
    while bits <= MAX_BITS:
        finer = system.with_bits(bits)
        with finer.context():
            shift, powers = finer.exponentials(finer.array([exponent for _, exponent in terms]))
            total = abs((finer.array([factor for factor, _ in terms]) * powers).sum())
            if total > 0:
                result = finer.log_sum(np.array([total], dtype=object)) + shift[0]
                for row in (one, other):
                    top, weights = finer.exponentials(finer.array(row))
                    result = result - top[0] - finer.log_sum(weights)
                return finer.output(np.asarray(result, dtype=object))[()]
        bits *= 2
    raise Undecided(f"log_gap: the gap is not 0, but below what {MAX_BITS:,} bits can tell from it.")


def _log_weight(vector: list[Fraction]) -> float:
    """log sum e^{u - max u}."""
    top = max(vector)
    return math.log1p(math.fsum(math.exp(u - top) for u in sorted(vector)[:-1]))


# --------------------------------------------------------------------------------------------------------------- bounds


def log_one_entry_bound(common: Sequence[Number], upper: Number, lower: Number, delta: Number) -> float:
    """log of (x - y)(delta + x - y - log n - 1) e^y / (sum e^{c_i} + e^y), for x = upper > y = lower.

    For max c - delta > x > y and delta > log n + 3, boltz(c, y) - boltz(c, x) is larger than that, where c = common
    are the other n - 1 entries: the sum falls when its small entry grows.

    Raises
    ------
    ValueError
        The entries or delta are no numbers of at most 2^1000 in size, or not as supposed.

    Source: kajitsuka2024, Lemma 6, eq. (103).
    """
    rest, (x, y, delta) = vector_of(common, "common"), vector_of([upper, lower, delta], "upper, lower, delta")
    log_n = math.log(len(rest) + 1)
    if not (max(rest) - delta > x > y and delta > log_n + 3):
        got = f"{float(max(rest)):.4g} - {float(delta):.4g}, {float(x):.4g}, {float(y):.4g} at n = {len(rest) + 1}"
        raise ValueError(f"upper: expected max(common) - delta > upper > lower and delta > log n + 3, got {got}.")
    step = x - y
    share = float(y - max(rest)) - _log_weight([*rest, y])
    # The step may be below every float.
    log_step = math.log(step.numerator) - math.log(step.denominator)
    return log_step + math.log(float(delta + step) - log_n - 1) + share


def log_pair_bound(
    a: Sequence[Number], b: Sequence[Number], *, n: int | None = None, delta: Number | None = None
) -> float:
    """A lower bound on `log_gap` for separated a != b, from the first place where they differ in decreasing order.

        log( (log n)^2 e^{-(a_1 - b_{k+1})} )        if a_{k+1} > b_{k+1} are the first entries that differ
        log( (delta / 2) e^{-(a_1 - a_{k+1})} )      if b = (a_1, ..., a_k) is all of b

    It holds where no entry occurs twice in a, or in b, and different entries are more than delta > 2 log n + 3 apart,
    see `is_separated`. The lengths may differ, as those of the visible parts of n tokens do.

    The second case is that of masks, where the first formula would have b_{k+1} = -inf and say nothing. It is ours; the
    book has the proof.

    Parameters
    ----------
    n : number of tokens, masked ones included; without it the longer length
    delta : the distance of different entries, for the second case; without it 2 log n + 3

    Raises
    ------
    ValueError
        a or b is no vector of numbers of at most 2^1000 in size, an entry occurs in it twice, they are equal up to
        order, n < 2, or delta is not positive.

    Source: kajitsuka2024, Lemma 7, eq. (117); appendix C for masks, whose bound is ours.
    """
    one, other = (sorted(vector_of(v, name), reverse=True) for v, name in ((a, "a"), (b, "b")))
    n = length(max(len(one), len(other)) if n is None else n)
    gap = 2 * math.log(n) + 3 if delta is None else float(positive("delta", finite("delta", delta)))
    if not (_distinct(one) and _distinct(other)):
        raise ValueError("a: expected vectors in which no entry occurs twice; the bound is not one there.")
    for u, v in zip(one, other, strict=False):
        if u != v:
            return 2 * math.log(math.log(n)) - float(max(one[0], other[0]) - min(u, v))
    if len(one) == len(other):
        raise ValueError("b: expected vectors that differ, got twice the same entries.")
    k = min(len(one), len(other))
    longer = max(one, other, key=len)
    return math.log(gap / 2) - float(longer[0] - longer[k])


def is_separated(vectors: Sequence[Sequence[Number]], delta: Number) -> bool:
    """Whether no entry occurs twice in a vector and different entries, also of two vectors, are more than delta apart.

    Raises
    ------
    ValueError
        There is no vector, one is none of numbers of at most 2^1000 in size, or delta is no number.

    Source: kajitsuka2024, Definition 1 for sequences of numbers, and the hypotheses of Lemma 1.
    """
    rows = [vector_of(v, "vectors") for v in listed("vectors", vectors, "a list of vectors")]
    least = rational("delta", delta)
    values = sorted({u for row in rows for u in row})
    return all(v - u > least for u, v in pairwise(values)) and all(map(_distinct, rows))


def _distinct(row: list[Fraction]) -> bool:
    return len(set(row)) == len(row)


def separation_bound(n: int, r: float) -> float:
    """(log n)^2 e^{-2r}: the gap of Lemma 1; 0.0 where it underflows, see `log_separation_bound`.

    Raises
    ------
    ValueError
        n is no int >= 2, or r no number > 0 of at most 2^1000.

    Source: kajitsuka2024, eq. (16).
    """
    return math.exp(log_separation_bound(n, r))


def log_separation_bound(n: int, r: float) -> float:
    """2 log log n - 2r: the natural logarithm of `separation_bound`, with its errors."""
    bound = float(positive("r", r, 2**FLOAT_RANGE, "it bounds the entries"))
    return 2 * math.log(math.log(length(n))) - 2 * bound
