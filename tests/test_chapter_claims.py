"""What the chapters say in words beside their cells: run here, so that it stays true."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from uatlib.arithmetic import BALL, EXACT
from uatlib.constructions import yun2020
from uatlib.contextual_mapping import id_interval, layer_counts, selective_shift
from uatlib.memorisation import memorise
from uatlib.metrics import lp_distance
from uatlib.positional import encodings, positional_shift
from uatlib.rank_one_experiment import fit, recalling_network
from uatlib.softmax_scale import softmax_scale, with_softmax_layers
from uatlib.targets import bump
from uatlib.token_classification import synthetic


def test_softmax_a_shift_by_hand():
    """(0, 1, 3) at the scale 500: the 0 lands at 12 - 4 e^{-beta/2}, the third token is wrong by 64 e^{-beta/2}."""
    scale, N = softmax_scale(4, 3, 1), 4
    assert scale == 500
    X = [[Fraction(k, N) for k in (0, 1, 3)]]
    soft = list(with_softmax_layers(selective_shift(inverse_delta=N, n=3, d=1), scale).trace(X, BALL.with_bits(300)))
    head = math.exp(-scale / N**2 / 2)
    assert float(12 - N * soft[1][0, 0].midpoint) == pytest.approx(4 * head, rel=1e-3)
    assert float(171 - N * soft[4][0, 2].midpoint) == pytest.approx(64 * head, rel=1e-3)


def test_softmax_from_48_on_each_id_is_nearer_to_its_own_value():
    tell_apart = selective_shift(inverse_delta=2, n=2, d=1)
    for scale in range(48, 200):
        zero, half = with_softmax_layers(tell_apart, scale)([[0, Fraction(1, 2)]], BALL)[0]
        assert abs(zero.midpoint - 13) < Fraction(1, 4)
        assert abs(half.midpoint - Fraction(27, 2)) < Fraction(1, 4)


def test_theorem_2_the_second_term_overtakes_between_16_and_32():
    step, repeated = zip(*([t.bound for t in yun2020.terms(bump(2), N, 2)] for N in (16, 32)), strict=True)
    assert step[0] > repeated[0]
    assert step[1] < repeated[1]


def test_theorem_2_only_the_last_promise_beats_the_function_0():
    zero = lp_distance(bump(2), lambda X: 0 * X, n=2, d=1, p=2, cells=16, order=3).value
    assert 0.35 < zero < 0.5


def test_theorem_2_the_story_of_the_strip():
    """The tokens 2 and -8 in units of 1/2 end as 18, among the real ids, and -72."""
    ids = 2 * selective_shift(inverse_delta=2, n=2, d=1)([[1, -4]], EXACT)[0]
    low, high = id_interval(2, 2, 1)
    assert ids.tolist() == [18, -72]
    assert low <= ids[0] <= high


@pytest.mark.parametrize("N", range(2, 8))
def test_theorem_3_ids_increase_but_for_one_sequence_of_two(N):
    shift = positional_shift(inverse_delta=N, n=2, d=1)
    for cells in itertools.product(range(N), repeat=2):
        X = np.array([[Fraction(c, N) for c in cells]], dtype=object) + encodings(2, 1)
        first, second = shift(X, EXACT)[0]
        assert (first < second) == (cells != (N - 1, 0))


def test_theorem_3_costs_at_least_as_many_orders_as_a_set_has():
    for N, n, d in ((2, 2, 1), (8, 2, 1), (8, 3, 1), (4, 3, 2), (8, 5, 1)):
        by_place, by_set = (layer_counts(N, n, d, positional=p, repaired=False)["value"] for p in (True, False))
        entries = by_set - 1 - d
        assert by_place >= math.factorial(n) * entries


def rank_one(gain=1):
    data = synthetic()
    memory = memorise(data.tokens.numpy() + 1, data.labels.numpy())
    return data, memory, recalling_network(memory, vocabulary=20, classes=3, gain=gain)


def test_rank_one_a_first_step_moves_kinks_by_the_rate_and_answers_by_more_than_a_label():
    data, memory, network = rank_one()
    kinks = network.b_1[0].detach().clone()
    fit(network, data, epochs=1)
    moved = (network.b_1[0].detach() - kinks).abs()
    assert float(moved.median()) == pytest.approx(1e-3, rel=0.01)
    assert 4e-4 < float(memory.gap.midpoint) < 4.2e-4
    assert 1e-3 * float(abs(memory.model.layers[1].w_2).max()) == pytest.approx(3.7, rel=0.01)
    assert math.log2(20 / 0.0004) == pytest.approx(15.6, abs=0.05)


def test_rank_one_a_gain_of_100_leads_by_50_and_leaves_no_gradient():
    data, _, network = rank_one(100)
    best = network(data.tokens).detach().topk(2).values
    assert float((best[..., 0] - best[..., 1]).min()) > 48
    loss = torch.nn.functional.cross_entropy(network(data.tokens).flatten(0, 1), data.labels.flatten())
    loss.backward()
    assert max(float(p.grad.abs().max()) for p in network.parameters()) < 1e-10


def test_rank_one_the_count_of_separable_labellings_on_a_line_and_in_the_plane():
    """By brute force: cuts of a line; and the plane, where a circle's points are separated if one arc is one label."""
    for m in (3, 6, 10):
        labellings = list(itertools.product((0, 1), repeat=m))
        line = sum(sum(a != b for a, b in itertools.pairwise(row)) <= 1 for row in labellings)
        circle = sum(sum(a != b for a, b in zip(row, row[1:] + row[:1], strict=True)) <= 2 for row in labellings)
        for k, count in ((1, line), (2, circle)):
            assert count == 2 * sum(math.comb(m - 1, i) for i in range(k + 1))
