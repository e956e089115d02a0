"""The exercises of Liu et al.'s part."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Check
from uatlib.layers import Attention, Head, LinearSum
from uatlib.model import Transformer

from ..answers import choice, network, number, numbers, table, whole, wholes
from .exercise import exercise

Row = Sequence[Fraction]


def in_triangle(u: Fraction, v: Fraction, corner: tuple[int, int]) -> bool:
    """Whether a point lies in the triangle with legs of length 1 at its corner, border included."""
    x, y = u - corner[0], v - corner[1]
    return x >= 0 and y >= 0 and x + y <= 1


@exercise(
    "ex-partition-triangle",
    about=["liu2025:prop-3-1"],
    asks="Four components, the first of them y = 0. Name slopes (three rows of two numbers) and offsets of the others "
    "such that the first cell is the triangle whose corners are the point {corner}, the one 1 to the right of it and "
    "the one 1 above it, border included.",
    hands_in=[table("slopes", 3, 2, "component", "entry"), numbers("offsets", 3)],
    varies={"corner": [(0, 0), (1, 0), (0, 1), (-1, 1), (1, 1)]},
    rubric={
        "inside": "The point {point} is in the triangle, but component {component} has {value} there, above 0.",
        "outside": "{point} is not in the triangle, but no component is above 0 there.",
    },
    reference=lambda corner: ([[-1, 0], [0, -1], [1, 1]], [corner[0], corner[1], -1 - sum(corner)]),
    wrong={
        "signs turned": (
            lambda corner: ([[1, 0], [0, 1], [-1, -1]], [-corner[0], -corner[1], 1 + sum(corner)]),
            "inside",
        ),
        "a side forgotten": (
            lambda corner: ([[-1, 0], [0, -1], [0, 0]], [corner[0], corner[1], 0]),
            "outside",
        ),
        "a hair too large": (
            lambda corner: ([[-1, 0], [0, -1], [1, 1]], [corner[0] - Fraction(1, 10**9), corner[1], -1 - sum(corner)]),
            "outside",
        ),
        "too large": (lambda corner: ([[-1, 0], [0, -1], [1, 1]], [corner[0], corner[1], -2 - sum(corner)]), "outside"),
    },
    hint="Let the triangle be the ground, and let one slope rise outwards from each side.",
    why="Each side is the foot of a slope: so any convex polygon with k sides is a cell of k + 1 components.",
)
def partition_triangle(slopes: Sequence[Row], offsets: Row, corner: tuple[int, int]) -> Iterable[Check]:
    """169 points around it, and two close to each side, without which a side may lie farther out."""
    bad: dict[str, list[dict[str, object]]] = {"inside": [], "outside": []}
    around = [(Fraction(i, 4), Fraction(j, 4)) for i in range(-4, 9) for j in range(-4, 9)]
    half = Fraction(1, 2)
    # Where a side is too far out by whatever can be written, no component is above 0 at the last three.
    sides = [((half, -t), (-t, half), (half + t, half)) for t in (Fraction(1, 10**6), Fraction(1, 10**2000))]
    for u, v in [*around, *sides[0], *sides[1]]:
        point = (u + corner[0], v + corner[1])
        values = [a[0] * point[0] + a[1] * point[1] + b for a, b in zip(slopes, offsets, strict=True)]
        top = max(values)
        if in_triangle(*point, corner) and top > 0:
            bad["inside"].append({"point": point, "component": values.index(top) + 2, "value": top})
        elif not in_triangle(*point, corner) and top <= 0:
            shown = "A point close to the middle of a side" if max(u.denominator, v.denominator) > 10**9 else point
            bad["outside"].append({"point": shown})
    for name, found in bad.items():
        yield Check.none(name, found, cases=len(around) + 6)


def sloping(c: Sequence[int], e: Sequence[int], R: int = 1000, skip: bool = False) -> Transformer:
    """One head that answers c_i x + e_i on the cells of max(-x, 1, x): left of -1, between, right of 1."""
    first, last = [[1], [0], [0], [0], [0]], [[0], [0], [0], [0], [1]]
    below = np.vstack([np.zeros((1, 3)), np.eye(3), [e]])
    linear = LinearSum([(first, [[1, 0, 0]]), (last, [list(c)])], below)
    keys = R * np.array([[0, -1, 0, 1, 0], [0, 0, 1, 0, 0]])
    values, output = [[0, 0, 0, 0, 1]], [[1]] if not skip else [[1], [0], [0], [0], [0]]
    ask = Head(w_q=[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], w_k=keys, w_v=values, w_o=output)
    return Transformer([linear, Attention([ask], skip=skip), LinearSum([(None, [[1], [0], [0]])])], n=1)


LINES = [((1, 0, -2), (0, 1, 3)), ((2, 1, 0), (1, 0, 2)), ((-1, 3, 1), (2, 0, -1)), ((0, -1, 2), (1, 1, 0))]


@exercise(
    "ex-indicator-sloping",
    asks="n = d = 1, and the cells are x < -1, -1 < x < 1, x > 1. Build a Transformer with one head of softmax that "
    "answers c x + e there, with the slopes c = {lines[0]} and the intercepts e = {lines[1]}, cell by cell: `sloped`. "
    "It is tried a tenth away from the borders and farther, to nine decimals.",
    hands_in=network("sloped"),
    varies={"lines": LINES},
    rubric={
        "one head": "One layer of softmax attention with one head; the other layers linear.",
        "values": "At x = {x} the answer is {given}. Which cell is that, and may the last row of Linear(X) hold x?",
    },
    reference=lambda lines: sloping(*lines),
    wrong={
        "constants only": (lambda lines: sloping((0, 0, 0), lines[1]), "values"),
        "soft": (lambda lines: sloping(lines[0], lines[1], R=1), "values"),
        "slopes reversed": (lambda lines: sloping(lines[0][::-1], lines[1]), "values"),
    },
    hint="The last row of the linear layer may hold x (c_1, ..., c_N) + (e_1, ..., e_N), and W_V may read it.",
)
def indicator_sloping(model: Transformer, lines: tuple[Sequence[int], Sequence[int]]) -> Iterable[Check]:
    """Points away from the borders, on both sides of each, in floats."""
    soft = [x for x in model.layers if isinstance(x, Attention)]
    fits = len(soft) == 1 and len(soft[0].heads) == 1 and soft[0].normalization == "softmax"
    fits = fits and all(isinstance(x, (Attention, LinearSum)) for x in model.layers)
    yield Check.none("one head", [] if fits else [{}])
    bad = []
    for x in (points := (-2.5, -1.1, -0.9, 0.3, 0.9, 1.1, 2.0)):
        given, cell = model([[x]], FLOAT64).ravel().tolist(), (x > -1) + (x > 1)
        if len(given) != 1 or not abs(given[0] - (lines[0][cell] * x + lines[1][cell])) < 1e-9:
            bad.append({"x": x, "given": given[0] if len(given) == 1 else tuple(given)})
    yield Check.none("values", bad, cases=len(points))


def rank(rows: Sequence[Row]) -> int:
    """The rank of a table, by elimination in fractions."""
    left, found = [list(row) for row in rows], 0
    for column in range(len(left[0])):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        found += 1
        left.remove(pivot)
        left = [[x - row[column] / pivot[column] * p for x, p in zip(row, pivot, strict=True)] for row in left]
    return found


def how_near(P: int) -> list[list[Fraction]]:
    """The table of 1 - |q - k| / 2 at the P centres of cells of [-1, 1]."""
    return [[1 - Fraction(abs(i - j), P) for j in range(P)] for i in range(P)]


CORNERS = [(6, 2), (7, 3), (9, 5), (10, 6), (7, 4)]


def multiples(case: tuple[int, int | None, str]) -> list[list[int]]:
    """A column times a row, with what is asked for in the corner."""
    return [[(case[1] or 1) * i * j for j in range(1, 5)] for i in range(1, 5)]


@exercise(
    "ex-cross-rank",
    about=["liu2025:thm-4-2"],
    asks="The values of a function of two tokens at P = 4 cells of each are a table of 4 rows and 4 columns. Name one "
    "that changes with each of the two tokens{case[2]}, and for which a single product of a column and a row is "
    "enough. And how many products does `how near` need at P = {case[0]}?",
    hands_in=[table("values", 4, 4, "key cell", "query cell"), whole("products")],
    varies={"case": [(8, None, ""), *((P, k, f", with {k} in its upper left corner") for P, k in CORNERS)]},
    rubric={
        "one product": "This table needs {rank} products.",
        "not constant": "The values depend on at most one of the two tokens, or are not those that were asked for.",
        "how near": "Not {given}. Subtract neighbouring rows, and then neighbours of these.",
    },
    reference=lambda case: (multiples(case), case[0]),
    wrong={
        "a sum": (
            lambda case: ([[(case[1] or 0) + i + j for j in range(4)] for i in range(4)], case[0]),
            "one product",
        ),
        "one token": (
            lambda case: ([[(case[1] or 0) + j for j in range(4)] for _ in range(4)], case[0]),
            "not constant",
        ),
        "one less": (lambda case: (multiples(case), case[0] - 1), "how near"),
    },
    hint="A product of two functions, one of each token, has a table of rank one.",
    why="The rank of the table says how many products it takes, and that of `how near` grows with the grid.",
)
def cross_rank(values: Sequence[Row], products: int, case: tuple[int, int | None, str]) -> Iterable[Check]:
    """Rank one, constant neither along rows nor along columns."""
    found = rank(values)
    yield Check("one product", found, "==", 1, {"rank": found})
    constant = all(row == values[0] for row in values) or all(len(set(row)) == 1 for row in values)
    P, first, _ = case
    other = first is not None and values[0][0] != first
    yield Check.none("not constant", [{}] if constant or other else [])
    yield Check.none("how near", [] if products == rank(how_near(P)) else [{"given": products}])


def kinks(slopes: Row, offsets: Row) -> list[Fraction]:
    """Where the largest of three lines changes, within [-1, 1]."""
    found = set()
    for i in range(3):
        for j in range(i):
            if slopes[i] != slopes[j]:
                x = (offsets[j] - offsets[i]) / (slopes[i] - slopes[j])
                top = max(a * x + b for a, b in zip(slopes, offsets, strict=True))
                if -1 <= x <= 1 and slopes[i] * x + offsets[i] == top:
                    found.add(x)
    return sorted(found)


def step_error(slopes: Row, offsets: Row, values: Row, step: Fraction) -> float:
    """The mean squared distance of the softmax head from 0 left of the step, 1 right of it, at 400 points."""
    total = 0.0
    for k in range(400):
        x = -1 + 2 * (k + 0.5) / 400
        scores = [float(a) * x + float(b) for a, b in zip(slopes, offsets, strict=True)]
        weights = [math.exp(s - max(scores)) for s in scores]
        gap = sum(w * float(v) for w, v in zip(weights, values, strict=True)) / sum(weights) - (x >= step)
        total += gap * gap
    return total / 400


R = 200


def three(kink: Fraction, step: Fraction, values: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Slopes -R, 0 and R, which meet at the kink and at the step."""
    return ([-R, 0, R], [R * kink, 0, -R * step], values)


