"""Exercises on balls and cells."""

from __future__ import annotations

import functools
from fractions import Fraction

from ..answers import number, whole
from .exercise import exercise


@functools.cache
def limits(k: int, halves: int = 1) -> tuple[int, int, Fraction]:
    """The last n with (halves root(n) / k)^2 L^2 < 1, for both L; and the ratio for n = 1, where L = 2."""
    one = max([n for n in range(1, 999) if halves**2 * (n + 3) < k * k], default=0)
    other = max([n for n in range(1, 999) if halves**2 * n * 4 < k * k], default=0)
    return one, other, Fraction(2, k)


@exercise(
    "ex-cover-twelve",
    about=["liu2025:thm-5-1"],
    asks="A grid of P = {k}/eps cells a side of [-1, 1]^n, and a function with |f(Y) - f(Z)| <= L |Y - Z|_2, where L "
    "is the root of 1 + 3/n. Up to which n is every point of a cell within less than eps/L of its centre? Up to which "
    "n with L = 2 for all n? And by how many eps/L is the corner of a cell away from its centre for n = 1?",
    hands_in=[whole("n"), whole("n with L = 2"), number("n = 1")],
    varies={"k": [4, 3, 5, 6, 8]},
    rubric={
        "n": "Not {given}. Half a diagonal is root(n)/P. Multiply by L, square, and compare with eps squared.",
        "n with L = 2": "Not {given}. Half a diagonal times 2 must be less than eps.",
        "n = 1": "Not {given}. With n = 1 the root of 1 + 3/n is 2.",
    },
    wrong={
        "a whole diagonal": (
            lambda k: (limits(k, 2)[0], limits(k, 2)[1], 2 * limits(k)[2]),
            "That is the whole diagonal. From the centre a corner is half of it away.",
        ),
        "half a side": (lambda k: (999, limits(k)[1], limits(k)[2]), "n"),
        "or equal": (lambda k: (k * k - 3, limits(k)[1], limits(k)[2]), "n"),
        "as for the root": (lambda k: (limits(k)[0], limits(k)[0], limits(k)[2]), "n with L = 2"),
    },
    hint="root(n) root(1 + 3/n) is root(n + 3).",
    why="Diagonals grow with the dimension, and from some n on the same grid is too coarse.",
)
def cover_twelve(k: int) -> tuple[int, int, Fraction]:
    """Dimension by dimension, in squares."""
    return limits(k)


@exercise(
    "ex-cover-sup",
    about=["liu2025:thm-5-1"],
    asks="Somebody covers a domain in R^m by cubes of half-width eps/(3L), not by balls, and keeps everything else. "
    "With one cube, and the function L times the distance from its centre: by how many eps is the network off at a "
    "corner, for m = {m}? From which m on is that more than eps? And which half-width would be small enough for m = "
    "{m}, as a multiple of eps/L?",
    hands_in=[number("off"), whole("from m"), number("half-width")],
    varies={"m": [16, 25, 36, 49, 64]},
    rubric={
        "off": "Not {given}. With one centre the answer is constant. How far is the corner of a cube from its middle?",
        "from m": "Not {given}. The corner is root(m) half-widths away.",
        "half-width": "Not {given}. The corner must be within eps/(3L).",
    },
    wrong={
        "the middle of a face": (
            lambda m: (Fraction(1, 3), 10, Fraction(1, 3)),
            "That is the middle of a face. The corners are the farthest, and there are many of them.",
        ),
        "at eps itself": (lambda m: (Fraction(root(m), 3), 9, Fraction(1, 3 * root(m))), "from m"),
        "entries added": (lambda m: (Fraction(m, 3), 4, Fraction(1, 3 * m)), "off"),
    },
    hint="In the plane the corner of a square is root(2) times as far as the middle of a side.",
    why="The corner of a cube is what the proof must cover, and it moves away like the root of m.",
)
def cover_sup(m: int) -> tuple[Fraction, int, Fraction]:
    """In squares, dimension by dimension."""
    first = next(k for k in range(1, 999) if Fraction(k, 9) > 1)
    return Fraction(root(m), 3), first, Fraction(1, 3 * root(m))


def root(m: int) -> int:
    """Of a square."""
    return next(k for k in range(1, m + 1) if k * k == m)
