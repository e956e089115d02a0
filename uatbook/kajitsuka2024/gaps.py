"""Kajitsuka, Sato (2024): how far apart the Boltzmann operator keeps vectors; Lemmas 1, 6 and 7."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from uatlib.certificate import Check
from uatlib.kajitsuka2024.boltzmann_operator import boltz

from ..damages import in_part, mapped, put
from ..registry import register
from . import common
from .boltzmann_gaps import is_separated, log_one_entry_bound, log_pair_bound, log_separation_bound, separation_bound
from .common import FINE, Pairs, Vector

CHAPTER = "kajitsuka-boltzmann"
HAIR = Fraction(1, 1000)


# -------------------------------------------------------------------------------------------------------------- Lemma 1


def _certify_lemma_1(pairs: Pairs) -> list[Check]:
    r = max(abs(u) for row in pairs.rows for u in row) * Fraction(1001, 1000)
    bound = log_separation_bound(pairs.n, float(r))
    name = "log |boltz(a) - boltz(b)|, least, against log((log n)^2 e^{-2r})"
    largest = max((boltz(row, system=FINE) for row in pairs.rows), key=lambda ball: abs(ball.midpoint))
    size = abs(largest.midpoint) + largest.radius
    return [
        pairs.nearest(name, lambda a, b: bound),
        Check("|boltz(a)|, largest, against r", size, "<=", r, cases=len(pairs.rows)),
    ]


@register(
    "kajitsuka2024:lem-1",
    "the Boltzmann operator keeps separated vectors apart",
    source="Lemma 1, section B.3",
    chapter=CHAPTER,
    construction=separation_bound,
    certify=_certify_lemma_1,
    cases=[{"n": 2, "levels": 3}, {"n": 4, "levels": 6}],
    damages={
        "the same entries in two orders": in_part(
            "rows", lambda rows, rng: [*rows, rows[rng.integers(len(rows))][::-1]]
        ),
        **common.BLIND,
    },
    concerns="statement",
    erratum="""The statement asks for a != b only; two vectors with the same entries in another order have the same
    value. The proof sorts them first, so it needs different sets of entries.""",
)
def separated(*, variant: str = "repaired", n: int = 3, levels: int = 6) -> Pairs:
    """All pairs of vectors of n different levels, a little more than 2 log n + 3 apart; printed: both orders."""
    pairs = common.pairs_of(n, levels)
    if variant == "repaired":
        return pairs
    return pairs._replace(rows=[order for row in pairs.rows[:2] for order in (row, row[::-1])])


# -------------------------------------------------------------------------------------------------------------- Lemma 6


class Lowered(NamedTuple):
    """Pairs of vectors that differ in their smallest entry, and what is said of them."""

    n: int
    printed: bool
    gap: common.Gap = common.enclosed_gap
    larger: float = 0.0


def _lowered(n: int) -> list[tuple[Vector, Fraction, Fraction, Fraction]]:
    """(common entries, a_n, b_n, delta) with max - delta > a_n > b_n; first the cases next to the bound."""
    delta = Fraction(math.log(n) + 3) * Fraction(1001, 1000)
    cases = [
        ((Fraction(0), *(x,) * (n - 2)), HAIR, step) for x in (Fraction(0), -delta) for step in (HAIR, Fraction(2))
    ]
    steps = np.random.default_rng(1).integers(1, 40, (len(common.drawn(n)), 2)).tolist()
    for a, (beyond, step) in zip(common.drawn(n), steps, strict=True):
        top = max(a[:-1])
        cases.append((tuple(u - top for u in a[:-1]), Fraction(beyond, 8), Fraction(step, 8)))
    return [(common, -delta - beyond, -delta - beyond - step, delta) for common, beyond, step in cases]


def _certify_lemma_6(parts: Lowered) -> list[Check]:
    cases = _lowered(parts.n)
    pairs = [((*common, upper), (*common, lower)) for common, upper, lower, _ in cases]
    bounds = {pair: log_one_entry_bound(*case) + parts.larger for pair, case in zip(pairs, cases, strict=True)}
    wrong = []
    for a, b in pairs:
        one, other = boltz(a, system=FINE), boltz(b, system=FINE)
        if not (one > other if parts.printed else other > one):
            wrong.append({"a": a, "b": b, "boltz(a)": float(one), "boltz(b)": float(other)})
    order = "boltz(a) - boltz(b)" if parts.printed else "boltz(b) - boltz(a)"
    return [
        common.nearest("log |difference| next to the log of (103)", pairs, parts.gap, lambda a, b: bounds[a, b]),
        Check.none(f"{order} not positive: cases", wrong, None, "sampled", len(cases)),
    ]


@register(
    "kajitsuka2024:lem-6",
    "how much the Boltzmann operator rises when its smallest entry falls",
    source="Lemma 6, eq. (102)-(103)",
    chapter=CHAPTER,
    construction=log_one_entry_bound,
    certify=_certify_lemma_6,
    cases=[{"n": 2}, {"n": 6}],
    damages={"a bound 7 times too large": put(larger=2.0), **common.BLIND},
    concerns="sentence",
    erratum="""The sentence before (103) speaks of boltz(a) - boltz(b), for a_n > b_n; the display bounds boltz(b) -
    boltz(a) from below, and that is the difference which is positive.""",
)
def lowered(*, variant: str = "repaired", n: int = 3) -> Lowered:
    """The bound on random vectors and next to its equality; the sign of the difference."""
    return Lowered(common.length(n), variant == "printed")


# -------------------------------------------------------------------------------------------------------------- Lemma 7


def _certify_lemma_7(pairs: Pairs) -> list[Check]:
    name = "log |boltz(a) - boltz(b)| next to log((log n)^2 e^{-(a_1 - b_{k+1})})"
    unfit = [
        {"a": row}
        for row in pairs.rows
        if not is_separated([row], 2 * math.log(len(row)) + 3) or [*row] != sorted(row, reverse=True)
    ]
    return [
        pairs.nearest(name, log_pair_bound),
        Check.none("vectors that do not meet the hypotheses", unfit, cases=len(pairs.rows)),
    ]


def _printed_lemma_7(*, n: int = 3, levels: int = 6) -> list[Check]:
    """(114) to the letter, and (120) for k = n - 1."""
    pairs = common.pairs_of(n, levels)
    rows, delta, k = pairs.rows, 2 * math.log(pairs.n) + 3, pairs.n - 1
    met = sum(all(row[i] - row[j] > delta for i in range(k + 1) for j in range(i)) for row in rows)
    # The first two rows differ in their last entry: k = n - 1.
    a, b = rows[:2]
    above, below = a[: k + 1], (*a[:k], *(b[k],) * (pairs.n - k))
    differ = [sum(u != v for u, v in itertools.zip_longest(*pair)) for pair in ((a, above), (b, below))]
    pair = {"a": a, "b": b, "k": k}
    return [
        Check("decreasing vectors that meet (114) as it stands", met, ">", 0, {"a": a}, cases=len(rows)),
        Check("(120): entries in which a is not (a_1, ..., a_{k+1}), at k = n - 1", differ[0], ">", 0, pair),
        Check("(120): entries in which b is not (..., b_{k+1}, ..., b_{k+1})", differ[1], ">", 0, pair),
    ]


@register(
    "kajitsuka2024:lem-7",
    "the first entry in which two decreasing vectors differ keeps their Boltzmann values apart",
    source="Lemma 7, eq. (114)-(117)",
    chapter=CHAPTER,
    construction=log_pair_bound,
    certify=_certify_lemma_7,
    cases=[{"n": 2, "levels": 3}, {"n": 4, "levels": 6}],
    damages={
        "a bound 10^6 times too large": put(larger=6 * math.log(10)),
        "levels that rise": mapped(rows=lambda rows: [row[::-1] for row in rows]),
        **common.BLIND,
    },
    printed=_printed_lemma_7,
    concerns="sentence",
    erratum="""The lemma is about vectors in decreasing order. The display that spells this out, (114), asks
    a_i - a_j > delta for i > j, which no such vector meets; it must be i < j. In (120) both inequalities are equalities
    for k = n - 1.""",
)
def pairwise(*, n: int = 3, levels: int = 6) -> Pairs:
    """All pairs of vectors of n different levels; printed: (114) to the letter, and (120) for k = n - 1."""
    return common.pairs_of(n, levels)
