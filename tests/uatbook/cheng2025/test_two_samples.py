"""Sequences that the statements on two samples take, beside plain loops."""

import itertools

import pytest

from uatbook.cheng2025.two_samples import sequences_of
from uatlib.cheng2025 import pattern


@pytest.mark.parametrize(("name", "options", "expected"), [("full", {}, 4), ("sliding_window", {"window": 1}, 12)])
def test_there_is_one_sequence_of_each_orbit(name, options, expected):
    row = pattern(name, 3, **options)
    X = sequences_of(4, 3, 2, row)
    keeps = [
        p
        for p in itertools.permutations(range(3))
        if all((p[j] in row[p[i]]) == (j in row[i]) for i in range(3) for j in range(3))
    ]
    assert len(X) == expected == 24 // len(keeps)
    for one, other in itertools.combinations(X, 2):
        assert all((one[:, list(p)] != other).any() for p in keeps)
    assert all((x != 0).any(axis=0).all() and len({tuple(column) for column in x.T}) == 3 for x in X)
