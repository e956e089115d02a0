"""Exercises on Theorem 1: its hypotheses, what a group costs, and the three propositions that build its network."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from uatlib.certificate import Check

from ..answers import choice, number, numbers, subset, table, whole
from .exercise import exercise

PROMISED = "Theorem 1 promises it"
STRAIGHT, FIXED, DEAF, LINE, NO_ZERO = (
    "H is not nonlinear",
    "H is not affine-invariant",
    "tokens are not distinguished",
    "d is too small",
    "the zero map is missing",
)


def relu(t: Fraction) -> Fraction:
    """The positive part."""
    return max(t, Fraction(0))


def affine(h: Any) -> bool:
    """Whether a function of one number has no bend at a few points."""
    at = [Fraction(k, 2) for k in range(-6, 7)]
    return all(h(a) + h(b) == 2 * h((a + b) / 2) for a, b in itertools.product(at, at))


def keeps_zero(members: Sequence[Any]) -> bool:
    """Whether all members are 0 at 0, so that no shift of one that is not 0 elsewhere belongs to them."""
    return all(h(Fraction(0)) == 0 for h in members)


@exercise(
    "ex-condition-hypotheses",
    about=["cheng2025:thm-1", "cheng2025:def-2", "cheng2025:thm-1-needs"],
    asks="Transformers on all orders, G = S_n, n = 3. Which hypothesis of Theorem 1 fails, if any? A) Softmax "
    "attention with biases, ReLU layers W relu(Ax - b), d = 2. B) As A, but ReLU layers without b. C) The mean of all "
    "tokens times a matrix, ReLU layers with b, d = 2. D) Softmax attention with biases, all affine maps in place of "
    "ReLU layers, d = 2. E) As A, but tokens are numbers. F) As A, but of all attention layers only those with an "
    "invertible W_V.",
    hands_in=[choice(name, PROMISED, STRAIGHT, FIXED, DEAF, LINE, NO_ZERO) for name in "ABCDEF"],
    rubric={
        "A": "Go through the list: a bend, all affine changes, two entries, the zero map by W_V = 0. And softmax tells "
        "tokens apart, even a token 0, whose query is the bias.",
        "B": "It bends. But with h, W h(Ax - b) must be a member, too. Which value has every member at 0?",
        "C": "H is as in A. Which two sets of three numbers have one mean?",
        "D": "Affine maps are affine-invariant. What else does Definition 2 ask for?",
        "E": "Everything else is as in A. Which hypothesis is about the size of a token?",
        "F": "Which W_V gives the map that adds nothing?",
    },
    wrong={
        "all promised": (
            lambda: (PROMISED,) * 6,
            "Theorem 1 promises the first alone. Some of the others are universal all the same, but by another proof: "
            "go through the hypotheses one by one.",
        ),
        "biases are a detail": (lambda: (PROMISED, PROMISED, DEAF, STRAIGHT, LINE, NO_ZERO), "B"),
        "affine is affine": (lambda: (PROMISED, FIXED, DEAF, FIXED, LINE, NO_ZERO), "D"),
        "no matter": (lambda: (PROMISED, FIXED, DEAF, STRAIGHT, LINE, PROMISED), "F"),
        "means will do": (lambda: (PROMISED, FIXED, PROMISED, STRAIGHT, LINE, NO_ZERO), "C"),
    },
    hint="Five hypotheses: H bends, H stays when space is stretched and moved, A tells tokens apart, d >= 2, 0 is in "
    "A.",
    why="Each hypothesis is a question to ask of a real transformer, and most of them are answered by looking at "
    "its code.",
)
def condition_hypotheses() -> tuple[str, ...]:
    """Each from what it is made of."""
    return hypotheses()


@functools.cache
def hypotheses() -> tuple[str, ...]:
    """The first hypothesis that fails, for the six."""
    bent = [lambda x, b=b: relu(x - b) for b in (-1, 0, 2)]
    without = [lambda x, a=a: relu(a * x) for a in (-1, 1, 2)]
    lines = [lambda x, a=a, b=b: a * x + b for a in (-1, 2) for b in (0, 3)]
    one, other = (0, 1, 5), (0, 2, 4)
    deaf = sum(one) == sum(other)
    families: list[tuple[Any, bool, int, bool]] = [
        (bent, False, 2, True),
        (without, False, 2, True),
        (bent, deaf, 2, True),
        (lines, False, 2, True),
    ]
    families += [(bent, False, 1, True), (bent, False, 2, False)]
    return tuple(failing(*family) for family in families)


def failing(members: Sequence[Any], deaf: bool, d: int, zero: bool) -> str:
    """The first hypothesis that fails."""
    if all(map(affine, members)):
        return STRAIGHT
    if keeps_zero(members):
        return FIXED
    return DEAF if deaf else LINE if d < 2 else PROMISED if zero else NO_ZERO


GROUPS = {"all orders": "symmetric", "rotations": "cyclic", "none": "trivial"}


@functools.cache
def orbits(N: int, n: int, group: str) -> int:
    """Sequences of n different ones of N cells, as many as no element of the group takes to each other."""
    moves = {
        "symmetric": list(itertools.permutations(range(n))),
        "cyclic": [tuple((k + by) % n for k in range(n)) for by in range(n)],
        "trivial": [tuple(range(n))],
    }[group]
    rows = itertools.permutations(range(N), n)
    return len({min(tuple(row[k] for k in s) for s in moves) for row in rows})


@exercise(
    "ex-condition-answers",
    about=["cheng2025:build"],
    asks="Tokens of one number, N = {case[0]} cells, n = {case[1]} tokens; sequences with two tokens in one cell are "
    "given up. For how many tokens, each in its context, must the memory of the network keep an answer, if f respects "
    "all orders? If it respects rotations of the places only? And if it respects nothing?",
    hands_in=[whole("all orders"), whole("rotations"), whole("nothing")],
    varies={"case": [(5, 3), (6, 3), (6, 4), (7, 3), (7, 4)]},
    rubric={
        "all orders": "Not {given}. A context is a set: how many sets are there, and how many tokens has each?",
        "rotations": "Not {given}. How many orders of one set are no rotations of each other?",
        "nothing": "Not {given}. Now each order of each set has answers of its own.",
    },
    wrong={
        "contexts": (
            lambda case: tuple(orbits(*case, group) for group in GROUPS.values()),
            "That is how many contexts there are. Each of them has {case[1]} tokens, and each token its answer.",
        ),
        "the more symmetry, the more": (
            lambda case: tuple(case[1] * orbits(*case, group) for group in ("trivial", "cyclic", "symmetric")),
            "It is the other way round: what f respects need not be learned by heart for each order.",
        ),
        "rotations do nothing": (
            lambda case: tuple(case[1] * orbits(*case, g) for g in ("symmetric", "trivial", "trivial")),
            "rotations",
        ),
    },
    hint="Count sequences of different cells first. A group of so many elements makes as many of them one.",
    why="What f respects, the memory need not learn: that is all a symmetry saves.",
)
def condition_answers(case: tuple[int, int]) -> tuple[int, ...]:
    """Orbit by orbit."""
    return tuple(case[1] * orbits(*case, group) for group in GROUPS.values())


@exercise(
    "ex-condition-marks",
    about=["cheng2025:def-1"],
    asks="Tokens are numbers from 0 to {case[0]}, three places. Name an encoding E = (E_1, E_2, E_3) that lifts: x + "
    "E_k shows the place k, as the intervals of the places are more than {case[1]} apart, and all sums lie in [0, 1].",
    hands_in=numbers("E", 3),
    varies={
        "case": [
            (Fraction(1, 4), Fraction(1, 10)),
            (Fraction(1, 5), Fraction(1, 6)),
            (Fraction(1, 8), Fraction(1, 4)),
            (Fraction(3, 10), Fraction(1, 50)),
        ]
    },
    rubric={
        "in the box": "At place {place} the sums run from {low} to {high}.",
        "apart": "Place {one} has sums up to {high}, and place {other} from {low} on: a sum does not show its place "
        "with a gap of more than {case[1]}.",
    },
    reference=lambda case: [0, (1 - case[0]) / 2, 1 - case[0]],
    wrong={
        "side by side": (lambda case: [0, case[0], 2 * case[0]], "apart"),
        "one apart": ([0, 1, 2], "in the box"),
        "none": ([0, 0, 0], "apart"),
    },
    hint="Each place fills an interval as long as the tokens reach. Put three of them into [0, 1], with equal gaps.",
    why="Marks that are more than the tokens' reach apart turn places into values, and an equivariant network "
    "knows places.",
)
def condition_marks(E: Sequence[Fraction], case: tuple[Fraction, Fraction]) -> Iterable[Check]:
    """The three intervals, in the order in which they lie."""
    width, gap = case
    out = [{"place": k + 1, "low": e, "high": e + width} for k, e in enumerate(E) if e < 0 or e + width > 1]
    yield Check.none("in the box", out, cases=3)
    ordered = sorted((e, k + 1) for k, e in enumerate(E))
    near = [
        {"one": k, "high": e + width, "other": j, "low": f}
        for (e, k), (f, j) in itertools.pairwise(ordered)
        if f - (e + width) <= gap
    ]
    yield Check.none("apart", near, cases=2)


@exercise(
    "ex-more-rounding",
    about=["cheng2025:prop-2"],
    asks="Blocks are to come within {eps} of x^2 on [0, 2]; the broken line meets it at points equally far apart. How "
    "many pieces must the line have, at the least, and how many blocks of Proposition 2 is that?",
    hands_in=[whole("pieces"), whole("blocks")],
    varies={"eps": [Fraction(1, 100), Fraction(1, 25), Fraction(1, 50), Fraction(1, 400), Fraction(1, 200)]},
    rubric={
        "pieces": "Not {given}. On a piece of length l the chord is l^2/4 above the parabola, in the middle.",
        "blocks": "Not {given}. One block starts the line, and each further one bends it at a point.",
    },
    wrong={
        "as the error of steps": (
            lambda eps: (2 / eps, 2 / eps + 1),
            "A broken line is far better than steps: its error falls with the square of the length of a piece.",
        ),
        "half": (lambda eps: (pieces(eps, 2), pieces(eps, 2) + 1), "pieces"),
        "one a piece": (lambda eps: (pieces(eps), pieces(eps)), "blocks"),
    },
    hint="The chord over an interval of length l is off by l^2/4. With K pieces l = 2/K.",
    why="The number of blocks grows like the root of one over the error.",
)
def more_rounding(eps: Fraction) -> tuple[int, int]:
    """Tried one by one, at the middles of the pieces."""
    return pieces(eps), pieces(eps) + 1


def pieces(eps: Fraction, share: int = 1) -> int:
    """The least K for which the chords of K pieces are near enough, or for a multiple of their error."""
    return next(K for K in range(1, 1000) if share * chord_off(Fraction(2, K)) <= eps)


def chord_off(length: Fraction) -> Fraction:
    """How far the chord of x^2 over an interval from 0 is above it, in the middle."""
    return length**2 / 2 - (length / 2) ** 2


SQUARES = [
    [(2, 2), (2, 0), (0, 2), (0, 0)],
    [(1, 1), (1, 0), (0, 1), (0, 0)],
    [(1, 4), (4, 1), (1, 1), (4, 4)],
    [(0, 1), (1, 0), (-1, 0), (0, -1)],
]


def skewing(case: Sequence[tuple[int, int]]) -> list[list[Fraction]]:
    """Of small fractions, the first with which the first entries go in steps of 1."""
    grid = [Fraction(k, 6) for k in range(1, 13)]
    good = (
        (a, b)
        for a in grid
        for b in grid
        if all(y - x == 1 for x, y in itertools.pairwise(sorted(a * u + b * v for u, v in case)))
    )
    a, b = next(good)
    return [[a, b], [Fraction(0), Fraction(1)]]


@exercise(
    "ex-more-look-up",
    about=["cheng2025:prop-3"],
    asks="Four tokens are to get the answers {case[0]}, {case[1]}, {case[2]} and {case[3]}. The blocks of Proposition "
    "3 meet answers exactly if their first entries all differ. Name a matrix A with which they do, A y in place of y: "
    "in steps of exactly 1, and so that one more block can undo it.",
    hands_in=table("A", 2, 2),
    varies={"case": SQUARES},
    rubric={
        "differ": "The answers {one} and {other} both get the first entry {entry}.",
        "steps of 1": "All first entries differ. In order they are {entries}.",
        "undone": "The determinant of A is 0: what it has made one number cannot be told apart again.",
    },
    reference=skewing,
    wrong={
        "nothing": ([[1, 0], [0, 1]], "differ"),
        "a quarter turn": ([[0, -1], [1, 0]], "differ"),
        "any skew": ([[1, Fraction(1, 3)], [0, 1]], "steps of 1"),
        "flat": (lambda case: [skewing(case)[0]] * 2, "undone"),
    },
    entry=("differ",),
    hint="Skew the square: first entries are a u + b v. Which a and b put its four corners one step apart?",
    why="After such a matrix the answers stand one step apart in one entry, which is all that the blocks of "
    "Proposition 3 ask for.",
)
def more_look_up(A: Sequence[Sequence[Fraction]], case: Sequence[tuple[int, int]]) -> Iterable[Check]:
    """First entries of A y, in order; and the determinant."""
    first = [A[0][0] * y[0] + A[0][1] * y[1] for y in case]
    twice = [
        {"one": tuple(case[a]), "other": tuple(case[b]), "entry": first[a]}
        for a, b in itertools.combinations(range(4), 2)
        if first[a] == first[b]
    ]
    yield Check.none("differ", twice, cases=6)
    row = sorted(first)
    even = all(b - a == 1 for a, b in itertools.pairwise(row))
    yield Check.none("steps of 1", [] if even else [{} if twice else {"entries": tuple(row)}])
    flat = A[0][0] * A[1][1] == A[0][1] * A[1][0]
    yield Check.none("undone", [{}] if flat else [])


@exercise(
    "ex-more-interpolation",
    about=["cheng2025:prop-1"],
    asks="All tokens add the mean of their sequence. Which (x, x) is then given the answer that was learned for the "
    "first token of {pair}? And which for the second?",
    hands_in=[number("first"), number("second")],
    varies={"pair": [(0, 2), (1, 3), (0, 4), (2, 5), (-1, 2)]},
    rubric={
        "first": "Not {given}. Where does the first token go, and where does x go in (x, x)?",
        "second": "Not {given}. The same for the second token: what does it become?",
    },
    wrong={
        "itself": (
            lambda pair: pair,
            "In (x, x) the mean is x. In {pair} it is another number, so that x ends elsewhere than the token does.",
        ),
        "the sum": (lambda pair: tuple(Fraction(x + sum(pair), 3) for x in pair), "first"),
        "the mean for both": (lambda pair: (Fraction(sum(pair), 2),) * 2, "first"),
    },
    hint="x becomes 2x in (x, x).",
    why="So what was learned for one sequence is given to another one, and nobody has asked for that.",
)
def more_interpolation(pair: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Half of where the token goes."""
    one, other = (Fraction(x + Fraction(sum(pair), 2)) / 2 for x in pair)
    return one, other


