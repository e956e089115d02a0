"""Exercises on the head of Theorem 4.1: centres that are too far away, poles, exponentials that overflow."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

from ..answers import choice, number, table, whole
from .exercise import exercise


def enough(delta: Fraction, share: float) -> int:
    """The least whole R with exp(-3 R delta^2 / 8) <= share."""
    return math.ceil(8 / (3 * float(delta) ** 2) * math.log(1 / share))


@exercise(
    "ex-liu-far",
    about=["liu2025:eq-b21"],
    asks="A centre farther than delta = {delta} has less than exp(-3 R delta^2 / 8) times the weight of the nearest. "
    "From which whole R on does that promise less than a thousandth, for one far centre? For {G} of them together? "
    "And for one again, if delta is half as large?",
    hands_in=[whole("one"), whole("all"), whole("half of delta")],
    varies={"delta": [Fraction(1, 4), Fraction(1, 5), Fraction(1, 3), Fraction(2, 7)], "G": [400, 64, 900, 2500]},
    rubric={
        "one": "Not {given}. Solve exp(-3 R delta^2 / 8) = 1/1000 for R, and round up.",
        "all": "Not {given}. Each of the {G} may have that much: what must one have at most?",
        "half of delta": "Not {given}. The exponent has delta squared.",
    },
    wrong={
        "as many times as sharp": (
            lambda delta, G: (enough(delta, 1e-3), G * enough(delta, 1e-3), enough(delta / 2, 1e-3)),
            "{G} times as many far centres do not ask for {G} times the sharpness: the weight falls exponentially, so "
            "they cost a logarithm.",
        ),
        "twice as sharp": (
            lambda delta, G: (enough(delta, 1e-3), enough(delta, 1e-3 / G), 2 * enough(delta, 1e-3)),
            "half of delta",
        ),
        "powers of two": (
            lambda delta, G: (math.ceil(8 / (3 * delta**2) * 10), enough(delta, 1e-3 / G), enough(delta / 2, 1e-3)),
            "one",
        ),
    },
    hint="R = 8 / (3 delta^2) times the logarithm of what is to be overcome.",
    why="More far centres cost a logarithm, a smaller distance its square.",
)
def liu_far(delta: Fraction, G: int) -> tuple[int, int, int]:
    """By the exponent."""
    return enough(delta, 1e-3), enough(delta, 1e-3 / G), enough(delta / 2, 1e-3)


NEAR, NEVER = "within every error", "no head at a finite distance"
Pole = tuple[Fraction, int, int]
"""|z|^(-s) in L_p, for z of so many entries."""
POLES: list[list[Pole]] = [
    [(Fraction(1, 2), 1, 1), (Fraction(1, 2), 2, 1), (Fraction(1, 2), 2, 2), (Fraction(3, 4), 3, 2)],
    [(Fraction(1, 3), 2, 1), (Fraction(1, 3), 3, 1), (Fraction(2, 3), 2, 2), (Fraction(2, 3), 3, 2)],
    [(Fraction(3, 4), 2, 1), (Fraction(3, 4), 1, 1), (Fraction(3, 4), 2, 2), (Fraction(3, 4), 3, 2)],
]


def integrable(pole: Pole) -> bool:
    """Whether the integral of |z|^(-ps) over shells between 2^-k and 2^-(k+1) stays below a geometric series."""
    s, p, dim = pole
    return Fraction(dim) - p * s > 0  # the shell has 2^(-k dim), and |z|^(-ps) is 2^(k p s) there


@exercise(
    "ex-liu-pole",
    about=["liu2025:cor-4-1-1"],
    asks="|z|^(-s) has a pole at 0. Does Corollary 4.1.1 promise a head within every error in L_p, on [-1, 1] or on "
    "the square? A) s = {case[0][0]}, p = {case[0][1]}, z one number. B) s = {case[1][0]}, p = {case[1][1]}, z one "
    "number. C) s = {case[2][0]}, p = {case[2][1]}, |z| the length of z = (z_1, z_2). D) s = {case[3][0]}, p = "
    "{case[3][1]}, z of two entries.",
    hands_in=[choice(name, NEAR, NEVER) for name in "ABCD"],
    varies={"case": POLES},
    rubric={
        "A": "The condition is that |z|^(-ps) has a finite integral: on a line that is ps < 1.",
        "B": "Raise it to the power p first. On a line the integral of 1/|z| is infinite already.",
        "C": "In the plane a ring of radius r has the length 2 pi r: it helps. The condition is ps < 2 there.",
        "D": "In the plane the condition is ps < 2. What is ps here?",
    },
    wrong={
        "all poles are too much": (
            lambda case: (NEVER,) * 4,
            "A head is bounded, but an error in L_p is a mean: a pole may be cut off, as long as what is cut off has a "
            "small integral.",
        ),
        "the corollary takes all": (
            lambda case: (NEAR,) * 4,
            "It asks that f is in L_p. Where it is not, f less a bounded head is not either: the distance is infinite.",
        ),
        "as on a line": (
            lambda case: tuple(NEAR if s * p < 1 else NEVER for s, p, _ in case),
            "C",
        ),
    },
    hint="Cut into rings between 1/2 and 1, 1/4 and 1/2, and so on. By which factor does the integral over a ring "
    "change from one to the next?",
    why="A pole is allowed as long as its p-th power has a finite integral, and dimensions help.",
)
def liu_pole(case: Sequence[Pole]) -> tuple[str, ...]:
    """Ring by ring."""
    return tuple(NEAR if integrable(pole) else NEVER for pole in case)


def diagonal_norm(s: Fraction) -> float:
    """The integral of |z_K - z_Q|^(-s) over the square of side 2."""
    ps = float(s)
    return float(2 ** (3 - ps) / ((1 - ps) * (2 - ps)))


@exercise(
    "ex-liu-pole-diagonal",
    about=["liu2025:cor-4-2-1"],
    asks="f(z_K, z_Q) = |z_K - z_Q|^(-s) with s = {s}, on [-1, 1]^2: the pole is a whole line. Up to which whole p "
    "does the repaired Corollary 4.2.1 promise heads within every error in L_p? And what is the norm of f in L_1, to "
    "two decimals?",
    hands_in=[whole("p"), number("norm", Fraction(1, 100))],
    varies={"s": [Fraction(2, 7), Fraction(1, 5), Fraction(1, 3), Fraction(1, 4), Fraction(2, 5)]},
    rubric={
        "p": "Not {given}. Across the diagonal f to the power p goes like u^(-ps), u the distance from it.",
        "norm": "Not {given}. Integrate over u = z_K - z_Q: for each u there is a piece of length 2 - |u|.",
    },
    wrong={
        "as at a point": (
            lambda s: (math.ceil(2 / s) - 1, diagonal_norm(s)),
            "That would be right for a pole at one point of the plane, where ps < 2 is enough. Along a line there is "
            "one direction to integrate over: ps < 1.",
        ),
        "one side of the diagonal": (lambda s: (math.ceil(1 / s) - 1, diagonal_norm(s) / 2), "norm"),
        "a strip": (
            lambda s: (math.ceil(1 / s) - 1, 4 * 2 ** (1 - float(s)) / (1 - float(s))),
            "norm",
        ),
        "one too many": (lambda s: (math.ceil(1 / s), diagonal_norm(s)), "p"),
    },
    hint="2 times the integral of (2 - u) u^(-s) from 0 to 2.",
    why="A pole along a line leaves one direction to integrate over: s may be half of what it may be at a point.",
)
def liu_pole_diagonal(s: Fraction) -> tuple[int, float]:
    """The last p with ps < 1, and the integral."""
    return max(p for p in range(1, 99) if p * s < 1), diagonal_norm(s)


SAFE, UNSAFE = "never", "from some error on, too"
FLOATS = [("float32", 128), ("float64", 1024), ("float16", 16)]


@functools.cache
def last_cells(e: int) -> int:
    """The largest P whose sharpness stays below 2 e log 2 / (1 - 1/P^2)."""
    fits = [P for P in range(2, 400) if P**2 * (1 + math.log(2.04)) < 2 * e * math.log(2) / (1 - 1 / P**2)]
    return max(fits)


@exercise(
    "ex-liu-overflow",
    about=["liu2025:limits"],
    asks="The head for sin on [-1, 1] takes P cells, P = 2/eps rounded up, and R = P^2 (1 + ln 2.04). Exponentials as "
    "they stand overflow in {floats[0]} once R reaches 2 * {floats[1]} ln 2 / (1 - 1/P^2). Up to which P does the head "
    "survive? What is the smallest error that it then promises? And do the scores -R/2 (z - v)^2 overflow?",
    hands_in=[whole("P"), number("error"), choice("by distances", SAFE, UNSAFE)],
    varies={"floats": FLOATS},
    rubric={
        "P": "Not {given}. Try P one by one: R grows like P^2.",
        "error": "Not {given}. With P cells the error is 2/P.",
        "by distances": "Which sign have these scores, and how large is the exponential of such a number at most?",
    },
    wrong={
        "one more": (lambda floats: (last_cells(floats[1]) + 1, Fraction(2, last_cells(floats[1]) + 1), SAFE), "P"),
        "half a cell": (lambda floats: (last_cells(floats[1]), Fraction(1, last_cells(floats[1])), SAFE), "error"),
        "all overflow": (
            lambda floats: (last_cells(floats[1]), Fraction(2, last_cells(floats[1])), UNSAFE),
            "by distances",
        ),
    },
    hint="2 e ln 2 is nearly the square of P times 1.713.",
    why="Scores as distances never overflow: the same weights, written so that floats can hold them.",
)
def liu_overflow(floats: tuple[str, int]) -> tuple[int, Fraction, str]:
    """Tried one by one."""
    P = last_cells(floats[1])
    return P, Fraction(2, P), SAFE


@exercise(
    "ex-experiments-larger",
    about=["liu2025:exp-6"],
    asks="Every pixel of every image is multiplied by {c}. To which share of their size may both W_K and W_Q shrink, "
    "so that the attention stays the same? If W_Q must stay as it is, to which share must W_K shrink? And does the "
    "head then cut space more sharply than before?",
    hands_in=[number("both"), number("W_K alone"), choice("sharpness", "more sharply", "less sharply", "as before")],
    varies={"c": [3, 2, 4, 5, 10]},
    rubric={
        "both": "Not {given}. A score has the image twice: once by way of W_K, once by way of W_Q.",
        "W_K alone": "Not {given}. The score is multiplied by {c} twice, and one matrix has to take back both.",
        "sharpness": "Which attention do all the images get, compared with before?",
    },
    wrong={
        "the norm is the sharpness": (
            lambda c: (Fraction(1, c), Fraction(1, c * c), "less sharply"),
            "The norms fell, and the attention is the same at every image: a norm alone says nothing about sharpness.",
        ),
        "the square root": (lambda c: (Fraction(1, c * c), Fraction(1, c * c), "as before"), "both"),
        "one for the other": (lambda c: (Fraction(1, c), Fraction(1, c), "as before"), "W_K alone"),
    },
    hint="Write the score of two tokens with cZ for Z, and see what the c come to.",
    why="Norms of weights say nothing without the size of the data: only their product with it cuts.",
)
def experiments_larger(c: int) -> tuple[Fraction, Fraction, str]:
    """Tried one by one: what multiplies a score must be 1 in the end."""
    both = next(Fraction(1, k) for k in range(1, 999) if Fraction(c, k) * Fraction(c, k) == 1)
    alone = next(Fraction(1, k) for k in range(1, 999) if Fraction(c, k) * c == 1)
    return both, alone, "as before"


Rows = list[list[Fraction]]


def mixed(a: Fraction, n: int = 3) -> Rows:
    """C: the weights with which a listener hears the keys of each token."""
    return [[(a * (i == k) + 1) / (a + n) for k in range(n)] for i in range(n)]


def unmixed(a: Fraction, n: int = 3) -> Rows:
    """Its inverse, by elimination."""
    rows = [[*row, *(Fraction(i == k) for k in range(n))] for i, row in enumerate(mixed(a, n))]
    for c in range(n):
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for i in range(n):
            if i != c:
                rows[i] = [x - rows[i][c] * y for x, y in zip(rows[i], rows[c], strict=True)]
    return [row[n:] for row in rows]


@exercise(
    "ex-liu-apart",
    about=["liu2025:thm-4-1"],
    asks="Three tokens, and a head with a key for each centre and token, as above. e^M = {case[0]}. Which matrix W "
    "makes g(Z) C W the smoother g(Z) itself? And what must e^M be, at the least, so that no entry of W is larger "
    "than {case[1]}?",
    hands_in=[table("W", 3, 3), number("e^M")],
    varies={"case": [(2, "11/10"), (3, "21/20"), (4, "6/5"), (5, "101/100"), (6, "11/10")]},
    rubric={
        "W": "C times this matrix is not the identity. What does C do to (1, 1, 1), and what to a vector whose entries "
        "add up to 0?",
        "e^M": "Not {given}. The largest entries of W stand on its diagonal. How far are they above 1?",
    },
    wrong={
        "nothing to undo": (
            lambda case: ([[int(i == k) for k in range(3)] for i in range(3)], loud(case[1])),
            "That undoes nothing: a listener hears the keys of the other tokens as well, with a share that is not 0 "
            "for any M.",
        ),
        "once more": (
            lambda case: (mixed(Fraction(case[0] - 1)), loud(case[1])),
            "That is C: it would mix once more what is to be taken apart.",
        ),
        "not scaled": (
            lambda case: ([[2 * x for x in row] for row in unmixed(Fraction(case[0] - 1))], loud(case[1])),
            "W",
        ),
        "a for e^M": (
            lambda case: (unmixed(Fraction(case[0] - 1)), loud(case[1]) - 1),
            "That is a, and e^M is a + 1.",
        ),
    },
    hint="C is a multiple of a I + J, where J has ones everywhere and J J = 3 J. So try W = s I - t J.",
    why="So the values can stand in W_V as they are, and W_O repairs what the other tokens' keys let in: exactly, for "
    "every M.",
)
def liu_apart(case: tuple[int, str]) -> tuple[Rows, Fraction]:
    """By elimination; and the diagonal of the inverse, 1 + 2/a, solved for a + 1."""
    return unmixed(Fraction(case[0] - 1)), loud(case[1])


def loud(most: str) -> Fraction:
    """The e^M at which the diagonal is just so large."""
    return 1 + 2 / (Fraction(most) - 1)