@exercise(
    "ex-experiments-extra",
    about=["liu2025:exp-d1"],
    asks="A head with three components, sum_i v_i softmax_i(a_i x + b_i), is to follow one step on [-1, 1], from 0 to "
    "1 at x = {case[1]}, with a mean squared error below 0.001, and have a second kink at x = {case[0]}: kinks are "
    "where the largest of the lines a_i x + b_i changes. Name a, b and v.",
    hands_in=[numbers("slopes", 3), numbers("offsets", 3), numbers("values", 3)],
    varies={
        "case": [
            (Fraction(-3, 5), Fraction(1, 5)),
            (Fraction(-1, 2), Fraction(1, 4)),
            (Fraction(-2, 5), Fraction(2, 5)),
        ]
    },
    rubric={
        "kinks": "The largest of the three lines turns at {kinks}.",
        "follows": "The mean squared error is {error}.",
    },
    reference=lambda case: three(case[0], case[1], (0, 0, 1)),
    wrong={
        "three values": (lambda case: three(case[0], case[1], (0, Fraction(1, 2), 1)), "follows"),
        "one kink": (lambda case: ([-R, 0, R], [-9 * R, 0, -R * case[1]], (0, 0, 1)), "kinks"),
        "soft": (lambda case: ([-1, 0, 1], [case[0], 0, -case[1]], (0, 0, 1)), "follows"),
    },
    hint="What if two neighbouring components have the same value?",
    why="A kink that no step shows: so the number of kinks does not tell how many steps a head has learned.",
)
def experiments_extra(slopes: Row, offsets: Row, values: Row, case: tuple[Fraction, Fraction]) -> Iterable[Check]:
    """Kinks exactly, and the error at 400 points."""
    found = kinks(slopes, offsets)
    near = len(found) == 2 and all(abs(x - y) < Fraction(1, 10**6) for x, y in zip(found, case, strict=True))
    yield Check.none("kinks", [] if near else [{"kinks": tuple(found) or "no place"}])
    error = step_error(slopes, offsets, values, case[1])
    yield Check("follows", error, "<", 1e-3, {"error": error})