@exercise(
    "ex-more-labels",
    about=["cheng2025:memorisation"],
    asks="All sets of {case[1]} out of {case[0]} tokens are sequences, each token of each has a label. One layer of "
    "attention tells all tokens apart, one of ReLUs gives the labels. How many ReLUs does it have? And how many pairs "
    "of sequences must some weights tell apart, so that Theorem 2 finds one set of weights for all?",
    hands_in=[whole("ReLUs"), whole("pairs")],
    varies={"case": [(6, 3), (5, 2), (6, 2), (7, 3), (6, 4)]},
    rubric={
        "ReLUs": "Not {given}. A broken line through so many points bends at all but one. How many points are there?",
        "pairs": "Not {given}. The theorem looks at two sequences at a time: how many are there of them?",
    },
    wrong={
        "one for each token": (
            lambda case: (math.comb(*case) * case[1], math.comb(math.comb(*case), 2)),
            "One too many: the bias gives the first label, and each ReLU bends the line at one of the points behind.",
        ),
        "a token is a token": (
            lambda case: (case[0] - 1, math.comb(math.comb(*case), 2)),
            "A token has another label in another sequence. The attention layer makes of each token as many numbers as "
            "it has contexts.",
        ),
        "all sets of sequences": (
            lambda case: (math.comb(*case) * case[1] - 1, 2 ** math.comb(*case)),
            "pairs",
        ),
    },
    hint="Count the sequences, then all their tokens: that many points lie on the line.",
    why="The width grows with all tokens of all sequences, the number of pairs with the square of the sequences.",
)
def more_labels(case: tuple[int, int]) -> tuple[int, int]:
    """One by one."""
    rows = list(itertools.combinations(range(case[0]), case[1]))
    return sum(len(row) for row in rows) - 1, sum(1 for _ in itertools.combinations(rows, 2))


