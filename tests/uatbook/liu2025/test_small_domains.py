"""Theorem 5.1: parameters of Remark C.1 and what balls of a cover miss, in plain loops."""

import math

import numpy as np
import pytest

from uatbook.liu2025.small_domains import small_domain, told_apart, worst_miss
from uatlib.liu2025 import self_attention


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 1), (2, 2), (1, 3)])
def test_parameters_are_counted_one_by_one(n, d):
    """By the rule of Remark C.1, in the matrices as they are written out in C.1."""
    N, rng = max(3, -(-n // (2 * d))), np.random.default_rng(0)
    one, two = (
        self_attention(rng.uniform(-1, 1, (N, d, n)), rng.normal(size=(N, d * n)), n, d, 1.0, B) for B in (2, 3)
    )
    in_linear = in_keys = in_output = 0
    for _ in range(N):
        in_linear += d * n  # v_j
        in_keys += 2 * d  # -|v_j|^2/2, for T and for E, d times each
        in_keys += 2 * d * n  # ln T_j and ln E_j
    in_output += n  # d B_0 on the diagonal
    assert told_apart(one, two) == {"Linear": in_linear, "W_K": in_keys, "W_O": in_output}
    assert in_linear + in_keys + in_output == 3 * d * n * N + 2 * d * N + n


def test_the_enclosure_is_above_what_a_finer_look_finds():
    built = small_domain(error=0.5)
    v, R, r = built.centers, built.precision, 0.5 / 3
    bound, _, _ = worst_miss(v, r, R)
    rng = np.random.default_rng(3)
    turns, lengths = rng.uniform(0, 2 * math.pi, 40_000), r * np.sqrt(rng.uniform(size=40_000))
    Z = v[rng.integers(len(v), size=40_000)] + np.stack([lengths * np.cos(turns), lengths * np.sin(turns)], axis=1)
    t = np.linalg.norm(Z[:, None] - v, axis=2)
    w = np.exp(-R / 2 * (t**2 - t.min(axis=1, keepdims=True) ** 2))
    missed = ((w * t).sum(axis=1) / w.sum(axis=1)).max()
    assert 0.5 * bound < missed <= bound


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"domain": "torus"}, "^domain: expected"),
        ({"n": 4, "d": 2}, "^n: expected d n <= 6"),
        ({"error": 0.01}, "^error: expected one at which 1 to 150 balls"),
        ({"sup": 0.0001}, "^sup: expected B_0 above eps"),
        ({"error": 0}, "^error: expected"),
    ],
)
def test_bad_parameters_are_refused(case, words):
    with pytest.raises(ValueError, match=words):
        small_domain(**case)
