"""How far apart numbers must be for the Boltzmann operator to tell their sets apart: log(2 + sqrt 3), however many.

Lemma 1 of kajitsuka2024 asks for more than 2 log n + 3. Below log(2 + sqrt 3) there are collisions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

from .arithmetic.base import double, exact, is_int, real
from .boltzmann import require_length, sign_change
from .boltzmann_gap import vector_of

__all__ = ["LEAST_SPACING", "Collision", "collision", "log_spacing_bound", "spacing_constant"]

MAX_LENGTH = 100_000
"""Entries of a vector that `collision` makes."""
NEAR = 160
"""Up to here exponents of q = e^{-s} count in `collision`."""
LEAST_SPACING = math.log(2 + math.sqrt(3))
"""1.3169...: entries so far apart or farther never collide, in vectors of any lengths.

Below there are collisions: -s (0, 1) and -s (0, 2, 3, ..., n) have the same value at an s that tends to it as n grows.
"""


def spacing_constant(spacing: Any) -> float:
    """kappa(s) = s (1 - 4q + q^2) / (1 + q^3) for q = e^{-s}; 0 at s = log(2 + sqrt 3), about s for large s.

    Raises
    ------
    ValueError
        The spacing is no number, below log(2 + sqrt 3), or too large for a float.
    """
    s = double(spacing, "spacing")
    if s < LEAST_SPACING:
        raise ValueError(f"spacing: expected a number of at least log(2 + sqrt 3) = {LEAST_SPACING:.6f}, got {s:g}.")
    q = math.exp(-s)
    # The root of 1 - 4q + q^2 is no float; at LEAST_SPACING itself rounding may leave -10^-16.
    return s * max(1 - 4 * q + q * q, 0.0) / (1 + q**3)


def log_spacing_bound(a: Sequence[Any], b: Sequence[Any], spacing: Any) -> float:
    """log( kappa(s) e^{-(a_1 - a_{k+1})} ), a lower bound on `log_gap` for vectors with entries s or more apart.

    a and b, of any lengths, are taken in decreasing order. No entry occurs twice in one of them; different entries, in
    one of them or in both, are at least s >= log(2 + sqrt 3) apart. They agree in the first k entries, and then
    a_{k+1} > b_{k+1}, or b has no more; else exchange them. Then

        k = 0: boltz(a) - boltz(b) > kappa(s),    k > 0: boltz(b) - boltz(a) > kappa(s) e^{-(a_1 - a_{k+1})}

    so their values are different, and their first difference decides which is larger. For (0, -s) and -s (0, 2, 3, ...)
    without end the gap is the bound, divided by 1 - e^{-s}.

    Proof. Let q = e^{-s}, Q = q/(1 - q), R = s q/(1 - q)^2; then (1 - q)^2 >= 2q, so R <= s/2. As t e^{-t} falls for
    t > 1, a value is at least its largest entry minus sum_j j s q^j = R. For k = 0 it is enough that
    boltz(a) - boltz(b) >= a_1 - R - b_1 >= s - R, which is more than kappa(s). For k > 0 let W = sum_{i <= k} e^{a_i},
    m = boltz(a_1, ..., a_k), x = a_{k+1}, y = m - x >= s and u = e^x / W <= q.

    1. An entry below all others lowers the value. So boltz(a) <= boltz(a_1, ..., a_k, x) = m - y u/(1 + u).
    2. An entry that is more than 1 below the value lowers it when it rises (Lemma 4). All entries of b after the first
       k are: they are at most a_1 - 2s, and the value at least a_1 - s/2. So the value falls when they become x - s,
       x - 2s, ..., the largest first, and when this goes on without end: boltz(b) > m - u (y Q + R)/(1 + u Q).
    3. The difference is larger than u (y (1 - Q) - (1 + u) R) / ((1 + u)(1 + u Q)). With y >= s and u <= q the bracket
       is at least s (1 - 4q + q^2)/(1 - q)^2, and the denominator at most (1 + q^3)/(1 - q). Finally
       W <= e^{a_1}/(1 - q), so u >= (1 - q) e^{-(a_1 - x)}.

    Raises
    ------
    ValueError
        a or b is no vector of numbers of at most 2^1000 in size, they hold the same entries, some are closer than the
        spacing, or the spacing is as in `spacing_constant`.

    Source: ours, on kajitsuka2024, Lemmas 1 and 7.
    """
    constant = spacing_constant(spacing)
    one, other = (sorted(vector_of(v, name), reverse=True) for v, name in ((a, "a"), (b, "b")))
    for row in (one, other, sorted({*one, *other}, reverse=True)):
        for u, v in pairwise(row):
            if u - v < exact(real(spacing)):
                raise ValueError(
                    f"log_spacing_bound: expected entries {float(spacing):g} or more apart, got {float(u):g} and "
                    f"{float(v):g}."
                )
    k = next((i for i, (u, v) in enumerate(zip(one, other, strict=False)) if u != v), min(len(one), len(other)))
    if len(one) == len(other) == k:
        raise ValueError("log_spacing_bound: expected vectors that differ, got twice the same entries.")
    upper = max((row for row in (one, other) if len(row) > k), key=lambda row: row[k])
    return (math.log(constant) if constant else -math.inf) - float(upper[0] - upper[k])


class Collision(NamedTuple):
    """Two vectors -spacing * a and -spacing * b of the same Boltzmann value; a and b are whole numbers from 0 up."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    spacing: float


def collision(n: int, far: int = 64) -> Collision:
    """Vectors of n different multiples of a spacing s with the same Boltzmann value: n values need not be apart at s.

    a = (0, 1, far, ..., far + n - 3) and b = (0, 2, 3, ..., n). With q = e^{-s} the values agree where the polynomial
    sum_{i in a, j in b} (i - j) q^{i + j} is 0: for small s the many entries of b weigh more, for large s the second
    entry of a does. As `far` grows, s grows to a limit: log(1 + sqrt 2) = 0.88 for n = 2 (any `far`), 1.2135 for
    n = 3, 1.2875 for n = 4, and, as n grows with it, log(2 + sqrt 3) = 1.317: see `LEAST_SPACING`.

    Raises
    ------
    ValueError
        n is no int in [2, 100,000], or far no int > n.

    Source: ours, on kajitsuka2024, Lemma 1.
    """
    n = require_length(n, "collision")
    if not is_int(far, n + 1):
        raise ValueError(f"collision: expected far to be an int > n = {n}, got {far!r}.")
    if n > MAX_LENGTH:
        raise ValueError(f"collision: expected n to be at most {MAX_LENGTH:,}, got {n:,}; the spacing has its limit.")
    a, b = (0, 1, *range(far, far + n - 2)), (0, *range(2, n + 1))
    # For s >= 1/2 the terms of farther entries are below the rounding of the others, 10^-16.
    near_a, near_b = ([i for i in row if i <= NEAR] for row in (a, b))

    def second_entry_wins(s: float) -> float:
        return math.fsum((i - j) * math.exp(-s * (i + j)) for i, j in product(near_a, near_b) if i + j <= NEAR)

    return Collision(a, b, sign_change(second_entry_wins, 0.5, 3.0))
