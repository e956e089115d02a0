"""Kajitsuka, Sato (2024): how far apart the Boltzmann operator keeps vectors; Lemmas 1, 6 and 7."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...arithmetic import BALL
from ...arithmetic.base import is_int, shown
from ...certificate import Certificate, Check
from ...registry import register_by_seed as register
from ..boltzmann import boltz, log_separation_bound
from ..gaps import is_separated, log_gap, log_one_entry_bound, log_pair_bound
from .boltzmann import FINE, Vector, _require_length, _text, _vectors

CHAPTER = "kajitsuka-boltzmann"
MAX_PAIRS = 20_000
"""Pairs of vectors whose gap is enclosed."""

Gap = Callable[[Sequence[Any], Sequence[Any]], Any]


def enclosed_gap(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """`log_gap` in BALL."""
    return log_gap(a, b, BALL)


def delta_of(n: int) -> Fraction:
    """A rational a little above 2 log n + 3, so that steps of it are more than that."""
    return Fraction(2 * math.log(n) + 3) * Fraction(1001, 1000)


def _rows(what: str, n: int, levels: int, shorter: bool = False, step: Fraction | None = None) -> list[Vector]:
    """Decreasing vectors of n (with `shorter` 1 to n) different levels around 0, in steps of `delta_of(n)` or given."""
    _require_length(what, n)
    if not is_int(levels, n + 1):
        raise ValueError(f"kajitsuka2024:{what}: expected levels to be an int > n = {n}, got {shown(levels)}.")
    lengths = range(1 if shorter else n, n + 1)
    count = sum(math.comb(levels, length) for length in lengths)
    if (pairs := math.comb(count, 2)) > MAX_PAIRS:
        raise ValueError(
            f"kajitsuka2024:{what}: {pairs:,} pairs of vectors, the limit is {MAX_PAIRS:,}; choose fewer levels."
        )
    step = delta_of(n) if step is None else step
    row = [step * (2 * k - levels + 1) / 2 for k in reversed(range(levels))]
    return [v for length in lengths for v in itertools.combinations(row, length)]


def _least(name: str, rows: Sequence[Vector], gap: Gap, bound: Callable[[Vector, Vector], float]) -> Check:
    """The pair that comes nearest to its bound: log gap and log bound."""
    worst: tuple[float, Any, float, Any] | None = None
    cases = 0
    for a, b in itertools.combinations(rows, 2):
        cases += 1
        value, least = gap(a, b), bound(a, b)
        if worst is None or float(value) - least < worst[0]:
            worst = (float(value) - least, value, least, (f"a = {_text(a)}", f"b = {_text(b)}"))
    assert worst is not None
    return Check(name, worst[1], ">", worst[2], worst[3], "enclosed", cases)


# -------------------------------------------------------------------------------------- damage: operators that see less


def _log_abs(value: Fraction) -> float:
    return math.log(abs(value)) if value else -math.inf


def _gap_of_maximum(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return _log_abs(max(a) - max(b))


def _gap_without_last(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return enclosed_gap(a[:-1] or a, b[:-1] or b)


def _damaged_gap(seed: int) -> Gap:
    return (_gap_of_maximum, _gap_without_last)[seed % 2]


# -------------------------------------------------------------------------------------------------------------- Lemma 1


def _certify_lemma_1(n: int, levels: int, rows: Sequence[Vector], gap: Gap) -> Certificate:
    r = max(abs(u) for row in rows for u in row) * Fraction(1001, 1000)
    bound = log_separation_bound(n, float(r))
    name = "log |boltz(a) - boltz(b)|, least, against log((log n)^2 e^{-2r})"
    largest = max((boltz(row, system=FINE) for row in rows), key=lambda ball: abs(ball.midpoint))
    return Certificate(
        [
            _least(name, rows, gap, lambda a, b: bound),
            Check("|boltz(a)|, largest, against r", abs(largest.midpoint) + largest.radius, "<=", r, cases=len(rows)),
        ],
        parameters={"n": n, "levels": levels},
    )


def _perturb_lemma_1(*, seed: int = 0, n: int = 3, levels: int = 6) -> Certificate:
    """Hardmax, or an operator that leaves out the smallest entry, or the same entries in two orders."""
    rows = _rows("lem-1", n, levels)
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        row = rows[rng.integers(len(rows))]
        return _certify_lemma_1(n, levels, [*rows, tuple(reversed(row))], enclosed_gap)
    return _certify_lemma_1(n, levels, rows, _damaged_gap(seed))


@register(
    "kajitsuka2024:lem-1",
    "the Boltzmann operator keeps separated vectors apart",
    source="Lemma 1, section B.3",
    chapter=CHAPTER,
    perturb=_perturb_lemma_1,
    concerns="statement",
    erratum=(
        "The statement asks for a != b only; two vectors with the same entries in another order have the same value. "
        "The proof sorts them first, so it needs different sets of entries."
    ),
)
def verify_lemma_1(*, variant: str = "repaired", n: int = 3, levels: int = 6) -> Certificate:
    """All pairs of vectors of n different levels, a little more than 2 log n + 3 apart; printed: both orders."""
    rows = _rows("lem-1", n, levels)
    if variant == "printed":
        rows = [order for row in rows[:2] for order in (row, tuple(reversed(row)))]
    return _certify_lemma_1(n, levels, rows, enclosed_gap)


# -------------------------------------------------------------------------------------------------------------- Lemma 6


def _lowered(n: int) -> list[tuple[Vector, Fraction, Fraction, Fraction]]:
    """(common entries, a_n, b_n, delta) with max - delta > a_n > b_n; first the cases next to the bound."""
    delta = Fraction(math.log(n) + 3) * Fraction(1001, 1000)
    hair = Fraction(1, 1000)
    cases = [
        ((Fraction(0), *(x,) * (n - 2)), hair, step) for x in (Fraction(0), -delta) for step in (hair, Fraction(2))
    ]
    steps = np.random.default_rng(1).integers(1, 40, (len(_vectors(n)), 2)).tolist()
    for a, (beyond, step) in zip(_vectors(n), steps, strict=True):
        top = max(a[:-1])
        cases.append((tuple(u - top for u in a[:-1]), Fraction(beyond, 8), Fraction(step, 8)))
    return [(common, -delta - beyond, -delta - beyond - step, delta) for common, beyond, step in cases]


def _certify_lemma_6(n: int, gap: Gap, variant: str = "repaired", factor: float = 0.0) -> Certificate:
    worst: tuple[float, Any, float, Any] | None = None
    wrong, witness = 0, None
    cases = _lowered(n)
    for common, upper, lower, delta in cases:
        a, b = (*common, upper), (*common, lower)
        value, bound = gap(a, b), log_one_entry_bound(common, upper, lower, delta) + factor
        if worst is None or float(value) - bound < worst[0]:
            worst = (float(value) - bound, value, bound, (f"a = {_text(a)}", f"b = {_text(b)}"))
        one, other = boltz(a, system=FINE), boltz(b, system=FINE)
        if not (one > other if variant == "printed" else other > one):
            wrong += 1
            witness = witness or (
                f"a = {_text(a)}",
                f"b = {_text(b)}",
                f"boltz {float(one):.6g} and {float(other):.6g}",
            )
    assert worst is not None
    order = "boltz(a) - boltz(b)" if variant == "printed" else "boltz(b) - boltz(a)"
    return Certificate(
        [
            Check(
                "log |difference| next to the log of (103)", worst[1], ">", worst[2], worst[3], "enclosed", len(cases)
            ),
            Check(f"{order} not positive: cases", wrong, "==", 0, witness, "sampled", len(cases)),
        ],
        parameters={"n": n},
    )


def _perturb_lemma_6(*, seed: int = 0, n: int = 3) -> Certificate:
    """Hardmax, or an operator that leaves out the last entry, or a bound some times too large."""
    _require_length("lem-6", n)
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        return _certify_lemma_6(n, enclosed_gap, factor=float(rng.uniform(2, 4)))
    return _certify_lemma_6(n, _damaged_gap(seed))


@register(
    "kajitsuka2024:lem-6",
    "how much the Boltzmann operator rises when its smallest entry falls",
    source="Lemma 6, eq. (102)-(103)",
    chapter=CHAPTER,
    perturb=_perturb_lemma_6,
    concerns="sentence",
    erratum=(
        "The sentence before (103) speaks of boltz(a) - boltz(b), for a_n > b_n; the display bounds "
        "boltz(b) - boltz(a) from below, and that is the difference which is positive."
    ),
)
def verify_lemma_6(*, variant: str = "repaired", n: int = 3) -> Certificate:
    """The bound on random vectors and next to its equality; the sign of the difference."""
    _require_length("lem-6", n)
    return _certify_lemma_6(n, enclosed_gap, variant)


# -------------------------------------------------------------------------------------------------------------- Lemma 7


def _certify_lemma_7(n: int, levels: int, rows: Sequence[Vector], gap: Gap, factor: float = 0.0) -> Certificate:
    name = "log |boltz(a) - boltz(b)| next to log((log n)^2 e^{-(a_1 - b_{k+1})})"
    least = _least(name, rows, gap, lambda a, b: log_pair_bound(a, b) + factor)
    unfit = [row for row in rows if not is_separated([row], 2 * math.log(n) + 3) or sorted(row, reverse=True) != [*row]]
    return Certificate(
        [least, Check("vectors that do not meet the hypotheses", len(unfit), "==", 0, cases=len(rows))],
        parameters={"n": n, "levels": levels},
    )


def _perturb_lemma_7(*, seed: int = 0, n: int = 3, levels: int = 6) -> Certificate:
    """Hardmax, or an operator that leaves out the smallest entry, or a bound 10^6 to 10^9 times too large."""
    rows = _rows("lem-7", n, levels)
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        return _certify_lemma_7(n, levels, rows, enclosed_gap, factor=float(rng.uniform(6, 9)) * math.log(10))
    return _certify_lemma_7(n, levels, rows, _damaged_gap(seed))


@register(
    "kajitsuka2024:lem-7",
    "the first entry in which two decreasing vectors differ keeps their Boltzmann values apart",
    source="Lemma 7, eq. (114)-(117)",
    chapter=CHAPTER,
    perturb=_perturb_lemma_7,
    concerns="hypothesis",
    erratum=(
        "(114) asks a_i - a_j > delta for i > j, which no decreasing vector meets; it must be i < j. In (120) both "
        "inequalities are equalities for k = n - 1."
    ),
)
def verify_lemma_7(*, variant: str = "repaired", n: int = 3, levels: int = 6) -> Certificate:
    """All pairs of vectors of n different levels; printed: (114) to the letter, and (120) for k = n - 1."""
    rows = _rows("lem-7", n, levels)
    if variant == "repaired":
        return _certify_lemma_7(n, levels, rows, enclosed_gap)
    delta = 2 * math.log(n) + 3
    met = sum(all(row[i] - row[j] > delta for i in range(n) for j in range(i)) for row in rows)
    # The first two rows differ in their last entry: k = n - 1.
    a, b = rows[:2]
    k = n - 1
    above, below = a[: k + 1], (*a[:k], *(b[k],) * (n - k))
    differ = [sum(u != v for u, v in itertools.zip_longest(*pair)) for pair in ((a, above), (b, below))]
    pair = f"a = {_text(a)}, b = {_text(b)}, k = {k}: the same vectors have the same value"
    return Certificate(
        [
            Check("decreasing vectors that meet (114) as it stands", met, ">", 0, f"a = {_text(a)}", cases=len(rows)),
            Check("(120): entries in which a is not (a_1, ..., a_{k+1}), at k = n - 1", differ[0], ">", 0, pair),
            Check("(120): entries in which b is not (..., b_{k+1}, ..., b_{k+1})", differ[1], ">", 0, pair),
        ],
        parameters={"n": n, "levels": levels},
    )
