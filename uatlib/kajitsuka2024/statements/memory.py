"""Kajitsuka, Sato (2024): one layer of attention and one of ReLUs recall labels; Corollaries 1 and 2."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from ... import kajitsuka2024
from ...arithmetic import FLOAT64
from ...arithmetic.base import is_int, shown
from ...certificate import Certificate, Check
from ...layers import Attention, FeedForward
from ...model import Transformer
from ...registry import register_by_seed as register
from ..memory import Memory
from .definitions import SLACK, lattice

CHAPTER = "kajitsuka-memorisation"
R_MAX = 1
MAX_CLASSES = 10**6
NORM = Fraction(99, 100)


def _require_classes(what: str, classes: Any) -> None:
    if not is_int(classes, 2) or classes > MAX_CLASSES:
        raise ValueError(
            f"kajitsuka2024:{what}: expected classes to be an int >= 2 and at most {MAX_CLASSES:,}, got "
            f"{shown(classes)}."
        )


def _labels(rng: np.random.Generator, classes: int, shape: tuple[int, ...]) -> np.ndarray:
    """Random labels, not all the same: such would be recalled whatever the ids."""
    while True:
        Y = rng.integers(1, classes + 1, shape)
        if (Y.flat[0] != Y).any():
            return Y


def _damaged(memory: Memory, seed: int) -> Memory:
    """Hardmax, a larger output of the attention layer, or one bend of the answers that is a little off."""
    rng = np.random.default_rng(seed)
    attention, layer = memory.model.layers
    assert isinstance(attention, Attention)
    assert isinstance(layer, FeedForward)
    damage = seed % 3
    if damage == 0:
        attention = Attention(attention.heads, "hardmax")
    elif damage == 1:
        weights = attention.weights()
        factor = 1 + Fraction(int(rng.integers(1, 9)), 8)
        attention = attention.with_weights({**weights, "head0.w_o": weights["head0.w_o"] * factor})
    else:
        w_2 = layer.w_2.copy()
        place = np.unravel_index(int(abs(w_2).argmax()), w_2.shape)
        w_2[place] *= 1 + Fraction(int(rng.choice([-1, 1])), int(rng.integers(8, 99)))
        layer = FeedForward(layer.w_1, layer.b_1, w_2, layer.b_2)
    return dataclasses.replace(memory, model=Transformer([attention, layer], n=memory.model.n))


# ---------------------------------------------------------------------------------------------------------- Corollary 1


def _recall(size: int, n: int, d: int, classes: int, head_size: int, scale: Any) -> Memory:
    """All contexts of n of the tokens, each in a random order, with random labels."""
    _require_classes("cor-1", classes)
    tokens = lattice("cor-1", size, d, 3)
    rng = np.random.default_rng(0)
    rows = [rng.permutation(row) for row in kajitsuka2024.contexts(size, n)]
    X = np.stack([tokens[:, row] for row in rows])
    return kajitsuka2024.memorise(X, _labels(rng, classes, X.shape), head_size, scale=scale)


def _perturb_corollary_1(
    *,
    seed: int = 0,
    size: int = 6,
    n: int = 4,
    d: int = 1,
    classes: int = 3,
    head_size: int = 1,
    scale: Any = "practical",
) -> Certificate:
    """Hardmax, a larger output of the attention layer, or one weight of the answers that is off."""
    return kajitsuka2024.certify(_damaged(_recall(size, n, d, classes, head_size, scale), seed))


@register(
    "kajitsuka2024:cor-1",
    "one layer of attention and one of ReLUs recall the labels of all tokens",
    source="Corollary 1, section A.3",
    chapter=CHAPTER,
    perturb=_perturb_corollary_1,
    concerns="proof",
    erratum=(
        "(47) gives the delta of Theorem 2 without the factor 2 eps log n of (8) and (45). Tokens scaled by c have ids "
        "scaled by c, and (47) stays: for small tokens it is false. The corollary does not use its size."
    ),
)
def verify_corollary_1(
    *,
    variant: str = "repaired",
    size: int = 6,
    n: int = 4,
    d: int = 1,
    classes: int = 3,
    head_size: int = 1,
    scale: Any = "practical",
) -> Certificate:
    """Random labels for every context of n tokens, recalled in BALL and, unless the scale is literal, in float64.

    Printed: (47) for the tokens 1, ..., 4 and n = 2, made so small that it fails.
    """
    if variant == "repaired":
        memory = _recall(size, n, d, classes, head_size, scale)
        return kajitsuka2024.certify(memory, system=None if scale == "literal" else FLOAT64)
    tokens, n = [1, 2, 3, 4], 2
    promised = kajitsuka2024.separation(tokens, n, SLACK)
    measured = kajitsuka2024.certify(kajitsuka2024.rank_one_attention(tokens, n), tokens, n, slack=SLACK)["log10"]
    quoted = promised.log10_delta - math.log10(2 * float(promised.eps) * math.log(n))
    # Weights beta / c^2 and tokens c x give ids that are c times as large.
    k = math.ceil(measured.measured - quoted) + 1
    name = f"log10 ||difference of ids||, tokens 10^-{k} times 1, ..., 4, against delta of (47)"
    witness = f"(47) has no unit of length: {quoted:.1f} for tokens of any size, {measured.witness}"
    return Certificate([Check(name, measured.measured - k, ">", quoted, witness, "enclosed")], parameters={"n": n})


# ---------------------------------------------------------------------------------------------------------- Corollary 2


def _encoded_parts(n: int, d: int) -> np.ndarray:
    """All sequences of n of the tokens +-t (1, ..., 1), of norm just below 1 = r_max; rationals, shape (2^n, d, n)."""
    if not is_int(n, 2) or n > 6 or not is_int(d, 1) or d > 12:
        raise ValueError(f"kajitsuka2024:cor-2: expected ints 2 <= n <= 6 and 1 <= d <= 12, got n = {n!r}, d = {d!r}.")
    t = Fraction(math.isqrt(10**8 // d), 10**4) * NORM
    signs = np.array(list(itertools.product([1, -1], repeat=n)), dtype=object)
    return np.broadcast_to(signs[:, None, :] * t, (2**n, d, n)).copy()


def _separation_checks(
    X: np.ndarray, E: np.ndarray, squares: tuple[Any, Any, Any], names: tuple[str, ...]
) -> list[Check]:
    """Definition 1 for the columns of X + E: squared norms between two bounds, squared distances over a third."""
    columns = [(tuple(column), k) for x in X + E for k, column in enumerate(x.T)]
    tokens = sorted(set(columns), key=lambda pair: pair[1])
    norms = [(sum(u * u for u in column), k) for column, k in tokens]
    pairs = [
        (sum((u - w) ** 2 for u, w in zip(a, b, strict=True)), (i, k))
        for (a, i), (b, k) in itertools.combinations(tokens, 2)
        if a != b
    ]
    (low, low_at), (high, high_at), (near, near_at) = min(norms), max(norms), min(pairs)

    def check(name: str, square: Any, relation: str, bound: Any, at: Any, cases: int) -> Check:
        witness = f"place{'s' if isinstance(at, tuple) else ''} {at}: {math.sqrt(square):.4g} r_max"
        return Check(name, square, relation, bound, witness, cases=cases)

    return [
        check(f"||x + E_k||^2, least, against {names[0]}", low, ">", squares[0], low_at, len(norms)),
        check(f"||x + E_k||^2, largest, against {names[1]}", high, "<", squares[1], high_at, len(norms)),
        check(f"||difference of tokens||^2, least, against {names[2]}", near, ">", squares[2], near_at, len(pairs)),
    ]


def _eps_square(X: np.ndarray) -> Fraction:
    """(a hundredth less than the distance of the two tokens)^2."""
    return (NORM * 2) ** 2 * Fraction(sum(u * u for u in X[0, :, 0]))


def _recall_places(X: np.ndarray, E: np.ndarray, classes: int, head_size: int) -> Memory:
    _require_classes("cor-2", classes)
    Y = _labels(np.random.default_rng(0), classes, X.shape)
    return kajitsuka2024.memorise(X, Y, head_size, encodings=E)


def _certify_corollary_2(X: np.ndarray, E: np.ndarray, memory: Memory) -> Certificate:
    n = X.shape[2]
    squares = (9 * R_MAX**2, ((4 * n + 1) * R_MAX) ** 2, min(_eps_square(X), Fraction(4 * R_MAX**2)))
    names = ("(3 r_max)^2", f"((4n + 1) r_max)^2 = {squares[1]}", "min(eps, 2 r_max)^2")
    certificate = kajitsuka2024.certify(memory)
    return Certificate([*_separation_checks(X, E, squares, names), *certificate.checks], "", certificate.parameters)


def _perturb_corollary_2(*, seed: int = 0, n: int = 3, d: int = 1, classes: int = 3, head_size: int = 1) -> Certificate:
    """Encodings that are half as far apart, or too long; or a network that is damaged as that of Corollary 1."""
    X = _encoded_parts(n, d)
    E = kajitsuka2024.positional_encoding(R_MAX, n, d)
    memory = _recall_places(X, E, classes, head_size)
    damage = seed % 3
    if damage == 0:
        memory = _damaged(memory, seed // 3)
    else:
        E = E * (Fraction(1, 2) if damage == 1 else 2)
    return _certify_corollary_2(X, E, memory)


@register(
    "kajitsuka2024:cor-2",
    "with positional encodings the labels of all sequences are recalled",
    source="Corollary 2, section A.4",
    chapter=CHAPTER,
    perturb=_perturb_corollary_2,
    concerns="construction",
    erratum=(
        "X + E for E_k = 2k r_max (1, ..., 1) is not separated as claimed: for d = 1 tokens of neighbouring places can "
        "be as close as one likes, and for d >= 2 norms exceed (2n + 1) r_max. With E_k = 4k r_max e for a unit vector "
        "e it is tokenwise (3 r_max, (4n + 1) r_max, min(eps, 2 r_max))-separated."
    ),
)
def verify_corollary_2(
    *, variant: str = "repaired", n: int = 3, d: int = 1, classes: int = 3, head_size: int = 1
) -> Certificate:
    """All sequences of two opposite tokens of norm near r_max = 1; printed: the separation claimed for (48)."""
    X = _encoded_parts(n, d)
    if variant == "repaired":
        E = kajitsuka2024.positional_encoding(R_MAX, n, d)
        return _certify_corollary_2(X, E, _recall_places(X, E, classes, head_size))
    E = kajitsuka2024.positional_encoding(R_MAX, n, d, printed=True)
    names = ("r_max^2", f"((2n + 1) r_max)^2 = {(2 * n + 1) ** 2}", "eps^2")
    squares = (R_MAX**2, ((2 * n + 1) * R_MAX) ** 2, _eps_square(X))
    return Certificate(_separation_checks(X, E, squares, names), parameters={"n": n, "d": d})
