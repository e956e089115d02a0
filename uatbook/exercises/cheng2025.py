"""The exercises of Cheng et al.'s part."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import torch

from uatlib.certificate import Check

from ..answers import array, choice, function, number, pattern, subset, table, whole, wholes
from .exercise import exercise

Pattern = Sequence[Sequence[int]]


@exercise(
    "ex-condition-spread",
    about=["cheng2025:def-3", "cheng2025:not-necessary"],
    asks="Name five different whole numbers, {least} or larger, the largest as small as possible, such that no two "
    "sets of three of them have the same mean.",
    hands_in=wholes("tokens", 5),
    varies={"least": [0, 1, 2, 3, 10]},
    rubric={
        "five tokens": "Five different whole numbers, none below {least}.",
        "sums differ": "{one} and {other} have the same sum.",
        "smallest": "It works with a smaller largest token than {largest}.",
    },
    reference=lambda least: [least + t for t in (0, 1, 2, 4, 7)],
    wrong={
        "powers of two": (lambda least: [least + t for t in (0, 1, 2, 4, 8)], "smallest"),
        "in a row": (lambda least: [least + t for t in range(5)], "sums differ"),
        "squares": (lambda least: [least + t * t for t in range(5)], "smallest"),
        "four of them": (lambda least: [least + t for t in (0, 0, 1, 3, 7)], "five tokens"),
    },
    hint="A set of three is what a pair leaves over: compare sums of two.",
    why="With such tokens a single average is enough: put a feed-forward layer before it, and the cheapest of all "
    "mixers tells sets apart.",
)
def condition_spread(tokens: list[int], least: int) -> Iterable[Check]:
    """Ten different sums, largest 7 above the least: nothing smaller works, by trying all."""
    proper = len(set(tokens)) == 5 and min(tokens) >= least
    yield Check.none("five tokens", [] if proper else [{}])
    sums: dict[int, tuple[int, ...]] = {}
    same: list[dict[str, object]] = [] if proper else [{}]
    for three in itertools.combinations(sorted(set(tokens)), 3):
        same += [{"one": sums[sum(three)], "other": three}] if sum(three) in sums else []
        sums.setdefault(sum(three), three)
    yield Check.none("sums differ", same, cases=10)
    best = next(t for t in range(4, 20) if any(map(spread, itertools.combinations(range(t + 1), 5))))
    small = max(tokens) <= least + best
    yield Check.none("smallest", [] if not same and small else [{} if small else {"largest": max(tokens)}])


def spread(tokens: Sequence[int]) -> bool:
    """Whether all ten sums of three differ."""
    return len({sum(three) for three in itertools.combinations(tokens, 3)}) == 10


@exercise(
    "ex-condition-fool",
    asks="Design two sets `X` and `Y` of six whole numbers, from -9 to 9, with two numbers in common, {p} and one "
    "other, that one head of each of four kinds takes for one another at the token {p}, whatever its weights: the "
    "mean, linear attention (the sum of q x_j x_j), hardmax, and sigmoid attention (the sum of sigma(q x_j) x_j).",
    hands_in=[wholes("X", 6), wholes("Y", 6)],
    varies={"p": [6, 5, -7, -6, 7]},
    rubric={
        "proper": "Six different whole numbers each, from -9 to 9, with {p} in both.",
        "different": "They have {shared} numbers in common, and two are asked for: {p} and one other.",
        "mean": "The mean still hears them: {one} in X, {other} in Y.",
        "linear": "Linear attention still hears them: the squares add up to {one} in X, to {other} in Y.",
        "hardmax": "Hardmax still hears them: the {end} token is {one} in X, {other} in Y.",
        "sigmoid": "The sigmoid still hears them: it hears sizes, a sign left out, and those are {one} in X, {other} "
        "in Y.",
    },
    reference=lambda p: ((p, -p, 1, 4, -2, -3), (p, -p, -1, -4, 2, 3)),
    wrong={
        "in another order": (lambda p: ((p, -p, 1, 4, -2, -3), (-3, -2, 4, 1, -p, p)), "different"),
        "with a third": (lambda p: ((p, -p, 0, 1, 2, -3), (p, -p, 0, -1, -2, 3)), "different"),
        "one sign": (lambda p: ((p, -p, 1, 4, -2, -3), (p, -p, -1, -4, 2, 0)), "mean"),
        "one sum": (lambda p: ((p, -p, 1, -1, 2, -2), (p, -p, 3, -3, 4, -4)), "linear"),
        "ends of their own": (lambda p: ((p, -p, 9, -8, 1, -2), (p, -p, -9, 8, -1, 2)), "hardmax"),
        "sums and squares": (lambda p: ((p, -p, -4, -1, 1, 2), (p, -p, -3, -2, 0, 3)), "sigmoid"),
        "not in both": (lambda p: ((p, -p, 1, 4, -2, -3), (9, -9, -1, -4, 2, 3)), "proper"),
    },
    why="There is no fifth: softmax hears the derivative of the logarithm of the sum of e^(q x_j), which gives away "
    "the whole set.",
    entry=("proper", "different"),
    hint="Hardmax must find its ends in both sets: {p} is one of them. Then turn some tokens to their opposites.",
)
def condition_fool(X: list[int], Y: list[int], p: int) -> Iterable[Check]:
    """Sums, squares, ends and sizes settle what the four hear of a set at all queries q; p is not 0, so q is any."""
    proper = all(len({*row}) == 6 and p in row and max(map(abs, row)) <= 9 for row in (X, Y))
    shared = len({*X} & {*Y})
    different = shared == 2
    yield Check.none("proper", [] if proper else [{}])
    yield Check.none("different", [] if different else [{"shared": shared}])
    name, end = ("smallest", min) if min(X) != min(Y) else ("largest", max)
    settled: dict[str, Callable[[list[int]], Any]] = {
        "mean": lambda row: Fraction(sum(row), 6),
        "linear": lambda row: sum(t * t for t in row),
        "hardmax": end,
        "sigmoid": lambda row: tuple(sorted(map(abs, row))),
    }
    for mixer, of in settled.items():
        one, other = of(X), of(Y)
        told = {"one": one, "other": other, "end": name} if proper and one != other else {}
        yield Check.none(mixer, [] if proper and different and one == other else [told])


@exercise(
    "ex-cheng-kernel-line",
    about=["cheng2025:kernels-that-fail"],
    asks="Name whole numbers `A` and `B`, four each and none 0, such that a token p cannot tell p together with `A` "
    "from p together with `B` under the kernel (1 + x y)^2 + 1. Take numbers from -{most} to {most}.",
    hands_in=[wholes("A", 4), wholes("B", 4)],
    varies={"most": [50, 40, 60, 80]},
    rubric={
        "proper": "Four whole numbers each, from -{most} to {most}, none of them 0, and not the same in another order.",
        "powers": "The sums of the powers {power} are {one} and {other}: the weight times the value has this power, "
        "too.",
    },
    reference=lambda most: ((1, 5, 8, 12), (2, 3, 10, 11)),
    wrong={
        "only squares agree": (((1, 5, 6, 10), (-1, -5, -6, -10)), "powers"),
        "sums and squares": (((1, 5, 6, 9), (2, 3, 7, 9)), "powers"),
        "the same numbers": (((1, 5, 8, 12), (12, 8, 5, 1)), "proper"),
        "with 0": (((0, 4, 7, 11), (1, 2, 9, 10)), "proper"),
    },
    hint="Numbers symmetric about a centre have equal odd moments about it for free.",
    why="So a kernel that grows like a power fails the test of Corollary 1, and one pair of sequences shows it.",
)
def kernel_line(A: list[int], B: list[int], most: int) -> Iterable[Check]:
    """Equal sums of the powers 1 to 3: two of them from the kernel, one from the value."""
    proper = sorted(A) != sorted(B) and all(0 < abs(t) <= most for t in (*A, *B))
    yield Check.none("proper", [] if proper else [{}])
    differ = [(e, sum(t**e for t in A), sum(t**e for t in B)) for e in (1, 2, 3)]
    told = [{"power": e, "one": a, "other": b} for e, a, b in differ if a != b]
    yield Check.none("powers", told or ([] if proper else [{}]), cases=3)


def automorphisms(hears: Pattern) -> int:
    """The permutations s with s(N(i)) = N(s(i)) for all i, counted by trying all."""
    rows = [frozenset(row) for row in hears]
    n, count = len(rows), 0
    for s in itertools.permutations(range(n)):
        count += all(frozenset(s[j] for j in rows[i]) == rows[s[i]] for i in range(n))
    return count


ROWS = [[3 * (i // 3) + k for k in range(3)] for i in range(9)]
COLUMNS = [[i % 3 + 3 * k for k in range(3)] for i in range(9)]


@exercise(
    "ex-cheng-nine",
    about=["cheng2025:def-4"],
    asks="Nine tokens, each of which hears three, itself included. Name two patterns, the first and the second "
    "layer's, after which each has heard of all.",
    hands_in=[pattern("first", 9), pattern("second", 9)],
    rubric={
        "three each": "In the {layer} pattern token {token} does not hear three tokens with itself among them.",
        "connected": "After both layers token {token} has heard of {heard} of the nine only.",
    },
    reference=lambda: (ROWS, COLUMNS),
    wrong={
        "one pattern twice": (
            ([[i, (i + 1) % 9, (i + 3) % 9] for i in range(9)],) * 2,
            "One pattern used twice reaches at most seven tokens: itself, two more, and two by way of each of them.",
        ),
        "blocks twice": ((ROWS, ROWS), "connected"),
        "not itself": ((ROWS, [[(i + k) % 9 for k in (1, 3, 6)] for i in range(9)]), "three each"),
        "all hear all": (([list(range(9))] * 9, ROWS), "three each"),
    },
    hint="Arrange the nine tokens in a square of three by three.",
    why="Two layers of three keys do what one layer of full attention does with nine.",
)
def nine(first: Pattern, second: Pattern) -> Iterable[Check]:
    """Three each, and all heard of after two layers."""
    both = (("first", first), ("second", second))
    odd = [(name, i) for name, hears in both for i, row in enumerate(hears) if len(row) != 3 or i not in row]
    yield Check.none("three each", [{"layer": name, "token": i} for name, i in odd], cases=18)
    heard = [len(set().union(*(first[j] for j in row), row, first[i], [i])) for i, row in enumerate(second)]
    yield Check.none("connected", [{"token": i, "heard": k} for i, k in enumerate(heard) if k < 9], cases=9)


def on_a_line(order: Sequence[int], hears: Callable[[int, int], bool]) -> list[list[int]]:
    """The pattern in which places of this order hear each other, token by token."""
    place = {token: k for k, token in enumerate(order)}
    return [[j for j in range(7) if hears(place[i], place[j])] for i in range(7)]


@exercise(
    "ex-cheng-palindrome",
    asks="Give a pattern on 7 tokens that is kept by the identity and {case[0]} and by nothing else, and which "
    "connects all tokens in 3 layers or fewer.",
    hands_in=pattern("pattern", 7),
    varies={
        "case": [
            ("the reversal", [*range(7)]),
            ("the exchange of 0 with 1, 2 with 3, 4 with 5", [0, 2, 4, 6, 5, 3, 1]),
            ("the exchange of 0 with 4, 1 with 5, 2 with 6", [0, 1, 2, 3, 6, 5, 4]),
            ("the exchange of 1 with 2, 3 with 4, 5 with 6", [1, 3, 5, 0, 6, 4, 2]),
            ("the exchange of 0 with 2, 1 with 4, 3 with 6", [0, 1, 3, 5, 6, 4, 2]),
        ]
    },
    rubric={
        "reversal": "After {case[0]} it is another pattern: token {token} hears {one}, its mirror image {other}.",
        "nothing else": "It is kept by {count} permutations.",
        "connected in 3": "After three layers token {token} has heard of {heard} of the seven only.",
    },
    reference=lambda case: on_a_line(case[1], lambda i, j: abs(i - j) <= 2),
    wrong={
        "a closed ring": (lambda case: on_a_line(case[1], lambda i, j: (i - j) % 7 in (0, 1, 2, 5, 6)), "nothing else"),
        "window 1": (lambda case: on_a_line(case[1], lambda i, j: abs(i - j) <= 1), "connected in 3"),
        "causal": (lambda case: on_a_line(case[1], lambda i, j: j <= i), "reversal"),
        "all hear all": ([list(range(7))] * 7, "nothing else"),
    },
    entry=("connected in 3",),
    hint="Tokens at the ends of a line hear fewer others.",
    why="What the pattern keeps, no layer can break: reverse the text, and the answers are reversed.",
)
def palindrome(hears: Pattern, case: tuple[str, list[int]]) -> Iterable[Check]:
    """Two automorphisms, by trying all 5,040 permutations, and three layers."""
    image = dict(zip(case[1], case[1][::-1], strict=True))
    mirror = [sorted(image[j] for j in hears[image[i]]) for i in range(7)]
    odd = [
        {"token": i, "one": tuple(a), "other": tuple(b)}
        for i, (a, b) in enumerate(zip(hears, mirror, strict=True))
        if a != b
    ]
    yield Check.none("reversal", odd, cases=7)
    count = automorphisms(hears)
    told = {"count": count} if count > 2 else {}
    yield Check.none("nothing else", [] if count <= 2 and not odd else [told])
    known = [{i} for i in range(7)]
    for _ in range(3):
        known = [known[i].union(*(known[j] for j in hears[i])) for i in range(7)]
    yield Check.none(
        "connected in 3", [{"token": i, "heard": len(k)} for i, k in enumerate(known) if len(k) < 7], cases=7
    )


def reflected(c: tuple[Fraction, Fraction]) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """Three tokens, and the same with the last one reflected at c."""
    X = [[Fraction(1), Fraction(-1, 2), Fraction(2)], [Fraction(0), Fraction(3, 4), Fraction(1, 4)]]
    return X, [[*row[:2], 2 * centre - row[2]] for row, centre in zip(X, c, strict=True)]


def directions() -> list[list[list[float]]]:
    """Ten random W."""
    rng = random.Random(5)
    return [[[round(rng.gauss(0, 1), 3) for _ in range(2)] for _ in range(2)] for _ in range(10)]


DIRECTIONS = directions()
CENTRES = [("7/10", "-2/5"), ("1/2", "1/4"), ("-3/10", "3/5"), ("2/5", "9/10")]


@exercise(
    "ex-cheng-mirror",
    about=["cheng2025:mixer-check"],
    asks="Name two sequences of three tokens, two rows each, that mirror((c_1, c_2)) with c = ({c[0]}, {c[1]}) takes "
    "for one another at the first token, although they are not the same tokens in another order. (It sums cos(W (x_j "
    "- c)) over the tokens.)",
    hands_in=[table("X", 2, 3, "entry", "token"), table("Y", 2, 3, "entry", "token")],
    varies={"c": CENTRES},
    rubric={
        "different": "X and Y are the same tokens, in some order.",
        "first tokens": "The first tokens themselves differ: the mixer adds what it heard to them.",
        "taken for one another": "At W = {W} what is heard differs by {gap}.",
    },
    reference=lambda c: reflected((Fraction(c[0]), Fraction(c[1]))),
    wrong={
        "reflected at 0": (lambda c: reflected((Fraction(0), Fraction(0))), "taken for one another"),
        "the first token reflected": (
            lambda c: tuple([row[::-1] for row in Z] for Z in reflected((Fraction(c[0]), Fraction(c[1])))),
            "first tokens",
        ),
        "moved by a hair": (
            ([[1, 2, 3], [0, 1, 0]], [[1, 2, 3 + Fraction(1, 10**14)], [0, 1, 0]]),
            "taken for one another",
        ),
        "another order": (([[1, 2, 3], [0, 1, 0]], [[1, 3, 2], [0, 0, 1]]), "different"),
    },
    hint="The cosine is even: reflect one token at c.",
    entry=("different", "first tokens"),
    page={"W": DIRECTIONS},
    why="One reflected token, and the mixer is convicted at all weights at once.",
)
def mirror(X: Sequence[Sequence[Fraction]], Y: Sequence[Sequence[Fraction]], c: tuple[str, str]) -> Iterable[Check]:
    """The same first tokens, and the others but for reflections at c, exactly; ten W say how far off it is."""
    tokens = [[*zip(*Z, strict=True)] for Z in (X, Y)]
    same = sorted(tokens[0]) == sorted(tokens[1])
    yield Check.none("different", [{}] if same else [])
    yield Check.none("first tokens", [] if tokens[0][0] == tokens[1][0] else [{}])
    one, other = [sorted(folded(token, c) for token in Z) for Z in tokens]
    centre = [float(Fraction(x)) for x in c]
    gaps = []
    for W in DIRECTIONS:
        heard = [[sum(math.cos(dot(row, tuple(map(float, t)), centre)) for t in Z) for row in W] for Z in tokens]
        gaps.append(max(abs(a - b) for a, b in zip(*heard, strict=True)))
    first = next((k for k, gap in enumerate(gaps) if gap > 1e-12), 0)
    told = {} if same else {"W": DIRECTIONS[first], "gap": f"{gaps[first]:.2g}"}
    yield Check.none("taken for one another", [] if one == other and not same else [told], cases=10)


def folded(token: Sequence[Fraction], c: Sequence[str]) -> tuple[Fraction, ...]:
    """x - c, or c - x, whichever comes later: the cosine knows no more. Sums over W tell any two of these apart."""
    away = tuple(t - Fraction(x) for t, x in zip(token, c, strict=True))
    return max(away, tuple(-t for t in away))


def dot(row: Sequence[float], token: Sequence[float], centre: Sequence[float]) -> float:
    """w . (x - c)."""
    return sum(w * (x - c) for w, x, c in zip(row, token, centre, strict=True))


THETA = 64
"""Parameters that a repaired mixer may use."""
SCALES = (1, 1000)
Mixer = Callable[[Any, Any], Any]


def sequences(d: int) -> list[tuple[list[list[float]], list[list[float]]]]:
    """Pairs of sequences of 3 to 5 tokens with the same first token that a mixer must tell apart there."""
    rng = random.Random(11)
    pairs = []
    for n in (3, 4, 5):
        a, u, *rest = ([round(rng.uniform(-1, 1), 3) for _ in range(d)] for _ in range(n))
        by = [[k * t for t in u] for k in (1, 2, 3, 4)]
        common = [list(token) for token in rest[1:]]
        for one, other in (([by[0], by[3]], [by[1], by[2]]), ([by[0], by[1]], [by[0], by[2]]), ([u, rest[0]], [u, u])):
            pairs.append(tuple([list(row) for row in zip(a, *two, *common, strict=True)] for two in (one, other)))
    return pairs  # type: ignore[return-value]


def repair_calls(d: int) -> list[tuple[list[list[float]], list[float]]]:
    """Both of each pair at four parameters; then the first of each, turned round, and a thousand times as long."""
    rng = random.Random(13)
    thetas = [[round(rng.gauss(0, 1), 3) for _ in range(THETA)] for _ in range(4)]
    pairs = sequences(d)
    calls = [(Z, theta) for pair in pairs for theta in thetas for Z in pair]
    for X, _ in pairs:
        calls += [([row[::-1] for row in X], thetas[0]), ([[1000 * x for x in row] for row in X], thetas[0])]
    return calls


def attending(d: int, values: str, lifted: bool, scaled: bool = True) -> Mixer:
    """Softmax attention whose scores come of vectors of length 1: the mixing term above the weights."""

    def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        Z = torch.vstack([X, torch.ones_like(X[:1]) if lifted else torch.zeros_like(X[:1])])
        Z = Z / Z.norm(dim=0) if scaled else Z
        m = 4 * (d + 1)
        W_Q, W_K = theta[:m].reshape(2, 2, d + 1)
        weights = torch.softmax((W_K @ Z).T @ (W_Q @ Z), dim=0)
        heard = X if values == "tokens" else Z[:d]
        return torch.vstack([theta[m : m + d * d].reshape(d, d) @ heard @ weights, weights])

    return g


@exercise(
    "ex-cheng-repair",
    asks="Repair the mixer of directions for one layer: write `repaired(X, theta)`, X of shape ({d}, n), theta a "
    "vector of 64 parameters, of which you use as many as you like. Return `torch.vstack([term, weights])`: the mixing "
    "term, of shape ({d}, n), above the weights, of shape (n, n), whose columns add up to 1. Scores must come of "
    "vectors of length 1, so that weights stay bounded. (The judge looks at nine pairs at four parameters; check_mixer "
    "looks at more.)",
    hands_in=function("repaired", "X, theta", array("outputs"), tensors=True),
    varies={"d": [2, 3, 4, 5]},
    inputs=repair_calls,
    rubric={
        "weights": "At X = {X} the result is not a term of shape ({d}, n) above weights of shape (n, n), none "
        "negative, with columns that add up to 1.",
        "equivariant": "With the tokens of X = {X} turned round the answers are not the same, turned round.",
        "bounded": "With tokens a thousand times as long as in X = {X} two weights of a column have the ratio {ratio}.",
        "told apart": "The first tokens of X = {X} and Y = {Y} are told the same at all parameters.",
    },
    reference=lambda d: attending(d, "tokens", lifted=True),
    wrong={
        "values keep lengths": (lambda d: attending(d, "tokens", lifted=False), "told apart"),
        "directions alone": (lambda d: attending(d, "directions", lifted=False), "told apart"),
        "plain softmax": (lambda d: attending(d, "tokens", lifted=True, scaled=False), "bounded"),
        "no weights": (lambda X, theta: torch.vstack([X, torch.zeros(X.shape[1], X.shape[1])]), "weights"),
    },
    hint="Lift each token to (x, 1) before it is normalized.",
    entry=("weights", "equivariant", "bounded"),
)
def repair(calls: Sequence[tuple[Sequence[Any], Any]], d: int) -> Iterable[Check]:
    """Shapes and weights of all calls; symmetry and bounds at the first parameters; the nine pairs at all four."""
    odd = [X for (X, _), out in calls if out is None or not attends(out, len(X[0]), d)]
    yield Check.none("weights", [{"X": X} for X in odd], cases=len(calls))
    pairs = sequences(d)
    told, rest = calls[: 8 * len(pairs)], calls[8 * len(pairs) :]
    turned, ratios, alike = [], [], []
    for k, (X, Y) in enumerate(pairs) if not odd else []:
        own = told[8 * k][1]
        back, long = rest[2 * k][1], rest[2 * k + 1][1]
        for i in range(d):
            if max(abs(a - b) for a, b in zip(own[i], back[i][::-1], strict=True)) > 1e-9:
                turned.append({"X": X})
        for column in zip(*long[d:], strict=True):
            ratio = max(column) / min(column) if min(column) > 0 else math.inf
            ratios += [{"X": X, "ratio": f"{ratio:.3g}"}] if ratio > 1e6 else []
        rows = told[8 * k : 8 * k + 8]
        gaps = [abs(rows[2 * t][1][i][0] - rows[2 * t + 1][1][i][0]) for t in range(4) for i in range(d)]
        alike += [{"X": X, "Y": Y}] if max(gaps) < 1e-9 else []
    for name, bad in (("equivariant", turned), ("bounded", ratios), ("told apart", alike)):
        yield Check.none(name, [{}] if odd else bad, None, "sampled", cases=len(pairs))


def attends(out: Any, n: int, d: int) -> bool:
    """Whether it is a term of d rows above n rows of weights."""
    if not isinstance(out, list) or [len(row) if isinstance(row, list) else 0 for row in out] != [n] * (n + d):
        return False
    columns = list(zip(*out[d:], strict=True))
    return all(min(column) >= 0 and abs(sum(column) - 1) < 1e-9 for column in columns)


def heard_by(token: int, context: Sequence[int], beta: float = 1) -> float:
    """What a token hears of a context under softmax of the products."""
    weights = [math.exp(beta * token * (t - max(context))) for t in context]
    return sum(w * t for w, t in zip(weights, context, strict=True)) / sum(weights)


def meeting(case: tuple[tuple[int, ...], tuple[int, ...], int, int]) -> float:
    """The w with a + w h = b + w h'."""
    one, other, a, b = case
    return (b - a) / (heard_by(a, one) - heard_by(b, other))