@exercise(
    "ex-partition-order",
    about=["liu2025:def-3-1", "liu2025:prop-3-1"],
    asks="Four components of one number x, y = a x + b, with the slopes a = {case[0]} and the offsets b = {case[1]}. "
    "Which of them, counted from 1, is the largest nowhere but perhaps at one point? In which order do the cells of "
    "the others stand, from left to right, and where are the two borders between them?",
    hands_in=[whole("hidden"), wholes("order", 3), numbers("borders", 2)],
    varies={
        "case": [
            ((1, -2, 0, -1), (0, 0, 1, -3)),
            ((2, -1, 1, 0), (-1, 1, -4, 2)),
            ((0, 1, -1, 3), (2, 0, 1, -2)),
            ((-3, 1, 0, -1), (-1, -2, 1, -1)),
        ]
    },
    rubric={
        "hidden": "Component {given} has a cell of its own. Draw the lines: which is always below another?",
        "order": "Not {given}. Far to the left the smallest slope wins, far to the right the largest.",
        "borders": "Not {given}. A border is where the lines of two neighbouring cells meet.",
    },
    wrong={
        "in the order of the offsets": (
            lambda case: (seen_from_left(*case)[0], seen_from_left(*case)[1][::-1], seen_from_left(*case)[2]),
            "That is the order from right to left: far to the left x is negative, and the smallest slope wins.",
        ),
        "zeros of the lines": (
            lambda case: (*seen_from_left(*case)[:2], [-9, 9]),
            "borders",
        ),
        "the flat one": (lambda case: (case[0].index(0) + 1, *seen_from_left(*case)[1:]), "hidden"),
    },
    hint="Order the components by their slopes, and see where each overtakes the one before it.",
    why="On a line, slopes decide the order of the cells and offsets the borders: nothing else can be chosen.",
)
def partition_order(case: tuple[Sequence[int], Sequence[int]]) -> tuple[int, list[int], list[Fraction]]:
    """By walking from left to right."""
    return seen_from_left(*case)


