"""Sparse attention: connectivity, how many layers are enough, symmetry of random patterns (cheng2025, section 4.2)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, seed, whole
from uatlib.cheng2025.automorphisms import Permutation, automorphism_generators, enough_layers, local_fooling_pairs
from uatlib.cheng2025.connectivity import connectivity_depth, heard_of
from uatlib.cheng2025.named_patterns import Neighbours, pattern
from uatlib.layers import Attention, Head
from uatlib.model import Transformer
from uatlib.patterns import Pattern

from ..damages import Damage, mapped
from ..registry import register

THREE: Neighbours = [{0, 1, 2}, {0, 2}, {0, 1}]
FOUR: Neighbours = [{0, 1}, {1, 2, 3}, {2, 3}, {0, 1, 3}]
FIVE: Neighbours = [{0, 1, 2, 3, 4}, {0, 1, 2}, {0, 1, 2}, {0, 3}, {0, 4}]
"""The paper's tokens 1, 2, 3 are 0, 1, 2 here. In the second and third all tokens hear themselves; in the third the
host 0 hears all and is heard by all, and of the others just 1 and 2 hear each other."""


def random_keys(n: int, keys: int, rng: np.random.Generator) -> Neighbours:
    """Each token hears itself and so many others, all choices of them equally likely."""
    return [{i, *((i + 1 + rng.choice(n - 1, keys, replace=False)) % n).tolist()} for i in range(n)]


def random_friends(n: int, probability: float, rng: np.random.Generator) -> Neighbours:
    """Each two tokens hear each other with this probability."""
    pairs = np.triu(rng.random((n, n)) < probability, 1)
    return [set(np.flatnonzero(row).tolist()) for row in pairs | pairs.T | np.eye(n, dtype=bool)]


def _blocks(n: int, stride: int) -> list[Neighbours]:
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
    "block, summary": lambda: _blocks(6, 3) * 3,
    "one fresh key a layer": lambda: _fresh(5, 10),
}
"""Lists of patterns, one a layer, long enough to connect."""
FAMILIES = {"all of 3 tokens": (3, 0), "50 of 4 tokens": (4, 50), "12 of 5 tokens": (5, 12)}
"""Patterns in families: tokens, and how many at random; 0: all."""


def _family(n: int, count: int) -> Iterator[Neighbours]:
    """Patterns that connect: every list of nonempty sets, or so many at random."""
    sets = [set(row) for k in range(1, n + 1) for row in itertools.combinations(range(n), k)]
    rng = np.random.default_rng(0)
    drawn = (tuple(sets[int(k)] for k in rng.integers(len(sets), size=n)) for _ in itertools.count())
    patterns = (list(rows) for rows in (drawn if count else itertools.product(sets, repeat=n)))
    return itertools.islice((N for N in patterns if connectivity_depth([N] * n) is not None), count or None)


# ----------------------------------------------------------------------------------------------------- Definition 4


class Heard(NamedTuple):
    """Layers, who has heard of whom after each (as `heard_of` gives), and the depth that is claimed."""

    layers: list[Neighbours]
    heard: np.ndarray
    depth: int | None


def _network(layers: Sequence[Neighbours], silent: int | None = None) -> Transformer:
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
    moved = np.array([_network(parts.layers[:r])(changed, FLOAT64) for r in range(1, m + 1)])[:, :, 0]
    still = np.array([_network(parts.layers[:r])(X, FLOAT64) for r in range(1, m + 1)])[:, None, 0]
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


# ---------------------------------------------------------------------------------------------------------- Corollary 2


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
    values = _network(layers, parts.silent)(X, BALL)[:, 0]
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
        "block, summary": (_blocks(n, s), both),
        "causal": ([pattern("causal", n)], None),
    }
    lists = {name: (layers * n)[:n] for name, (layers, _) in table.items()}
    return Depths(lists, {name: depth for name, (_, depth) in table.items()})


# ----------------------------------------------------------------------------------------------------- random patterns


class Drawn(NamedTuple):
    """Random patterns of a kind ("friends", or how many others each token hears), and what is said of their groups."""

    patterns: list[Neighbours]
    kind: Any
    n: int
    trivial: bool


def swaps_expected(kind: Any, n: int) -> Fraction:
    """The mean number of pairs of tokens that can be swapped, (a b) an automorphism, in random patterns. Ours.

    With k keys each, C(n, 2) / C(n-1, k) q^{n-2} for q = (C(n-3, k) + C(n-3, k-2)) / C(n-1, k): a and b hear the same
    others, and each other token hears both or neither. With friends of probability 1/2, C(n, 2) / 2^{n-2}.
    """
    pairs = math.comb(n, 2)
    if kind == "friends":
        return Fraction(pairs, 2 ** (n - 2))
    rows = math.comb(n - 1, kind)
    alike = math.comb(n - 3, kind) + (math.comb(n - 3, kind - 2) if kind > 1 else 0)
    return Fraction(pairs, rows) * Fraction(alike, rows) ** (n - 2)


def _swaps(N: Neighbours) -> list[tuple[int, int]]:
    """Pairs (a, b) whose swap is an automorphism, by (15) of the paper; sets of tokens are the bits of a number."""
    hears, heard = [0] * len(N), [0] * len(N)
    for i, row in enumerate(N):
        for j in row:
            hears[i] |= 1 << j
            heard[j] |= 1 << i

    def alike(sets: list[int], a: int, b: int) -> bool:
        """Whether the swap takes sets[a] to sets[b]."""
        one, other, both = sets[a], sets[b], 1 << a | 1 << b
        own, crossed = (one >> a ^ other >> b) & 1, (one >> b ^ other >> a) & 1
        return not (one ^ other) & ~both and not own and not crossed

    classes: dict[tuple[int, int], list[int]] = {}
    for i, (one, other) in enumerate(zip(hears, heard, strict=True)):
        classes.setdefault((one.bit_count(), other.bit_count()), []).append(i)
    pairs = (pair for tokens in classes.values() for pair in itertools.combinations(tokens, 2))
    return [(a, b) for a, b in pairs if alike(hears, a, b) and alike(heard, a, b)]


def _every(kind: Any, n: int) -> Iterator[Neighbours]:
    """All patterns of the kind."""
    if kind == "friends":
        pairs = list(itertools.combinations(range(n), 2))
        for chosen in itertools.product((False, True), repeat=len(pairs)):
            friends = [pair for pair, there in zip(pairs, chosen, strict=True) if there]
            yield [{i, *(j for pair in friends if i in pair for j in pair)} for i in range(n)]
        return
    rows = [[{i, *row} for row in itertools.combinations(sorted({*range(n)} - {i}), kind)] for i in range(n)]
    yield from (list(chosen) for chosen in itertools.product(*rows))


@functools.cache
def _of_five(kind: object) -> tuple[int, int, int, int]:
    """All patterns of the kind of five tokens: how many, their swaps, those that connect, and of them with |G| != 5."""
    few = list(_every(kind, 5))
    cycles = [N for N in few if kind == 1 and connectivity_depth([N] * 5) is not None]
    other = sum(automorphism_generators(N).order != 5 for N in cycles)
    return len(few), sum(len(_swaps(N)) for N in few), len(cycles), other


def _certify_random(parts: Drawn) -> Certificate:
    """Orders of groups and swaps of all that were drawn; beside them all patterns of the kind of five tokens."""
    kind, count = parts.kind, len(parts.patterns)
    swaps = [_swaps(N) for N in parts.patterns]
    orders = [automorphism_generators(N).order for N in parts.patterns]
    share = Fraction(sum(order == 1 for order in orders), count)
    numbers = np.array([len(pairs) for pairs in swaps], dtype=float)
    expected = swaps_expected(kind, parts.n)
    away = abs(Fraction(int(numbers.sum()), count) - expected)
    room = 4 * max(float(numbers.std()) / math.sqrt(count), 1 / count)
    free = [k for k in range(count) if swaps[k] and orders[k] == 1]
    few, total, cycles, other = _of_five(kind)
    first = next(({"pattern": k, "tokens to swap": pairs[0]} for k, pairs in enumerate(swaps) if pairs), {})
    witness = {**first, "such pairs on average": float(numbers.mean())}
    bound, relation = (Fraction(9, 10), ">=") if parts.trivial else (Fraction(1, 10), "<=")
    checks = [
        Check("five tokens: pairs to swap, all patterns", total, "==", swaps_expected(kind, 5) * few, cases=few),
        Check("pairs to swap: |mean - expected|", away, "<=", room, witness, "sampled", count),
        Check("patterns with such a pair and a trivial group", len(free), "==", 0, witness, "sampled", count),
        Check("share of trivial groups", share, relation, bound, witness, "sampled", count),
    ]
    if kind == 1:
        name = "five tokens, patterns that connect: group other than a rotation by five"
        checks.append(Check(name, other, "==", 0, cases=cycles))
    return Certificate(checks, parameters={"n": parts.n, "kind": kind, "patterns": count})


@register(
    "cheng2025:random-patterns",
    "random patterns have symmetry or none by the number of keys",
    source="section 4.2, after Corollary 2",
    chapter="cheng-sparse",
    construction=automorphism_generators,
    certify=_certify_random,
    cases=[{"kind": 2}, {"kind": 3}, {"kind": 3, "n": 100, "samples": 20}, {"kind": "friends", "n": 20}],
    damages={
        "two tokens on their own": mapped(
            patterns=lambda patterns: [[{0}, {1}, *(row - {0, 1} for row in N[2:])] for N in patterns]
        ),
        "the opposite": mapped(trivial=lambda trivial: not trivial),
        "another number of keys": mapped(kind=lambda kind: 2 if kind == 1 else 1),
    },
    concerns="sentence",
    erratum="""A random sparse pattern of many tokens is said to have a trivial automorphism group with probability near
    1. That depends on how many others each token hears. With one random key each, the expected number of pairs that
    can be swapped grows like n/(2 e^2), and connected patterns are cycles, whose group is that of the rotations. With
    two it tends to e^-4, with three to 0. (Where any two tokens hear each other with probability 1/2, patterns
    are not sparse.)""",
)
def drawn(*, variant: str = "repaired", kind: Any = 1, n: int = 64, samples: int = 60, start: int = 0) -> Drawn:
    """Patterns at random: `kind` keys each, or "friends", pairs that hear each other with probability 1/2."""
    n, samples, rng = whole("n", n, 5, 200), whole("samples", samples, 10, 1000), np.random.default_rng(seed(start))
    kind = kind if kind == "friends" else whole("kind", kind, 1, 3)
    draw = partial(random_friends, n, 0.5) if kind == "friends" else partial(random_keys, n, kind)
    return Drawn([draw(rng) for _ in range(samples)], kind, n, variant == "printed" or kind != 1)