@exercise(
    "ex-samples-meet",
    about=["cheng2025:thm-2"],
    asks="beta = 1. At which w do the token {case[2]} of {case[0]} and the token {case[3]} of {case[1]} come out "
    "equal? Four decimals are enough. And at how many w, at most, are any two of the six outputs equal?",
    hands_in=[number("w", tolerance="1/10000"), whole("bad")],
    varies={
        "case": [
            ((1, 2, 5), (1, 3, 4), 2, 3),
            ((1, 2, 6), (1, 3, 5), 2, 3),
            ((2, 3, 7), (2, 4, 6), 3, 4),
            ((1, 3, 7), (1, 4, 5), 3, 4),
        ]
    },
    rubric={
        "w": "At w = {given} they are not equal. {case[2]} + w h = {case[3]} + w h', with what the two hear.",
        "bad": "Not {given}. Two outputs a + w h and b + w h' meet at one w at most: how many twos are there?",
    },
    wrong={
        "the sign": (
            lambda case: (-meeting(case), 15),
            "The sign is turned: the smaller token must be lifted more than the larger.",
        ),
        "hardmax": (
            lambda case: (Fraction(1, max(case[0]) - max(case[1])), 15),
            "That is hardmax, where each hears the largest alone. At beta = 1 the others count a little.",
        ),
        "across alone": (
            lambda case: (meeting(case), 9),
            "Tokens of one sequence can meet as well: count all twos out of six.",
        ),
        "one": (lambda case: (meeting(case), 1), "bad"),
    },
    hint="Solve for w: it is one over the difference of what the two tokens hear.",
    why="Unlucky weights are finitely many, so a tiny step away from them is enough: that is how Theorem 2 finds "
    "one set of weights for all.",
)
def samples_meet(case: tuple[tuple[int, ...], tuple[int, ...], int, int]) -> tuple[float, int]:
    """The w, and the pairs of outputs."""
    return meeting(case), sum(1 for _ in itertools.combinations([*case[0], *case[1]], 2))


