"""How far apart entries must be: values in plain loops on either side of s_n, a search, and the bound above it."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import flint
import pytest

from uatbook.kajitsuka2024.spacing import collision, log_spacing_bound
from uatlib import kajitsuka2024
from uatlib.kajitsuka2024.boltzmann_operator import boltz
from uatlib.kajitsuka2024.boltzmann_spacing import (
    LEAST_SPACING,
    least_spacing,
    spacing_constant,
)
from uatlib.kajitsuka2024.certify_layer import MAX_BITS
from uatlib.kajitsuka2024.rank_one_layer import rank_one_attention, separation

BARELY = Fraction(LEAST_SPACING) + Fraction(1, 10**6)


def value(entries):
    """sum a e^a / sum e^a in plain loops of arb."""
    top, bottom = flint.arb(0), flint.arb(0)
    for a in entries:
        number = flint.arb(flint.fmpq(a.numerator, a.denominator))
        top += number * number.exp()
        bottom += number.exp()
    return top / bottom


def rows(levels, most, spacing):
    return [
        tuple(-spacing * k for k in row)
        for length in range(1, most + 1)
        for row in itertools.combinations(range(levels), length)
    ]


def excess(q, n):
    """1 - sum_{j < n} q^j - (1 + q) sum_{j < n} j q^j, in any numbers."""
    return 1 - sum(q**j for j in range(1, n)) - (1 + q) * sum(j * q**j for j in range(1, n))


def constant(s, n):
    """s times the excess over (1 + q)(1 + q sum_{j < n} q^j), the least gap for a_1 - a_2 = s; sums by loops."""
    q = math.exp(-s)
    return s * excess(q, n) / ((1 + q) * (1 + q * sum(q**j for j in range(1, n))))


# ------------------------------------------------------------------------------------------------------ least spacings


@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 40])
def test_the_least_spacing_to_sixty_digits(n):
    """Bisection of the sums in decimals of 90 digits."""
    with localcontext(prec=90):
        low, high = Decimal("0.1"), Decimal("0.5")
        for _ in range(280):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle, n) > 0 else (low, middle)
        root = Fraction(-low.ln())
    found = least_spacing(n)
    assert found.contains(root)
    assert found.radius < Fraction(1, 10**28)


def test_least_spacings_grow_to_the_limit():
    spacings = [least_spacing(n) for n in range(2, 30)]
    assert all(one < other for one, other in itertools.pairwise(spacings))
    limit = least_spacing()
    assert spacings[-1] < limit < LEAST_SPACING
    assert limit.lower - spacings[-1].upper < Fraction(1, 10**12)
    assert math.isclose(float(least_spacing(10**6)), math.log(2 + math.sqrt(3)), rel_tol=1e-15)


# ----------------------------------------------------------------------------------------------------------- collisions


@pytest.mark.parametrize(("n", "limit"), [(2, math.log(1 + math.sqrt(2))), (3, 1.2135), (4, 1.2875), (30, 1.31695789)])
def test_collisions_of_n_entries_next_to_the_least_spacing(n, limit):
    """The values agree to rounding; of the exact polynomial in q = e^{-s} the sign changes within 10^-12."""
    a, b, s = collision(n)
    assert len(a) == len(b) == n
    assert len(set(a)) == len(set(b)) == n
    assert math.isclose(s, limit, abs_tol=5e-5)
    assert math.isclose(s, float(least_spacing(n)), rel_tol=1e-15)
    assert math.isclose(boltz([-s * i for i in a]), boltz([-s * j for j in b]), rel_tol=1e-13)
    signs = []
    for q in (Fraction(math.exp(-s - 1e-12)), Fraction(math.exp(-s + 1e-12))):
        signs.append(sum((i - j) * q ** (i + j) for i in a for j in b) > 0)
    assert signs[0] != signs[1]
    assert collision(n, far=10 * n + 100).spacing >= s - 1e-15


def test_far_entries_weigh_nothing():
    """With far = 10^400 the third entry of a is gone; many entries of b are one geometric series."""
    assert collision(3, 10**400).a == (0, 1, 10**400)
    assert collision(3, 10**400).spacing == collision(3, 10**4).spacing
    assert math.isclose(collision(1000, 1001).spacing, LEAST_SPACING, rel_tol=1e-14)


@pytest.mark.parametrize("bad", [(1, 64), (5, 5), (10**6, 10**7)], ids=repr)
def test_bad_collisions_are_refused(bad):
    with pytest.raises(ValueError, match="expected"):
        collision(*bad)


# ------------------------------------------------------------------------------------------------------------ the bound


BARELY_OF_4 = Fraction(float(least_spacing(4))) + Fraction(1, 10**6)


@pytest.mark.parametrize("spacing", [BARELY_OF_4, BARELY, Fraction(3, 2)], ids=float)
def test_the_bound_on_all_pairs_of_a_lattice(spacing):
    """The sign and the size of the difference, for vectors of 1 to 4 of 6 levels, also of different lengths."""
    limits = {4: constant(float(spacing), 4)}
    if spacing >= BARELY:
        limits[None] = constant(float(spacing), 200)
    for n, limit in limits.items():
        assert math.isclose(spacing_constant(spacing, n), limit, rel_tol=1e-9)
    old = flint.ctx.prec
    flint.ctx.prec = 200
    try:
        values = {row: value(row) for row in rows(6, 4, spacing)}
        for a, b in itertools.combinations(values, 2):
            k = 0
            while k < min(len(a), len(b)) and a[k] == b[k]:
                k += 1
            if k == len(a) or (k < len(b) and b[k] > a[k]):
                a, b = b, a  # a_{k+1} > b_{k+1}, or b has no more
            gap = values[a] - values[b] if k == 0 else values[b] - values[a]
            for n, limit in limits.items():
                least = limit * math.exp(-(a[0] - a[k]))
                assert gap > least * (1 - 1e-9) > 0
                assert math.isclose(log_spacing_bound(a, b, spacing, n), math.log(least), rel_tol=1e-9)
            assert log_spacing_bound(b, a, spacing, 4) == log_spacing_bound(tuple(reversed(a)), b, spacing, 4)
    finally:
        flint.ctx.prec = old


def test_the_bound_is_attained():
    """(0, -s) and -s (0, 2, ..., n) have the gap kappa_n(s) e^{-s}; for n without end it is approached."""
    for n, s in itertools.product((2, 3, 6), (Fraction(4, 3), Fraction(3, 2), Fraction(2))):
        a, b = (0 * s, -s), (0 * s, *(-s * i for i in range(2, n + 1)))
        gap = float(value(b) - value(a))
        assert math.isclose(gap, math.exp(log_spacing_bound(a, b, s, n)), rel_tol=1e-12)
        assert gap > (1 + 1e-9) * math.exp(log_spacing_bound(a, b, s))
    a, b = (0 * s, -s), (0 * s, *(-s * i for i in range(2, 80)))
    assert math.isclose(float(value(b) - value(a)), math.exp(log_spacing_bound(a, b, s)), rel_tol=1e-12)


def test_just_above_the_least_spacing_the_bound_says_little():
    assert 0 <= spacing_constant(LEAST_SPACING) < 1e-15
    assert 0 < spacing_constant(float(least_spacing(3)) + 1e-12, 3) < 1e-11
    assert log_spacing_bound([0], [-2], LEAST_SPACING) < -34


def test_a_shorter_length_allows_a_smaller_spacing():
    assert log_spacing_bound([0, -1], [0, -2], 1, 2) > -5
    with pytest.raises(ValueError, match=r"at least the least spacing for n = 3, = 1\.213496, got 1"):
        log_spacing_bound([0, -1], [0, -2], 1, 3)
    with pytest.raises(ValueError, match=r"at most n = 2 entries, got 3 and 1"):
        log_spacing_bound([0, -1, -2], [0], 1, 2)
    for call in (least_spacing, lambda n: spacing_constant(2, n), lambda n: log_spacing_bound([0], [-2], 2, n)):
        with pytest.raises(ValueError, match="n: expected an int >= 2"):
            call(1)


def test_bad_vectors_and_spacings_are_refused():
    for bad in (1.3, 0, -2, 10**400):
        with pytest.raises(ValueError, match="expected"):
            log_spacing_bound([0, -9], [0, -5], bad)
        with pytest.raises(ValueError, match="expected"):
            spacing_constant(bad)
    for a, b, words in (
        ([0, -2], [0, -5], "3 or more apart, got 0 and -2"),
        ([0, -7], [0, -5], "3 or more apart, got -5 and -7"),
        ([0, -5, -5], [0, -9], "3 or more apart, got -5 and -5"),
        ([0, -5], [-5, 0], "twice the same"),
        ([], [0], "vector"),
    ):
        with pytest.raises(ValueError, match=words):
            log_spacing_bound(a, b, 3)


# ------------------------------------------------------------------------------------------------------- for Theorem 2


def test_theorem_2_with_a_spacing_of_its_own():
    """Tokens 1 to 4: the formulas of Theorem 2 with s for 2 log n + 3 and kappa(s) for (log n)^2, whatever n."""
    s, low, high = 1.5, 1 - 1e-3, 4 * (1 + 1e-3)
    q = math.exp(-s)
    kappa = s * (1 - 4 * q + q * q) / ((1 - q) * (1 + q**3))
    beta = 5**4 * math.pi * s / (8 * low * low)
    factor = 2 * kappa * low**2 * low / (high**2 * 5**4 * s * math.pi)
    for n in (2, 3):
        found = separation([1, 2, 3, 4], n, Fraction(1, 1000), spacing=s)
        assert math.isclose(found.beta, beta, rel_tol=1e-12)
        assert math.isclose(found.log10_delta, (math.log(factor) - 2 * beta * high**2) / math.log(10), rel_tol=1e-12)
        layer = rank_one_attention([1, 2, 3, 4], n, spacing=s)
        assert kajitsuka2024.certify(layer, [1, 2, 3, 4], n, spacing=s).holds
    # Half a million bits at the text's spacing.
    assert separation(range(1, 7), 4, Fraction(1, 1000), spacing=s).bits < MAX_BITS


def test_theorem_2_fails_at_a_scale_that_is_too_large_for_the_spacing():
    layer = rank_one_attention([1, 2, 3, 4], 2, scale=4000)
    assert not kajitsuka2024.certify(layer, [1, 2, 3, 4], 2, spacing=1.5).holds


def test_a_spacing_without_a_proof_is_refused():
    for bad in (1.3, 1.3169578):
        with pytest.raises(ValueError, match="expected"):
            separation([1, 2, 3], 2, spacing=bad)
