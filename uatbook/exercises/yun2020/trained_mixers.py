"""Exercises on what an average knows, and on a look-up by hand."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ...answers import choice, number, numbers
from ..exercise import exercise

HALF, QUARTER, SAME = "about a half of it", "about a quarter of it", "about all of it"


@functools.cache
def lead(m: int) -> Fraction:
    """How often the majority of m coins is right about one of them, less one half."""
    coins = itertools.product((0, 1), repeat=m)
    return sum((Fraction(max(sum(row), m - sum(row)), m) for row in coins), Fraction(0)) / 2**m - Fraction(1, 2)


@exercise(
    "ex-trained-ceiling",
    about=["yun2020:sec-h-average"],
    asks="m fair coins; the average tells how many are heads, and one guesses one of them by the majority. How often "
    "is that right for m = {m}, on average? And with two coins more? What is left of the lead over one half, when m "
    "becomes four times as large?",
    hands_in=[number("m"), number("two more"), choice("left", HALF, QUARTER, SAME)],
    varies={"m": [4, 2, 6, 8]},
    rubric={
        "m": "Not {given}. The mean of max(K, m - K)/m over all throws, K the number of heads.",
        "two more": "Not {given}. 1/2 + (m over m/2) / 2^(m + 1), for two coins more.",
        "left": "How does the largest binomial coefficient, as a share of 2^m, fall with m?",
    },
    wrong={
        "a tie helps nobody": (
            lambda m: (Fraction(1, 2), Fraction(1, 2), SAME),
            "The majority is right about more than half of the coins, unless it is a tie.",
        ),
        "the lead alone": (
            lambda m: (lead(m), lead(m + 2), HALF),
            "That is the lead over one half.",
        ),
        "like 1/m": (lambda m: (Fraction(1, 2) + lead(m), Fraction(1, 2) + lead(m + 2), QUARTER), "left"),
    },
    hint="The middle of m coins is as likely as 1 to the root of m.",
    why="The lead of the average fades like one over the root of m.",
)
def trained_ceiling(m: int) -> tuple[Fraction, Fraction, str]:
    """Throw by throw; and the lead at 16 coins against that at 4."""
    ratio = lead(16) / lead(4)
    left = min((HALF, Fraction(1, 2)), (QUARTER, Fraction(1, 4)), (SAME, Fraction(1)), key=lambda k: abs(k[1] - ratio))
    return Fraction(1, 2) + lead(m), Fraction(1, 2) + lead(m + 2), left[0]


@exercise(
    "ex-trained-attention",
    about=["yun2020:sec-h-average"],
    asks="Attention looks up a bit h, but all dimensions are taken: what it heard must be added to the one that holds "
    "my own bit b. Softmax leaks: for h = 1 it hears a number from 1 - {leak} to 1, for h = 0 from 0 to {leak}. "
    "Choose a factor c for what is heard, and a threshold t: b + c times what is heard is above t exactly if h = 1, "
    "whatever b is.",
    hands_in=numbers("c, t", 2),
    varies={"leak": [Fraction(1, 10), Fraction(1, 5), Fraction(1, 4), Fraction(3, 20)]},
    rubric={
        "zeros": "For h = 0 and b = 1 there may come {value}, which is not below {t}.",
        "ones": "For h = 1 and b = 0 there may come {value}, which is not above {t}.",
    },
    reference=lambda leak: [9, Fraction(9, 2)],
    wrong={
        "as it is heard": ([1, Fraction(1, 2)], "zeros"),
        "twice, but no leak": (lambda leak: [2, 2], "ones"),
        "nothing heard": ([0, Fraction(3, 2)], "ones"),
    },
    hint="The largest sum with h = 0 is 1 + c times the leak, the smallest with h = 1 is c times 1 less the leak.",
    why="A factor that outweighs the leak lets attention look up where all dimensions are taken.",
)
def trained_attention(given: Sequence[Fraction], leak: Fraction) -> Iterable[Check]:
    """The worst of all bits and leaks, for each answer."""
    c, t = given
    sums = {(b, h): b + c * h for b in (0, 1) for h in (Fraction(0), leak, 1 - leak, Fraction(1))}
    low = max(value for (_, h), value in sums.items() if h <= leak)
    high = min(value for (_, h), value in sums.items() if h > leak)
    yield Check.none("zeros", [] if low < t else [{"value": low, "t": t}])
    yield Check.none("ones", [] if high > t else [{"value": high, "t": t}])
