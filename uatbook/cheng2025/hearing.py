"""Who has heard of whom: Definition 4, and the patterns that are looked at (cheng2025, section 4.2)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_patterns import Neighbours, parse_patterns, pattern
from uatlib.layers import Attention, Head
from uatlib.model import Transformer
from uatlib.patterns import Pattern

from ..damages import mapped
from ..registry import register

THREE: Neighbours = [{0, 1, 2}, {0, 2}, {0, 1}]
FOUR: Neighbours = [{0, 1}, {1, 2, 3}, {2, 3}, {0, 1, 3}]
FIVE: Neighbours = [{0, 1, 2, 3, 4}, {0, 1, 2}, {0, 1, 2}, {0, 3}, {0, 4}]
"""The paper's tokens 1, 2, 3 are 0, 1, 2 here. In the second and third all tokens hear themselves; in the third the
host 0 hears all and is heard by all, and of the others just 1 and 2 hear each other."""


def random_keys(n: int, keys: int, rng: np.random.Generator) -> Neighbours:
    """Each token hears itself and so many others, all choices of them equally likely."""
    return [{i, *((i + 1 + rng.choice(n - 1, keys, replace=False)) % n).tolist()} for i in range(n)]


def blocks_in_turn(n: int, stride: int) -> list[Neighbours]:
    """Tokens hear their block, then the summaries of all blocks."""
    return [pattern("fixed", n, stride=stride, part=part) for part in ("block", "summary")]


def _fresh(n: int, count: int) -> list[Neighbours]:
    rng = np.random.default_rng(3)
    return [random_keys(n, 1, rng) for _ in range(count)]


EXAMPLES: dict[str, Callable[[], list[Neighbours]]] = {
    "three tokens": lambda: [THREE] * 4,
    "four tokens": lambda: [FOUR] * 5,
    "a host": lambda: [FIVE] * 4,
    "longformer": lambda: [pattern("longformer", 6, window=1, global_tokens=1)] * 4,
    "bigbird": lambda: [pattern("bigbird", 6, window=1, global_tokens=1, random=1)] * 4,
    "window": lambda: [pattern("sliding_window", 5, window=1)] * 6,
    "block, summary": lambda: blocks_in_turn(6, 3) * 3,
    "one fresh key a layer": lambda: _fresh(5, 10),
}
"""Lists of patterns, one a layer, long enough to connect."""


# ----------------------------------------------------------------------------------------------------- Definition 4


def heard_of(patterns: object) -> np.ndarray:
    """Who has heard of whom after 0, 1, ..., m layers: booleans [r, i, j], i of j after r; shape (m + 1, n, n).

    H_0 = I and H_r(i, j) = H_{r-1}(i, j) or, for some k in N_r(i), H_{r-1}(k, j). All of H_m are true if and only if
    the patterns connect all tokens.

    Parameters
    ----------
    patterns : as for `connectivity_depth`

    Raises
    ------
    ValueError
        As `connectivity_depth`.

    Source: cheng2025, Definition 4.
    """
    rows = parse_patterns("patterns", patterns)
    heard = [np.eye(len(rows[0]), dtype=bool)]
    for lists in rows:
        before = heard[-1]
        heard.append(before | [before[list(row)].any(axis=0) for row in lists])
    return np.array(heard)


class Heard(NamedTuple):
    """Layers, who has heard of whom after each (as `heard_of` gives), and the depth that is claimed."""

    layers: list[Neighbours]
    heard: np.ndarray
    depth: int | None


def attention_network(layers: Sequence[Neighbours], silent: int | None = None) -> Transformer:
    """Attention with these patterns, one layer each, on numbers; other weights in each, values 0 in the silent one."""
    weights = [Fraction(7 + 4 * (r % 3), (-4) ** (r % 2) * 4) for r in range(len(layers))]
    values = [0 if r == silent else Fraction(r + 3, r + 4) for r in range(len(layers))]
    heads = [Head([[w]], [[1]], [[v]], [[1]]) for w, v in zip(weights, values, strict=True)]
    return Transformer([Attention([head], mask=Pattern(N)) for head, N in zip(heads, layers, strict=True)])


def _products(layers: Sequence[Neighbours]) -> np.ndarray:
    """(17) of the paper word for word: whether A_{r_k} ... A_{r_1}(i, j) > 0 for some r_1 < ... < r_k, or i = j."""
    n = len(layers[0])
    A = [np.array([[int(j in row) for j in range(n)] for row in N]) for N in layers]
    total = np.eye(n, dtype=np.int64)
    for k in range(1, len(A) + 1):
        for chosen in itertools.combinations(A, k):
            product = np.eye(n, dtype=np.int64)
            for step in chosen:
                product = np.minimum(step @ product, 1)
            total += product
    return total > 0


def _certify_heard(parts: Heard) -> Certificate:
    """Against all products of (17) of the paper, and against what a network's outputs depend on."""
    n, m = len(parts.layers[0]), len(parts.layers)
    wanted = np.array([_products(parts.layers[:r]) if r else np.eye(n, dtype=bool) for r in range(m + 1)])
    wrong = wanted != parts.heard
    least = next((r for r in range(m + 1) if wanted[r].all()), None)
    X = np.arange(1.0, n + 1)[None] / n
    changed = X + np.eye(n)[:, None]  # sequence j has another token j
    moved = np.array([attention_network(parts.layers[:r])(changed, FLOAT64) for r in range(1, m + 1)])[:, :, 0]
    still = np.array([attention_network(parts.layers[:r])(X, FLOAT64) for r in range(1, m + 1)])[:, None, 0]
    depends = (moved != still).swapaxes(1, 2)
    off = depends != parts.heard[1:]
    ours = -1 if parts.depth is None else parts.depth
    said = "(r, i, j) on which H_r and the products (17) of the paper, first r layers, disagree"
    moves = "(r, i, j) on which H_r and a network disagree: token j is changed, does output i move?"
    none = "least m whose products reach all (-1: none)"
    checks = [
        Check.none(said, wrong, lambda r, i, j: {"r": r, "i": i, "j": j}),
        Check(none, ours, "==", -1 if least is None else least, {"layers": m}),
        Check.none(moves, off, lambda r, i, j: {"r": r + 1, "i": i, "j": j}, "sampled"),
    ]
    return Certificate(checks, parameters={"n": n, "layers": m})


