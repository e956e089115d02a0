"""The statements of section 3 of Liu et al.: what each measures and refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest

from uatbook import statements
from uatbook.liu2025 import indicator, partitions
from uatbook.liu2025.max_affine import MaxAffine, indicator_attention
from uatlib.arithmetic import FLOAT64
from uatlib.liu2025 import precision

from ..test_statements import damaged, verified

PROP_32, PROP_33 = (statements.get(f"liu2025:prop-3-{k}") for k in (2, 3))


def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def test_the_two_lines_of_the_erratum():
    """y_1 = x and y_2 = -x, which meet at 0."""
    cut = partitions.cut(2, 1)
    assert (cut.f.A.tolist(), cut.f.b.tolist()) == ([[1, -1]], [0, 0])
    printed = statements.get("liu2025:prop-3-1").verify(variant="printed")
    assert [check.name for check in printed.failures] == ["cells that hold a point of the grid, most"]
    assert str(printed.failures[0]).endswith("witness: x = (0), cells = (1, 2)")


@pytest.mark.parametrize(("N", "d"), [(2, 1), (5, 1), (7, 2), (5, 3)])
def test_points_on_borders_are_among_those_looked_at(N, d):
    cut = partitions.cut(N, d)
    scores = [sorted(cut.scores(x)) for x in cut.points.T]
    assert sum(y[-1] == y[-2] for y in scores) > 0
    assert {int(k) for k in cut.f.partition(cut.points)} == set(range(N))


@pytest.mark.parametrize("damage", ["borders in no cell", "a point in a cell far away", "a site heavier"])
def test_the_damages_of_the_partition_break_what_they_are_named_for(damage):
    broken = {
        "borders in no cell": "cells that hold a point of the grid, least",
        "a point in a cell far away": "convex",
    }
    failed = damaged("liu2025:prop-3-1", 0, damage).failures
    assert any(check.name.startswith(broken.get(damage, "points of the grid not in the cell")) for check in failed)


@pytest.mark.parametrize("id", ["liu2025:def-3-1", "liu2025:def-3-2", "liu2025:prop-3-1"])
def test_no_damage_is_too_small_for_the_grid(id):
    """At N = 4, d = 2 a heavier site takes no point of the grid from its neighbours: the borders tell."""
    statement = statements.get(id)
    for case in statement.cases:
        parts = statement.build(**case)
        for name, damage in statement.damages.items():
            for seed in range(6):
                made = damage(parts, np.random.default_rng(seed))
                assert made is None or statement.certify(made).outcome == "fails", (case, name, seed)


def test_the_printed_precision_at_the_margin_of_a_tenth():
    R = 0.1 * (math.log(2 - 1) - math.log(0.01))
    error = 1 - softmax([R * 0.1, 0])[0]
    measured = verified("liu2025:prop-3-2", 0, "shapes alone").failures[0].measured
    assert float(measured) == pytest.approx(error)
    assert error == pytest.approx(0.4885, abs=1e-4)


def test_the_printed_ones_reach_over_d_tokens():
    """d = 1: the second of two tokens loses its b_i, so at 0 all scores tie."""
    failed = verified("liu2025:prop-3-2", 0, "precision alone").failures[0]
    assert float(failed.measured) == pytest.approx(1 / 2)
    assert str(failed).endswith("witness: token = 2, x = (0)")
    built = indicator.indicator(variant="precision alone", N=5, d=2, n=2)
    assert PROP_32.certify(built)["|Softmax"].holds  # n = d: the right ones


@pytest.mark.parametrize(("N", "d", "n", "fit"), [(2, 1, 2, True), (3, 1, 2, False), (2, 2, 2, False), (4, 1, 4, True)])
def test_the_printed_shapes_fit_for_as_many_components_as_tokens_on_a_line(N, d, n, fit):
    built = indicator.indicator(variant="printed", N=N, d=d, n=n)
    assert all(one == other for _, one, other in built.shapes) == fit


@pytest.mark.parametrize("N", [2, 3, 6])
def test_every_token_of_an_interval_is_looked_at(N):
    built = indicator.indicator(N=N, n=1)
    worst, _, boxes = indicator._everywhere(built)
    found = []
    for x in np.linspace(-2, 2, 4001):
        y = [float(a) * x + float(b) for a, b in zip(built.f.A[0], built.f.b, strict=True)]
        best, second = sorted(y, reverse=True)[:2]
        if best - second >= 0.1:
            found.append(1 - max(softmax([built.R * score for score in y])))
    assert max(found) - 1e-12 <= worst <= built.eps
    assert boxes > N
    less = built._replace(model=indicator._scaled(built.model, Fraction(9, 10)))
    worst, where, _ = indicator._everywhere(less)
    assert worst > built.eps
    assert where.startswith("x in [")


def test_equal_components_are_never_told_apart():
    """So Assumption 3.1 leaves out their whole cell, which is no small region."""
    twins = MaxAffine([[1, 1, -1]], [0, 0, 0])
    shares = indicator_attention(twins, 1, 10**6)([[3.0]], FLOAT64).numpy()
    assert shares[:, 0].tolist() == [0.5, 0.5, 0]


def test_the_factor_two_is_attained():
    R = precision(2, 1, 0.01, exact=True)
    out = indicator_attention(MaxAffine([[0, 1]], [1, 0]), 1, R, values=[[3, -3]])([[0.0]], FLOAT64).item()
    assert abs(out - 3) == pytest.approx(2 * 3 * 0.01)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("d", [1, 2])
def test_tokens_have_the_margin_and_the_worst_stands_first_and_last(n, d):
    margin = Fraction(1, 10)
    built = indicator.indicator(N=4, d=d, n=n)
    assert (built.X[0, :, 0] == 0).all()
    assert (built.X[-1, :, -1] == 0).all()
    for x in built.X:
        for token in x.T:
            y = sorted(
                sum(a * u for a, u in zip(c, token, strict=True)) + b
                for c, b in zip(built.f.A.T, built.f.b, strict=True)
            )
            assert y[-1] - y[-2] >= margin
    assert len(np.unique(built.f.partition(built.X))) == (3 if d == 1 else 4)  # the line of slope 1 is hidden


@pytest.mark.parametrize(
    ("statement", "parameters", "message"),
    [
        ("def-3-1", {"N": 1}, "N: expected an int from 2 to 12"),
        ("def-3-2", {"d": 4}, "d: expected an int from 1 to 3"),
        ("prop-3-1", {"N": 10**400}, "N: expected an int from 2 to 12"),
        ("prop-3-2", {"n": 3}, "n: expected an int from 1 to 2"),
        ("prop-3-2", {"margin": 0}, "margin: expected"),
        ("prop-3-2", {"eps": 0.6}, "eps: expected"),
        ("prop-3-3", {"eps": -1}, "eps: expected"),
        ("prop-3-3", {"N": 13}, "N: expected an int from 2 to 12"),
    ],
)
def test_wrong_parameters_are_refused(statement, parameters, message):
    with pytest.raises(ValueError, match=message):
        statements.get(f"liu2025:{statement}").verify(**parameters)
