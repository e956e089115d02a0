"""Kernels of cheng2025, section 4.1 and appendix C.2, in plain loops, and the limit condition (13)."""

import math
import re

import numpy as np
import pytest
import torch

from uatbook.cheng2025.growth import growth
from uatlib.arithmetic import BALL, FLOAT64
from uatlib.cheng2025 import kernel, satisfies_limit_condition
from uatlib.kernels import Kernel
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

OMEGA = [[1, 0.5], [-1, 2], [0.25, -1]]
W = [1, -0.5]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def apart(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def phi(x):
    return [math.exp(dot(w, x) - dot(x, x) / 2) for w in OMEGA]


def elu(x):
    return [1 + t if t >= 0 else math.exp(t) for t in x]


FORMULAS = {
    "exp": ({}, lambda x, y: math.exp(dot(x, y))),
    "rbf": ({"gamma": 0.5}, lambda x, y: math.exp(-0.5 * apart(x, y))),
    "performer": ({"omega": OMEGA}, lambda x, y: dot(phi(x), phi(y))),
    "exp_sum": ({"w": W}, lambda x, y: math.exp(dot(W, x) + dot(W, y))),
    "poly_times": (
        {"polynomial": [2, 0, 3], "base": kernel("exp")},
        lambda x, y: (2 + 3 * apart(x, y) ** 2) * math.exp(dot(x, y)),
    ),
    "exp_plus": ({"w": W}, lambda x, y: math.exp(dot(W, x)) + math.exp(dot(W, y))),
    "constant": ({}, lambda x, y: 1.0),
    "elu": ({}, lambda x, y: dot(elu(x), elu(y))),
    "laplace": ({}, lambda x, y: math.exp(-math.sqrt(apart(x, y)))),
    "cauchy": ({}, lambda x, y: 1 / (1 + apart(x, y))),
    "polynomial": ({"power": 4, "offset": 0.5}, lambda x, y: (1 + dot(x, y)) ** 4 + 0.5),
    "cosine": ({"offset": 4}, lambda x, y: 4 + sum(math.cos(a - b) for a, b in zip(x, y, strict=True))),
    "cosh": ({}, lambda x, y: math.cosh(dot(x, y))),
}
NAMED = {each.name: each for each in Kernel.named()}
assert FORMULAS.keys() == NAMED.keys(), "expected the formula of each kernel that has a name"
assert all(re.search(rf"^ *`{name}[(`]", kernel.__doc__, re.MULTILINE) for name in NAMED), (
    "expected each in the docstring"
)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_logarithm_is_that_of_the_formula(name):
    parameters, formula = FORMULAS[name]
    x, y = np.random.default_rng(0).normal(size=(2, 4, 5, 2))
    found = kernel(name, **parameters).log(x, y)
    assert found.shape == (4, 5)
    for place in np.ndindex(4, 5):
        assert found[place] == pytest.approx(math.log(formula(x[place], y[place])), abs=1e-12)
    assert torch.equal(kernel(name, **parameters).log(torch.tensor(x), y), torch.tensor(found))


@pytest.mark.parametrize("name", FORMULAS)
def test_attention_weighs_by_the_kernel_of_query_and_key(name):
    parameters, formula = FORMULAS[name]
    rng = np.random.default_rng(1)
    w_q, w_k, w_v = (rng.normal(size=(2, 2)) for _ in range(3))
    layer = Attention([Head(w_q, w_k, w_v, np.eye(2))], kernel=kernel(name, **parameters))
    model = Transformer([layer])
    X = rng.normal(size=(3, 2, 4))
    found = model(X, FLOAT64).numpy()
    for Z, out in zip(X, found, strict=True):
        for i in range(4):
            shares = [formula(w_q @ Z[:, i], w_k @ Z[:, j]) for j in range(4)]
            heard = sum(s * (w_v @ Z[:, j]) for j, s in enumerate(shares)) / sum(shares)
            assert out[:, i] == pytest.approx(Z[:, i] + heard, abs=1e-10)
    enclosed = model(X[0], BALL)
    assert max(abs(float(a) - b) for a, b in zip(enclosed.flat, found[0].flat, strict=True)) < 1e-9


@pytest.mark.parametrize("name", FORMULAS)
def test_kernels_of_one_kind_and_equal_fields_are_equal(name, tmp_path):
    parameters, _ = FORMULAS[name]
    made = kernel(name, **parameters)
    Transformer([Attention([Head(*[np.eye(2)] * 4)], kernel=made)]).save(tmp_path / "model.json")
    for same in (kernel(name, **parameters), Transformer.load(tmp_path / "model.json").layers[0].kernel):
        assert same == made
        assert hash(same) == hash(made)
    others = [kernel(other, **FORMULAS[other][0]) for other in FORMULAS if other != name]
    for field, value in parameters.items():
        changed = kernel("rbf") if field == "base" else (2 * np.array(value)).tolist()
        others.append(kernel(name, **parameters | {field: changed}))
    assert made not in others
    assert len({made, *others}) == 1 + len(others)


@pytest.mark.parametrize("name", FORMULAS)
def test_which_kernels_satisfy_the_limit_condition(name):
    """Asked without d: OMEGA and W have two entries."""
    parameters, _ = FORMULAS[name]
    found = satisfies_limit_condition(kernel(name, **parameters))
    assert found.holds == (NAMED[name].settled is None), (
        f"{name}: (13) {'holds' if found.holds else 'fails'}; see `settled`"
    )
    if not found.holds:
        x, y_1, y_2, w = found.witness
        ratios = [
            kernel(name, **parameters).log(x, t * w @ y_1) - kernel(name, **parameters).log(x, t * w @ y_2)
            for t in (2.0**14, 2.0**40)
        ]
        assert all(abs(ratio) < 2000 for ratio in ratios)


def test_cosh_is_blind_to_a_sign_and_laplace_to_antipodes():
    found = satisfies_limit_condition(kernel("cosh"))
    assert found.ratio == 1
    assert np.array_equal(found.witness[1], -found.witness[2])
    assert satisfies_limit_condition(kernel("laplace")).share == 0


def test_a_kernel_of_ones_own_needs_only_its_logarithm():
    class Mine:
        def log(self, x, y):
            return 3 * (x * y).sum(axis=-1)

    assert satisfies_limit_condition(Mine()).holds
    with pytest.raises(ValueError, match="kernel: expected a Kernel, or an object with log"):
        satisfies_limit_condition("exp")


@pytest.mark.parametrize(
    "made",
    [
        kernel("performer", omega=[[1, 2], [3, 4]]),
        kernel("exp_sum", w=[1]),
        kernel("exp_plus", w=[1, 2]),
        kernel("poly_times", polynomial=[1, 1], base=kernel("exp_sum", w=[1, 2, 3, 4])),
    ],
)
def test_tokens_of_another_length_than_the_vectors_of_the_kernel_are_refused(made):
    for ask in (
        lambda: satisfies_limit_condition(made, d=3),
        lambda: made.log([1.0, 2, 3], [1.0, 2, 4]),
        lambda: growth(made, (1, 2, 3), (1, 2, 4)),
    ):
        with pytest.raises(ValueError, match=r"tokens: expected as many entries as (omega|w) of the kernel has, [124]"):
            ask()


WRONG = [
    ({"name": "softmax"}, 'name: expected "exp"'),
    ({"name": "exp", "gamma": 1}, 'gamma: expected for "exp" the parameters none'),
    ({"name": "performer"}, 'omega: expected for "performer" the parameters omega, got none'),
    ({"name": "rbf", "gamma": 0}, "RBF gamma: expected a number > 0"),
    ({"name": "polynomial", "power": 3, "offset": 1}, "power: expected an even one"),
    ({"name": "polynomial", "power": 2, "offset": 0}, "offset: expected a number > 0"),
    ({"name": "poly_times", "polynomial": [0, 1], "base": kernel("exp")}, "polynomial: expected coefficients"),
    ({"name": "poly_times", "polynomial": [1], "base": "exp"}, "base: expected a LogKernel"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_kernel_refuses(arguments, message):
    with pytest.raises(ValueError, match="^" + message):
        kernel(**arguments)


def test_a_cosine_that_is_not_positive_is_refused_where_it_is_used():
    with pytest.raises(ValueError, match="offset: expected one above the head size 3"):
        kernel("cosine", offset=3).log([1.0, 2, 3], [1.0, 2, 3])
    with pytest.raises(ValueError, match="y: expected vectors of 2 entries, as x has"):
        kernel("exp").log([1.0, 2], [1.0])