def seen_from_left(slopes: Sequence[int], offsets: Sequence[int]) -> tuple[int, list[int], list[Fraction]]:
    """Which of the lines is on top nowhere; the others, as one meets them; and where they change."""
    at = min(range(4), key=lambda i: slopes[i])
    order = [at]
    borders: list[Fraction] = []
    while ahead := [i for i in range(4) if slopes[i] > slopes[at]]:
        meets = {i: Fraction(offsets[at] - offsets[i], slopes[i] - slopes[at]) for i in ahead}
        at = min(ahead, key=lambda i: (meets[i], -slopes[i]))
        order, borders = [*order, at], [*borders, meets[at]]
    (hidden,) = {*range(4)} - {*order}
    return hidden + 1, [i + 1 for i in order], borders


@exercise(
    "ex-liu-three-tokens",
    about=["liu2025:thm-4-1"],
    asks="A function of two tokens took {P} cells a side. You use as many a side for three tokens of one number. How "
    "many values does the table hold, and by what factor does the identity matrix of the literal network grow?",
    hands_in=[whole("values"), whole("factor")],
    varies={"P": [8, 4, 5, 6, 10]},
    rubric={
        "values": "Not {given}. Each of three tokens has {P} cells, and each choice of three has a value.",
        "factor": "Not {given}. How many rows has the identity matrix before, and how many after?",
    },
    wrong={
        "a table more": (
            lambda P: (3 * P * P, P * P),
            "A third token is a third axis: each of the {P} x {P} values splits into {P}.",
        ),
        "one side of the matrix": (
            lambda P: (P**3, P),
            "The matrix has rows and columns, and both become {P} times as many.",
        ),
        "the old table": (lambda P: (P * P, P * P), "values"),
        "its rows": (lambda P: (P**3, 2 * P**3), "factor"),
    },
    hint="The identity matrix has as many rows as there are columns, two for each centre and entry of a token.",
    why="The table is the smaller trouble: the matrix grows like the square of its columns.",
)
def liu_three_tokens(P: int) -> tuple[int, int]:
    """Count the centres; two columns for each, and the matrix is square."""
    two, three = (sum(1 for _ in itertools.product(range(P), repeat=n)) for n in (2, 3))
    return three, (2 * three) ** 2 // (2 * two) ** 2


COVERED = "within every error"
JUMPS, ENDLESS, LOPSIDED = "no: f jumps", "no: the domain is not compact", "no: f is not equivariant"


def covered(jumps: bool, compact: bool) -> str:
    """What Theorem 4.1 asks for, and no more: continuity on a compact set."""
    return JUMPS if jumps else COVERED if compact else ENDLESS