CONTEXTS = [((1, 2, 5), (1, 3, 5)), ((2, 4, 7), (2, 6, 7)), ((1, 2, 5, 6), (1, 3, 5, 6)), ((1, 2, 4), (1, 2, 6))]


@exercise(
    "ex-more-peel",
    about=["cheng2025:lem-1"],
    asks="A token hears {case[0]} and {case[1]} with the weights 2^(t y). From the strongest on: how many tokens do "
    "both have before one has another? By which 2^(c t) must the difference of what is heard be multiplied, so that "
    "it tends to a limit other than 0? And to which, the second less the first?",
    hands_in=[whole("shared"), number("c"), number("limit")],
    varies={"case": CONTEXTS},
    rubric={
        "shared": "Not {given}. Order all tokens of both, the largest first.",
        "c": "Not {given}. The first token that only one has is weaker than the strongest by how many powers?",
        "limit": "Not {given}. Where one has a token and the other not, it pulls from the strongest towards itself.",
    },
    wrong={
        "all in common": (
            lambda case: (len({*case[0]} & {*case[1]}), *peeled(case)[1:]),
            "shared",
        ),
        "the other way round": (
            lambda case: (*peeled(case)[:2], -peeled(case)[2]),
            "That is the first less the second.",
        ),
        "one step": (lambda case: (peeled(case)[0], 0 if peeled(case)[1] else 1, peeled(case)[2]), "c"),
    },
    hint="Lemma 1: apart by (x_(q+1) - x_1) k_(q+1)/k_1, where x_1, ..., x_q are what both have.",
    why="One comparison at the first token that differs settles what is heard for sharp heads: this is Lemma 1.",
)
def more_peel(case: tuple[Sequence[int], Sequence[int]]) -> tuple[int, int, int]:
    """By the order of the keys."""
    return peeled(case)


