"""Distances against integrals known in closed form, and the equivariance error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from uatlib.arithmetic import EXACT, FLOAT64
from uatlib.certificate import Check
from uatlib.metrics import MAX_POINTS, equivariance_error, lp_distance, sup_distance
from uatlib.model import Attention, FeedForward, Head, Transformer
from uatlib.progress import progress

from .oracles import array


def identity(X: Any) -> Any:
    return X


def zero(X: Any) -> Any:
    return 0 * X


def step(X: np.ndarray) -> np.ndarray:
    return (X > 0.3) * 1.0


# |X|_p^p is a sum of |x|^p; the integral of x^p over [0, 1] is 1 / (p + 1), of x^2 over [-1, 2] it is 3.
CLOSED = [
    (identity, zero, 2, 1, 1, (0, 1), 1.0),
    (identity, zero, 2, 1, 2, (0, 1), math.sqrt(2 / 3)),
    (identity, zero, 2, 1, 3, (0, 1), (2 / 4) ** (1 / 3)),
    (identity, zero, 1, 2, 2, (0, 1), math.sqrt(2 / 3)),
    (identity, zero, 3, 1, 2, (0, 1), 1.0),
    (identity, zero, 1, 1, 2, (-1, 2), math.sqrt(3)),
    (identity, zero, 2, 1, 2, (-1, 2), math.sqrt(3 * 3 * 2)),
    (identity, lambda X: X.mean(-1, keepdims=True) + zero(X), 2, 1, 2, (0, 1), math.sqrt(1 / 12)),
    (lambda X: X + 2, identity, 2, 1, 2, (0, 3), 2 * math.sqrt(2 * 9)),
    (identity, identity, 2, 1, 2, (0, 1), 0.0),
]


@pytest.mark.parametrize(("f", "g", "n", "d", "p", "domain", "value"), CLOSED)
def test_quadrature_of_polynomials_is_exact(
    f: Callable, g: Callable, n: int, d: int, p: float, domain: tuple, value: float
) -> None:
    result = lp_distance(f, g, n=n, d=d, p=p, domain=domain, cells=3)
    assert result.value == pytest.approx(value, abs=1e-12)
    assert result.error < 1e-12
    assert result.method == "quadrature"
    assert result.points == 12 ** (d * n)


@pytest.mark.parametrize(("f", "g", "n", "d", "p", "domain", "value"), CLOSED)
def test_monte_carlo_is_within_five_standard_errors(
    f: Callable, g: Callable, n: int, d: int, p: float, domain: tuple, value: float
) -> None:
    result = lp_distance(f, g, n=n, d=d, p=p, domain=domain, method="monte carlo", samples=20_000)
    assert abs(result.value - value) <= 5 * result.error + 1e-12
    assert result.error < 0.02 * (value + 1e-12)
    assert (result.method, result.points) == ("monte carlo", 20_000)


def test_the_standard_error_is_the_spread_over_seeds() -> None:
    results = [
        lp_distance(identity, zero, n=2, d=1, p=3, method="monte carlo", samples=400, seed=seed) for seed in range(300)
    ]
    spread = np.std([r.value for r in results], ddof=1)
    assert np.mean([r.error for r in results]) == pytest.approx(spread, rel=0.2)


def test_monte_carlo_is_repeatable_and_needs_more_points_for_less_error() -> None:
    def measure(samples: int, seed: int = 0) -> Any:
        return lp_distance(identity, zero, n=1, d=1, method="monte carlo", samples=samples, seed=seed)

    assert measure(1000) == measure(1000)
    assert measure(1000).value != measure(1000, seed=1).value
    assert measure(70_000).error == pytest.approx(measure(1000).error / math.sqrt(70), rel=0.1)  # in two chunks


def test_the_quadrature_error_covers_a_jump_and_vanishes_where_edges_meet_it() -> None:
    value = 0.7
    rough = lp_distance(step, zero, n=1, d=1, p=1, cells=8)
    assert 0 < abs(rough.value - value) <= 3 * rough.error
    assert rough.error < 0.1
    sharp = lp_distance(step, zero, n=1, d=1, p=1, cells=10)
    assert sharp.value == pytest.approx(value, abs=1e-12)
    assert sharp.error < 1e-12
    smooth = [lp_distance(lambda X: np.exp(5 * X), zero, n=1, d=1, p=1, cells=2, order=k) for k in (1, 2, 4)]
    exact = (math.exp(5) - 1) / 5
    for result in smooth:
        assert abs(result.value - exact) <= 1.5 * result.error
    assert smooth[0].error > smooth[1].error > smooth[2].error


def test_functions_may_return_tensors_and_fractions() -> None:
    model = Transformer([FeedForward([[1]], [0], [[1]])], n=2)
    result = lp_distance(lambda X: model(X, FLOAT64), identity, n=2, d=1)
    assert result.value == pytest.approx(math.sqrt(2 / 3), abs=1e-12)
    points = array([[[Fraction(1, 2), 1]], [[0, Fraction(1, 4)]]])
    assert sup_distance(lambda X: model(X, EXACT), zero, points).value == 2


@pytest.mark.parametrize("p", [0.5, 0, -1, math.inf, math.nan])
def test_exponents_outside_one_to_infinity_are_refused(p: float) -> None:
    with pytest.raises(ValueError, match="expected 1 <= p < inf, got"):
        lp_distance(identity, zero, n=1, d=1, p=p)


def test_other_methods_and_too_many_points_are_refused_before_any_call() -> None:
    def never(X: Any) -> Any:
        raise AssertionError("called")

    with pytest.raises(ValueError, match="got 'exhaustive'"):
        lp_distance(never, never, n=1, d=1, method="exhaustive")
    with pytest.raises(ValueError, match=r"1,099,511,627,776 points, the limit is 50,000,000"):
        lp_distance(never, never, n=8, d=1)
    assert 32**5 < MAX_POINTS < 32**6


# ----------------------------------------------------------------------------------------------- sup distance


def test_the_sup_distance_finds_its_point() -> None:
    points = np.array([[[0.0, 1.0]], [[3.0, -4.0]], [[2.0, 2.0]]])
    for p, value in ((math.inf, 4), (1, 7), (2, 5)):
        result = sup_distance(identity, zero, points, p)
        assert result.value == pytest.approx(value)
        assert result.witness.tolist() == [[3.0, -4.0]]
        assert (result.error, result.method, result.points) == (0, "exhaustive", 3)


def test_the_sup_distance_takes_chunks() -> None:
    points = np.random.default_rng(0).normal(size=(30, 2, 3))
    whole = sup_distance(np.sin, identity, points)
    chunked = sup_distance(np.sin, identity, (points[i : i + 7] for i in range(0, 30, 7)))
    assert chunked.value == whole.value == np.abs(np.sin(points) - points).max()
    assert chunked.points == 30
    assert (chunked.witness == whole.witness).all()


def test_nan_is_no_small_distance() -> None:
    bad = np.array([[[1.0]], [[math.nan]], [[2.0]]])
    for points in (bad, [bad[1:2], bad[:1]], [bad[:1], bad[1:2], bad[2:]]):
        result = sup_distance(identity, zero, points)
        assert math.isnan(result.value)
        assert np.isnan(result.witness).all()
        assert not Check("distance", result.value, "<=", 10).holds
    assert not lp_distance(lambda X: np.where(X > 0.5, np.nan, X), zero, n=1, d=1).value <= 10


def test_no_points_are_refused() -> None:
    with pytest.raises(ValueError, match="expected at least one point, got none"):
        sup_distance(identity, zero, [])


# ----------------------------------------------------------------------------------------- equivariance error


def grid(n: int) -> np.ndarray:
    return array([[row] for row in itertools.product([Fraction(0), Fraction(1, 3), Fraction(1, 2)], repeat=n)])


def test_a_hardmax_model_is_exactly_equivariant() -> None:
    head = Head([[1]], [[2]], [[Fraction(1, 3)]], [[1]], b_q=[-1])
    model = Transformer([Attention([head], "hardmax"), FeedForward([[1]], [0], [[1]])])
    result = equivariance_error(lambda X: model(X, EXACT), grid(3))
    assert result.value == 0
    assert result.error == 0
    assert result.points == 27 * 6


def test_a_map_that_reads_positions_is_not_equivariant() -> None:
    def broken(X: np.ndarray) -> np.ndarray:
        result = X.copy()
        result[..., 0] = 2 * X[..., 0]
        return result

    result = equivariance_error(broken, grid(2))
    assert result.value == 0.5
    X, permutation = result.witness
    gap = np.abs(broken(X[None][..., list(permutation)])[0] - broken(X[None])[0][..., list(permutation)])
    assert gap.max() == Fraction(1, 2)


def test_only_the_named_permutations_are_tried() -> None:
    def difference(X: np.ndarray) -> np.ndarray:
        return X - X[..., [1, 2, 0]]

    X = grid(3)
    assert equivariance_error(difference, X, [(1, 2, 0), (2, 0, 1)]).value == 0
    assert equivariance_error(difference, X, [(1, 0, 2)]).value > 0
    assert equivariance_error(difference, X).value > 0


def test_tiny_exact_errors_are_not_zero() -> None:
    tiny = Fraction(1, 10**30)
    result = equivariance_error(lambda X: X + np.array([tiny, 0], dtype=object), grid(2))
    assert 0 < result.value < 1e-29


def test_equivariance_of_tensors() -> None:
    X = torch.rand(4, 2, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert equivariance_error(lambda X: X * X.mean(-1, keepdim=True), X).value < 1e-15
    assert equivariance_error(lambda X: X.cumsum(-1), X).value > 0.1


# --------------------------------------------------------------------------------------------------- progress


@pytest.mark.parametrize("quiet", ["", "1"])
def test_progress_gives_the_items_back_and_is_silent_when_short(
    quiet: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("UATLIB_QUIET", quiet)
    assert list(progress([3, 1, 2], "items")) == [3, 1, 2]
    assert list(progress(iter("ab"), "items", total=2)) == ["a", "b"]
    assert capfd.readouterr() == ("", "")


# -------------------------------------------------------------------------------------------------- the edges


def test_nan_is_no_small_equivariance_error() -> None:
    result = equivariance_error(lambda X: X * math.nan, np.ones((2, 1, 2)))
    assert math.isnan(result.value)
    assert not Check("equivariance", result.value, "<=", 0).holds


def test_equivariance_without_anything_to_compare_is_refused() -> None:
    X = np.ones((2, 1, 2))
    for points, permutations in ((X, []), (X, [(0, 0)]), (X, [(0, 5)]), (X[:0], None), (X[0], None)):
        with pytest.raises(ValueError, match="equivariance_error: expected"):
            equivariance_error(identity, points, permutations)


def test_values_of_another_shape_are_refused() -> None:
    for wrong in (lambda X: X[..., :1], lambda X: X[0]):
        with pytest.raises(ValueError, match="shape"):
            lp_distance(identity, wrong, n=2, d=1)
        with pytest.raises(ValueError, match="shape"):
            sup_distance(identity, wrong, np.ones((3, 1, 2)))


def test_points_that_are_no_batch_are_refused() -> None:
    for points in (np.empty((0, 1, 2)), np.ones((1, 2)), [np.empty((0, 1, 2))]):
        with pytest.raises(ValueError, match="sup_distance: expected"):
            sup_distance(identity, zero, points)


def test_points_may_be_a_tensor() -> None:
    assert sup_distance(identity, zero, torch.tensor([[[1.0, -3.0]]])).value == 3


WRONG = [
    {"domain": (1, 0)},
    {"domain": (0, 0)},
    {"domain": (0, math.inf)},
    {"n": 0},
    {"cells": 0},
    {"cells": 1.5},
    {"order": 0},
    {"samples": 0, "method": "monte carlo"},
    {"samples": 1, "method": "monte carlo"},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_wrong_parameters_of_the_distance_are_refused(wrong: dict) -> None:
    with pytest.raises(ValueError, match=r"lp_distance: expected .* got"):
        lp_distance(identity, zero, **{"n": 1, "d": 1, **wrong})


def test_functions_that_change_the_shape_have_no_equivariance_error() -> None:
    with pytest.raises(ValueError, match="expected values of the shape"):
        equivariance_error(lambda X: X[..., :1], np.ones((2, 1, 3)))


def test_permutations_may_be_arrays() -> None:
    assert equivariance_error(identity, np.ones((2, 1, 3)), [np.array([2, 0, 1])]).value == 0


@pytest.mark.parametrize("p", [1, 2, 3.5, 40, 64, 65, 1000])
@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e250])
@pytest.mark.parametrize("method", ["quadrature", "monte carlo"])
def test_powers_neither_underflow_nor_overflow(p: float, unit: float, method: Any) -> None:
    """|f - g| = unit on a half of the box and unit / 1000 on the other: (4 (1 + 1000^-p) / 2)^(1/p) units for 2 x 2."""

    def f(X: Any) -> Any:
        return np.where(X[:, :1, :1] < 0.5, 1.0, 1e-3) * unit * np.ones_like(X)

    found = lp_distance(f, zero, n=2, d=2, p=p, cells=2, method=method, samples=20_000)
    want = (2 * (1 + 1000.0**-p)) ** (1 / p) * unit
    assert found.value == pytest.approx(want, rel=1e-9 if method == "quadrature" else 0.02 / p)
    assert found.error <= 0.02 * unit
    assert lp_distance(zero, zero, n=2, d=2, p=p, cells=2, method=method, samples=10).value == 0
