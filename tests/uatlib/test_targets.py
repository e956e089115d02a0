"""Targets: the stated properties, tested on samples of our own, and false statements refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from uatlib.targets import Target, bump, cyclic_difference, entrywise_norm, mean_product, running_mean

from .oracles import EXAMPLES, array

UNIT = st.fractions(0, 1, max_denominator=8)
SIZES = [(1, 1), (2, 1), (3, 1), (3, 2), (4, 2)]
MAKERS = [mean_product, bump, running_mean, cyclic_difference]
GROUPS = {mean_product: "symmetric", bump: "symmetric", running_mean: "trivial", cyclic_difference: "cyclic"}


# ------------------------------------------------------------------------------------- the formulas, in loops


def mean(row: list) -> Any:
    return sum(row) / Fraction(len(row))


def loop_mean_product(X: list) -> list:
    return [[x * mean(row) for x in row] for row in X]


def loop_bump(X: list) -> list:
    w = math.prod(4 * z * (1 - z) for row in X for z in row)
    return [[w * (1 + x - mean(row)) / 2 for x in row] for row in X]


def loop_running_mean(X: list) -> list:
    return [[mean(row[: k + 1]) for k in range(len(row))] for row in X]


def loop_cyclic_difference(X: list) -> list:
    return [[row[k] - row[(k + 1) % len(row)] for k in range(len(row))] for row in X]


LOOPS = dict(zip(MAKERS, [loop_mean_product, loop_bump, loop_running_mean, loop_cyclic_difference], strict=True))


@pytest.mark.parametrize("maker", MAKERS)
@EXAMPLES
@given(data=st.data(), size=st.sampled_from(SIZES))
def test_targets_equal_their_formulas_on_fractions(maker: Callable, data: Any, size: tuple) -> None:
    n, d = size
    X = data.draw(st.lists(st.lists(UNIT, min_size=n, max_size=n), min_size=d, max_size=d))
    result = maker(n, d)(array(X))
    assert result.tolist() == LOOPS[maker](X)
    assert {type(entry) for entry in result.ravel()} <= {Fraction, int}


@pytest.mark.parametrize("maker", MAKERS)
def test_targets_take_arrays_tensors_and_batches(maker: Callable) -> None:
    X = np.random.default_rng(3).uniform(0, 1, (2, 5, 2, 3))
    target = maker(3, 2)
    values = target(X)
    assert values.shape == X.shape
    assert np.allclose(values[1, 4], np.array(LOOPS[maker](X[1, 4].tolist()), dtype=float), atol=1e-14)
    assert np.allclose(target(torch.tensor(X)).numpy(), values, atol=1e-14)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(("n", "d"), SIZES)
def test_targets_have_exactly_the_stated_group(maker: Callable, n: int, d: int) -> None:
    target = maker(n, d)
    assert target.group == GROUPS[maker]
    X = np.random.default_rng(n).uniform(0, 1, (20, d, n))
    rotations = {tuple((i + k) % n for i in range(n)) for k in range(n)}
    for permutation in itertools.permutations(range(n)):
        p = list(permutation)
        equivariant = np.abs(target(X[..., p]) - target(X)[..., p]).max() < 1e-12
        stated = (
            permutation == tuple(range(n))
            or target.group == "symmetric"
            or (target.group == "cyclic" and permutation in rotations)
        )
        assert equivariant == stated


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(("n", "d"), SIZES)
def test_targets_obey_their_bound_and_lipschitz_constant(maker: Callable, n: int, d: int) -> None:
    target = maker(n, d)
    assert (target.n, target.d, target.domain, target.norm) == (n, d, (0, 1), math.inf)
    rng = np.random.default_rng(7)
    X = rng.uniform(0, 1, (2000, d, n))
    X[:500] = rng.integers(0, 2, (500, d, n))  # corners
    size = np.abs(target(X)).max()
    assert size <= target.bound + 1e-12
    for reach in (1, 1e-2, 1e-5):
        Y = np.clip(X + reach * rng.choice([-1, 1], X.shape), 0, 1)
        distance = np.abs(X - Y).max((-2, -1))
        ratio = np.abs(target(X) - target(Y)).max((-2, -1))[distance > 0] / distance[distance > 0]
        assert ratio.max() <= target.lipschitz + 1e-6


@pytest.mark.parametrize(
    ("maker", "lipschitz", "bound"),
    [(mean_product, 1.3, 0.7), (running_mean, 0.9, 0.9), (cyclic_difference, 1.8, 0.8), (bump, 1.5, 0.5)],
)
def test_constants_made_clearly_smaller_are_refused(maker: Callable, lipschitz: float, bound: float) -> None:
    target = maker(2)
    Target(target.function, 2, 1, lipschitz=target.lipschitz, bound=target.bound)
    with pytest.raises(
        ValueError, match=rf"\|f\(X\) - f\(Y\)\| <= {lipschitz} .* violated at X = \[\[0\.\d+, 0\.\d+\]\]"
    ):
        Target(target.function, 2, 1, lipschitz=lipschitz)
    with pytest.raises(ValueError, match=rf"\|f\(X\)\| <= {bound} .* violated at X = \[\[0\.\d+, 0\.\d+\]\]"):
        Target(target.function, 2, 1, bound=bound)


# ------------------------------------------------------------------------------------------------- statements


def twice(X: Any) -> Any:
    return 2 * X


def test_the_shown_input_violates_the_statement() -> None:
    with pytest.raises(ValueError, match="violated") as caught:
        Target(twice, 2, 1, bound=1, name="twice")
    text = str(caught.value)
    assert text.startswith("twice: expected |f(X)| <= 1 in the inf-norm; violated at X = ")
    X = np.array(eval(text.split("violated at X = ")[1].split(", where")[0]))
    assert np.abs(twice(X)).max() > 1
    assert f"|f(X)| = {np.abs(twice(X)).max()}" in text


@pytest.mark.parametrize(
    ("maker", "group"),
    [
        (running_mean, "symmetric"),
        (running_mean, "cyclic"),
        (running_mean, "dihedral"),
        (cyclic_difference, "symmetric"),
        (cyclic_difference, "dihedral"),
        (cyclic_difference, [(0, 2, 1)]),
    ],
)
def test_a_wrong_group_is_refused(maker: Callable, group: object) -> None:
    with pytest.raises(ValueError, match=r"expected f\(X P\) = f\(X\) P for the permutation \(.*violated at X = \[\["):
        Target(maker(3).function, 3, 1, group=group)


def test_groups_that_hold_are_taken() -> None:
    for group in ("symmetric", "cyclic", "dihedral", "trivial", [(2, 0, 1)], []):
        Target(mean_product(3).function, 3, 1, group=group)
    Target(cyclic_difference(3).function, 3, 1, group=[(1, 2, 0), (2, 0, 1)])


def test_functions_of_one_sequence_are_refused_until_wrapped() -> None:
    def first(X: np.ndarray) -> np.ndarray:
        return X - X[0, 0]

    with pytest.raises(ValueError, match=r"expected each sequence of a batch on its own.*violated at X = \[\["):
        Target(first, 2, 1)
    Target(np.vectorize(first, signature="(d,n)->(d,n)"), 2, 1)
    with pytest.raises(ValueError, match=r'expected values of the shape .*np\.vectorize\(f, signature="\(d,n\)'):
        Target(lambda X: X.sum(), 2, 1)


def linear(**wrong: Any) -> Target:
    return Target(**{"function": twice, "n": 2, "d": 1, **wrong})


REFUSED: list[tuple[str, Callable]] = [
    ("d: expected .* got", lambda: linear(d=-1)),
    ("domain: expected .* got", lambda: linear(domain=(1, 1))),
    ("norm: expected .* got", lambda: linear(norm=0.5)),
    ("lipschitz: expected .* got", lambda: linear(lipschitz=-1)),
    ("bound: expected .* got", lambda: linear(bound=math.inf)),
    ("group: expected .* got", lambda: linear(group=[(0, 0)])),
    ("(seed|samples): expected .* got", lambda: mean_product(2).check(seed=-1)),
    ("(seed|samples): expected .* got", lambda: mean_product(2).check(samples=0)),
    ("(seed|samples): expected .* got", lambda: mean_product(2).check(samples=10**12)),
    *(
        (r"X: expected an array or tensor of shape \(\.\.\., 1, 2\)", lambda s=s: mean_product(2)(np.zeros(s)))
        for s in ((1, 3), (2, 2), (2,), (2, 1))
    ),
]


@pytest.mark.parametrize(("words", "make"), REFUSED)
def test_what_is_no_target_or_sequence_is_refused(words: str, make: Callable) -> None:
    with pytest.raises(ValueError, match=rf"^{words}"):
        make()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda X: np.where(X > 0.9, np.nan, X), r"expected finite values; violated at X = \[\["),
        (lambda X: X + 1j, "real"),
        (lambda X: X[0], r"^function: expected values of the shape"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_values_that_are_no_finite_sequence_are_refused(function: Callable, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Target(function, 2, 1, name="")


def test_the_norm_of_the_constants() -> None:
    # |2 X|_1 <= 8 on [0, 1]^{2 x 2}, |2 X|_2 <= 4; 2 X has constant 2 in every norm.
    for p, bound in ((1, 8), (2, 4), (math.inf, 2)):
        assert Target(twice, 2, 2, bound=bound, lipschitz=2, norm=p).modulus(0.5) == pytest.approx(
            2 * 0.5 * {1: 4, 2: 2, math.inf: 1}[p]
        )
        with pytest.raises(ValueError, match="violated"):
            Target(twice, 2, 2, bound=bound * 0.4, norm=p)
        with pytest.raises(ValueError, match="violated"):
            Target(twice, 2, 2, lipschitz=1.99, norm=p)
    with pytest.raises(ValueError, match=r"^lipschitz: expected .* not known; state it"):
        Target(twice, 2, 2).modulus(0.5)


def test_properties_are_tested_on_the_stated_domain() -> None:
    Target(twice, 2, 1, domain=(-3, -2), bound=6)
    with pytest.raises(ValueError, match=r"violated at X = \[\[-2\.\d+, -2\.\d+\]\]"):
        Target(twice, 2, 1, domain=(-3, -2), bound=4)


# ------------------------------------------------------------------------------------------------------- norm


def test_entrywise_norm_worked_by_hand() -> None:
    A = [[3, -4], [0, 0]]
    assert entrywise_norm(A, 1) == 7
    assert entrywise_norm(A, 2) == pytest.approx(5, abs=1e-15)
    assert entrywise_norm(A, math.inf) == 4
    assert entrywise_norm([A, [[1, 1], [1, 1]]], 1).tolist() == [7, 4]
    assert entrywise_norm([[Fraction(1, 2), Fraction(-1, 2)]], 3) == pytest.approx(0.25 ** (1 / 3))


# ------------------------------------------------------------------------------------------------ at the door


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64])
def test_a_running_mean_of_ints_neither_wraps_nor_is_cut(kind: type) -> None:
    X = np.array([[100, 101, 102]], dtype=kind)
    assert running_mean(3)(X).tolist() == running_mean(3)(torch.tensor(X)).tolist() == [[100, 100.5, 101]]


class Broken:
    """What a torch module does to an array, and what else a function raises that takes none."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *_: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("function", [torch.nn.Linear(1, 1), Broken(TypeError("x")), Broken(RuntimeError("x"))])
