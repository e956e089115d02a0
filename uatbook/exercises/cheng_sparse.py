"""Exercises on sparse attention: how many layers, which symmetry, what chance does."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import number, pattern, subset, whole
from .cheng2025 import Pattern, automorphisms
from .exercise import exercise


def depth(hears: Sequence[Iterable[int]], most: int = 200) -> int | None:
    """After how many layers of this pattern all have heard of all; None if they never do."""
    rows = [set(row) for row in hears]
    known = [{i} for i in range(len(rows))]
    for layer in range(1, most):
        new = [known[i].union(*(known[j] for j in rows[i])) for i in range(len(rows))]
        if all(len(k) == len(rows) for k in new):
            return layer
        if new == known:
            return None
        known = new
    return None


def windows(n: int, w: int) -> dict[str, list[set[int]]]:
    """Four patterns of practice."""
    row = [{j for j in range(n) if abs(i - j) <= w} for i in range(n)]
    return {
        "row": row,
        "ring": [{(i + k) % n for k in range(-w, w + 1)} for i in range(n)],
        "next": [{(i + k) % n for k in range(w + 1)} for i in range(n)],
        "host": [set(range(n)), *(part | {0} for part in row[1:])],
    }


@exercise(
    "ex-cheng-depths",
    about=["cheng2025:depths"],
    asks="{case[0]} tokens. After how many layers has each heard of all, if a token hears itself and A) up to "
    "{case[1]} on either side, in a row; B) {case[1]} on either side, on a ring; C) the next {case[1]} on a ring; D) "
    "as A, but token 0 hears all, and all hear token 0?",
    hands_in=[whole(name, 1) for name in ("A", "B", "C", "D")],
    varies={"case": [(40, 3), (50, 4), (30, 2), (60, 7), (41, 5)]},
    rubric={
        "A": "Not {given}. How far is it from one end to the other, and how far does a layer reach?",
        "B": "Not {given}. On a ring nobody is farther away than halfway round.",
        "C": "Not {given}. News travels one way only: how far is it to the one just behind?",
        "D": "Not {given}. Whoever hears the host hears, one layer later, all that the host has heard.",
    },
    wrong={
        "both sides at once": (
            lambda case: (
                -(-(case[0] - 1) // (2 * case[1])),
                -(-(case[0] - 1) // (2 * case[1])),
                -(-(case[0] - 1) // case[1]),
                2,
            ),
            "A",
        ),
        "a ring is a row": (
            lambda case: (*(-(-(case[0] - 1) // case[1]),) * 3, 2),
            "B",
        ),
        "one layer for the host": (
            lambda case: (*(depth(p) for p in list(windows(*case).values())[:3]), 1),
            "D",
        ),
        "halfway for the next, too": (
            lambda case: tuple(depth(windows(*case)[name]) for name in ("row", "ring", "ring", "host")),
            "C",
        ),
    },
    hint="Divide the longest way by what a layer reaches, and round up.",
    why="The longest way, divided by what a layer reaches, is the depth that any sparse pattern has to pay, and a "
    "host buys it off.",
)
def cheng_depths(case: tuple[int, int]) -> tuple[int | None, ...]:
    """Hop by hop."""
    return tuple(depth(hears) for hears in windows(*case).values())


SPIDER = [[0, 1, 2, 4], [0, 1], [0, 2, 3], [2, 3], [0, 4, 5], [4, 5, 6], [5, 6]]


def path_along(hears: Pattern) -> tuple[int, ...] | None:
    """An order of all tokens in which each hears the next, if there is one."""
    rows = [set(row) for row in hears]
    orders = itertools.permutations(range(len(rows)))
    return next((o for o in orders if all(b in rows[a] for a, b in itertools.pairwise(o))), None)


LINE = [[j for j in range(7) if abs(i - j) <= 1] for i in range(7)]


def exchanged(hears: Sequence[Sequence[int]], a: int, b: int) -> Pattern:
    """The pattern with the names of two tokens exchanged."""
    names = {a: b, b: a}
    found = {names.get(i, i): sorted(names.get(j, j) for j in row) for i, row in enumerate(hears)}
    return [found[i] for i in range(len(hears))]


@exercise(
    "ex-cheng-spider",
    about=["cheng2025:cor-2"],
    asks="Seven tokens, each of which hears itself; whoever is heard hears back. Give a pattern that connects all and "
    "is kept by no permutation but the identity, although no token hears all others and no way along it visits each "
    "token once. Let token {end} hear one other only.",
    hands_in=pattern("pattern", 7),
    varies={"end": [3, 0, 1, 4, 5]},
    rubric={
        "mutual": "Token {i} hears token {j}, and token {j} does not hear token {i}: each hears itself, and hearing is "
        "mutual.",
        "an end": "Token {end} hears {count} others.",
        "no host": "Token {token} hears all.",
        "no path": "This way visits each token once: {path}.",
        "no symmetry": "It is kept by {count} permutations.",
        "connected": "Token {token} has heard of {heard} tokens, however many layers there are.",
    },
    reference=lambda end: exchanged(SPIDER, 1, end),
    wrong={
        "a line": (lambda end: exchanged(LINE, 0, end), "no path"),
        "a star": (lambda end: exchanged([list(range(7)), *([0, i] for i in range(1, 7))], 1, end), "no host"),
        "three equal legs": (
            lambda end: exchanged([[0, 1, 3, 5], [0, 1, 2], [1, 2], [0, 3, 4], [3, 4], [0, 5, 6], [5, 6]], 2, end),
            "no symmetry",
        ),
        "another end": (lambda end: exchanged(SPIDER, 0, end), "an end"),
        "the next one": ([[i, (i + 1) % 7] for i in range(7)], "mutual"),
    },
    entry=("mutual", "an end", "no host", "no path"),
    hint="A tree with three legs has no such way: it would have to come back out of a leg. When has it no symmetry?",
    why="So neither a host nor a Hamiltonian path is needed: a pattern must connect and have no symmetry of its own.",
)
def spider(hears: Pattern, end: int) -> Iterable[Check]:
    """All by trying."""
    odd = [
        (i, j)
        for i in range(7)
        for j in range(7)
        if (j in hears[i] or i == j) and not (i in hears[j] and j in hears[i])
    ]
    yield Check.none("mutual", [{"i": i, "j": j} for i, j in odd])
    others = len({*hears[end]} - {end})
    yield Check.none("an end", [] if others == 1 else [{"count": others}])
    yield Check.none("no host", [{"token": i} for i, row in enumerate(hears) if len(row) == 7])
    path = path_along(hears)
    yield Check.none("no path", [{"path": path}] if path else [])
    count = automorphisms(hears)
    yield Check.none("no symmetry", [{"count": count}] if count > 1 else [])
    known = [{i} for i in range(7)]
    for _ in range(7):
        known = [known[i].union(*(known[j] for j in hears[i])) for i in range(7)]
    deaf = [{"token": i, "heard": len(k)} for i, k in enumerate(known) if len(k) < 7]
    yield Check.none("connected", deaf, cases=7)


def confusions(hears: Sequence[set[int]], layers: int) -> list[tuple[tuple[int, ...], int]]:
    """Orders that are no symmetry, and a token whose view after so many layers they keep.

    It has heard whom those hear that are up to one hop less away.
    """
    n, found = len(hears), []
    for s in itertools.permutations(range(n)):
        kept = [{s[j] for j in hears[i]} == hears[s[i]] for i in range(n)]
        if all(kept):
            continue
        for i in range(n):
            near = {i}
            for _ in range(layers - 1):
                near |= set().union(*(hears[j] for j in near))
            if all(kept[j] for j in near):
                found.append((s, i))
    return found


def cut_star(cut: tuple[int, int]) -> list[set[int]]:
    """A host, a ring of five around it, and these two of the ring no longer hear each other."""
    ring = [1, 2, 3, 4, 5]
    rows = [set(range(6))] + [{0, i, ring[i % 5], ring[i - 2]} for i in ring]
    rows[cut[0]] -= {cut[1]}
    rows[cut[1]] -= {cut[0]}
    return rows


def mixed_up(hears: Sequence[set[int]], layers: int, token: int) -> list[int]:
    """Whom this token cannot place after so many layers: moved by an order that keeps its view."""
    same = [s for s, i in confusions(hears, layers) if i == token and s[i] == i]
    return min(([j for j in range(len(s)) if s[j] != j] for s in same), key=len)


@functools.cache
def cut_open(cut: tuple[int, int]) -> tuple[int, list[int], int | None]:
    """How many layers are needed, whom the second end mixes up with one less, how many connect."""
    hears = cut_star(cut)
    needed = next(m for m in range(1, 9) if not confusions(hears, m))
    return needed, mixed_up(hears, needed - 1, cut[1]), depth(hears)


@exercise(
    "ex-cheng-star",
    about=["cheng2025:cor-2"],
    asks="Six tokens: the host 0 hears all and is heard by all, and 1 to 5 form a ring around it. Cut the ring between "
    "{cut[0]} and {cut[1]}. How many layers are needed now, so that no token mixes up others? Which two does token "
    "{cut[1]} mix up with one layer less? And after how many layers has everybody heard of everybody?",
    hands_in=[whole("needed"), subset("mixed up", 0, 5), whole("connected")],
    varies={"cut": [(1, 5), (2, 1), (4, 3), (3, 2)]},
    rubric={
        "needed": "Not {given}. To have heard of all is one thing, to know whom each of them hears another.",
        "mixed up": "Not {given}. In the first layer the others learn whom they hear. Whose list reaches token "
        "{cut[1]} in the second layer?",
        "connected": "Not {given}. Everybody hears the host, and the host hears all.",
    },
    wrong={
        "connected is enough": (
            lambda cut: (2, cut_open(cut)[1], 2),
            "After two layers all have heard of all. But a token that has heard of two others, and not whom they hear, "
            "cannot place them: one more layer tells it.",
        ),
        "the two that were cut": (lambda cut: (3, list(cut), 2), "mixed up"),
        "one after the other": (lambda cut: (3, cut_open(cut)[1], 3), "connected"),
    },
    hint="Follow the views of one end of the cut ring: whose lists does it get to know?",
    why="To have heard of all is not yet to know who hears whom: that takes a layer more.",
)
def cheng_star(cut: tuple[int, int]) -> tuple[int, list[int], int | None]:
    """All orders, all views."""
    return cut_open(cut)


def chosen(n: int, keys: int) -> list[tuple[set[int], ...]]:
    """All patterns in which each token hears itself and so many others."""
    rows = [[{i, *others} for others in itertools.combinations({*range(n)} - {i}, keys)] for i in range(n)]
    return list(itertools.product(*rows))


@functools.cache
def chances(n: int) -> tuple[Fraction, int, Fraction]:
    """Which share connects, by how many permutations those are kept, which share the swap of 0 and 1 keeps."""
    patterns = chosen(n, 1)
    connect = [hears for hears in patterns if depth(hears)]
    (kept,) = {automorphisms([sorted(row) for row in hears]) for hears in connect}
    swap = [1, 0, *range(2, n)]
    swapped = [hears for hears in patterns if all({swap[j] for j in hears[i]} == hears[swap[i]] for i in range(n))]
    return Fraction(len(connect), len(patterns)), kept, Fraction(len(swapped), len(patterns))


@exercise(
    "ex-cheng-chance",
    about=["cheng2025:random-patterns"],
    asks="{n} tokens, each of which hears itself and one other, drawn at random. With which probability does the "
    "pattern connect all? By how many permutations is such a pattern kept, once it connects? And with which "
    "probability can the tokens 0 and 1 be swapped, because they hear the same others and are heard by nobody, or "
    "hear each other and are heard by nobody else?",
    hands_in=[number("connects"), whole("kept by"), number("swapped")],
    varies={"n": [4, 5]},
    rubric={
        "connects": "Not {given}. Follow the hops from one token: they must lead through all and come back. How many "
        "such ways round are there among (n - 1)^n patterns?",
        "kept by": "Not {given}. A pattern that connects is a cycle. What keeps a cycle?",
        "swapped": "Not {given}. Count the patterns: whom 0 and 1 hear, times what is left to the others, who must "
        "hear neither.",
    },
    wrong={
        "none": (
            lambda n: (chances(n)[0], 1, chances(n)[2]),
            "That is what the paper says of random patterns. With one key each the patterns that connect are cycles, "
            "and a cycle can be turned.",
        ),
        "turned and reflected": (lambda n: (chances(n)[0], 2 * n, chances(n)[2]), "kept by"),
        "each order a cycle": (
            lambda n: (Fraction(n) * chances(n)[0], n, chances(n)[2]),
            "You counted each way round once from every token on it.",
        ),
        "one way only": (lambda n: (chances(n)[0], n, chances(n)[2] / 2), "swapped"),
    },
    hint="There are (n - 1)^n patterns, and (n - 1)! cycles through all tokens.",
    why="So one random key is too few: whatever connects has symmetries, and most patterns do not even connect.",
)
def cheng_chance(n: int) -> tuple[Fraction, int, Fraction]:
    """All patterns, one by one."""
    return chances(n)


HOPS = [[i, (i + 1) % 6] for i in range(6)]


@exercise(
    "ex-cheng-cycle",
    about=["cheng2025:directed"],
    asks="Six tokens, each of which hears itself and exactly one other, the same in all layers. Give such a pattern "
    "that connects all, in which token 0 hears {heard}. By how many permutations is it kept? And after how many layers "
    "has everybody heard of everybody?",
    hands_in=[pattern("pattern", 6), whole("kept by"), whole("layers")],
    varies={"heard": [3, 2, 4, 5, 1]},
    rubric={
        "one other": "Token {token} does not hear itself and exactly one other.",
        "begins": "Token 0 does not hear {heard}.",
        "connected": "Token {token} has heard of {heard} of the six, however many layers there are.",
        "kept by": "Not {given}. Where token 0 goes decides where the one that it hears goes, and so on.",
        "layers": "Not {given}. Each layer brings one token more.",
    },
    reference=lambda heard: (exchanged(HOPS, 1, heard), 6, 5),
    wrong={
        "two rings": (
            lambda heard: (exchanged([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]], 1, heard), 6, 5),
            "connected",
        ),
        "a ring both ways": (([[i, (i + 1) % 6, (i - 1) % 6] for i in range(6)], 12, 3), "one other"),
        "another one": (lambda heard: (exchanged(HOPS, 1, heard % 5 + 1), 6, 5), "begins"),
        "reflected": (lambda heard: (exchanged(HOPS, 1, heard), 12, 5), "kept by"),
        "halfway": (lambda heard: (exchanged(HOPS, 1, heard), 6, 3), "layers"),
    },
    entry=("one other", "begins", "connected"),
    hint="Follow the hops from one token: they must lead through all six.",
    why="So with one key besides itself no pattern that connects is without symmetry: n rotations always remain.",
)
def cheng_cycle(hears: Pattern, kept: int, layers: int, heard: int) -> Iterable[Check]:
    """Any cycle, and what is true of all of them."""
    odd = [i for i, row in enumerate(hears) if len(row) != 2 or i not in row]
    yield Check.none("one other", [{"token": i} for i in odd], cases=6)
    yield Check.none("begins", [] if heard in hears[0] else [{}])
    known = [{i} for i in range(6)]
    for _ in range(6):
        known = [known[i].union(*(known[j] for j in hears[i])) for i in range(6)]
    deaf = [{"token": i, "heard": len(k)} for i, k in enumerate(known) if len(k) < 6]
    yield Check.none("connected", deaf, cases=6)
    yield Check.none("kept by", [] if kept == 6 else [{"given": kept}])
    yield Check.none("layers", [] if layers == 5 else [{"given": layers}])
