"""The permutations that keep a pattern, and pairs of sequences that layers with patterns cannot tell apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from ..checks import refused
from ..groups import elements
from .connectivity import connectivity_depth
from .named_patterns import parse_patterns

Permutation = tuple[int, ...]
MAX_ELEMENTS = 50_000
MAX_STEPS = 5_000_000


class Automorphisms(NamedTuple):
    """A group by permutations that generate it, and its order."""

    generators: list[Permutation]
    order: int


def automorphism_generators(patterns: object) -> Automorphisms:
    """Aut(N) = {s : j in N(i) if and only if s(j) in N(s(i))}, (15), by generators, with its order; any n.

    Parameters
    ----------
    patterns : one pattern, or a list of them, for their common automorphisms, (18)

    Raises
    ------
    ValueError
        No pattern, or patterns of different numbers of tokens.

    Source: cheng2025, (15) and (18).
    """
    rows = _parsed(patterns)
    n, layers = len(rows[0]), list(dict.fromkeys(rows))
    import igraph

    # One copy of the tokens a pattern, tied together, so that an automorphism moves all copies alike.
    size = n * len(layers)
    edges = [
        (k * n + i, k * n + j) for k, rows in enumerate(layers) for i, row in enumerate(rows) for j in row if j != i
    ]
    edges += [(k * n + i, (k + 1) * n + i) for k in range(len(layers) - 1) for i in range(n)]
    colours = [2 * k + (i in set(row)) for k, rows in enumerate(layers) for i, row in enumerate(rows)]
    graph = igraph.Graph(size, edges, directed=True)
    found = graph.automorphism_group(color=colours)
    return Automorphisms([tuple(p[:n]) for p in found], int(graph.count_automorphisms(color=colours)))


def automorphism_group(pattern: object) -> list[Permutation]:
    """All permutations of `automorphism_generators`, the identity first, if there are at most 50,000.

    Raises
    ------
    ValueError
        There are more: with their number; as `automorphism_generators`.

    Source: cheng2025, (15).
    """
    found = automorphism_generators(pattern)
    if found.order > MAX_ELEMENTS:
        hint = "take automorphism_generators, which lists none"
        raise refused("pattern", f"at most {MAX_ELEMENTS:,} automorphisms", f"{found.order:,}", hint)
    return elements(found.generators, len(_parsed(pattern)[0]))


def local_fooling_pairs(patterns: object, group: object = None) -> list[tuple[Permutation, int]] | None:
    """All (s, i), s outside the group, such that no weights tell token i of X from token s(i) of Y, Y[s(j)] = X[j].

    Those s that map N_m(i) onto N_m(s(i)), and so, a layer before, for each token in it and for i itself. With a kernel
    of Corollary 1 the list is empty if and only if these layers distinguish tokens under the group.

    Parameters
    ----------
    patterns : one a layer, in the order applied, as for `connectivity_depth`
    group : permutations or the name of a group; None: the common automorphisms of the patterns

    Returns
    -------
    None if the patterns do not connect all tokens: then tokens that are not heard may be anything.

    Raises
    ------
    ValueError
        As `connectivity_depth` and `automorphism_group`; n and the patterns leave too many permutations to look at.

    Source: ours; the test behind cheng2025, Corollary 2, which takes one layer too few.
    """
    rows = parse_patterns("patterns", patterns)
    if connectivity_depth(patterns) is None:
        return None
    n = len(rows[0])
    own = set(elements(group, n)) if group is not None else None
    steps = itertools.count()
    found = []
    layers = [[frozenset(row) for row in pattern] for pattern in rows]
    for i in range(n):
        for target in range(n):
            for s in _extensions(layers, {(len(layers), i)}, {i: target}, steps):
                if s not in own if own is not None else not _keeps(rows, s):
                    found.append((s, i))
    return sorted(set(found))


def _keeps(rows: list[tuple[tuple[int, ...], ...]], s: Permutation) -> bool:
    return all({s[j] for j in row} == set(pattern[s[i]]) for pattern in rows for i, row in enumerate(pattern))


def _extensions(
    layers: list[list[frozenset[int]]], views: set[tuple[int, int]], s: dict[int, int], steps: Iterator[int]
) -> Iterator[Permutation]:
    """Permutations that extend s and keep all views; (k, j) asks that token j hears alike in the first k layers."""
    views = set(views)
    todo = list(views)
    while todo:  # a view asks for those of the layer before
        layer, j = todo.pop()
        if layer > 0:
            for other in {*layers[layer - 1][j], j}:
                if (layer - 1, other) not in views:
                    views.add((layer - 1, other))
                    todo.append((layer - 1, other))
    n = len(layers[0])
    rules = sorted({(layer, j) for layer, j in views if layer > 0})
    yield from _search(layers, rules, s, n, steps)


def _search(
    layers: list[list[frozenset[int]]], rules: list[tuple[int, int]], s: dict[int, int], n: int, steps: Iterator[int]
) -> Iterator[Permutation]:
    if next(steps) > MAX_STEPS:
        raise refused("patterns", "fewer permutations to look at", f"over {MAX_STEPS:,} steps", "take a smaller n")
    taken = set(s.values())
    for layer, j in rules:
        here = layers[layer - 1][j]
        if j in s:
            there = layers[layer - 1][s[j]]
            if len(here) != len(there):
                return
            images = {s[k] for k in here if k in s}
            if not images <= there or any(s[k] in there for k in s if k not in here):
                return
    free = [j for j in range(n) if j not in s]
    if not free:
        yield tuple(s[j] for j in range(n))
        return
    # A token that a rule speaks of, with the fewest images left.
    best: tuple[int, frozenset[int]] | None = None
    for layer, j in rules:
        if j in s:
            left = layers[layer - 1][s[j]] - taken
            for k in layers[layer - 1][j]:
                if k not in s and (best is None or len(left) < len(best[1])):
                    best = (k, left)
    k, left = best or (free[0], frozenset(range(n)) - taken)
    for image in sorted(left):
        yield from _search(layers, rules, {**s, k: image}, n, steps)


def _parsed(patterns: object) -> list[tuple[tuple[int, ...], ...]]:
    """One pattern or several."""
    if (
        isinstance(patterns, (list, tuple))
        and patterns
        and all(isinstance(p, (list, tuple)) and p and not isinstance(p[0], int) for p in patterns)
    ):
        return parse_patterns("patterns", patterns)
    return parse_patterns("pattern", [patterns])
