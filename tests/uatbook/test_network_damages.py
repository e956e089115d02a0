"""Damages of networks: one thing is wrong, the rest is as it was, and where there is nothing of the kind it is None."""

from typing import NamedTuple

import numpy as np
import pytest

from uatbook.damages import (
    hardened,
    in_a_layer,
    in_every_layer,
    in_part,
    replaced,
    scaled,
    shifted,
    with_layer,
    without_a_layer,
)
from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import EXACT
from uatlib.layers import Attention, FeedForward, Head
from uatlib.model import Transformer

from ..uatlib.public_names import by_theorem_1, network, one_layer, smooth

ATTENTION = Attention([Head([[1]], [[2]], [[3]], [[4]], b_q=[5])])
FEED_FORWARD = FeedForward([[1]], [2], [[3]])
MODEL = Transformer([ATTENTION, FEED_FORWARD, FEED_FORWARD], n=2)


class Parts(NamedTuple):
    model: Transformer
    n: int = 2


def weights(model):
    return [{name: w.ravel().tolist() for name, w in layer.weights().items()} for layer in model.layers]


BUILT = ((yun2020, network), (kajitsuka2024, one_layer), (liu2025, smooth), (cheng2025, by_theorem_1))


@pytest.mark.parametrize(("source", "built"), BUILT)
def test_a_claim_without_a_term_is_refused(source, built):
    g = built()
    for term in g.claim.terms:
        rest = [other for other in g.claim.terms if other is not term]
        with pytest.raises(ValueError, match=f"claim: expected one with the term {term.key}, got"):
            source.certify(replaced(g, claim=replaced(g.claim, terms=rest)))


@pytest.mark.parametrize(("source", "built"), BUILT)
def test_a_claim_of_a_thousandth_of_the_error_fails(source, built):
    g = built()
    terms = [replaced(term, bound=term.bound / 1000) for term in g.claim.terms]
    assert source.certify(replaced(g, claim=replaced(g.claim, terms=terms)), literal=2, samples=100).outcome == "fails"


@pytest.mark.parametrize("seed", range(8))
def test_one_layer_is_left_out_unless_it_is_the_only_one(seed):
    rng = np.random.default_rng(seed)
    left = without_a_layer(MODEL, rng)
    assert left.n == 2
    assert weights(left) in [[w for k, w in enumerate(weights(MODEL)) if k != out] for out in range(3)]
    assert without_a_layer(Transformer([FEED_FORWARD]), rng) is None


def test_every_layer_is_left_out_at_some_seed():
    kinds = [[type(x) for x in without_a_layer(MODEL, np.random.default_rng(seed)).layers] for seed in range(20)]
    assert [FeedForward, FeedForward] in kinds
    assert [Attention, FeedForward] in kinds


@pytest.mark.parametrize("seed", range(8))
def test_one_layer_is_changed_and_only_in_the_weights_named(seed):
    found = weights(in_a_layer(scaled("w_2", 10))(MODEL, np.random.default_rng(seed)))
    assert found[0] == weights(MODEL)[0]
    assert sorted(w["w_2"] for w in found[1:]) == [[3], [30]]
    assert [w["b_1"] for w in found[1:]] == [[2], [2]]
    read = weights(in_a_layer(shifted(("b_q", "b_1"), -1))(MODEL, np.random.default_rng(seed)))
    assert sum(read[k] != weights(MODEL)[k] for k in range(3)) == 1
    assert sorted([read[0]["head0.b_q"], read[1]["b_1"], read[2]["b_1"]]) in ([[1], [2], [5]], [[2], [2], [4]])


@pytest.mark.parametrize("seed", range(4))
def test_a_layer_that_adds_nothing_is_not_the_one_that_is_changed(seed):
    idle = FeedForward([[1]], [2], [[0]])
    found = weights(in_a_layer(shifted("b_1", 1))(Transformer([idle, FEED_FORWARD, idle]), np.random.default_rng(seed)))
    assert [w["b_1"] for w in found] == [[2], [3], [2]]
    assert in_a_layer(scaled("w_2", 2))(Transformer([idle]), np.random.default_rng(seed)) is None


def test_every_layer_is_changed():
    found = weights(in_every_layer(scaled("w_2", 0))(MODEL, np.random.default_rng(0)))
    assert [w.get("w_2") for w in found] == [None, [0], [0]]
    assert found[0] == weights(MODEL)[0]


def test_softmax_becomes_hardmax_and_nothing_else_changes():
    soft = Attention(ATTENTION.heads, "softmax", b_o=[7], mask=[[True, True], [False, True]])
    hard = hardened(soft)
    assert (hard.normalization, hard.b_o.tolist(), hard.mask.tolist()) == ("hardmax", [7], soft.mask.tolist())
    assert hardened(FEED_FORWARD) is None
    assert hardened(hard) is None


@pytest.mark.parametrize("damage", [in_a_layer(scaled("w_p", 2)), in_every_layer(scaled("w_p", 2))])
def test_where_there_is_nothing_of_the_kind_it_is_none(damage):
    assert damage(MODEL, np.random.default_rng(0)) is None
    assert in_part("model", damage)(Parts(MODEL), np.random.default_rng(0)) is None


def test_a_part_is_damaged_and_the_others_stay():
    parts = Parts(MODEL, 5)
    found = in_part("model", lambda model, rng: with_layer(model, 0))(parts, np.random.default_rng(0))
    assert (len(found.model.layers), found.n, len(parts.model.layers)) == (2, 5, 3)
    assert replaced(MODEL, n=4).n == 4


def test_a_layer_gives_way_to_several():
    both = with_layer(MODEL, 1, ATTENTION, FEED_FORWARD)
    assert [type(layer) for layer in both.layers] == [Attention, Attention, FeedForward, FeedForward]
    X = [[1, 2]]
    again = Transformer([FEED_FORWARD])(Transformer([FEED_FORWARD])(X, EXACT), EXACT)
    assert (with_layer(MODEL, 0)(X, EXACT) == again).all()