def _other_order(parts: Heard, rng: np.random.Generator) -> Heard | None:
    turned = parts.layers[::-1]
    return parts._replace(heard=heard_of(turned)) if turned != parts.layers else None


def _read_backwards(parts: Heard, rng: np.random.Generator) -> Heard | None:
    heard = parts.heard.swapaxes(1, 2)
    return parts._replace(heard=heard) if (heard != parts.heard).any() else None


@register(
    "cheng2025:def-4",
    "who has heard of whom within m layers, in the order in which they are applied",
    source="Definition 4, (17)",
    chapter="cheng-sparse",
    construction=heard_of,
    certify=_certify_heard,
    cases=[{"example": name} for name in ("block, summary", "three tokens", "one fresh key a layer")],
    damages={
        "the layers in the other order": _other_order,
        "the heard in place of the hearing": _read_backwards,
        "a layer late": mapped(heard=lambda heard: heard[[0, *range(len(heard) - 1)]]),
        "one layer more": mapped(depth=lambda m: (m or 0) + 1),
    },
)
def hearing(*, example: str = "window", layers: int = 5) -> Heard:
    """The first layers of an example, n tokens 0, ..., n - 1; order of layers as they are applied."""
    patterns = EXAMPLES[choice("example", example, list(EXAMPLES))]()
    patterns = patterns[: whole("layers", layers, 1, 8)]
    return Heard(patterns, heard_of(patterns), connectivity_depth(patterns))
