"""How far apart entries must be: values in plain loops on either side of s_n, a search, and the bound above it."""

import itertools
import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import flint
import pytest

from uatlib import kajitsuka2024
from uatlib.arithmetic import BALL
from uatlib.kajitsuka2024.boltzmann import boltz
from uatlib.kajitsuka2024.certify_layer import MAX_BITS
from uatlib.kajitsuka2024.one_layer import rank_one_attention, separation
from uatlib.kajitsuka2024.spacing import LEAST_SPACING, collision, least_spacing, log_spacing_bound, spacing_constant

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

SEARCHED = range(2, 6)


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
    rounded = [round(float(least_spacing(n)), 5) for n in (2, 3, 4)]
    assert rounded == [0.88137, 1.21350, 1.28752]
    spacings = [least_spacing(n) for n in range(2, 30)]
    assert all(one < other for one, other in itertools.pairwise(spacings))
    limit = least_spacing()
    assert spacings[-1] < limit < LEAST_SPACING
    assert limit.lower - spacings[-1].upper < Fraction(1, 10**12)
    assert math.isclose(float(least_spacing(10**6)), math.log(2 + math.sqrt(3)), rel_tol=1e-15)


def floats_value(entries):
    top = max(entries)
    powers = [math.exp(u - top) for u in entries]
    return top + sum((u - top) * p for u, p in zip(entries, powers, strict=True)) / sum(powers)


def vectors_of(common, more_a, more_b, s, t):
    """`common` shared entries, then more_a of a and more_b of b, at distances s + t_i^2; b_{k+1} is below a_{k+1}."""
    steps = iter([s + u * u for u in t])
    a = [0.0]
    for _ in range(common - 1):
        a.append(a[-1] - next(steps))
    b = list(a)
    for _ in range(more_a):
        a.append(a[-1] - next(steps))
    last = a[common]
    for _ in range(more_b):
        last -= next(steps)
        b.append(last)
    return a, b


def least_margin(n, s):
    """The least (boltz(b) - boltz(a)) e^{a_1 - a_{k+1}} that a coordinate search finds, with the vectors; k >= 1.

    Only what the proof uses is asked of the entries: steps of at least s in each vector, and a_{k+1} - b_{k+1} >= s.
    """
    rng = random.Random(n)
    found = []
    for common, more_a, more_b in itertools.product(range(1, n), range(1, n), range(n)):
        if common + max(more_a, more_b) > n:
            continue

        def margin(t, shape=(common, more_a, more_b)):
            a, b = vectors_of(*shape, s, t)
            return (floats_value(b) - floats_value(a)) * math.exp(a[0] - a[shape[0]])

        for _ in range(4):
            t = [rng.uniform(0, 2) for _ in range(common - 1 + more_a + more_b)]
            value, step = margin(t), 0.5
            while step > 1e-4:
                trials = [[*t[:i], t[i] + move, *t[i + 1 :]] for i in range(len(t)) for move in (step, -step)]
                best = min(trials, key=margin, default=t)
                if margin(best) < value:
                    t, value = best, margin(best)
                else:
                    step /= 2
            found.append((value, common, *vectors_of(common, more_a, more_b, s, t)))
    return min(found)


@pytest.mark.parametrize("n", SEARCHED)
def test_a_search_finds_violations_just_below_and_none_just_above(n):
    s_n = float(least_spacing(n))
    value, common, a, b = least_margin(n, s_n - 0.003)
    assert value < 0
    assert common == 1
    together = sorted({*a, *b}, reverse=True)
    assert all(u - v > s_n - 0.0031 for u, v in itertools.pairwise(together) if u - v > 1e-9)
    assert least_margin(n, s_n + 0.003)[0] > 0


@pytest.mark.parametrize(("n", "beyond"), [(2, 0.003), (2, 0.5), (3, 0.003), (3, 0.4), (4, 0.2), (4, 1.0), (5, 0.1)])
def test_the_constant_is_the_least_that_a_search_finds(n, beyond):
    """Best possible for every spacing, and attained."""
    s = float(least_spacing(n)) + beyond
    assert math.isclose(spacing_constant(s, n), constant(s, n), rel_tol=1e-9)
    value, common, _, _ = least_margin(n, s)
    assert common == 1
    assert spacing_constant(s, n) - 1e-12 < value < spacing_constant(s, n) + 1e-6


@pytest.mark.parametrize("n", SEARCHED)
def test_where_the_largest_entries_differ_the_larger_wins_by_the_constant(n):
    """k = 0: random entries of a, b = (b_1); anything below b_1 would only lower boltz(b)."""
    rng, least = random.Random(n), float(least_spacing(n))
    for _ in range(4000):
        s = least + rng.choice([1e-9, 0.1, 1, 3]) * rng.random()
        t = [rng.choice([0, rng.random(), 3 * rng.random()]) for _ in range(n - 1)]
        a, _ = vectors_of(1, rng.randrange(1, n), 0, s, t)
        assert floats_value(a) + s > constant(s, n)


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_at_the_least_spacing_itself_two_vectors_collide(n):
    """(0, -s_n) and -s_n (0, 2, ..., n): their difference is enclosed around 0; of n entries each they are apart."""
    old = flint.ctx.prec
    flint.ctx.prec = 90
    try:
        s = flint.arb(
            flint.fmpq(least_spacing(n).midpoint.numerator, least_spacing(n).midpoint.denominator), flint.arb("1e-27")
        )

        def enclosed(row):
            return sum((-s * i) * (-s * i).exp() for i in row) / sum((-s * i).exp() for i in row)

        b = (0, *range(2, n + 1))
        assert (enclosed(b) - enclosed((0, 1))).contains(0)
        if n > 2:
            assert enclosed(b) - enclosed((0, 1, *range(9, 7 + n))) > 0
    finally:
        flint.ctx.prec = old


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
    limits = {None: constant(float(spacing), 200), 4: constant(float(spacing), 4)}
    for n, limit in limits.items():
        assert math.isclose(spacing_constant(spacing, n), limit, rel_tol=1e-9)
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
            for n, limit in limits.items():
                least = limit * math.exp(-(a[0] - a[k]))
                assert gap > least * (1 - 1e-9) > 0
                assert math.isclose(log_spacing_bound(a, b, spacing, n), math.log(least), rel_tol=1e-9)
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
    for bad in (1, 2.5, True, "3"):
        for call in (least_spacing, lambda n: spacing_constant(2, n), lambda n: log_spacing_bound([0], [-2], 2, n)):
            with pytest.raises(ValueError, match="n: expected an int >= 2"):
                call(bad)


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
    for bad in (1.3, 1.3169578, 0, "2", math.nan):
        with pytest.raises(ValueError, match="expected"):
            separation([1, 2, 3], 2, spacing=bad)
