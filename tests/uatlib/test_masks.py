"""Masks: who sees whom, attention over visible keys in every number system, what a masked layer tells apart."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
import torch
from torch import nn

from uatlib import kajitsuka2024, masks
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64
from uatlib.kajitsuka2024.certified_margins import certified_margin, contexts, margins, practical_scale
from uatlib.layers import Attention, Head
from uatlib.model import Transformer
from uatlib.torch_model import MultiheadAttentionLayer, from_multihead_attention, to_module

# ------------------------------------------------------------------------------------------------------ making masks


@pytest.mark.parametrize("n", [1, 2, 5])
def test_causal_sees_itself_and_what_came_before(n):
    mask = masks.causal(n)
    assert mask.shape == (n, n)
    assert all(mask[i, j] == (i <= j) for i in range(n) for j in range(n))


@pytest.mark.parametrize("side", ["right", "left"])
def test_padding_shows_the_real_tokens_to_every_column(side):
    n = 4
    for length in range(1, n + 1):
        real = range(length) if side == "right" else range(n - length, n)
        mask = masks.padding(length, n, side)
        assert all(mask[i, j] == (i in real) for i in range(n) for j in range(n))
    batch = masks.padding([1, 4, 2], n, side)
    assert batch.shape == (3, n, n)
    assert all((batch[k] == masks.padding(length, n, side)).all() for k, length in enumerate([1, 4, 2]))


def test_combined_masks_let_through_what_all_let_through():
    both = masks.combine(masks.causal(3), masks.padding([2, 3], 3), torch.ones(3, 3, dtype=torch.bool))
    for k, length in enumerate([2, 3]):
        assert all(both[k, i, j] == (i <= j and i < length) for i in range(3) for j in range(3))
    assert masks.visible_keys(both[0]) == [(0,), (0, 1), (0, 1)]


def test_additive_matrices_go_both_ways():
    mask = masks.causal(3)
    C = masks.additive(mask)
    assert C.tolist() == [[0, 0, 0], [-math.inf, 0, 0], [-math.inf, -math.inf, 0]]
    assert (masks.from_additive(C) == mask).all()
    assert (masks.from_additive(torch.tensor(C)) == mask).all()
    assert (masks.from_additive(C.tolist()) == mask).all()


BLIND = np.array([[False, True, False], [False, True, False], [False, True, True]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: masks.causal(0), "n: expected an int from 1 to 32,768, got 0"),
        (lambda: masks.padding(0, 3), "leave out empty sequences"),
        (lambda: masks.padding([1, 4], 3), "lengths: expected an int from 1 to 3, got 4"),
        (lambda: masks.padding(4, 3), r"got 4\.$"),
        (lambda: masks.require_mask(torch.ones(2, 2, dtype=torch.bfloat16)), "got a tensor of torch.bfloat16"),
        (lambda: masks.require_mask(torch.zeros(2, 2, dtype=torch.bool)), r"mask\[:, 0\] \(2 such columns\)"),
        (lambda: masks.padding(1, 3, "up"), '"right" or "left"'),
        (lambda: masks.combine(), "at least one"),
        (lambda: masks.combine(masks.causal(2), masks.causal(3)), r"shapes \(2, 2\), \(3, 3\)"),
        # Left padding under a causal mask: the classical NaN.
        (lambda: masks.combine(masks.causal(3), masks.padding(2, 3, "left")), r"got none in mask\[:, 0\]"),
        (lambda: masks.require_mask(BLIND), r"mask\[:, 0\] \(1 such columns\).*0/0 = NaN"),
        (lambda: masks.require_mask(np.stack([BLIND | True, BLIND])), r"mask\[1, :, 0\]"),
        (lambda: masks.require_mask([True, False]), r"keys down and queries across, got \(2,\)"),
        (lambda: Attention([HEAD], mask=np.ones((2, 3), bool)), r"3 keys down and any queries across, got \(2, 3\)"),
        (lambda: masks.require_mask(masks.additive(masks.causal(2))), "got float64; take masks.from_additive"),
        (lambda: masks.require_mask([[True], [True, False]]), "uneven lists"),
        (lambda: masks.from_additive([[0, -1e4], [0, 0]]), r"C\[0, 1\]: expected 0 or -inf, got -10000"),
        (lambda: masks.from_additive([[0, math.nan], [0, 0]]), r"got nan\.$"),
        (lambda: masks.visible_keys(masks.padding([1, 2], 2)), r"one mask of shape \(n, n\)"),
        (lambda: Attention([HEAD], mask=BLIND), r"got none in mask\[:, 0\]"),
        (lambda: Transformer([Attention([HEAD], mask=masks.causal(3))])([[1, 2]], FLOAT64), r"1, 3\).*mask for n=3"),
        (
            lambda: Transformer([Attention([HEAD], mask=masks.padding([1, 2], 2))])([[1, 2]], FLOAT64),
            r"leading axes that go with those of the mask, \(2,\), got \(\)",
        ),
    ],
)
def test_bad_masks_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# ----------------------------------------------------------------------------------------------------- masked attention

HEAD = Head([[1]], [[1]], [[1]], [[1]])


def three(n=4, d=2, seed=0):
    """Two heads with whole weights and biases, an output bias, a sequence, and a mask with rows of all kinds."""
    rng = np.random.default_rng(seed)

    def whole(*shape):
        return rng.integers(-3, 4, shape).tolist()

    heads = [
        {
            **{f"w_{k}": whole(m, d) for k in "qkv"},
            "w_o": whole(d, m),
            **{f"b_{k}": whole(m) for k in "qkv"},
        }
        for m in (1, 2)
    ]
    mask = rng.random((n, n)) < 0.5
    mask[rng.integers(n, size=n), np.arange(n)] = True
    return heads, whole(d), whole(d, n), mask


def test_masked_hardmax_in_int64_leaves_hidden_winners_out():
    model = Transformer([Attention([HEAD], "hardmax", mask=masks.causal(3))])
    assert model([[1, 5, 3]], INT64).tolist() == model([[1, 5, 3]], EXACT).tolist() == [[2, 10, 8]]
    backwards = Transformer([Attention([Head([[-1]], [[1]], [[1]], [[1]])], "hardmax", mask=masks.causal(3))])
    assert backwards([[4, 5, 3]], INT64).tolist() == [[8, 9, 6]]


@pytest.mark.parametrize("system", [FLOAT64, FLOAT32, BALL], ids=str)
def test_a_hidden_token_changes_nothing_whatever_it_is(system):
    model = Transformer([Attention([HEAD], mask=masks.padding(2, 3))])
    outputs = [model([[1, 2, filler]], system)[0, :2].tolist() for filler in (0, -7, 10**6, 10**15)]
    assert all([str(u) for u in row] == [str(u) for u in outputs[0]] for row in outputs)
    alone = Transformer([Attention([HEAD])])([[1, 2]], system)[0].tolist()
    assert [str(u) for u in alone] == [str(u) for u in outputs[0]]


def test_an_undecided_hidden_score_is_not_compared():
    from uatlib.arithmetic import Ball

    X = [[Ball(1), Ball(2), Ball(2, Fraction(1, 2))]]
    model = Transformer([Attention([HEAD], "hardmax", mask=masks.padding(2, 3))])
    assert [float(u) for u in model(X, BALL)[0]] == [3, 4, 4]


def test_batches_of_masks_and_of_sequences():
    X = torch.tensor([[[1.0, 2, 3]], [[3, 1, 2]]], dtype=torch.float64)
    layer = Attention([HEAD], mask=masks.padding([2, 3], 3))
    both = Transformer([layer])(X, FLOAT64)
    for k, length in enumerate([2, 3]):
        single = Transformer([layer.with_mask(masks.padding(length, 3))])(X[k], FLOAT64)
        assert torch.equal(both[k], single)
    many = X.expand(5, 2, 1, 3)
    assert torch.equal(Transformer([layer])(many, FLOAT64), both.expand(5, 2, 1, 3))
    assert torch.equal(Transformer([layer.with_mask(masks.causal(3))])(many, FLOAT64)[3, 0], causal_of(X[0]))


def causal_of(x):
    result = x.clone()
    for k in range(x.shape[1]):
        p = torch.softmax(x[0, k] * x[0, : k + 1], 0)
        result[0, k] += p @ x[0, : k + 1]
    return result


def test_the_layer_keeps_its_mask_and_counts_no_parameter_for_it():
    mask = masks.causal(3)
    layer = Attention([HEAD], "hardmax", mask=mask)
    mask[:] = True
    assert (layer.mask == masks.causal(3)).all()
    with pytest.raises(ValueError, match="read-only"):
        layer.mask[0, 0] = False
    plain = Attention([HEAD], "hardmax")
    assert layer.parameter_count() == plain.parameter_count() == 4
    assert list(layer.weights()) == list(plain.weights())
    assert repr(plain) == "Attention(hardmax, heads=1, head size=1, d=1)"
    assert repr(layer) == "Attention(hardmax, heads=1, head size=1, d=1, mask for n=3)"
    for again in (layer.with_weights(layer.weights()), layer.with_softmax(3)):
        assert (again.mask == masks.causal(3)).all()
        assert not again.mask.flags.writeable
    assert layer.with_mask(None).mask is None


# ---------------------------------------------------------------------------------------------------------------- torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_masked_modules_train_and_agree(dtype):
    heads, b_o, X, mask = three(seed=5)
    model = Transformer([Attention([Head(**h) for h in heads], "softmax", b_o, mask)])
    module = to_module(model, dtype, rounded=True)
    assert sum(p.numel() for p in module.parameters()) == model.parameter_count()
    x = torch.tensor(X, dtype=dtype)
    output = module(x)
    assert torch.equal(output, model(x, FLOAT64 if dtype == torch.float64 else FLOAT32))
    output.square().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in module.parameters())


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_pytorchs_own_attention_takes_the_mask(batched, training):
    heads, b_o, X, mask = three(seed=6)
    if batched:
        mask = np.stack([mask, masks.causal(4), masks.padding(2, 4)])
    layer = Attention([Head(**h) for h in heads], "softmax", b_o, mask)
    x = torch.tensor(X, dtype=torch.float64).expand(2, 3, 2, 4) if batched else torch.tensor(X, dtype=torch.float64)
    module = MultiheadAttentionLayer(layer, torch.float64).train(training)
    assert torch.allclose(module(x), Transformer([layer])(x, FLOAT64), rtol=1e-9, atol=1e-9)
    assert "hidden" not in module.state_dict()
    with pytest.raises(
        ValueError, match=r"expected shape \(\.\.\., 2, 4\).*mask for n=4\) fixes the length: give it 4 tokens"
    ):
        module(x[..., :3])


def test_a_mask_stands_for_the_contrary_in_pytorch():
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(4, 2, batch_first=True, dtype=torch.float64)
    mask = masks.causal(3)
    layer = from_multihead_attention(attention, mask)
    x = torch.randn(5, 3, 4, dtype=torch.float64)
    hidden = torch.tensor(~mask.T.copy())
    assert (hidden == nn.Transformer.generate_square_subsequent_mask(3).bool()).all()
    expected, _ = attention(x, x, x, attn_mask=hidden, need_weights=False)
    assert torch.allclose(Transformer([layer])(x.mT, FLOAT64), (x + expected).mT, rtol=1e-9, atol=1e-9)


# -------------------------------------------------------------------------------------------------------------- margins


def visible(tokens, n, repeats):
    """Each token with all that it may see: sets of 1 to n tokens with it, or shares of tokens in up to n places."""
    found = {}
    for length in range(1, n + 1):
        for row in product(tokens, repeat=length):
            if not repeats and len(set(row)) < length:
                continue
            shares = frozenset((x, Fraction(row.count(x), length)) for x in row)
            for t in row:
                found[t, shares] = row
    return found


def heard(t, row, beta):
    weights = [math.exp(beta * t * x) for x in row]
    return sum(w * x for w, x in zip(weights, row, strict=True)) / sum(weights)


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize(("tokens", "n"), [([1, 2, 3], 3), ([-2, 1, 3, 5], 3), ([1, 2, 3, 4, 5], 2)], ids=str)
def test_masked_margins_by_loops(tokens, n, repeats):
    pairs = visible(tokens, n, repeats)
    rows = contexts(len(tokens), n, repeats, masked=True)
    assert len(rows) == len({shares for _, shares in pairs})
    scales = [-0.4, -0.0525, 0.131, 0.7]
    for beta in scales:
        values = {t: sorted(heard(t, row, beta) for (u, _), row in pairs.items() if u == t) for t in tokens}
        least = min(b - a for row in values.values() for a, b in pairwise(row))
        assert math.isclose(margins(tokens, n, beta, repeats, masked=True), least, rel_tol=1e-6, abs_tol=1e-13)
        ball = certified_margin(tokens, n, beta, repeats, masked=True)
        assert math.isclose(float(ball), least, rel_tol=1e-6, abs_tol=1e-13)
        assert ball.lower > 0


def test_masked_contexts():
    assert contexts(2, 2, masked=True) == [(0,), (1,), (0, 1)]
    assert contexts(2, 2, repeats=True, masked=True) == [(0,), (1,), (0, 1)]
    assert (0, 0, 1, 1) not in contexts(2, 4, repeats=True, masked=True)
    with pytest.raises(ValueError, match="expected at least n = 3 tokens, got 2"):
        contexts(2, 3, masked=True)


def test_a_newcomer_who_says_what_was_heard_is_not_heard():
    # Token 1 hears 2 in {1, 4} where e^{beta} and e^{4 beta} are as 2 to 1.
    assert margins([1, 2, 4], 3, -math.log(2) / 3, masked=True) < 1e-15
    assert margins([1, 2, 3], 3, 0.0, masked=True) == 0
    assert certified_margin([1, 2, 4], 3, -math.log(2) / 3, masked=True).lower > 0


# --------------------------------------------------------------------------------------------- what a layer tells apart


def small(mask, scale=Fraction(-1, 20), tokens=(1, 2, 3, 4), n=3):
    return kajitsuka2024.rank_one_attention(list(tokens), n, scale=scale, mask=mask)


def test_visible_ids_by_loops():
    """Token, set of tokens that came before it: id x + 1/16 m, m the weighted mean of the set."""
    ids = kajitsuka2024.visible_ids(small(masks.causal(3)), [1, 2, 3, 4], 3)
    assert set(ids) == {(t, frozenset(seen)) for k in (1, 2, 3) for seen in combinations(range(4), k) for t in seen}
    write = float(kajitsuka2024.separation([1, 2, 3, 4], 3, Fraction(1, 1000)).write)
    for (t, seen), found in ids.items():
        expected = t + 1 + write * heard(t + 1, [u + 1 for u in seen], -1 / 20)
        assert len(found) == math.factorial(len(seen) - 1) * math.perm(4 - len(seen), 3 - len(seen))
        assert all(math.isclose(float(z[0]), expected, rel_tol=1e-12) for z in found)


def test_padding_of_all_lengths_gives_the_same_ids():
    causal, lengths = (
        kajitsuka2024.visible_ids(small(mask), [1, 2, 3, 4], 3)
        for mask in (masks.causal(3), masks.padding([1, 2, 3], 3))
    )
    assert set(causal) == set(lengths)
    assert all(math.isclose(float(causal[key][0][0]), float(lengths[key][0][0]), rel_tol=1e-14) for key in causal)
    plain = kajitsuka2024.visible_ids(small(None), [1, 2, 3, 4], 3)
    assert set(plain) == {key for key in causal if len(key[1]) == 3}


@pytest.mark.parametrize("system", [FLOAT64, FLOAT32], ids=str)
@pytest.mark.parametrize("mask", [masks.causal(3), masks.padding([1, 2, 3], 3)], ids=["causal", "padding"])
def test_no_collision_at_a_practical_scale(system, mask):
    tokens = [1, 2, 3, 4]
    best = practical_scale(tokens, 3, masked=True)
    model = kajitsuka2024.rank_one_attention(tokens, 3, scale=best.scale, mask=mask)
    pairs = sum(math.comb(len([1 for k in (1, 2, 3) for s in combinations(tokens, k) if t in s]), 2) for t in tokens)
    assert kajitsuka2024.collisions(model, tokens, 3, system) == (0, pairs)
    write = kajitsuka2024.separation(tokens, 3, Fraction(1, 1000)).write
    ids = kajitsuka2024.visible_ids(model, tokens, 3)
    least = min(abs(float(a[0][0] - b[0][0])) for (s, a), (t, b) in combinations(ids.items(), 2) if s[0] == t[0])
    assert math.isclose(least, float(best.margin) * write, rel_tol=1e-9)


def test_at_the_literal_scale_the_worst_pair_is_a_prefix():
    """Token 4 alone and beside 1: what it hears differs by 3 e^{-12 beta} in 4.25, far below floats."""
    tokens = [1, 2, 3, 4]
    model = kajitsuka2024.rank_one_attention(tokens, 2, mask=masks.causal(2))
    certificate = kajitsuka2024.certify(model, tokens, 2)
    assert certificate.holds
    check = certificate["log10"]
    assert check.witness in ("token 4 in the contexts [4] and [1, 4]", "token 4 in the contexts [1, 4] and [4]")
    s = kajitsuka2024.separation(tokens, 2, Fraction(1, 1000))
    assert math.isclose(check.measured, (math.log(3 * s.write) - 12 * s.beta) / math.log(10), rel_tol=1e-9)
    assert check.bound == s.log10_delta
    equal, pairs = kajitsuka2024.collisions(model, tokens, 2)
    # {t} and {u, t}, u < t: alike for t = 2, 3, 4 with one, two and three u; they are also alike among themselves.
    assert (equal, pairs) == (sum(math.comb(t, 2) for t in range(1, 5)), 4 * math.comb(4, 2))


def test_with_a_spacing_of_its_own_the_masked_layer_holds_too():
    tokens = [1, 2, 3, 4]
    for mask in (masks.causal(3), masks.padding([1, 2, 3], 3)):
        model = kajitsuka2024.rank_one_attention(tokens, 3, spacing=1.5, mask=mask)
        assert kajitsuka2024.certify(model, tokens, 3, spacing=1.5).holds


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: small(masks.causal(4)), "expected n_in = 3, which comes before, got 4 in layer 0.*mask for n=4"),
        (lambda: kajitsuka2024.visible_ids(small(None), [1, 2, 3, 4], 3, mask=masks.causal(2)), r"\(masks, 3, 3\)"),
        (lambda: kajitsuka2024.visible_ids(small(None), [1, 2, 3, 4], 3, mask=BLIND), r"got none in mask\[:, 0\]"),
        (
            lambda: kajitsuka2024.visible_ids(small(None), range(1, 12), 5, mask=masks.causal(5)),
            "277,200 columns of sequences, the limit is 20,000",
        ),
        (lambda: margins([1, 2, 3, 4], 3, 1, masked=None), "masked: expected True or False"),
    ],
)
def test_layers_and_masks_that_do_not_go_together_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_mask_under_which_no_token_sees_two_sets_is_certified_without_that_claim():
    layer = kajitsuka2024.rank_one_attention([1, 2, 3, 4], 3, spacing=1.5, mask=np.eye(3, dtype=bool))
    certificate = kajitsuka2024.certify(layer, [1, 2, 3, 4], 3, spacing=1.5)
    assert certificate.holds
    assert not any("two contexts" in check.name for check in certificate.checks)
    assert kajitsuka2024.collisions(layer, [1, 2, 3, 4], 3) == (0, 0)


def test_too_many_columns_are_refused_before_sequences_are_made():
    layer = kajitsuka2024.rank_one_attention([1, 2, 3], 2)
    for vocabulary, n in ((range(1, 60), 30), (range(1, 400), 2)):
        with pytest.raises(ValueError, match="columns of sequences, the limit is 20,000"):
            kajitsuka2024.collisions(layer, vocabulary, n)
    masked = kajitsuka2024.rank_one_attention(range(1, 31), 8, scale=0.1, mask=masks.causal(8))
    with pytest.raises(ValueError, match="columns of sequences"):
        kajitsuka2024.collisions(masked, range(1, 31), 8)


def test_a_state_dict_does_not_carry_the_mask():
    one, other = (Transformer([Attention([HEAD], mask=mask)]) for mask in (masks.causal(3), np.eye(3, dtype=bool)))
    module = to_module(one)
    before = module(torch.tensor([[2.0, 4, 6]], dtype=torch.float64))
    module.load_state_dict(to_module(other).state_dict())
    assert torch.equal(module(torch.tensor([[2.0, 4, 6]], dtype=torch.float64)), before)
