"""Kajitsuka, Sato (2024): tokenwise separated sequences and contextual mappings; Definitions 1 and 2."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from ... import kajitsuka2024
from ...arithmetic import EXACT
from ...arithmetic.base import is_int, shown
from ...certificate import Certificate, Check
from ...layers import Attention
from ...model import Transformer
from ...registry import register_by_seed as register
from .._margins import contexts
from ..hardmax import hardmax_heads, small_hardmax

SLACK = Fraction(1, 1000)
MAX_SIZE = 12
MAX_CONTEXTS = 8


def lattice(what: str, size: int, d: int, least: int) -> np.ndarray:
    """The first `size` points of the lattice {1, ..., k}^d, k^d >= size, as columns: many share an entry."""
    if not is_int(size, least) or size > MAX_SIZE or not is_int(d, 1) or d > MAX_SIZE:
        raise ValueError(
            f"kajitsuka2024:{what}: expected ints {least} <= size <= {MAX_SIZE} and 1 <= d <= {MAX_SIZE}, got "
            f"size = {size!r} and d = {d!r}."
        )
    k = next(k for k in itertools.count(2) if k**d >= size)
    return np.array(list(itertools.islice(itertools.product(range(1, k + 1), repeat=d), size)), dtype=object).T


# --------------------------------------------------------------------------------------------------------- Definition 1


def _certify_definition_1(X: np.ndarray, r_min: Fraction, r_max: Fraction, delta: Fraction) -> Certificate:
    """The three conditions on the columns of X, shape (N, d, n), by their squares."""
    columns = [(i, k, x[:, k]) for i, x in enumerate(X) for k in range(X.shape[2])]
    norms = [(sum(z * z), f"column {k + 1} of sequence {i + 1}") for i, k, z in columns]
    apart = [
        (sum((z - w) ** 2), f"column {k + 1} of sequence {i + 1} and column {m + 1} of sequence {j + 1}")
        for (i, k, z), (j, m, w) in itertools.combinations(columns, 2)
        if (z != w).any()
    ]
    (low, at_low), (high, at_high), (near, at_near) = min(norms), max(norms), min(apart)
    return Certificate(
        [
            Check("1. ||z||^2, least, against r_min^2", low, ">", r_min**2, at_low, cases=len(norms)),
            Check("2. ||z||^2, largest, against r_max^2", high, "<", r_max**2, at_high, cases=len(norms)),
            Check(
                "3. ||z - z'||^2 of different columns, least, against delta^2",
                near,
                ">",
                delta**2,
                at_near,
                cases=len(apart),
            ),
        ],
        parameters={"d": X.shape[1], "n": X.shape[2], "N": len(X)},
    )


def _separated_parts(size: int, d: int, n: int) -> tuple[np.ndarray, Any]:
    """All sets of n of the tokens as sequences, and the numbers that Theorem 2 takes for them."""
    tokens = lattice("def-1", size, d, 3)
    if not is_int(n, 2) or n > size:
        raise ValueError(f"kajitsuka2024:def-1: expected an int 2 <= n <= size = {size}, got n = {shown(n)}.")
    rows = contexts(size, n) if n < size else [tuple(range(size))]
    return np.stack([tokens[:, list(row)] for row in rows]), kajitsuka2024.separation(tokens, n, SLACK)


def _perturb_definition_1(*, seed: int = 0, size: int = 5, d: int = 2, n: int = 2) -> Certificate:
    """One column of one sequence is too short, too long, or next to another one."""
    X, bounds = _separated_parts(size, d, n)
    rng = np.random.default_rng(seed)
    i, k = int(rng.integers(len(X))), int(rng.integers(n))
    norm_square = sum(X[i, :, k] ** 2)
    damage = int(rng.integers(3))
    if damage == 0:
        # Half of r_min at most, as r_min <= ||x||.
        X[i, :, k] *= bounds.r_min**2 / (2 * norm_square)
    elif damage == 1:
        # At least r_max, as ||x|| (1 + 1/||x||^2) > 1.
        X[i, :, k] *= (1 + bounds.r_max) * (1 + 1 / norm_square)
    else:
        X[i, :, k] = X[i, :, (k + 1) % n] + bounds.eps / (2 * d)
    return _certify_definition_1(X, bounds.r_min, bounds.r_max, bounds.eps)


@register(
    "kajitsuka2024:def-1",
    "sequences whose tokens are tokenwise (r_min, r_max, delta)-separated",
    source="Definition 1",
    chapter="kajitsuka-one-layer",
    perturb=_perturb_definition_1,
)
def verify_definition_1(*, size: int = 5, d: int = 2, n: int = 2) -> Certificate:
    """The three conditions for all sets of n points of a lattice, with the numbers that Theorem 2 takes for them."""
    X, bounds = _separated_parts(size, d, n)
    return _certify_definition_1(X, bounds.r_min, bounds.r_max, bounds.eps)


# --------------------------------------------------------------------------------------------------------- Definition 2


def _certify_definition_2(layer: Attention, n: int, size: int, r: int, delta: Fraction) -> Certificate:
    """Both conditions on all orders of n of the tokens 1, ..., size, by loops over all pairs of columns."""
    rows = list(itertools.permutations(range(1, size + 1), n))
    ids = Transformer([layer])(np.array(rows)[:, None], EXACT)[:, 0]
    keys: dict[tuple[frozenset[int], int], dict[Any, tuple[int, ...]]] = {}
    for row, values in zip(rows, ids, strict=True):
        for token, value in zip(row, values, strict=True):
            keys.setdefault((frozenset(row), token), {})[value] = row
    norm, longest = max((abs(value), row) for values in keys.values() for value, row in values.items())
    apart = [
        (abs(value - other), (f"token {one[1]} of {row}", f"token {two[1]} of {other_row}"))
        for one, two in itertools.combinations(keys, 2)
        for value, row in keys[one].items()
        for other, other_row in keys[two].items()
    ]
    near, witness = min(apart)
    return Certificate(
        [
            Check("1. ||q(X)_k||, largest, against r", norm, "<", r, f"X = {longest}", cases=len(rows) * n),
            Check(
                "2. ||q(X)_k - q(X')_l|| where tokens or sets of tokens differ, least, against delta",
                near,
                ">",
                delta,
                witness,
                cases=len(apart),
            ),
        ],
        parameters={"n": n, "V": size},
    )


def _mapping_parts(n: int, size: int) -> tuple[Attention, int, Fraction]:
    """The layer, r = V + 1, and half of 1/M^3 (of 1/M for n = 2), of which all its ids are multiples."""
    if not is_int(n, 2) or n > 3 or not is_int(size, 5) or size > MAX_CONTEXTS:
        raise ValueError(
            f"kajitsuka2024:def-2: expected n = 2 or 3 and an int 5 <= size <= {MAX_CONTEXTS}, got n = {shown(n)} and "
            f"size = {shown(size)}."
        )
    M = n * size + 1
    return small_hardmax(n, size), size + 1, Fraction(1, 2 * (M if n == 2 else M**3))


def _perturb_definition_2(*, seed: int = 0, n: int = 3, size: int = 6) -> Certificate:
    """A head is left out, or what it writes is a whole number: ids meet, or are too large."""
    layer, r, delta = _mapping_parts(n, size)
    rng = np.random.default_rng(seed)
    if n == 3 and rng.integers(2):
        left_out = int(rng.integers(3))
        layer = Attention([head for i, head in enumerate(layer.heads) if i != left_out], "hardmax")
    else:
        layer = hardmax_heads({0: n * int(rng.integers(0, 4))})
    return _certify_definition_2(layer, n, size, r, delta)


@register(
    "kajitsuka2024:def-2",
    "(r, delta)-contextual mappings: ids below r in norm, more than delta apart where tokens or their sets differ",
    source="Definition 2",
    chapter="kajitsuka-hardmax-fails",
    perturb=_perturb_definition_2,
)
def verify_definition_2(*, n: int = 3, size: int = 6) -> Certificate:
    """Both conditions, exactly, for the layer of hardmax that is a contextual mapping for two or three tokens."""
    layer, r, delta = _mapping_parts(n, size)
    return _certify_definition_2(layer, n, size, r, delta)
