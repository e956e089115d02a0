"""The public doors: numbers of NumPy are numbers, what would not fit is refused first, errors name the argument."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from uatbook.interpolation import interpolating_layer
from uatbook.kajitsuka2024.hardmax_fails import hardmax_pair
from uatbook.kajitsuka2024.label_networks import memorise, positional_encoding
from uatlib import kajitsuka2024
from uatlib.arithmetic import Ball
from uatlib.targets import bump

MEMORY = memorise([[1, 2, 3]], [[4, 5, 6]])
LAYER = kajitsuka2024.rank_one_attention([1, 2, 3], 2)


def kept(value):
    """What can be compared: a construction by its notes and claim, a layer by its weights."""
    if hasattr(value, "claim"):
        return {**value.parameters}, value.claim.error, value.claim.parameters
    if isinstance(value, Ball):
        return value.midpoint, value.radius
    if hasattr(value, "margin"):
        return value.scale, value.contexts, kept(value.margin)
    if hasattr(value, "layers"):
        return [{name: w.tolist() for name, w in layer.weights().items()} for layer in value.layers]
    return value.tolist() if isinstance(value, (np.ndarray, torch.Tensor)) else value


PLAIN_AND_NUMPY = {
    "build": (lambda i, q: kajitsuka2024.build(bump(2), inverse_delta=i(3), p=q(2), head_size=i(2), width=q(0.125))),
    "build for an error": lambda i, q: kajitsuka2024.build(bump(2), error=q(4), scale=q(-1)),
    "rank_one_attention": lambda i, q: kajitsuka2024.rank_one_attention([i(1), i(2), i(3)], i(2), i(2), q(0.25)),
    "practical_scale": lambda i, q: kajitsuka2024.practical_scale([1, 2, 3], i(2), (q(-1), q(1)), grid=i(51)),
    "margins": lambda i, q: kajitsuka2024.margins([1, 2, 3], i(2), [q(0.5)], True),
    "certified_margin": lambda i, q: kajitsuka2024.certified_margin([1, 2, 3], i(2), q(0.5), bits=i(80)),
    "contexts": lambda i, q: kajitsuka2024.contexts(i(4), i(2), np.bool_(True) if i is not int else True),
    "separation": lambda i, q: kajitsuka2024.separation([1, q(2.5)], i(3), q(0.125), spacing=q(1.5)),
    "monotone_threshold": lambda i, q: kajitsuka2024.monotone_threshold(i(5), exact=True),
    "positional_encoding": lambda i, q: positional_encoding(q(1.5), i(3), i(2)),
    "quantizer": lambda i, q: kajitsuka2024.quantizer(i(4), q(0.0625)),
    "penalty": lambda i, q: kajitsuka2024.penalty(q(0.5), height=i(3)),
    "bump": lambda i, q: kajitsuka2024.bump(q(0.5), i(2), height=q(-3)),
    "direction": lambda i, q: kajitsuka2024.direction([[1, 2], [3, 1]], draws=i(9), seed=i(4)),
    "memorise": lambda i, q: memorise([[i(1), i(2)]], [[q(1), q(5)]], i(2), scale=q(0.5)).model,
    "hardmax_pair": lambda i, q: hardmax_pair(i(5)),
}


@pytest.mark.parametrize("name", PLAIN_AND_NUMPY)
def test_numbers_of_numpy_are_numbers(name):
    call = PLAIN_AND_NUMPY[name]
    assert kept(call(np.int64, np.float32)) == kept(call(int, float))
    assert kept(call(np.uint8, np.float64)) == kept(call(int, float))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kajitsuka2024.certify(MEMORY, system=5), "system: expected FLOAT64, FLOAT32 or None, got 5"),
        (lambda: interpolating_layer([[1], [2]], [[3], [4]], [1], [5, 5]), r"t: expected two different readings"),
        (lambda: interpolating_layer([[1]], [[3]], [1], [5]), r"t: expected two different readings"),
        (lambda: kajitsuka2024.penalty(1, bounded=None), "bounded: expected True or False, got None"),
        (lambda: kajitsuka2024.monotone_threshold(3, exact="yes"), "exact: expected True or False"),
        (lambda: kajitsuka2024.two_layers.first_layer(3, 0, 0.1), "d: expected an int >= 1, got 0"),
        (lambda: kajitsuka2024.two_layers.first_layer(10**4, 10**4, 1e-5), "first_layer"),
        (lambda: kajitsuka2024.two_layers.second_layer([1, 2], [[3]], 1, [1]), r"heights: expected shape \(2, 1\)"),
        (lambda: kajitsuka2024.two_layers.second_layer([], [], 1, [1]), "centres: expected a non-empty array"),
        (lambda: kajitsuka2024.two_layers.second_layer([1], [[1]], 1, None), "v: expected"),
    ],
)
def test_what_is_off_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_vocabularies_whose_pairs_take_too_long_are_refused():
    """Small whole numbers are compared as such; larger ones as Python's, which takes a hundred times as long."""
    small = np.unique(np.random.default_rng(0).integers(1, 10**4, (2, 5000)), axis=1)
    assert kajitsuka2024.separation(small, 2).size == small.shape[1]
    with pytest.raises(ValueError, match=r"tokens have pairs that take .* products, the limit is 2,000,000,000"):
        kajitsuka2024.separation(small * Fraction(1, 10**12 + 39) + Fraction(1, 3**30), 2)


@pytest.mark.parametrize("mask", [torch.tensor([[True, True]]), np.ones((2, 1, 2), dtype=bool)])
def test_ids_under_a_mask_that_is_not_square_are_refused(mask):
    with pytest.raises(ValueError, match=r"mask: expected a mask of shape \(2, 2\)"):
        kajitsuka2024.visible_ids(LAYER, [[1, 2, 3]], 2, mask=mask)
