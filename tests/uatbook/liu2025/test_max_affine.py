"""A max-affine function for given cells, and the proof where there is none, in plain loops."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from uatbook.liu2025.max_affine import MaxAffine
from uatbook.liu2025.separation import nearest_to_zero, separate
from uatlib.liu2025 import precision
from uatlib.sizes import ConstructionTooLarge

ODD = range(1, 18, 2)
GRID = [(x, y) for y in ODD for x in ODD]
XOR = ([[0, 1, 0, 1], [0, 1, 1, 0]], [0, 0, 1, 1])


def windmill(x, y):
    """Four blades around a square, turned by quarters: convex cells of [0, 18]^2."""
    if 6 < x < 12 and 6 < y < 12:
        return 4
    if y < 6 and x < 12:
        return 0
    if x > 12 and y < 12:
        return 1
    return 2 if y > 12 and x > 6 else 3


def at(f, x):
    """All y_i(x), by loops."""
    return [sum(a * u for a, u in zip(column, x, strict=True)) + b for column, b in zip(f.A.T, f.b, strict=True)]


@pytest.mark.parametrize(("d", "N", "count"), [(1, 2, 5), (1, 4, 30), (2, 3, 60), (2, 7, 150), (3, 4, 80)])
def test_points_come_into_their_cells_and_the_least_margin_is_one(d, N, count):
    rng = np.random.default_rng(10 * d + N)
    points, sites, weights = rng.normal(size=(d, count)), rng.normal(size=(d, N)), rng.uniform(size=N)
    labels = [
        int(np.argmin([((x - s) ** 2).sum() - w for s, w in zip(sites.T, weights, strict=True)])) for x in points.T
    ]
    f = MaxAffine.of_cells(points, labels, N)
    leads = []
    for x, label in zip(points.T, labels, strict=True):
        y = at(f, [Fraction(float(u)) for u in x])
        leads.append(min(y[label] - other for k, other in enumerate(y) if k != label))
    assert min(leads) == 1
    assert f.partition(points).tolist() == labels
    assert precision(N, 1, 0.01) > 0


def test_cells_may_be_empty_and_one_cell_needs_nothing():
    f = MaxAffine.of_cells([[0, 1]], [2, 2], 4)
    assert f.partition([[0, 1]]).tolist() == [2, 2]
    assert MaxAffine.of_cells([[0, 5]], [0, 0]).A.tolist() == [[0]]


REFUSED = {
    "xor": XOR,
    "xor on a grid that floats round": (
        np.array(list(product(np.linspace(0, 1, 7), repeat=2))).T,
        [int((x > 0.5) != (y > 0.5)) for x, y in product(np.linspace(0, 1, 7), repeat=2)],
    ),
    "one point twice": ([[3, 3, 1]], [0, 1, 1]),
    "a cell within another": ([[0.1, 0.2, 0.3]], [0, 1, 0]),
    "labels at random": (np.random.default_rng(3).normal(size=(2, 60)), [0, 1, 2, 3] * 15),
    "the windmill": (np.array(GRID).T, [windmill(*x) for x in GRID]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_there_is_none_a_sum_proves_it(name):
    """sum of share (y_own(x) - y_rival(x)) is 0 for all A and b, so the differences cannot all be positive."""
    points, labels = REFUSED[name]
    exact = np.array([[Fraction(float(u)) for u in row] for row in np.asarray(points)], dtype=object)
    why = separate(exact, labels, max(labels) + 1)
    assert isinstance(why, list)
    assert all(part.share > 0 and labels[part.column] == part.own != part.rival for part in why)
    assert sum(part.share for part in why) == 1
    for i, r in product(range(max(labels) + 1), range(len(exact) + 1)):
        total = Fraction(0)
        for part in why:
            entry = exact[r, part.column] if r < len(exact) else 1
            total += part.share * entry * ((part.own == i) - (part.rival == i))
        assert total == 0
    with pytest.raises(
        ValueError, match=r"^labels: expected the cells of a max-affine function, got columns \d+ \(cell"
    ):
        MaxAffine.of_cells(points, labels)


def test_the_points_that_prove_it_are_named():
    with pytest.raises(
        ValueError, match=r"got columns 0 \(cell 0\), 1 \(cell 0\), 2 \(cell 1\), 3 \(cell 1\), which no"
    ):
        MaxAffine.of_cells(*XOR)


@pytest.mark.parametrize("factor", [Fraction(1, 10**400), 10**400])
def test_the_unit_does_not_matter(factor):
    points = np.array([[0, 1, 3, 7]], dtype=object) * factor + factor * 10**9
    f = MaxAffine.of_cells(points, [0, 0, 1, 2])
    assert f.partition(points).tolist() == [0, 0, 1, 2]
    assert f.margin(points).min() == 1


@pytest.mark.parametrize("labels", [[0, 1, 1], [0, 1, 0]])
def test_what_floats_do_not_decide_is_said_to_be_undecided(labels):
    with pytest.raises(ValueError, match="neither a max-affine function was found nor a proof"):
        MaxAffine.of_cells([[1, 1 + Fraction(1, 10**30), 2]], labels)


def test_the_nearest_point_of_a_hull():
    """Against a fine search over all triangles of the points."""
    rng = np.random.default_rng(2)
    for shift in (0, 3):
        rows = rng.normal(size=(7, 2)) + shift
        w, places, shares = nearest_to_zero(rows)
        assert w == pytest.approx(shares @ rows[places])
        assert shares.sum() == pytest.approx(1)
        assert min(shares) >= 0
        best = min(
            np.linalg.norm(t * (s * p + (1 - s) * q) + (1 - t) * r)
            for p, q, r in product(rows, repeat=3)
            for s, t in product(np.linspace(0, 1, 9), repeat=2)
        )
        assert np.linalg.norm(w) <= best + 1e-12
        assert (rows @ w >= w @ w - 1e-9).all()


def test_breakpoints_are_borders_and_belong_to_the_left():
    f = MaxAffine.of_breakpoints([-1, Fraction(1, 2), 2])
    assert f.partition([[-3, -1, 0, Fraction(1, 2), 1, 2, 9]]).tolist() == [0, 0, 1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MaxAffine.of_breakpoints([1, 1]), ValueError, "breakpoints: expected increasing numbers"),
        (lambda: MaxAffine.of_breakpoints([[1, 2]]), ValueError, "breakpoints: expected"),
        (lambda: MaxAffine.of_cells([0, 1], [0, 1]), ValueError, "points: expected shape"),
        (
            lambda: MaxAffine.of_cells([[0, 1]], [0]),
            ValueError,
            "labels: expected 2 of them, one for each point, got 1",
        ),
        (lambda: MaxAffine.of_cells([[0, 1]], [0, -1]), ValueError, "labels: expected an int"),
        (lambda: MaxAffine.of_cells([[0, 1]], [0, 0.5]), ValueError, "labels: expected an int"),
        (lambda: MaxAffine.of_cells([[0, 1]], [0, 3], 2), ValueError, "components: expected an int from 4"),
        (lambda: MaxAffine.of_cells([[0, 1]], [0, 10**6]), ConstructionTooLarge, "take fewer of either"),
        (lambda: MaxAffine.of_cells([[0, np.nan]], [0, 1]), ValueError, "points"),
    ],
)
def test_wrong_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
