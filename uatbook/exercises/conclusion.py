"""The exercises of the page *What four proofs say, and what they do not*."""

from __future__ import annotations

from fractions import Fraction

from ..answers import choice, number, whole
from .exercise import exercise


def cell(x: Fraction, N: int) -> int:
    """In which of N cells of [0, 1] a token lies, by looking."""
    return next(k for k in range(N) if Fraction(k, N) <= x < Fraction(k + 1, N))


def answered(N: int, x: Fraction, y: Fraction) -> Fraction:
    """What |x1 - x2| is at the centre of the cell."""
    i, j = cell(x, N), cell(y, N)
    return abs(Fraction(2 * i + 1, 2 * N) - Fraction(2 * j + 1, 2 * N))


@exercise(
    "ex-conclusion-same",
    asks="f(X) = |x1 - x2|, {N} x {N} cells. What do the networks of Yun, of Kajitsuka and Sato and of Cheng answer "
    "at ({point[0]}, {point[1]})? What is the supremum of their error over the square? And what does the centre "
    "nearest to the corner (0, 1) say, near which Liu's network stays?",
    hands_in=[number("answer"), number("supremum"), number("corner")],
    varies={
        "N": [8, 5, 10],
        "point": [
            (Fraction(11, 50), Fraction(47, 50)),
            (Fraction(1, 7), Fraction(6, 7)),
            (Fraction(19, 20), Fraction(1, 30)),
        ],
    },
    rubric={
        "answer": "Not {given}. In which cell is the point, and what is f at its centre?",
        "supremum": "Not {given}. Within a cell, how far can x1 - x2 be from its value at the centre?",
        "corner": "Not {given}. How far is the nearest centre from 0, and from 1?",
    },
    wrong={
        "f itself": (
            lambda N, point: (abs(point[0] - point[1]), Fraction(1, N), 1 - Fraction(1, N)),
            "answer",
        ),
        "half a cell": (
            lambda N, point: (answered(N, *point), Fraction(1, 2 * N), 1 - Fraction(1, N)),
            "Each token is up to half a cell from the centre. The two may move in opposite directions.",
        ),
        "exact at the corner": (
            lambda N, point: (answered(N, *point), Fraction(1, N), 1),
            "1 is f at the corner. No centre lies there: the nearest is half a cell away in both tokens.",
        ),
        "half a cell at the corner": (
            lambda N, point: (answered(N, *point), Fraction(1, N), 1 - Fraction(1, 2 * N)),
            "corner",
        ),
    },
    hint="Centres are at 1/(2N), 3/(2N) and so on; the difference of two of them is a multiple of 1/N.",
    why="Three proofs give one answer at one point: they differ in price, not in what they say here.",
)
def conclusion_same(N: int, point: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """At the centres; in the cell (i, j) the difference runs from (i - j - 1)/N to (i - j + 1)/N."""
    i, j = (cell(x, N) for x in point)
    ends = [Fraction(i - j + by, N) for by in (-1, 1)]
    supremum = max(abs(end - Fraction(i - j, N)) for end in ends)
    return answered(N, *point), supremum, answered(N, Fraction(0), Fraction(N - 1, N))


@exercise(
    "ex-conclusion-certificate",
    asks="On the square, in the largest entry, f has the Lipschitz constant 2 and a trained network {constant}. At the "
    "centres of M x M squares the two differ by at most 0.01. From which M on does that prove an error of at most "
    "0.02 on all of the square? At how many points does the network have to be run?",
    hands_in=[whole("M"), whole("points")],
    varies={"constant": [10, 8, 18, 28, 48]},
    rubric={
        "M": "Not {given}. How far is a point from the nearest centre, and how fast do network and f part?",
        "points": "Not {given}. One at the centre of each of the squares.",
    },
    wrong={
        "a whole side": (
            lambda constant: (100 * (constant + 2), (100 * (constant + 2)) ** 2),
            "The nearest centre is at most half a side away, in each entry.",
        ),
        "the network alone": (
            lambda constant: (50 * constant, (50 * constant) ** 2),
            "f moves between two centres, too, and perhaps the other way: add the two constants.",
        ),
        "all of 0.02": (
            lambda constant: (25 * (constant + 2), (25 * (constant + 2)) ** 2),
            "Half of the 0.02 is taken by what was measured at the centres.",
        ),
        "one row": (lambda constant: (50 * (constant + 2), 50 * (constant + 2)), "points"),
    },
    hint="The error is at most 0.01 and the sum of both constants times half a side, 1/(2M).",
    why="A proof by testing costs points like the square of what both Lipschitz constants, over the error, add up to.",
)
def conclusion_certificate(constant: int) -> tuple[int, int]:
    """The first M at which the inequality gives 0.02."""
    M = 1
    while Fraction(1, 100) + Fraction(constant + 2, 2 * M) > Fraction(2, 100):
        M += 1
    return M, M * M


PROVED, NOT_PROVED, REFUTED = "a theorem of this book", "no theorem says so", "a theorem says the opposite"
SENTENCES = {"A": PROVED, "B": NOT_PROVED, "C": PROVED, "D": REFUTED, "E": NOT_PROVED}
"""What the four papers and this book prove, one by one; the page says where."""


@exercise(
    "ex-conclusion-headline",
    asks="A newspaper writes: A transformer can learn anything. Sort what it may have meant. A) For each continuous f "
    "of n tokens in a box, and each eps, there is a transformer with positions within eps of f in L_p. B) Gradient "
    "descent finds it. C) One layer of softmax attention, with feed-forward layers around it, is enough for functions "
    "that treat tokens alike. D) One layer of hardmax attention is enough to tell all contexts apart. E) A "
    "transformer that is near f on all sequences of ten tokens is near it on eleven.",
    hands_in=[choice(name, PROVED, NOT_PROVED, REFUTED) for name in SENTENCES],
    rubric={
        "A": "Yun et al., Theorem 3: with positions, and in L_p.",
        "B": "Weights are written down in these proofs, by somebody who knows f. Which page trains, and what does it "
        "prove?",
        "C": "Kajitsuka and Sato, Proposition 1: feed-forward layers, one layer of attention, feed-forward layers.",
        "D": "Kajitsuka and Sato, Theorem 1: which two contexts does it give?",
        "E": "Each network of this book is made for one length. What do the proofs say of another one?",
    },
    wrong={
        "the headline": (
            lambda: (PROVED,) * 5,
            "Existence is not learning, and one length is not all. Go through the five once more: who proves it, and "
            "what exactly?",
        ),
        "hardmax, too": (lambda: (PROVED, NOT_PROVED, PROVED, PROVED, NOT_PROVED), "D"),
        "learning is impossible": (lambda: (PROVED, REFUTED, PROVED, REFUTED, NOT_PROVED), "B"),
        "any length": (lambda: (PROVED, NOT_PROVED, PROVED, REFUTED, PROVED), "E"),
    },
    hint="Look for the words there is, finds, one layer, all.",
    why="Of five readings two are theorems, and training is in none of them.",
)
def conclusion_headline() -> tuple[str, ...]:
    """As the page says."""
    return tuple(SENTENCES.values())
