"""Exercises on Linformer, Skyformer and bias attention."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import choice, number, table, whole, wholes
from .exercise import exercise


def clash(F: Sequence[int]) -> dict[str, object]:
    """Two tokens of orders of 1 to 5 that get one number, x + sum of F_r x_r; or nothing."""
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    for X in itertools.permutations(range(1, 6)):
        heard = sum(f * x for f, x in zip(F, X, strict=True))
        for x in X:
            if x + heard in found:
                y, Y = found[x + heard]
                return {"x": x, "X": X, "y": y, "Y": Y, "number": x + heard}
            found[x + heard] = x, X
    return {}


@exercise(
    "ex-mixers-one-key",
    about=["cheng2025:lem-3", "cheng2025:kernel-linformer"],
    asks="One layer of Linformer with one key: its softmax has one weight, 1, so each token x hears the same sum F_1 "
    "x_1 + ... + F_5 x_5. Name F, five whole numbers from -{most} to {most}, with which the tokens of all 120 orders "
    "of 1, 2, 3, 4, 5 become 600 different numbers.",
    hands_in=wholes("F", 5),
    varies={"most": [13000, 1300, 1400, 1500]},
    rubric={
        "size": "Whole numbers from -{most} to {most}.",
        "all differ": "Token {x} of {X} and token {y} of {Y} both become {number}.",
    },
    reference=lambda most: [6**r for r in range(5)],
    wrong={
        "places": (([1, 2, 3, 4, 5]), "all differ"),
        "digits of five": (
            [5**r for r in range(5)],
            "all differ",
        ),
        "an average": ([1, 1, 1, 1, 1], "all differ"),
        "powers of a hundred": ([100**r for r in range(1, 6)], "size"),
    },
    entry=("size",),
    hint="Think of the sequence as the digits of a number, and leave room for the token itself below the last.",
    why="A fixed projection with one key can tell all orders apart, at the price of weights that grow like powers "
    "of n + 1.",
)
def one_key(F: list[int], most: int) -> Iterable[Check]:
    """All orders, in whole numbers."""
    yield Check.none("size", [] if max(map(abs, F)) <= most else [{}])
    pair = clash(F)
    yield Check.none("all differ", [pair] if pair else [], cases=600)


Row = Sequence[Fraction]


def left_over(columns: Sequence[tuple[Fraction, ...]]) -> Counter[tuple[Fraction, ...]]:
    """How often each token is there, less its opposite: all that an even weight leaves of x times it."""
    count: Counter[tuple[Fraction, ...]] = Counter()
    for x in columns:
        mirror = tuple(-t for t in x)
        if x > mirror:
            count[x] += 1
        else:
            count[mirror] -= 1
    return Counter({x: k for x, k in count.items() if k})


@exercise(
    "ex-mixers-zero",
    about=["cheng2025:cor-3"],
    asks="Skyformer with cosh of the product of query and key in place of its Gaussian: a token hears the sum of "
    "cosh(q . W_K x_j) W_V x_j. Name two sequences of three tokens, two rows each, none of them 0, with {first} as "
    "their first token, which no weights tell apart there, although they differ up to order.",
    hands_in=[table("X", 2, 3, "entry", "token"), table("Y", 2, 3, "entry", "token")],
    varies={"first": [(1, 2), (2, -1), (3, 1), (-1, 1), (1, 0)]},
    rubric={
        "first tokens": "Both must begin with the token {first}.",
        "no zero": "A token is 0 in {where}.",
        "different": "X and Y are the same tokens, in some order.",
        "alike": "Striking out opposite tokens leaves {one} tokens in X and {other} in Y that are not the same: some "
        "query hears them.",
    },
    reference=lambda first: ([[first[0], 1, -1], [first[1], 3, -3]], [[first[0], 2, -2], [first[1], 5, -5]]),
    wrong={
        "equal means": (
            lambda first: ([[first[0], 1, 4], [first[1], 3, 3]], [[first[0], 2, 3], [first[1], 3, 3]]),
            "alike",
        ),
        "a zero token": (
            lambda first: ([[first[0], 0, 0], [first[1], 0, 0]], [[first[0], 2, -2], [first[1], 5, -5]]),
            "no zero",
        ),
        "exchanged": (
            lambda first: ([[first[0], 1, -1], [first[1], 3, -3]], [[first[0], -1, 1], [first[1], -3, 3]]),
            "different",
        ),
    },
    entry=("first tokens", "no zero", "different"),
    hint="cosh is even. What do u and -u add to what is heard, for any query?",
    why="An even kernel cancels opposite tokens: what is left is all that anybody hears.",
)
def mixers_zero(X: Sequence[Row], Y: Sequence[Row], first: tuple[int, int]) -> Iterable[Check]:
    """What is left when opposite tokens are struck out, exactly."""
    one, other = ([tuple(Fraction(t) for t in x) for x in zip(*Z, strict=True)] for Z in (X, Y))
    yield Check.none("first tokens", [] if one[0] == other[0] == tuple(map(Fraction, first)) else [{}])
    empty = [{"where": name} for name, Z in (("X", one), ("Y", other)) if any(not any(x) for x in Z)]
    yield Check.none("no zero", empty)
    same = sorted(one) == sorted(other)
    yield Check.none("different", [{}] if same else [])
    rest = left_over(one), left_over(other)
    told = {"one": sum(map(abs, rest[0].values())), "other": sum(map(abs, rest[1].values()))}
    yield Check.none("alike", [] if rest[0] == rest[1] and not same else [told if rest[0] != rest[1] else {}])


@exercise(
    "ex-mixers-newton",
    about=["cheng2025:bias-powers"],
    asks="Bias attention with alpha(t) = t^{power}, everybody listens to all. Name two sequences of four "
    "different whole numbers from -{most} to {most}, not the same up to order, and a token of both that any layers "
    "send to the same number.",
    hands_in=[wholes("X"), wholes("Y"), whole("token")],
    varies={"power": [2], "most": [20, 9, 12, 15]},
    rubric={
        "sequences": "Four different whole numbers each, from -{most} to {most}, and not the same ones.",
        "shared": "The token {token} is not in both.",
        "sums agree": "The powers {e} add up to {one} in X and to {other} in Y: with some bias b the layer hears that.",
    },
    reference=lambda power, most: ([-1, 0, 4, 5], [-1, 1, 2, 6], -1),
    wrong={
        "sums alone": (([-1, 0, 1, 5], [-1, 0, 2, 4], -1), "sums agree"),
        "squares alone": (([0, 1, -4, 6], [0, 1, 4, 6], 0), "sums agree"),
        "not shared": (([-1, 0, 4, 5], [-1, 1, 2, 6], 0), "shared"),
        "one in two orders": (([0, 1, 2, 3], [3, 2, 1, 0], 0), "sequences"),
    },
    entry=("sequences", "shared"),
    hint="(t - b)^2 has the terms t^2, t and 1: sums and sums of squares must agree. Try three numbers each beside the "
    "shared one.",
    why="Power sums up to the second agree, and so does everything that such layers can compute: depth is no help.",
)
def mixers_newton(X: list[int], Y: list[int], token: int, power: int, most: int) -> Iterable[Check]:
    """Sums of the powers up to this one; all other layers hear no more."""
    sets = [set(row) for row in (X, Y)]
    fits = [
        len(row) == len(s) == power + 2 and max(map(abs, row), default=0) <= most
        for row, s in zip((X, Y), sets, strict=True)
    ]
    proper = all(fits) and sets[0] != sets[1]
    yield Check.none("sequences", [] if proper else [{}])
    yield Check.none("shared", [] if token in sets[0] & sets[1] else [{"token": token}])
    sums = [(e, sum(x**e for x in X), sum(y**e for y in Y)) for e in range(1, power + 1)]
    odd = [{"e": e, "one": a, "other": b} for e, a, b in sums if a != b] if proper else [{}]
    yield Check.none("sums agree", odd, cases=power)


ALONE, HELPED, NEVER = "mixing layers alone", "with feed-forward layers between", "never"


@exercise(
    "ex-mixers-alpha",
    about=["cheng2025:cor-5"],
    asks="n = {case[0]} tokens of one number, everybody listens to all: bias attention adds a sum of alpha(w x_j - b) "
    "over all tokens. What does it take to tell all sequences apart that differ up to order? A) alpha = tanh. B) "
    "alpha(t) = t^{case[1]}. C) alpha(t) = t^{case[2]}. D) alpha(t) = 1.",
    hands_in=[choice(name, ALONE, HELPED, NEVER) for name in "ABCD"],
    varies={"case": [(5, 3, 4), (4, 2, 3), (6, 4, 5), (7, 5, 6)]},
    rubric={
        "A": "tanh is analytic and no polynomial. What does the corollary say of such an alpha?",
        "B": "Sums of the powers up to {case[1]} agree for some sequences of {case[0]} tokens: no layer of this kind "
        "ever parts them. Does a feed-forward layer before it?",
        "C": "One token of the {case[0]} is shared; count the others. How many power sums determine so many numbers?",
        "D": "What does a token hear, if alpha does not depend on what is said?",
    },
    wrong={
        "growth is enough": (
            lambda case: (ALONE, HELPED, ALONE, HELPED),
            "That is the corollary as printed. A constant grows like a polynomial, too, and tells nobody anything: "
            "what stands between the layers sees each token alone.",
        ),
        "polynomials are deaf": (lambda case: (ALONE, NEVER, ALONE, NEVER), "B"),
        "all alike": (lambda case: (ALONE, ALONE, ALONE, NEVER), "B"),
        "nothing alone": (lambda case: (HELPED, HELPED, HELPED, NEVER), "A"),
    },
    hint="Polynomials: below n - 1 there are sequences that agree in all sums of powers. A feed-forward layer can "
    "spread the tokens first.",
    why="An alpha that is no polynomial needs no help; of the powers n - 1 is enough.",
)
def mixers_alpha(case: tuple[int, int, int]) -> tuple[str, ...]:
    """By whether it is a constant, and whether sums of as many powers determine n - 1 others."""
    n, low, high = case
    kinds: list[tuple[Callable[[float], float], int | None]] = [
        (math.tanh, None),
        (lambda t: t**low, low),
        (lambda t: t**high, high),
        (lambda t: 1.0, 0),
    ]
    return tuple(
        NEVER if len({f(t) for t in (-1.0, 0.5, 2.0)}) == 1 else ALONE if k is None or k >= n - 1 else HELPED
        for f, k in kinds
    )


Cluster = tuple[int, int]


def layered(tokens: Sequence[Fraction], a: Fraction, b: Fraction) -> list[Fraction]:
    """x + a times the sum of relu(x_j - b)."""
    heard = sum((max(x - b, Fraction(0)) for x in tokens), Fraction(0))
    return [x + a * heard for x in tokens]


@exercise(
    "ex-mixers-relu",
    about=["cheng2025:bias-relu"],
    asks="Clusters of three numbers, p - u, p and p + u, with (p, u) = {clusters[0]}, {clusters[1]} and "
    "{clusters[2]}. One bend cannot part the first tokens of many clusters at once, if they lie far from each other. "
    "Choose a and b so that one layer x + a (the sum of relu(x_j - b) over the cluster) carries the middle tokens of "
    "all three to one place.",
    hands_in=[number("a"), number("b")],
    varies={
        "clusters": [
            ((-5, 1), (2, 2), (7, 1)),
            ((-3, 1), (0, 1), (8, 2)),
            ((1, 1), (6, 3), (-7, 2)),
            ((-4, 2), (4, 1), (9, 3)),
        ]
    },
    rubric={
        "no bend": "b = {given} is above the token {token}: there the ReLU bends, and that cluster is not carried as a "
        "whole.",
        "one place": "The middle token {p} goes to {one}, and {q} goes to {other}.",
    },
    reference=lambda clusters: (Fraction(-1, 3), -20),
    wrong={
        "one third up": (lambda clusters: (Fraction(1, 3), -20), "one place"),
        "all of it": (lambda clusters: (-1, -20), "one place"),
        "a bend in the middle": (lambda clusters: (Fraction(-1, 3), 0), "no bend"),
    },
    hint="Below all tokens the ReLU does not bend: the sum over a cluster is 3 p - 3 b. What must a be, so that p + a "
    "(3 p - 3 b) does not depend on p?",
    why="One layer has made three far clusters meet: with alpha = ReLU a pair that one head parts another one may "
    "join.",
)
def mixers_relu(a: Fraction, b: Fraction, clusters: Sequence[Cluster]) -> Iterable[Check]:
    """All tokens above the bend, and the middle ones at one place."""
    low = min(p - u for p, u in clusters)
    yield Check.none("no bend", [] if b <= low else [{"given": b, "token": low}])
    ends = [(p, layered([Fraction(p - u), Fraction(p), Fraction(p + u)], a, b)[1]) for p, u in clusters]
    pairs = [{"p": p, "one": x, "q": q, "other": y} for (p, x), (q, y) in itertools.combinations(ends, 2) if x != y]
    yield Check.none("one place", pairs if pairs or b <= low else [{}], cases=3)
