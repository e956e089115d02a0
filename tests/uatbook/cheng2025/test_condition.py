"""Encodings, affine images, distances after mixing, and the statements of what to ask of attention."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from uatbook import statements
from uatbook.cheng2025 import affine_family, distinguishing, encodings
from uatbook.cheng2025.distinguishing import lattice
from uatlib import cheng2025
from uatlib.arithmetic import EXACT
from uatlib.groups import elements
from uatlib.kernels import CONSTANT, DOT, RBF
from uatlib.layers import FeedForward
from uatlib.model import Transformer
from uatlib.targets import Target, mean_product, running_mean

from ..test_statements import damaged, verified


def objects(*values):
    return np.array(values, dtype=object)


# ----------------------------------------------------------------------------------------------------------- encodings


@pytest.mark.parametrize("group", ["symmetric", "cyclic", "dihedral", [(1, 0, 2)]])
def test_a_lifted_function_is_the_function_behind_the_encodings(group):
    f = running_mean(3)
    E = encodings.spread_encodings(3, 1, gap=Fraction(1, 2))
    assert E.tolist() == [[0, Fraction(3, 2), 3]]
    lift = encodings.lifted(f, E, group)
    X = np.random.default_rng(1).random((20, 1, 3))
    found = lift(X + E.astype(float))
    assert found.dtype == np.float64
    assert np.allclose(found, f(X), atol=1e-12)
    for p in elements(group, 3):
        assert np.allclose(lift((X + E.astype(float))[..., list(p)]), f(X)[..., list(p)])
    assert lift.domain == (0, 4)
    assert lift.lipschitz == 1 + 2 * 1 / Fraction(1, 2)


def test_between_the_boxes_it_fades():
    """By hand: n = 2, box [0, 1] and [2, 3], gap 1, so the reach is 1/2; Z = (5/4, 2) is 1/4 beyond the first box."""
    lift = encodings.lifted(running_mean(2), [[0, 2]])
    Z = objects([[Fraction(5, 4), 2], [2, Fraction(5, 4)], [Fraction(3, 2), 2]])[0][:, None, :]
    half = Fraction(1, 2)
    assert lift(Z)[:, 0].tolist() == [[half * 1, half * half], [half * half, half], [0, 0]]


@pytest.mark.parametrize("d", [1, 2])
def test_room_is_what_lies_between_two_boxes(d):
    E = np.array([[0, 3, -2]] + [[0, 0, 7]] * (d - 1), dtype=object)
    wanted = min(max(abs(E[i, j] - E[i, k]) for i in range(d)) - 1 for j, k in itertools.combinations(range(3), 2))
    assert encodings.room_between(E, (0, 1)) == wanted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: encodings.lifted(running_mean(2), [[0, 1]]), "a distance of 0.; take larger steps"),
        (lambda: encodings.lifted(running_mean(2), [[0, 2, 4]]), r"encodings: expected shape \(1, 2\)"),
        (lambda: encodings.lifted(running_mean(2), [[0, 2]], "odd"), "group: expected one of symmetric"),
        (lambda: encodings.lifted(lambda X: X, [[0, 2]]), "target: expected a Target"),
        (lambda: encodings.lifted(running_mean(12), encodings.spread_encodings(12, 1)), "at most 50,000 permutations"),
        (lambda: encodings.lifted(Target(lambda X: X[..., :1], 2, 1, n_out=1), [[0, 2]]), "values of its shape"),
        (lambda: encodings.spread_encodings(2, 1, gap=0), "gap: expected"),
        (lambda: encodings.spread_encodings(0, 1), "n: expected"),
        (lambda: encodings.spread_encodings(2, 1, (1, 0)), "domain: expected"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ------------------------------------------------------------------------------------------------------------ distances


def test_distances_by_hand():
    X = objects([[[1, 2]], [[2, 1]], [[1, 4]]])[0]
    Z = objects([[[10, 13]], [[13, 10]], [[12, 20]]])[0]
    told = distinguishing.told_apart(X, Z, elements("symmetric", 2), X)
    gap, where = told.across
    assert (gap, where["token"], where["token of Y"]) == (1, 2, 1)
    assert (where["X"].tolist(), where["Y"].tolist()) == ([[1, 2]], [[1, 4]])
    assert told.within[0] == 3
    assert told.conflict[0] == 0  # 10 is the token 1 in both orders
    assert told.pairs == 15
    apart = distinguishing.told_apart(X, Z, elements("trivial", 2), X)
    assert apart.across[0] == 0
    assert distinguishing.told_apart(X, Z * 0, elements("symmetric", 2), X).conflict[0] == 3


def test_products_forget_the_order_alone():
    """(1 + t x_1)(1 + t x_2)(1 + t x_3) in complex numbers."""
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (4, 2, 3)).astype(object)
    t = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 3)]
    Z = distinguishing.products(X, t)
    for x, z in zip(X, Z, strict=True):
        for k, scale in enumerate(t):
            found = np.prod([1 + float(scale) * complex(*token) for token in x.T])
            assert complex(*map(float, z[:, k])) == pytest.approx(found)
    assert (distinguishing.products(X[..., [2, 0, 1]], t) == Z).all()
    assert (Z[..., 1] == Z[..., 2]).all()


@pytest.mark.parametrize(("d", "r"), [(1, 1), (2, 3), (3, 2)])
def test_affine_images(d, r):
    rng = np.random.default_rng(d)
    w_1, b_1, w_2, b_2 = (rng.integers(-3, 4, shape) for shape in ((r, d), r, (d, r), d))
    W, A, b = rng.integers(-3, 4, (d, d)), rng.integers(-3, 4, (d, d)), rng.integers(-3, 4, d)
    for bias in (b_1, None):
        h = FeedForward(w_1, bias, w_2, b_2, skip=False)
        image = Transformer([affine_family.affine_image(h, W, A, b)])
        for x in rng.integers(-4, 5, (10, d)):
            hidden = np.maximum(w_1 @ (A @ x - b) + (0 if bias is None else bias), 0)
            assert image(x[:, None].astype(object), EXACT)[:, 0].tolist() == (W @ (w_2 @ hidden + b_2)).tolist()


@pytest.mark.parametrize(("size", "d"), [(5, 2), (7, 3), (4, 1)])
def test_first_entries_become_powers(size, d):
    tokens = lattice(size, d)
    out = Transformer([distinguishing.spread_sums(tokens)])(tokens, EXACT)
    assert sorted(out[0].tolist()) == [2**j for j in range(size)]
    assert (out[1:] == tokens[1:]).all()


# ----------------------------------------------------------------------------------------------------------- statements


def test_what_fails_where_hypotheses_are_left_out():
    forgets, jumps = (verified("cheng2025:thm-1", 0, f"{name} alone") for name in ("continuity", "equivariance"))
    on_grid, beside = "on the grid: answers", "the same 2^-40"
    assert not forgets[on_grid].holds
    assert jumps[on_grid].holds
    assert not jumps[beside].holds
    for made in (forgets, jumps):
        assert all(check.holds for check in made.checks if "distance" in check.name)


def test_the_printed_definition_passes_a_map_that_leaves_one_token():
    made = verified("cheng2025:def-3", 0, "printed")
    assert [check.name for check in made.failures] == ["answers of tokens that are not told apart, largest difference"]


def test_the_corner_grid_fools_softmax_by_a_token_0():
    made = damaged("cheng2025:thm-1", 1, "corners of cells")
    assert any((check.witness["X"] == 0).all(axis=0).any() for check in made.failures if "orbits" in check.name)


# ---------------------------------------------------------------------------------------- what the page says in words


@pytest.mark.parametrize("kernel", [DOT, RBF(1), CONSTANT])
def test_ids_come_closer_with_every_cell_and_the_kernel_does_not_matter(kernel):
    made = [cheng2025.build(mean_product(2), inverse_delta=N, kernel=kernel) for N in (2, 4, 8)]
    apart = [g.separation for g in made]
    assert apart == sorted(apart, reverse=True)
    assert [g.claim.error for g in made] == [
        cheng2025.build(mean_product(2), inverse_delta=N).claim.error for N in (2, 4, 8)
    ]


@pytest.mark.parametrize(
    ("statement", "parameters", "message"),
    [
        ("def-1", {"n": 1}, "n: expected an int from 2 to 4"),
        ("def-1", {"group": "trivial"}, "group: expected"),
        ("def-1", {"n": 4, "d": 2}, "d: expected at most 2,000 sequences"),
        ("def-2", {"d": 5}, "d: expected an int from 1 to 4"),
        ("def-3", {"n": 3, "size": 3}, "n: expected n < size = 3"),
        ("not-necessary", {"n": 2}, "n: expected an int from 3 to 4"),
        ("thm-1", {"n": 3, "inverse_delta": 3}, "inverse_delta: expected 2 where n = 3"),
        ("thm-1-needs", {"steps": 0}, "steps: expected an int from 1 to 64"),
        ("prop-2", {"ramp": Fraction(3, 4)}, "ramp: expected a number > 0 and <= 1/2"),
    ],
)
def test_wrong_parameters_are_refused(statement, parameters, message):
    with pytest.raises(ValueError, match=message):
        statements.get(f"cheng2025:{statement}").verify(**parameters)
