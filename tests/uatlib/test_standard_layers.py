"""What certificates call a layer of their class: no other kernel, no projections, no second sequence, a skip."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from uatbook.kajitsuka2024.label_networks import memorise
from uatlib import kajitsuka2024, yun2020
from uatlib.certificate import Claim, Term
from uatlib.internal.layer_runs import class_checks, is_standard
from uatlib.kajitsuka2024.certify_layer import _class_checks as one_layer
from uatlib.kernels import CONSTANT, RBF
from uatlib.layers import RELU, Attention, FeedForward, Head, LinearSum
from uatlib.masks import causal
from uatlib.model import Transformer
from uatlib.targets import mean_product

HEAD = Head([[1]], [[1]], [[1]], [[1]])
PROJECTED = Head([[1]], [[1]], [[1]], [[1]], w_e=[[1], [0]], w_f=[[1], [0]])
PLAIN = [Attention([HEAD]), Attention([HEAD], "hardmax", [1]), FeedForward([[1]], [0], [[1]])]
OTHER = [
    Attention([HEAD], skip=False),
    Attention([HEAD], kernel=RBF(1)),
    Attention([HEAD], cross=True),
    Attention([PROJECTED]),
    FeedForward([[1]], [0], [[1]], skip=False),
    LinearSum([([[1]], None)]),
    type("Own", (FeedForward,), {})([[1]], [0], [[1]]),
    type("Own", (Attention,), {})([HEAD]),
]


def test_standard_layers():
    assert all(is_standard(layer) for layer in PLAIN)
    assert not any(is_standard(layer, masked=True) for layer in OTHER)
    masked = Attention([HEAD], mask=causal(2))
    assert (is_standard(masked), is_standard(masked, masked=True)) == (False, True)


def changed(model, change):
    """The model with the first layer that takes it changed."""
    layers = list(model.layers)
    k = next(k for k, layer in enumerate(layers) if all(hasattr(layer, name) for name in change))
    layers[k] = dataclasses.replace(layers[k], **change)
    return Transformer(layers, n=model.n)


CHANGES = [{"skip": False}, {"kernel": CONSTANT}]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_certificates_see_layers_of_another_form(change):
    g = yun2020.build(mean_product(2), inverse_delta=2)
    form = "hardmax", type(g.model.feed_forwards()[0].activation), g.claim.domain
    assert class_checks(g.model, g.claim, *form)[1].holds
    checks = class_checks(changed(g.model, change), g.claim, *form)
    assert [check.name for check in checks if not check.holds] == [
        "layers that are neither hardmax attention without a mask nor three-piece layers"
    ]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_certificates_of_one_layer_see_another_form(change):
    memory = memorise([[1, 2], [2, 3]], [[0, 1], [1, 2]])
    assert kajitsuka2024.certify(memory).holds
    damaged = dataclasses.replace(memory, model=changed(memory.model, change))
    failed = [check.name for check in kajitsuka2024.certify(damaged).failures]
    assert "layers that are neither softmax attention without a mask nor ReLU layers" in failed

    layer, name = kajitsuka2024.rank_one_attention([1, 2, 3], 2), "layers that are no softmax attention"
    assert [check.holds for check in one_layer(layer) if check.name == name] == [True]
    assert [check.holds for check in one_layer(changed(layer, change)) if check.name == name] == [False]


def sized(**sizes):
    """The checks of a claim with these sizes, each under the letters of its size."""
    model = Transformer([LinearSum([([[1], [2]], [[1, 0, 1], [0, 1, 1]])]), Attention([Head(*[np.eye(2)] * 4)])])
    claim = Claim([Term("none", "none", "-", 0)], np.inf, (0, 1), 2, 2, 1, 2, 0, model.parameter_count(), **sizes)
    checks = class_checks(model, claim, "softmax", RELU, (0, 1))
    return {check.name.split(", ")[-1]: check for check in checks}


def test_claims_state_sizes_and_the_sup_norm():
    right = {"n_in": 2, "d_in": 1, "n_out": 3, "d_out": 2}
    found = sized(**right)
    assert {name: found[name].measured for name in right} == right
    assert all(found[name].holds for name in right)
    for name in right:
        found = sized(**{**right, name: 5})
        assert [other for other in right if not found[other].holds] == [name]
    assert not sized(n_source=1)["n_source"].holds
    assert not set(sized()) & set(right)
    with pytest.raises(ValueError, match="n_in: expected an int >= 1, got 0"):
        sized(n_in=0)
