"""Sparse attention: how many layers are enough (cheng2025, section 4.2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.cheng2025.automorphisms import Permutation, automorphism_generators, local_fooling_pairs
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_patterns import Neighbours, parse_patterns, pattern

from ..damages import Damage, mapped
from ..registry import register
from .hearing import EXAMPLES, attention_network, blocks_in_turn

FAMILIES = {"all of 3 tokens": (3, 0), "50 of 4 tokens": (4, 50), "12 of 5 tokens": (5, 12)}
"""Patterns in families: tokens, and how many at random; 0: all."""


def _family(n: int, count: int) -> Iterator[Neighbours]:
    """Patterns that connect: every list of nonempty sets, or so many at random."""
    sets = [set(row) for k in range(1, n + 1) for row in itertools.combinations(range(n), k)]
    rng = np.random.default_rng(0)
    drawn = (tuple(sets[int(k)] for k in rng.integers(len(sets), size=n)) for _ in itertools.count())
    patterns = (list(rows) for rows in (drawn if count else itertools.product(sets, repeat=n)))
    return itertools.islice((N for N in patterns if connectivity_depth([N] * n) is not None), count or None)


# ---------------------------------------------------------------------------------------------------------- Corollary 2


def enough_layers(patterns: Any) -> int | None:
    """A number of layers that distinguish tokens under the common automorphisms of the patterns; None if none is found.

    k + m, where k is the least number of layers whose common automorphisms are already those of all, and the m layers
    after them connect all tokens. For one pattern in all layers it is the connectivity depth + 1 (the depth itself, if
    all permutations keep the pattern). Fewer may do: see `local_fooling_pairs`.

    Parameters
    ----------
    patterns : one a layer, in the order applied; the list is not repeated, and long enough to find k and m in it

    Raises
    ------
    ValueError
        As `connectivity_depth`.

    Source: ours; cheng2025, Corollary 2, repaired.
    """
    rows = parse_patterns("patterns", patterns)
    order, n = automorphism_generators(list(rows)).order, len(rows[0])
    k = next(
        k
        for k in range(len(rows) + 1)
        if (automorphism_generators(list(rows[:k])).order if k else math.factorial(n)) == order
    )
    more = connectivity_depth(patterns[k:]) if k < len(rows) else None
    return None if more is None else k + more


class Sparse(NamedTuple):
    """Networks, each a list of patterns, one a layer; for each the patterns whose automorphisms are its group G.

    `silent` is the layer whose values are 0, if any.
    """

    lists: list[list[Neighbours]]
    groups: list[list[Neighbours]]
    silent: int | None = None


def _views(layers: Sequence[Neighbours], tokens: Sequence[int], known: dict[object, int]) -> list[int]:
    """What each token can know after the layers, numbered: its own view before, and the set of views that it hears."""
    seen = [known.setdefault(t, len(known)) for t in tokens]
    for N in layers:
        seen = [known.setdefault((seen[i], frozenset(seen[j] for j in row)), len(known)) for i, row in enumerate(N)]
    return seen


def _keeps(patterns: Sequence[Neighbours], s: Permutation) -> bool:
    """(15) of the paper by loops."""
    n = len(s)
    return all((j in N[i]) == (s[j] in N[s[i]]) for N in patterns for i in range(n) for j in range(n))


def _moved(s: Permutation) -> list[int]:
    """Y with Y[s[j]] = j."""
    Y = [0] * len(s)
    for j, place in enumerate(s):
        Y[place] = j
    return Y


def _fooled(layers: list[Neighbours], outside: Sequence[Permutation]) -> list[tuple[Permutation, int]]:
    """(s, i) for which token i of X = (0, ..., n - 1) has the view of token s(i) of Y."""
    known: dict[object, int] = {}
    tokens = range(len(layers[0]))
    ours, fooled = _views(layers, tokens, known), []
    for s in outside:
        theirs = _views(layers, _moved(s), known)
        fooled += [(s, i) for i in tokens if ours[i] == theirs[s[i]]]
    return fooled


def _gap(parts: Sparse, layers: list[Neighbours], tried: Sequence[Permutation]) -> tuple[Fraction, dict[str, object]]:
    """A lower bound on |token i of X - token s(i) of Y| after the network, for these s and all i, and where."""
    n = len(layers[0])
    orders = [list(range(n)), *(_moved(s) for s in tried)]
    X = np.array([[[Fraction(j + 1, 2) for j in order]] for order in orders], dtype=object)
    values = attention_network(layers, parts.silent)(X, BALL)[:, 0]
    gaps = {
        (s, i): max(values[0, i].lower - row[s[i]].upper, row[s[i]].lower - values[0, i].upper)
        for s, row in zip(tried, values[1:], strict=True)
        for i in range(n)
    }
    (s, i), least = min(gaps.items(), key=lambda item: item[1])
    return least, {"s": s, "i": i, "patterns": layers}


def _certify_sparse(parts: Sparse) -> Certificate:
    """All permutations outside the group by views; some of them by a network, enclosed."""
    gaps, bare, pairs, ours, said = [], 0, 0, [], 0
    numeric = set(range(0, len(parts.lists), max(1, len(parts.lists) // 4)))
    for k, (layers, group) in enumerate(zip(parts.lists, parts.groups, strict=True)):
        n = len(layers[0])
        bare += connectivity_depth(layers) is None
        outside = [s for s in itertools.permutations(range(n)) if not _keeps(group, s)]
        pairs += n * len(outside)
        fooled = _fooled(layers, outside)
        ours += [{"Y[s(j)] = X[j], s": s, "token of X": i, "of Y": s[i], "patterns": layers} for s, i in fooled]
        steps = automorphism_generators(list(group)).generators
        listed = local_fooling_pairs(layers, group=steps or "trivial")
        said += listed is None or sorted(listed) != sorted(fooled)
        # Those that one layer less takes for each other are the ones to be looked at.
        near = [s for s, _ in _fooled(layers[:-1], outside)] if len(layers) > 1 else []
        tried = [s for s in outside if n < 4 or sum(s[j] != j for j in range(n)) == 2]
        if (k in numeric or fooled) and outside and len(ours) < 50:
            gaps.append(_gap(parts, layers, list(dict.fromkeys([*tried, *near[:6]])) or outside[:1]))
    gap, where = min(gaps, key=lambda case: case[0], default=(math.inf, None))
    count, alike = len(parts.lists), "least gap of those tokens, exp kernel, one choice of weights"
    checks = [
        Check("lists of patterns that their layers do not connect", bare, "==", 0, cases=count),
        Check.none("(s, i) with s outside G and one view at i and s(i)", ours[::-1], cases=pairs),
        Check("lists for which local_fooling_pairs says otherwise", said, "==", 0, cases=count),
        Check(alike, gap, ">", 0, where, "enclosed", len(gaps)),
    ]
    return Certificate(checks, parameters={"networks": count})


def _within(lists: Sequence[list[Neighbours]]) -> list[list[Neighbours]]:
    """As many layers as connect: those of the paper."""
    return [layers[: connectivity_depth(layers)] for layers in lists]


def _no_symmetry(parts: Sparse, rng: np.random.Generator) -> Sparse | None:
    """G without any but the identity, where the patterns have more."""
    alone = [[*group, [set(range(k + 1)) for k in range(len(group[0]))]] for group in parts.groups]
    more = any(automorphism_generators(list(group)).order > 1 for group in parts.groups)
    return parts._replace(groups=alone) if more else None


def _as_deep(parts: Sparse, rng: np.random.Generator) -> Sparse | None:
    """The layers of the paper, where they fool."""
    short = parts._replace(lists=_within(parts.lists))
    return short if any(local_fooling_pairs(layers) for layers in short.lists) else None


@register(
    "cheng2025:cor-2",
    "layers that connect all tokens after the patterns' symmetry is settled tell all tokens apart, up to that symmetry",
    source="Corollary 2, section C.3",
    chapter="cheng-sparse",
    construction=local_fooling_pairs,
    certify=_certify_sparse,
    cases=[{"example": name} for name in (*EXAMPLES, *FAMILIES) if name != "three tokens"],
    damages={
        "the layers of the paper": _as_deep,
        "no symmetry": _no_symmetry,
        "a layer without values": lambda parts, rng: parts._replace(silent=0) if _as_deep(parts, rng) else None,
    },
    concerns="statement",
    erratum="""A number m of layers that connects all tokens is said to suffice. A token does not see the pattern
    around the tokens that it reaches by its last hop, as (76) of the paper takes for granted: N = ({1, 2, 3}, {1, 3},
    {1, 2}) connects within one layer, and token 2 hears the same of (a, b, c) and of (c, b, a), though the swap of 1
    and 3 is no automorphism. The first k layers are to break all symmetry that any layer breaks, and those after them
    are to connect: for one pattern in all layers one layer more than connect. And so the first half of the result asks
    that the layers go on connecting: a list that begins with this pattern and lets every token hear itself alone after
    that fails too. (Section 4.2 takes the least number of hops for the number of layers; that falls with it. In C.3 the
    outputs after g_2 g_1 are those of i_1 and i_2, and p_1 goes up to m.)""",
)
def tokens_apart(*, variant: str = "repaired", example: str = "three tokens") -> Sparse:
    """Networks of the number of layers that is enough; printed: of the number that connects."""
    choice("example", example, [*EXAMPLES, *FAMILIES])
    lists = [EXAMPLES[example]()] if example in EXAMPLES else [[N] * 6 for N in _family(*FAMILIES[example])]
    chosen = _within(lists) if variant == "printed" else [layers[: enough_layers(layers)] for layers in lists]
    return Sparse(chosen, lists)


# --------------------------------------------------------------------------------------------------------------- depths


class Depths(NamedTuple):
    """Lists of patterns by name, each with the depth that its formula gives; None: never."""

    lists: dict[str, list[Neighbours]]
    claimed: dict[str, int | None]


def _depth_by_hops(layers: Sequence[Neighbours]) -> int | None:
    """The least m such that for each token the hops back from layer m, ..., 1 lead to all; by loops."""
    n = len(layers[0])
    for m in range(len(layers) + 1):
        for i in range(n):
            reached = {i}
            for N in reversed(layers[:m]):
                reached |= {j for k in reached for j in N[k]}
            if len(reached) < n:
                break
        else:
            return m
    return None


def _certify_depths(parts: Depths) -> list[Check]:
    checks = []
    for name, layers in parts.lists.items():
        never = " (-1: never)" if parts.claimed[name] is None else ""
        depth, hops, wanted = (
            -1 if m is None else m for m in (connectivity_depth(layers), _depth_by_hops(layers), parts.claimed[name])
        )
        witness = {"n": len(layers[0]), "layers": len(layers)}
        checks += [
            Check(f"{name}: depth{never}", depth, "==", wanted, witness),
            Check(f"{name}: depth by hops{never}", hops, "==", wanted, witness),
        ]
    return checks


def _in_lists(change: Callable[[list[Neighbours]], list[Neighbours]]) -> Damage:
    return mapped(lists=lambda lists: {name: change(layers) for name, layers in lists.items()})


@register(
    "cheng2025:depths",
    "the connectivity depth of the patterns of practice",
    source="section 4.2, and (22), (89); the formulas: ours",
    chapter="cheng-sparse",
    construction=connectivity_depth,
    certify=_certify_depths,
    cases=[{"n": 5, "window": 1}, {"n": 7, "window": 3}, {"n": 12, "window": 1}, {"n": 32, "window": 5}],
    damages={
        "token 0 hears itself alone": _in_lists(lambda layers: [[{0}, *N[1:]] for N in layers]),
        "every second layer sat out": _in_lists(
            lambda layers: [N for row in layers for N in (row, [{i} for i in range(len(row))])]
        ),
        "a full layer first": _in_lists(lambda layers: [pattern("full", len(layers[0])), *layers]),
    },
)
def depths(*, n: int = 9, window: int = 2) -> Depths:
    """Each pattern in n layers, the two-part ones in turn; windows of w tokens on a side, strides of w + 1."""
    n, w = whole("n", n, 5, 32), whole("window", window, 1, 6)
    far, s = -(-(n - 1) // w), w + 1
    both = 2 if s < n else 1
    table: dict[str, tuple[list[Neighbours], int | None]] = {
        "sliding window": ([pattern("sliding_window", n, window=w)], far),
        "directed": ([pattern("directed", n, window=w)], far),
        "circulant": ([pattern("circulant", n, window=w)], -(-(n // 2) // w)),
        "star": ([pattern("star", n)], 2),
        "Longformer": ([pattern("longformer", n, window=w, global_tokens=1)], 1 if w > n - 3 else 2),
        "local, column": ([pattern("strided", n, stride=s, part=part) for part in ("local", "column")], both),
        "block, summary": (blocks_in_turn(n, s), both),
        "causal": ([pattern("causal", n)], None),
    }
    lists = {name: (layers * n)[:n] for name, (layers, _) in table.items()}
    return Depths(lists, {name: depth for name, (_, depth) in table.items()})