HOLDS, ROUGH, ALIKE, PIECES = (
    "none fails",
    "g is not analytic",
    "a pair is not told apart",
    "the weights are not connected",
)


@exercise(
    "ex-samples-fails",
    about=["cheng2025:thm-2"],
    asks="{N} sequences of three numbers, among them (1, 2, 6) and (1, 3, 5), no two of them permutations of each "
    "other, no token 0. Which hypothesis of Theorem 2 fails for one layer of A) softmax attention, B) the mean of "
    "all tokens times a weight, C) a sum over tokens of max(0, 1 - |x - theta|), D) softmax attention with a weight "
    "W_V that may be any number but 0, E) a sum of exp(-1/(1 - t^2)), t = x - theta, where |t| < 1? And how many "
    "twos of sequences have to be looked at?",
    hands_in=[*(choice(name, HOLDS, ROUGH, ALIKE, PIECES) for name in "ABCDE"), whole("twos")],
    varies={"N": [10, 8, 12, 20, 7]},
    rubric={
        "A": "An exponential over a sum that is never 0 is analytic; and softmax tells such pairs apart.",
        "B": "What does the token 1 hear in the two sequences that are named?",
        "C": "Look at the corners of this hole.",
        "D": "Can one walk from W_V = -1 to W_V = 1 without W_V = 0?",
        "E": "All derivatives at the edge of this hole are 0. What would a power series make of that?",
        "twos": "Not {given}. Each sequence with each other, once.",
    },
    wrong={
        "smooth is enough": (lambda N: (HOLDS, ALIKE, ROUGH, PIECES, HOLDS, N * (N - 1) // 2), "E"),
        "a mean is analytic": (lambda N: (HOLDS, HOLDS, ROUGH, PIECES, ROUGH, N * (N - 1) // 2), "B"),
        "one number less": (lambda N: (HOLDS, ALIKE, ROUGH, HOLDS, ROUGH, N * (N - 1) // 2), "D"),
        "softmax divides": (lambda N: (ROUGH, ALIKE, ROUGH, PIECES, ROUGH, N * (N - 1) // 2), "A"),
        "both orders": (
            lambda N: (HOLDS, ALIKE, ROUGH, PIECES, ROUGH, N * (N - 1)),
            "Two sequences that are told apart are so in both orders: each two counts once.",
        ),
        "all sets": (
            lambda N: (HOLDS, ALIKE, ROUGH, PIECES, ROUGH, 2**N),
            "That is the number of sets of sequences. The point of Theorem 2 is that twos are enough.",
        ),
    },
    hint="Analytic, pairs, connected: three hypotheses. A mean of (1, 2, 6) is one of (1, 3, 5) as well.",
    why="Each hypothesis excludes one way to be unlucky everywhere; softmax attention passes all three.",
)
def samples_fails(N: int) -> tuple[str, str, str, str, str, int]:
    """The pair under the mean by its sums; a hole that is 0 on an interval is no power series there."""
    mean = ALIKE if sum((1, 2, 6)) == sum((1, 3, 5)) else HOLDS
    return HOLDS, mean, ROUGH, PIECES, ROUGH, sum(1 for _ in itertools.combinations(range(N), 2))


def in_the_plane(places: Sequence[Fraction]) -> bool:
    """Whether 0, u, -u and v, -v with other v are among the points with such entries."""
    points = set(itertools.product(places, repeat=2))
    opposite = {frozenset([(a, b), (-a, -b)]) for a, b in points if (a or b) and (-a, -b) in points}
    return (Fraction(0), Fraction(0)) in points and len(opposite) >= 2


def grids(most: int, at: Fraction) -> list[int]:
    """The N from 2 on whose cells of [-1, 1] have such tokens at this place of theirs, or at their ends."""
    return [N for N in range(2, most + 1) if in_the_plane([-1 + 2 * (k + at) / N for k in range(N + (at == 0))])]


@exercise(
    "ex-condition-zero",
    about=["cheng2025:def-3"],
    asks="Grids of N x N cells on [-1, 1]^2, N = 2 to {most}. Attention without biases mistakes (0, u, -u) for (0, "
    "v, -v). For which N are there such tokens, all different, among the corners of cells? And among their centres?",
    hands_in=[subset("corners"), subset("centres")],
    varies={"most": [7, 6, 8, 9]},
    rubric={
        "corners": "Not {given}. For which N is 0 a corner?",
        "centres": "Not {given}. For which N is 0 the centre of a cell?",
    },
    wrong={
        "turned around": (
            lambda most: (grids(most, Fraction(1, 2)), grids(most, Fraction(0))),
            "The other way round: with two cells a side 0 is a corner.",
        ),
        "everywhere": (
            lambda most: (range(2, most + 1), range(2, most + 1)),
            "Opposite tokens are always there. But 0 itself must be one of the points.",
        ),
        "corners alone": (lambda most: (grids(most, Fraction(0)), []), "centres"),
        "odd corners": (lambda most: (grids(most, Fraction(1, 2)), grids(most, Fraction(1, 2))), "corners"),
    },
    hint="Where are the corners on an axis for N = 2 and N = 3, and where the centres?",
    why="So attention without biases needs a box that keeps 0 off the grid, or a bias, before Theorem 1 is about it.",
)
def condition_zero(most: int) -> tuple[list[int], list[int]]:
    """Look at every grid."""
    return grids(most, Fraction(0)), grids(most, Fraction(1, 2))


SIGMA: dict[str, Callable[[float], float]] = {
    "arctan(t)": math.atan,
    "1/(1 + e^(-t - 1))": lambda t: 1 / (1 + math.exp(-t - 1)),
    "2 + t^3": lambda t: 2 + t**3,
    "e^t": math.exp,
    "max(0, t)": lambda t: max(0.0, t),
    "cosh(t)": math.cosh,
    "5 - sin(t)": lambda t: 5 - math.sin(t),
    "t + t^2": lambda t: t + t**2,
}
TAKEN, TOLD = "fooled", "not fooled by it"


def mirrored(names: Sequence[str]) -> tuple[str, ...]:
    """Whether each is a constant and an odd function, at a hundred places."""
    found = []
    for sigma in map(SIGMA.__getitem__, names):
        sums = [sigma(k / 20) + sigma(-k / 20) for k in range(100)]
        found.append(TAKEN if max(sums) - min(sums) < 1e-9 else TOLD)
    return tuple(found)


FOUR = [
    ("arctan(t)", "1/(1 + e^(-t - 1))", "2 + t^3", "max(0, t)"),
    ("5 - sin(t)", "e^t", "arctan(t)", "cosh(t)"),
    ("2 + t^3", "cosh(t)", "5 - sin(t)", "1/(1 + e^(-t - 1))"),
    ("arctan(t)", "t + t^2", "2 + t^3", "e^t"),
]


@exercise(
    "ex-cheng-triple",
    about=["cheng2025:mixer-check"],
    asks="Put another function in place of the sigmoid, and divide by nothing. Are p in (p, a, b, -a - b) and p in "
    "(p, -a, -b, a + b) alike, for all weights and all a, b, p in the plane, with A) {names[0]}, B) {names[1]}, "
    "C) {names[2]}, D) {names[3]}?",
    hands_in=[choice(name, TAKEN, TOLD) for name in "ABCD"],
    varies={"names": FOUR},
    rubric={
        "A": "Add the values at t and at -t: is the sum the same for all t?",
        "B": "Compare t and -t: what is left of an odd function, and does what is left depend on t?",
        "C": "A constant gives every token the same weight, and the sums of the tokens agree. What is the rest?",
        "D": "Which part of this function is even, and is that part a constant?",
    },
    wrong={
        "bounded ones": (
            (TAKEN, TAKEN, TOLD, TOLD),
            "The pair does not care how large a function is, only what it makes of t and -t.",
        ),
        "all": ((TAKEN,) * 4, "An even part that is no constant hears the difference of a and -a."),
        "none": ((TOLD,) * 4, "The proof used no more of the sigmoid than a constant and an odd part."),
        "the first turned": (lambda names: (TOLD, *mirrored(names)[1:]), "A"),
    },
    hint="A function is fooled when it is a constant and an odd function.",
    why="A constant and an odd function: whatever weight is of this kind, this one pair convicts it.",
)
def cheng_triple(names: Sequence[str]) -> tuple[str, ...]:
    """Each function at t and -t."""
    return mirrored(names)
