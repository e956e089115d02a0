"""P and R of liu2025 against the worst function of each class, point by point, in plain loops."""

import itertools
import math

import numpy as np
import pytest

from uatlib.liu2025 import parameters_for
from uatlib.liu2025.bounds import for_modulus

BOUNDS = [(m, bound) for m in (1, 2, 3) for bound in ("product", "chain")]


def distances(z, P, D, R):
    """(sup distance to z, weight) of each centre of the grid, by loops."""
    axis = [D * (2 * k + 1) / P - D for k in range(P)]
    rows = []
    for u in z:
        powers = [math.exp(-R / 2 * ((u - c) ** 2 - min((u - b) ** 2 for b in axis))) for c in axis]
        rows.append([(abs(u - c), power / math.fsum(powers)) for c, power in zip(axis, powers, strict=True)])
    for cell in itertools.product(*rows):
        yield max(x for x, _ in cell), math.prod(w for _, w in cell)


def worst(z, P, D, R, rise):
    """The largest |sum_j w_j f(v_j) - f(z)| of all f with |f(v) - f(z)| <= rise(|v - z|); that f attains it."""
    return math.fsum(w * rise(x) for x, w in distances(z, P, D, R))


def worst_of(m, P, D, R, rise, count=40):
    """The same over corners, centres and edges of cells and random points."""
    h, rng = D / P, np.random.default_rng([m, P])
    middle = h if P % 2 == 0 else 0.0  # a centre
    places = [[middle + s * h] * m for s in (0, 0.25, 0.5, 0.75, 1 - 1e-9)] + [
        [D] * m,
        [middle + h * (1 - 1e-9), *[middle] * (m - 1)],
    ]
    return max(worst(z, P, D, R, rise) for z in [*places, *rng.uniform(-D, D, (count // m**2, m)).tolist()])


@pytest.mark.parametrize(("m", "bound"), BOUNDS)
@pytest.mark.parametrize("eps", [1.9, 0.9, 0.52, 0.25])
def test_lipschitz_functions(m, bound, eps):
    """At every point the worst is L |y - z| cut off at the height B_0 = D L + eps/2, which reaches all of the box."""
    L, D = 3.0, 0.5
    P, R = parameters_for(
        eps=eps, lipschitz=L, half_width=D, dim=m, bound=bound, **({"sup": D * L + eps / 2} if bound == "chain" else {})
    )
    found = worst_of(m, P, D, R, lambda x: L * x)
    assert L * D / P * (1 - 1e-6) <= found <= eps
    # The certain part: a corner of a cell is h from all centres around. The proof of "product" promises 1.55 h.
    if bound == "product":
        assert found <= 1.55 * L * D / P


@pytest.mark.parametrize(("m", "bound"), BOUNDS)
def test_a_small_part_of_the_precision_does_not_do(m, bound):
    sup = {"sup": 2.0} if bound == "chain" else {}
    P, R = parameters_for(eps=0.25, lipschitz=1, half_width=1, dim=m, bound=bound, **sup)
    assert worst_of(m, P, 1.0, R / 200, lambda x: x) > 0.25


@pytest.mark.parametrize("m", [4, 5, 6, 20, 1000])
def test_the_product_bound_in_many_dimensions(m):
    """E max_i x_i by the distribution of one coordinate, all at the same place in their cells; h = 1."""
    P, rho = 8, 1 + math.log(2.04 * m)
    for place in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0):
        x = sorted(abs(2 * k + 1 - P - (1 + place)) for k in range(P))
        powers = [math.exp(-rho / 2 * (u * u - x[0] ** 2)) for u in x]
        below = np.cumsum(powers) / math.fsum(powers)
        shares = np.diff([0.0, *below**m])
        assert math.fsum(shares * x) <= 1.55


def modulus_parameters(m, P, D, eps, sup, share):
    """delta with ceil(2 D/delta) = P, `share` of the way from the least to the largest, and R."""
    least, most = 2 * D / P, 2 * D / (P - 1) if P > 1 else 4 * D
    delta = least + share * (most - least)
    found, R = for_modulus(eps, delta, D, m, sup)
    assert found == P
    assert pytest.approx(8 / (3 * delta**2) * math.log(6.2 * m * sup / eps)) == R
    return delta, R


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("P", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999])
def test_functions_with_a_modulus(m, P, share):
    """Those that keep within eps/3 over delta rise by eps/3 a delta; and even those that jump by 2 B_0 are fine."""
    D = 1.0
    for eps in (1.99, 0.5, 0.01):
        delta, R = modulus_parameters(m, P, D, eps, 1.0, share)
        step = lambda x: 2.0 if x > delta * (1 + 1e-9) else eps / 3  # noqa: B023, E731
        stairs = lambda x: min(2.0, eps / 3 * math.ceil(x / delta - 1e-9))  # noqa: B023, E731
        assert worst_of(m, P, D, R, step, count=9) <= 0.77 * eps
        # No bound on f is needed, nor the number of cells: ln(2 m) does.
        R = 8 / (3 * delta**2) * math.log(2 * m)
        assert worst_of(m, P, D, R, lambda x: eps / 3 * math.ceil(x / delta - 1e-9), count=9) <= 2 / 3 * eps  # noqa: B023
        assert worst_of(m, P, D, R, stairs, count=9) <= 2 / 3 * eps


@pytest.mark.parametrize("sup", [None, 2.0])
@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_centres_of_balls(sup, count):
    """One centre within eps/(3 L), the other ones as far as is worst: all at one distance, or spread."""
    eps, L = 0.6, 2.0
    _, R = parameters_for(eps=eps, lipschitz=L, bound="cover", balls=count, sup=sup)
    near = eps / (3 * L)
    for far in np.linspace(1, 6, 101) * near:
        for others in ([far] * (count - 1), np.linspace(near, far, count - 1).tolist()):
            powers = [math.exp(-R / 2 * (x * x - near**2)) for x in (near, *others)]
            rise = [min(L * x, 2 * sup if sup else math.inf) for x in (near, *others)]
            assert math.fsum(p * u for p, u in zip(powers, rise, strict=True)) / math.fsum(powers) <= eps
