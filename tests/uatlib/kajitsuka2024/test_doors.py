"""The public doors: what would not fit is refused first, errors name the argument."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from uatbook.interpolation import interpolating_layer
from uatbook.kajitsuka2024.label_networks import memorise
from uatlib import kajitsuka2024
from uatlib.arithmetic import BALL
from uatlib.patterns import Pattern

MEMORY = memorise([[1, 2, 3]], [[4, 5, 6]])
LAYER = kajitsuka2024.rank_one_attention([1, 2, 3], 2)


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


def test_a_layer_with_a_pattern_has_the_ids_of_its_mask():
    tokens, heard = [1, 2, 3], Pattern([[0], [0, 1]])
    masks = (heard, heard.mask())
    ids = [
        kajitsuka2024.visible_ids(kajitsuka2024.rank_one_attention(tokens, 2, scale=1, mask=mask), tokens, 2, BALL)
        for mask in masks
    ]
    texts = [{key: [str(z) for z in found] for key, found in each.items()} for each in ids]
    assert texts[0] == texts[1]