def peeled(case: Sequence[Sequence[int]]) -> tuple[int, int, int]:
    """How many are shared, by what the next is weaker, and how it pulls."""
    one, other = case
    order = sorted({*one, *other}, reverse=True)
    q = next(k for k, x in enumerate(order) if (x in one) != (x in other))
    if q == 0:  # the strongest differ: the difference itself has a limit
        return 0, 0, max(other) - max(one)
    pull = order[q] - order[0]
    return q, -pull, pull if order[q] in other else -pull


CLOUDS = [
    [(2, 0), (0, 2), (-2, -2), (1, 1), (1, 0)],
    [(3, 1), (1, 3), (2, 2), (-1, -1), (0, 1)],
    [(0, 3), (3, 0), (-3, 0), (0, 1), (-1, 1)],
    [(2, 2), (-2, 2), (0, -2), (1, 1), (0, 1)],
]
Point = Sequence[int]


def cross(a: Point, b: Point, c: Point) -> int:
    """On which side of the way from a to b the point c lies."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_corner(x: Point, others: Sequence[Point]) -> bool:
    """Whether x is in no segment between two of the others and in no triangle of three."""
    for a, b in itertools.combinations(others, 2):
        along = (x[0] - a[0]) * (x[0] - b[0]) + (x[1] - a[1]) * (x[1] - b[1])
        if cross(a, b, x) == 0 and along < 0:
            return False
    for a, b, c in itertools.combinations(others, 3):
        turns = [cross(a, b, x), cross(b, c, x), cross(c, a, x)]
        if min(turns) > 0 or max(turns) < 0:
            return False
    return True


def is_free(x: Point, others: Sequence[Point]) -> bool:
    """Whether nobody as long or shorter lies on the same line through 0."""
    return not any(x[0] * y[1] == x[1] * y[0] and y[0] ** 2 + y[1] ** 2 <= x[0] ** 2 + x[1] ** 2 for y in others)


@exercise(
    "ex-more-order",
    about=["cheng2025:lem-2"],
    asks="Five tokens: 1. {cloud[0]}, 2. {cloud[1]}, 3. {cloud[2]}, 4. {cloud[3]}, 5. {cloud[4]}. Which of them can "
    "some W_K make the strongest, as t grows, if the kernel is exp? And which, if it is RBF? Give their numbers.",
    hands_in=[subset("exp", 1, 5), subset("RBF", 1, 5)],
    varies={"cloud": CLOUDS},
    rubric={
        "exp": "Not {given}. Under exp the strongest is the farthest in some direction.",
        "RBF": "Not {given}. Under RBF the strongest has the shortest key. Whose key is always as short as another's, "
        "or longer?",
    },
    wrong={
        "all": (
            lambda cloud: ([1, 2, 3, 4, 5], list(strongest(cloud)[1])),
            "Under exp a token that is an average of others is never farther than all of them, in any direction.",
        ),
        "corners twice": (
            lambda cloud: (list(strongest(cloud)[0]), list(strongest(cloud)[0])),
            "RBF does not ask for the farthest: a W_K that is nearly 0 along one line makes the keys there the "
            "shortest.",
        ),
        "everybody under RBF": (lambda cloud: (list(strongest(cloud)[0]), [1, 2, 3, 4, 5]), "RBF"),
    },
    hint="Draw the five. Which are corners of their hull? Which lie on one line through 0 with a shorter one?",
    why="exp can call only the corners of the hull, RBF only those whose key is shortest in some view.",
)
def more_order(cloud: Sequence[Point]) -> tuple[list[int], list[int]]:
    """Token by token."""
    return strongest(cloud)


def strongest(cloud: Sequence[Point]) -> tuple[list[int], list[int]]:
    """The numbers of corners, and of those that no shorter one shadows."""
    found = [[], []]  # type: list[list[int]]
    for k, x in enumerate(cloud):
        others = [y for y in cloud if y != x]
        for row, rule in zip(found, (is_corner, is_free), strict=True):
            row += [k + 1] if rule(x, others) else []
    return found[0], found[1]


Steps = Sequence[Fraction]


def stepped(steps: Steps, token: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Three steps, each of which moves one entry by an affine function of the other."""
    x, y = Fraction(token[0]), Fraction(token[1])
    for k in range(3):
        slope, shift = steps[2 * k], steps[2 * k + 1]
        x, y = (x + slope * y + shift, y) if k == 1 else (x, y + slope * x + shift)
    return x, y