def test_a_function_that_takes_no_arrays_is_told_so(function: Any) -> None:
    with pytest.raises(ValueError, match=r"^f: expected a function of an array of float64 of shape \(200, 1, 2\)") as e:
        Target(function, 2, 1)
    assert isinstance(e.value.__cause__, (TypeError, RuntimeError))


def test_other_errors_of_a_function_are_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        Target(Broken(ZeroDivisionError()), 2, 1)


@pytest.mark.parametrize("given", [{"d": 100}, {"d": 5, "n": 4}, {"d": 100, "bound": 0}, {"d": 30, "group": "cyclic"}])
def test_messages_stay_short_where_sequences_are_long(given: dict) -> None:
    with pytest.raises(ValueError, match="violated") as refusal:
        Target(lambda X: X * np.arange(1, X.shape[-1] + 1), **{"n": 2, "lipschitz": 0, **given})
    assert len(str(refusal.value)) < 1000


# ----------------------------------------------------------------------------------------- other sizes, two sequences


def heard(X: Any, Z: Any) -> Any:
    """x_k times the mean of the second sequence: entries of X (2 x 3), Z (2 x 5)."""
    return X * (Z.sum(-1)[..., None] / 5)


def test_targets_of_other_sizes() -> None:
    first = Target(lambda X: X[..., :1, :2] + 0, 3, 2, n_out=2, d_out=1, lipschitz=1, bound=1)
    assert (first.n_out, first.d_out, first.n_source) == (2, 1, None)
    assert first(np.arange(6).reshape(2, 3)).tolist() == [[0, 1]]
    same = Target(lambda X: X, 3, 2)
    assert (same.n_out, same.d_out) == (3, 2)
    with pytest.raises(ValueError, match=r"f: expected values of the shape \(200, 2, 4\), got \(200, 2, 3\)"):
        Target(lambda X: X, 3, 2, n_out=4)
    with pytest.raises(ValueError, match='group: expected "trivial" where f gives another number of tokens'):
        Target(lambda X: X[..., :2], 3, 2, n_out=2, group="symmetric")
    # With the tokens kept, the group may stay.
    Target(lambda X: X[..., :1, :], 3, 2, d_out=1, group="symmetric")


