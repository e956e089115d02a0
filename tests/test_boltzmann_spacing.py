"""How far apart entries must be: values in plain loops on either side of log(2 + sqrt 3), and the bound above it."""

import itertools
import math
import random
from fractions import Fraction

import flint
import pytest

from uatlib.arithmetic import BALL
from uatlib.boltzmann import boltz
from uatlib.boltzmann_spacing import LEAST_SPACING, collision, log_spacing_bound, spacing_constant
from uatlib.constructions import kajitsuka2024
from uatlib.constructions.kajitsuka2024_layer import MAX_BITS
from uatlib.rank_one_attention import rank_one_attention, separation

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


# ----------------------------------------------------------------------------------------------------------- collisions


@pytest.mark.parametrize(("n", "limit"), [(2, math.log(1 + math.sqrt(2))), (3, 1.2135), (4, 1.2875), (30, 1.31695789)])
def test_collisions_below_two_log_n_plus_three(n, limit):
    """The values agree to rounding; of the exact polynomial in q = e^{-s} the sign changes within 10^-12."""
    a, b, s = collision(n)
    assert len(a) == len(b) == n
    assert len(set(a)) == len(set(b)) == n
    assert math.isclose(s, limit, abs_tol=5e-5)
    assert math.isclose(boltz([-s * i for i in a]), boltz([-s * j for j in b]), rel_tol=1e-13)
    signs = []
    for q in (Fraction(math.exp(-s - 1e-12)), Fraction(math.exp(-s + 1e-12))):
        signs.append(sum((i - j) * q ** (i + j) for i in a for j in b) > 0)
    assert signs[0] != signs[1]
    assert collision(n, far=10 * n + 100).spacing >= s - 1e-15


def test_the_spacing_of_collisions_grows_to_log_of_two_plus_root_three():
    assert math.isclose(collision(40, far=200).spacing, math.log(2 + math.sqrt(3)), rel_tol=1e-12)
    spacings = [collision(n).spacing for n in range(2, 12)]
    assert spacings == sorted(spacings)


def test_no_pair_of_a_lattice_collides_above():
    """All pairs of 3 of the levels 0, ..., 6, for spacings beyond that of `collision`."""
    rows = list(itertools.combinations(range(7), 3))
    for s in (Fraction(1214, 1000), Fraction(13, 10), Fraction(2), Fraction(4)):
        values = {row: boltz([-s * i for i in row], system=BALL.with_bits(256)) for row in rows}
        for one, other in itertools.combinations(rows, 2):
            # In lexicographic order the first one has the larger entry where they differ first.
            assert values[one] > values[other] if one[0] < other[0] else values[one] < values[other]


def test_far_entries_weigh_nothing():
    """With far = 10^400 the third entry of a is gone; many entries of b are one geometric series."""
    assert collision(3, 10**400).a == (0, 1, 10**400)
    assert collision(3, 10**400).spacing == collision(3, 10**4).spacing
    assert math.isclose(collision(1000, 1001).spacing, LEAST_SPACING, rel_tol=1e-14)


@pytest.mark.parametrize("bad", [(1, 64), (5, 5), (3, 4.0), (10**6, 10**7)], ids=repr)
def test_bad_collisions_are_refused(bad):
    with pytest.raises(ValueError, match="expected"):
        collision(*bad)


# ------------------------------------------------------------------------------------------------------------ the bound