@exercise(
    "ex-liu-covers",
    about=["liu2025:thm-4-1"],
    asks="A) The square root of |z| on [-1, 1]. B) {h} for z > 0 and 0 elsewhere, on [-1, 1]. C) z^2 on all of R. "
    "D) (x1, x2) goes to (x2, -x1), on [-1, 1]^2. Does Theorem 4.1 promise a head within every error, or which "
    "hypothesis fails? And how large is the largest error of any head on B, at the least?",
    hands_in=[*(choice(name, COVERED, JUMPS, ENDLESS, LOPSIDED) for name in "ABCD"), number("error")],
    varies={"h": [1, 3, 4, 5, 7]},
    rubric={
        "A": "At 0 the root is as steep as can be, but does it jump? No Lipschitz constant is asked for.",
        "B": "Whatever else it does: to the left of 0 it is 0, to the right {h}.",
        "C": "A square jumps nowhere. How far does the line go?",
        "D": "Which hypothesis of Theorem 4.1 speaks of the order of the tokens? A linear map of Z may know places.",
        "error": "Not {given}. Just left of 0 and just right of it a head has nearly the same answer: which is best?",
    },
    wrong={
        "a root too steep": (lambda h: (JUMPS, JUMPS, ENDLESS, COVERED, Fraction(h, 2)), "A"),
        "polynomials are fine": (lambda h: (COVERED, JUMPS, COVERED, COVERED, Fraction(h, 2)), "C"),
        "symmetry asked for": (lambda h: (COVERED, JUMPS, ENDLESS, LOPSIDED, Fraction(h, 2)), "D"),
        "a jump can be sharpened away": (lambda h: (COVERED, COVERED, ENDLESS, COVERED, 0), "B"),
        "the whole jump": (
            lambda h: (COVERED, JUMPS, ENDLESS, COVERED, h),
            "{h} is the whole jump. An answer halfway is off by less, on both sides.",
        ),
    },
    hint="The theorem has two hypotheses: one on f, one on its domain.",
    why="Continuity and a compact domain are all that is asked, and a jump costs half of itself.",
)
def liu_covers(h: int) -> tuple[str, str, str, str, Fraction]:
    """Each by its two properties; a head is continuous, so that at the jump one answer serves both values."""
    answers = [Fraction(k * h, 1000) for k in range(1001)]
    best = min(max(abs(answer - 0), abs(answer - h)) for answer in answers)
    return covered(False, True), covered(True, True), covered(False, False), covered(False, True), best


def balls_on(length: Fraction, radius: Fraction) -> int:
    """The first ball ends at 2 r, and so on until the end is covered."""
    count, end = 0, Fraction(0)
    while end < length:
        count, end = count + 1, end + 2 * radius
    return count


@exercise(
    "ex-cover-segment",
    about=["liu2025:thm-5-1"],
    asks="Two tokens of one number each, L = 2 and eps = 1/4. All data lie on a straight segment of length {length}. "
    "How many balls of Theorem 5.1 cover it, at the least? How many numbers that depend on f and the data does the "
    "network then hold? And how many balls are needed for half the error?",
    hands_in=[whole("balls"), whole("numbers"), whole("for half")],
    varies={"length": [Fraction(1), Fraction(3, 2), Fraction(5, 4), Fraction(1, 2), Fraction(2)]},
    rubric={
        "balls": "Not {given}. The radius is eps/(3L). How much of the segment does a ball cover?",
        "numbers": "Not {given}. Three numbers an entry and ball, two for each ball and row, and n.",
        "for half": "Not {given}. What becomes of the radius, and of the part that a ball covers?",
    },
    wrong={
        "a radius for each ball": (
            lambda length: (24 * length, 192 * length + 2, 48 * length),
            "A ball covers a radius to its left and one to its right.",
        ),
        "as on a square": (
            lambda length: (12 * length, 96 * length + 2, 48 * length),
            "Four times as many is the price on a filled square. A segment has one dimension.",
        ),
        "values alone": (lambda length: (12 * length, 24 * length, 24 * length), "numbers"),
        "no change": (lambda length: (12 * length, 96 * length + 2, 12 * length), "for half"),
    },
    hint="The radius is 1/24, and the count of numbers is 3 d n N + 2 d N + n.",
    why="The number of balls follows the data and not the box: that is what small domains save.",
)
def cover_segment(length: Fraction) -> tuple[int, int, int]:
    """Ball by ball, at both errors."""
    one, half = (balls_on(length, eps / (3 * 2)) for eps in (Fraction(1, 4), Fraction(1, 8)))
    return one, 3 * 1 * 2 * one + 2 * 1 * one + 2, half