def test_targets_of_two_sequences() -> None:
    f = Target(heard, 3, 2, n_source=5, d_source=2, group="symmetric", lipschitz=2, bound=1)
    X, Z = np.arange(6).reshape(2, 3), np.array([[1, 2, 3, 4, 5], [0, 0, 0, 0, 10]])
    assert f(X, Z).tolist() == [[0, 3, 6], [6, 8, 10]]
    for call, words in (
        (lambda: f(X), "source: expected a second sequence, got None"),
        (lambda: mean_product(3, 2)(X, Z), "source: expected None"),
        (lambda: f(X, Z[:1]), "source: expected"),
        (lambda: f(Z, X), "X: expected"),
        (lambda: Target(heard, 3, 2, n_source=5), "d_source and n_source together"),
        (lambda: Target(heard, 3, 2, n_source=5, d_source=0), "d_source: expected an int >= 1, got 0"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    # In the sup norm, over both sequences at once: h (|x| + |mean|) <= 2 h.
    assert f.modulus(Fraction(1, 4)) == 0.5
    one = Target(heard, 3, 2, n_source=5, d_source=2, lipschitz=100, norm=1)
    assert one.modulus(Fraction(1, 4)) == 100 / 4 * (6 + 10)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        (
            {"lipschitz": 0.5},
            r"(?s)\|f\(X\) - f\(Y\)\| <= 0.5 .* for Y = .* beside the source .*; X beside the source",
        ),
        ({"bound": 0.5}, r"\|f\(X\)\| <= 0.5 .*; X beside the source \[\["),
    ],
)
def test_properties_of_two_sequences_are_tested(stated: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Target(heard, 3, 2, n_source=5, d_source=2, **stated)
    # What moves with the second sequence alone is seen, too.
    with pytest.raises(ValueError, match="f: expected"):
        Target(lambda X, Z: X * 0 + 3 * Z[..., :3], 3, 2, n_source=5, d_source=2, **stated)
    with pytest.raises(ValueError, match="each sequence of a batch on its own"):
        Target(lambda X, Z: X + Z.mean(), 3, 2, n_source=5, d_source=2)