@pytest.mark.parametrize("spacing", [BARELY, Fraction(4, 3), Fraction(3, 2), Fraction(3)], ids=float)
def test_the_bound_on_all_pairs_of_a_lattice(spacing):
    """The sign and the size of the difference, for vectors of 1 to 4 of 7 levels, also of different lengths."""
    q = math.exp(-spacing)
    constant = float(spacing) * (1 - 4 * q + q * q) / (1 + q**3)
    assert math.isclose(spacing_constant(spacing), constant, rel_tol=1e-9)
    old = flint.ctx.prec
    flint.ctx.prec = 200
    try:
        values = {row: value(row) for row in rows(7, 4, spacing)}
        for a, b in itertools.combinations(values, 2):
            k = 0
            while k < min(len(a), len(b)) and a[k] == b[k]:
                k += 1
            if k == len(a) or (k < len(b) and b[k] > a[k]):
                a, b = b, a  # a_{k+1} > b_{k+1}, or b has no more
            gap = values[a] - values[b] if k == 0 else values[b] - values[a]
            least = constant * math.exp(-(a[0] - a[k]))
            assert gap > least * (1 - 1e-9) > 0
            assert math.isclose(log_spacing_bound(a, b, spacing), math.log(least), rel_tol=1e-9)
            assert log_spacing_bound(b, a, spacing) == log_spacing_bound(tuple(reversed(a)), b, spacing)
    finally:
        flint.ctx.prec = old


def test_irregular_spacings_too():
    """Random levels with distances from the least spacing on; no lattice."""
    rng = random.Random(2)
    for _ in range(300):
        steps = [BARELY + (Fraction(rng.randrange(400), 100) if rng.random() < 0.5 else 0) for _ in range(9)]
        levels = [-sum(steps[:i], Fraction(0)) for i in range(10)]
        a, b = (sorted(rng.sample(levels, rng.randrange(1, 9)), reverse=True) for _ in range(2))
        if a == b:
            continue
        k = next((i for i, (u, v) in enumerate(zip(a, b, strict=False)) if u != v), min(len(a), len(b)))
        first_larger = k < len(a) and (k == len(b) or a[k] > b[k])
        one, other = value(a), value(b)
        assert one > other if first_larger == (k == 0) else one < other


def test_the_bound_is_sharp_up_to_one_factor():
    """(0, -s) against -s (0, 2, 3, ...) without end: the gap is the bound over 1 - e^{-s}."""
    for s in (Fraction(4, 3), Fraction(3, 2), Fraction(2)):
        a, b = (0 * s, -s), (0 * s, *(-s * i for i in range(2, 80)))
        gap = float(value(b) - value(a))
        bound = math.exp(log_spacing_bound(a, b, s))
        assert math.isclose(gap, bound / (1 - math.exp(-s)), rel_tol=1e-9)


def test_at_the_least_spacing_the_bound_says_nothing():
    assert spacing_constant(LEAST_SPACING) == 0
    assert log_spacing_bound([0], [-2], LEAST_SPACING) == -math.inf


def test_bad_vectors_and_spacings_are_refused():
    for bad in (1.3, 0, -2, math.nan, math.inf, 10**400, "2", None, True):
        with pytest.raises(ValueError, match="expected"):
            log_spacing_bound([0, -9], [0, -5], bad)
        with pytest.raises(ValueError, match="expected"):
            spacing_constant(bad)
    with pytest.raises(ValueError, match="3 or more apart, got 0 and -2"):
        log_spacing_bound([0, -2], [0, -5], 3)
    with pytest.raises(ValueError, match="3 or more apart, got -5 and -7"):
        log_spacing_bound([0, -7], [0, -5], 3)
    with pytest.raises(ValueError, match="3 or more apart, got -5 and -5"):
        log_spacing_bound([0, -5, -5], [0, -9], 3)
    with pytest.raises(ValueError, match="twice the same"):
        log_spacing_bound([0, -5], [-5, 0], 3)
    with pytest.raises(ValueError, match="vector"):
        log_spacing_bound([], [0], 3)


# ------------------------------------------------------------------------------------------------------- for Theorem 2


def test_theorem_2_with_a_spacing_of_its_own():
    """Tokens 1 to 4: the formulas of Theorem 2 with s for 2 log n + 3 and kappa(s) for (log n)^2, whatever n."""
    s, low, high = 1.5, 1 - 1e-3, 4 * (1 + 1e-3)
    q = math.exp(-s)
    kappa = s * (1 - 4 * q + q * q) / (1 + q**3)
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
    for bad in (1.3, LEAST_SPACING, 0, "2", math.nan):
        with pytest.raises(ValueError, match="expected"):
            separation([1, 2, 3], 2, spacing=bad)
