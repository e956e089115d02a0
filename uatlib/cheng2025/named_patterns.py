"""Sparsity patterns by name: whom each token attends to.

Source: cheng2025, section 4.2, (22) and (89), with the patterns of its references [3, 11, 24, 76].
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import choice, finite, refused, require_parameters, seed, whole
from ..patterns import Pattern

MAX_PAIRS = 2**24
Neighbours = list[set[int]]


def pattern(name: str, n: object, **parameters: object) -> Neighbours:
    """A list of n sets: token i attends to ``pattern[i]``, 0-based, itself included.

        "full"            all tokens
        "sliding_window"  |j - i| <= window
        "circulant"       the same modulo n, (22): window tokens on either side
        "directed"        i, i + 1, ..., i + window modulo n, (89)
        "causal"          j <= i
        "star"            the hub 0 attends to all; the others to the hub and to both neighbours in a ring
        "strided"         part="local": |j - i| < stride; part="column": j = i modulo stride
        "fixed"           part="block": the same stretch of `stride` tokens; part="summary": the last of each, and i.
                          A last stretch may be shorter; its last token, n - 1, is its summary: our reading, as the
                          formula of [11], j = stride - 1 modulo stride, leaves it without one
        "longformer"      a sliding window; the first `global_tokens` attend to all and are attended to by all
        "bigbird"         the same, and `random` more tokens for each
        "random"          each other token with `probability`

    Parameters
    ----------
    parameters : window, stride, part, global_tokens, random, probability and seed (0 unless given), where named above

    Raises
    ------
    ValueError
        Another name, parameters that are missing, off or belong to another pattern, over 2^24 pairs of tokens.

    Source: cheng2025, section 4.2.
    """
    make = MAKERS[choice("name", name, list(MAKERS))]
    require_parameters(name, list(inspect.signature(make).parameters.values())[1:], parameters)
    return make(whole("n", n, 1, MAX_PAIRS), **parameters)


def _require_room(n: int, each: int, hint: str) -> None:
    if n * min(each, n) > MAX_PAIRS:
        raise refused(hint, f"at most {MAX_PAIRS:,} pairs of tokens", n * min(each, n))


def _full(n: int) -> Neighbours:
    _require_room(n, n, "n")
    return [set(range(n)) for _ in range(n)]


def _causal(n: int) -> Neighbours:
    _require_room(n, n, "n")
    return [set(range(i + 1)) for i in range(n)]


def _sliding_window(n: int, window: object) -> Neighbours:
    w = whole("window", window, 0)
    _require_room(n, 2 * w + 1, "window")
    return [set(range(max(0, i - w), min(n, i + w + 1))) for i in range(n)]


def _circulant(n: int, window: object) -> Neighbours:
    w = whole("window", window, 0)
    _require_room(n, 2 * w + 1, "window")
    return [{j % n for j in range(i - w, i + min(w, n) + 1)} for i in range(n)]


def _directed(n: int, window: object) -> Neighbours:
    w = whole("window", window, 0)
    _require_room(n, w + 1, "window")
    return [{j % n for j in range(i, i + min(w, n) + 1)} for i in range(n)]


def _star(n: int) -> Neighbours:
    ring = n - 1
    return [set(range(n)), *({0, i, 1 + (i - 2) % ring, 1 + i % ring} for i in range(1, n))]


def _strided(n: int, stride: object, part: object) -> Neighbours:
    s = whole("stride", stride, 1)
    if choice("part", part, ("column", "local")) == "local":
        return _sliding_window(n, s - 1)
    _require_room(n, -(-n // s), "stride")
    return [set(range(i % s, n, s)) for i in range(n)]


def _fixed(n: int, stride: object, part: object) -> Neighbours:
    s = whole("stride", stride, 1)
    if choice("part", part, ("block", "summary")) == "block":
        _require_room(n, s, "stride")
        return [set(range(i - i % s, min(n, i - i % s + s))) for i in range(n)]
    _require_room(n, -(-n // s) + 1, "stride")
    last = {*range(s - 1, n, s), n - 1}
    return [last | {i} for i in range(n)]


def _longformer(n: int, window: object, global_tokens: object) -> Neighbours:
    count = whole("global_tokens", global_tokens, 0, n)
    _require_room(n, 2 * whole("window", window, 0) + 1 + 2 * count, "window")
    seen = set(range(count))
    return [set(range(n)) if i < count else near | seen for i, near in enumerate(_sliding_window(n, window))]


def _bigbird(n: int, window: object, global_tokens: object, random: object, seed: int = 0) -> Neighbours:
    count, rng = whole("random", random, 0, n), _rng(seed)
    _require_room(n, 2 * whole("window", window, 0) + 1 + count, "random")
    rows = _longformer(n, window, global_tokens)
    return [row | set(rng.choice(n, count, replace=False).tolist()) for row in rows]


def _random(n: int, probability: object, seed: int = 0) -> Neighbours:
    p, rng = finite("probability", probability, 0, 1), _rng(seed)
    _require_room(n, n, "n")
    return [{i, *np.flatnonzero(rng.random(n) < p).tolist()} for i in range(n)]


def _rng(value: object) -> np.random.Generator:
    return np.random.default_rng(seed(value))


MAKERS: dict[str, Callable[..., Neighbours]] = {
    make.__name__[1:]: make for make in (_full, _sliding_window, _circulant, _directed, _causal, _star)
}
MAKERS |= {make.__name__[1:]: make for make in (_strided, _fixed, _longformer, _bigbird, _random)}


def parse_pattern(name: str, value: Any, n: int | None = None) -> Pattern:
    """A `Pattern` of n tokens among themselves, from one or from lists; ValueError with the argument's name."""
    try:
        found = value if isinstance(value, Pattern) else Pattern(value)
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).removeprefix('neighbours: ')}") from None
    keys, tokens = found.shape
    if keys != tokens or tokens != (n or tokens):
        raise refused(name, f"a pattern of {n or tokens} tokens among themselves", found.shape)
    return found


def parse_patterns(name: str, patterns: object) -> list[tuple[tuple[int, ...], ...]]:
    """Patterns, one a layer, as tuples of sorted tuples; ValueError unless all are of the same tokens."""
    if not isinstance(patterns, (list, tuple)) or not patterns:
        raise refused(name, "a list of patterns, one a layer", patterns)
    found: dict[int, tuple[tuple[int, ...], ...]] = {}
    for given in patterns:
        if id(given) not in found:
            rows = parse_pattern(name, given).neighbours
            found[id(given)] = tuple(tuple(sorted(set(map(int, row)))) for row in rows)
    if len({len(rows) for rows in found.values()}) > 1:
        raise refused(name, "patterns of as many tokens each", sorted({len(rows) for rows in found.values()}))
    return [found[id(given)] for given in patterns]


def neighbour_lists(layers: list[Pattern | None], n: int) -> list[list[list[int]]]:
    """The patterns as lists, those of None full."""
    full = [list(range(n))] * n
    return [full if layer is None else [list(row) for row in layer.neighbours] for layer in layers]