@exercise(
    "ex-condition-swap",
    about=["cheng2025:thm-1-needs"],
    asks="No bend: each step adds an affine function of one entry to the other entry, so that (x, y) becomes (x, y + s "
    "x + t) or (x + s y + t, y). Some steps, however many, exchange the tokens (0, 0) and (1, 0). What is then the "
    "second entry of what the token {third} becomes? And exchange them: give s and t of three steps, the first and the "
    "third on y, the second on x, six numbers.",
    hands_in=[number("entry"), numbers("steps", 6)],
    varies={"third": [(2, 3), (3, 2), (-1, 4), (4, -2), (1, 5)]},
    rubric={
        "entry": "Not {given}. Of any three tokens every such step keeps one number: which?",
        "first": "Your steps take (0, 0) to {end}.",
        "second": "Your steps take (1, 0) to {end}.",
    },
    reference=lambda third: (-third[1], [1, 0, -2, 1, 1, -1]),
    wrong={
        "it stays": (lambda third: (third[1], [1, 0, -2, 1, 1, -1]), "entry"),
        "on the line": (lambda third: (0, [1, 0, -2, 1, 1, -1]), "entry"),
        "a quarter turn": (lambda third: (-third[1], [1, 0, -1, 0, 1, 0]), "first"),
        "two steps": (lambda third: (-third[1], [1, 0, -1, 1, 0, 0]), "second"),
    },
    hint="Two tokens with one second entry cannot be exchanged by a step on x: take them apart first. And of the third "
    "token: what do such steps do to the area of a triangle?",
    why="They keep the area of any three tokens, with its sign, so the third has to cross the line. Affine layers of "
    "any kind have something like it: where three tokens go settles where all others go. So H must be nonlinear.",
)
def condition_swap(entry: Fraction, steps: Steps, third: tuple[int, int]) -> Iterable[Check]:
    """The signed area of the triangle, which no step changes; and where the two tokens go."""
    kept = third[1]  # twice the area of (0, 0), (1, 0), third; afterwards it is that of (1, 0), (0, 0), (u, v): -v
    yield Check.none("entry", [] if -entry == kept else [{"given": entry}])
    for name, token, to in (("first", (0, 0), (1, 0)), ("second", (1, 0), (0, 0))):
        end = stepped(steps, token)
        yield Check.none(name, [] if end == (Fraction(to[0]), Fraction(to[1])) else [{"end": end}])
