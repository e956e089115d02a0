"""Theorem 4.1 and Corollaries 4.1.1 and 4.2.1: what their statements are made of, in plain loops."""

import math

import numpy as np
import pytest

from uatbook import statements
from uatbook.liu2025 import lp, self_attention
from uatlib import liu2025

THEOREM = statements.get("liu2025:thm-4-1")
POLE = statements.get("liu2025:cor-4-1-1")


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_the_ridge_is_as_steep_as_it_says_and_largest_at_0(n, d):
    f, m = self_attention.ridge(n, d), n * d
    total = m * (m + 1) / 2
    rng = np.random.default_rng(m)
    for Z in rng.uniform(-1, 1, (5, d, n)):
        stacked = [Z[r, k] for k in range(n) for r in range(d)]
        values = []
        for turn in range(m):
            c = [((i - turn) % m + 1) / total for i in range(m)]
            values.append(0.5 - abs(sum(a * b for a, b in zip(c, stacked, strict=True))))
        assert f(Z).tolist() == pytest.approx(np.array(values).reshape(n, d).T)
    assert (f(np.zeros((d, n))) == 0.5).all()
    assert np.allclose(f(np.ones((d, n))), -0.5)


def failing(**case):
    return {check.name.partition(":")[0] for check in THEOREM.verify(**case).failures}


LOGARITHMS, COLUMNS = "(B.1), (B.2)", "(B.5)"
LINES = {f"proof, {line}" for line in ("section 2", "(B.4)", "before (B.6)", "(B.12)", "(B.16)", "(B.19)", "(B.21)")}


def test_each_slip_has_its_check():
    two = {"n": 1, "d": 2, "eps": 0.5}
    assert {LOGARITHMS, COLUMNS, *LINES} <= failing(variant="printed", **two)
    assert COLUMNS not in failing(variant="printed", n=2, d=1)  # j + s + 1 is jd + s + 1 for d = 1
    assert failing(variant="index alone", **two) == {LOGARITHMS}
    assert COLUMNS in failing(variant="B_0 alone", **two)
    assert not LINES & failing(variant="B_0 alone", **two)


@pytest.mark.parametrize("case", [{}, *THEOREM.cases])
def test_two_repairs_are_enough_and_corners_will_do(case):
    """The network with corners keeps its promise, and reaches the edge of the box in steps of 2D/P, not D/P."""
    built = THEOREM.build(variant="index alone", **case)
    both = built._replace(sup=built.net.sup)
    assert THEOREM.certify(both).holds
    assert [check.name for check in THEOREM.certify(both._replace(reach=1)).failures] == [
        "(B.16): farthest from all centres, in D/P"
    ]


@pytest.mark.parametrize(("m", "P"), [(1, 3), (2, 2), (2, 3)])
def test_too_few_cells_do_not_do(m, P):
    """The smoother of two functions that are 0 at all centres is 0; at a corner they are 2 L D/P apart."""
    v = liu2025.grid_centers(P, 1, m)
    corner = np.ones(m)
    distance = min(max(abs(a - b) for a, b in zip(corner, center, strict=True)) for center in v)
    assert distance == pytest.approx(1 / P)
    for R in (0.1, 10, 1e4):
        assert liu2025.smoother(corner[None, :], v, np.zeros((len(v), 1, m)), R).tolist() == [[0] * m]
    name = f"with {P} < L D/eps"
    made = THEOREM.verify(n=m, eps=1 / (P + 0.5))
    assert made[name].measured == pytest.approx(1 / P)


@pytest.mark.parametrize("bound", ["product", "chain", "modulus"])
def test_theorem_4_1_for_each_bound(bound):
    assert THEOREM.verify(n=1, eps=0.4, bound=bound).holds


@pytest.mark.parametrize(("s", "p", "cut"), [(0.5, 1, 2.5), (0.25, 2, 1.5), (0.3, 1.5, 4)])
def test_what_is_cut_off_in_closed_form(s, p, cut):
    """Midpoints in u with z = a u^k, which has no pole."""
    a, k, count = cut ** (-1 / s), 1 / (1 - s * p), 20_000
    total = 0.0
    for u in ((i + 0.5) / count for i in range(count)):
        z = a * u**k
        total += (z**-s - cut) ** p * a * k * u ** (k - 1) / count
    f = lp.Power(s, p)
    assert f.tail(cut) == pytest.approx((2 * total) ** (1 / p), rel=1e-4)
    assert f.norm() == pytest.approx((2 / (1 - s * p)) ** (1 / p))
    # The second number of a pair is integrated by itself: |z_Q|^p on [-1, 1].
    assert lp.Power(s, p, pair=True).tail(cut) == pytest.approx(f.tail(cut) * (2 / (p + 1)) ** (1 / p))


@pytest.mark.parametrize(("s", "p", "error"), [(0.5, 1, 0.3), (0.25, 2, 0.2)])
def test_the_cut_is_the_lowest_on_its_grid(s, p, error):
    f = lp.Power(s, p)
    cut = f.cut_for(error)
    assert f.tail(cut) <= error < f.tail(cut - 1 / 8)


@pytest.mark.parametrize("pair", [False, True])
def test_the_rule_integrates_the_pole(pair):
    f = lp.Power(0.5, 1.2, pair)
    zero = f.distance(lambda *XZ: lp._power(0.5, math.inf, *XZ), lambda *XZ: 0 * XZ[-1], 16)
    assert zero.value == pytest.approx(f.norm(), rel=1e-3)
    lost = f.distance(
        lambda *XZ: lp._power(0.5, math.inf, *XZ), lambda *XZ: lp._power(0.5, 2.0, *XZ), 64 if pair else 2000
    )
    assert lost.value == pytest.approx(f.tail(2.0), rel=1e-3)


def test_the_slope_of_the_cut_pole():
    cut = lp.Power(0.25, 2).target(3.0)
    z = np.linspace(-1, 1, 200_001)
    steep = np.abs(np.diff(cut(z[:, None, None])[:, 0, 0])).max() / (z[1] - z[0])
    assert 0.95 * cut.lipschitz < steep <= cut.lipschitz


def test_outside_l_p_the_distance_grows_as_the_hole_shrinks():
    """Over t < |z| < 1 it is at least (2 ln(1/t))^(1/2) - 2^(1/2) B for |z|^(-1/2) and what is bounded by B."""
    built = POLE.build()
    f, bent = lp.Power(0.5, 2.0), lambda t: lambda u: lp._log_bend(t, u)
    for t in (1e-8, 1e-100):
        found = f.distance(lambda Z: lp._power(0.5, math.inf, Z), built.net.shortcut, 400, bent(t)).value
        below = math.sqrt(2 * math.log(1 / t)) - math.sqrt(2) * built.cut
        assert max(0, below) <= found <= math.sqrt(2 * math.log(1 / t))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"s": 0.5, "p": 2}, "p s < 1"),
        ({"s": -1}, "s: "),
        ({"p": math.inf}, "p: "),
        ({"s": 0.999}, "eps: "),
        ({"eps": 1e-300}, "eps: "),
    ],
)
def test_functions_outside_l_p_are_refused(case, words):
    with pytest.raises(ValueError, match=words):
        POLE.build(**case)
