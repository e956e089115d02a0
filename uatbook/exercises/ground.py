"""The exercises of the page *Common ground*."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..answers import choice, network, numbers, wholes
from .exercise import exercise


@exercise(
    "ex-ground-hand",
    asks="All four matrices of a single hardmax head are 1, its query bias is -1/2, and X = {X}. What is the output "
    "of the layer? Three numbers.",
    hands_in=wholes("output", 3),
    varies={"X": [(0, 1, 1), (0, 2, 2), (0, 3, 3), (0, 5, 5)]},
    rubric={"output": "{given} is not the output. Go token by token: sign of the query, who wins, what is added."},
    wrong={
        "no skip connection": (
            lambda X: [0, X[1], X[1]],
            "That is what the head hands over. The layer adds it to the token that was there.",
        ),
        "the sign of the query": (
            lambda X: [X[1], 2 * X[1], 2 * X[1]],
            "Token 1 asks with 0 - 1/2. A negative query turns the order of the scores around.",
        ),
        "a tie adds": (
            lambda X: [0, 3 * X[1], 3 * X[1]],
            "Two tokens tie for the largest score. They share the weight, they do not add.",
        ),
    },
    hint="The sign of the query decides whether the largest or the smallest token wins.",
    why="You have run a layer of hardmax by hand: all that the constructions of this book do is built of such steps.",
)
def ground_hand(X: tuple[int, ...]) -> list[int]:
    """Each token, with the mean of those that win its scores."""
    heard = []
    for x in X:
        scores = [k * (x - Fraction(1, 2)) for k in X]
        winners = [k for k, score in zip(X, scores, strict=True) if score == max(scores)]
        heard.append(sum(winners) // len(winners))
    return [x + h for x, h in zip(X, heard, strict=True)]


def one_head(w_q: int | Fraction, b_q: int, w_v: int | Fraction = 1) -> Transformer:
    """A hardmax head of size one on tokens of one dimension."""
    head = Head(w_q=[[w_q]], w_k=[[1]], w_v=[[w_v]], w_o=[[1]], b_q=[b_q])
    return Transformer([Attention([head], "hardmax")])


@exercise(
    "ex-ground-count",
    asks="Build a transformer of one hardmax attention layer that replaces each scalar token x by x plus {case[0]} "
    "token, whatever the signs: `add_maximum`, a Transformer.",
    hands_in=network("add_maximum"),
    varies={
        "case": [
            ("the largest", 1),
            ("twice the largest", 2),
            ("three times the largest", 3),
            ("half the largest", Fraction(1, 2)),
            ("minus the largest", -1),
            ("five times the largest", 5),
        ]
    },
    rubric={
        "one hardmax layer": "One layer of attention with hardmax is enough, on tokens of one dimension.",
        "positive tokens": "At X = {X} token {token} becomes {given}.",
        "all tokens": "At X = {X} token {token} becomes {given}. A negative query turns the order of the scores "
        "around, so that the smallest wins.",
    },
    reference=lambda case: one_head(0, 1, w_v=case[1]),
    wrong={
        "W_Q = 1": (lambda case: one_head(1, 0, w_v=case[1]), "all tokens"),
        "a negative query": (lambda case: one_head(0, -1, w_v=case[1]), "positive tokens"),
        "far below 0 the smallest": (lambda case: one_head(1, 100, w_v=case[1]), "all tokens"),
        "a query that hardly changes": (lambda case: one_head(Fraction(1, 1000), 1, w_v=case[1]), "all tokens"),
        "no output": (one_head(0, 1, w_v=0), "positive tokens"),
        "two layers": (Transformer([*one_head(0, 1).layers, *one_head(0, 1).layers]), "one hardmax layer"),
    },
    hint="Can a query be independent of the token that asks?",
)
def ground_count(model: Transformer, case: tuple[str, int | Fraction]) -> Iterable[Check]:
    """x and so many times max, exactly: on 200 sequences of each kind, and on both sides of where a query turns.

    Between these places the layer adds the same multiples of the largest and of the smallest token, so that three
    sequences decide.
    """
    layer = model.layers[0]
    fits = (
        len(model.layers) == 1
        and isinstance(layer, Attention)
        and layer.normalization == "hardmax"
        and model.width == 1
    )
    yield Check.none("one hardmax layer", [] if fits else [{}])
    rng = random.Random(7)
    around = [
        [x, *(x + by for by in more)]
        for x in (sides(layer) if fits and isinstance(layer, Attention) else [])
        for more in MORE
    ]
    for name, least in (("positive tokens", 1), ("all tokens", -30)):
        drawn = [
            [Fraction(rng.randint(least, 30), rng.randint(1, 4)) for _ in range(rng.randint(1, 5))] for _ in range(200)
        ]
        cases = [*drawn, *(X for X in around if min(X) >= least or least < 0)]
        bad: list[dict[str, object]] = [] if fits else [{}]
        for X in cases if fits else []:
            given = model([X], EXACT)[0].tolist()
            wrong = [j for j, x in enumerate(X) if given[j] != x + case[1] * max(X)]
            bad += [{"X": tuple(X), "token": wrong[0] + 1, "given": given[wrong[0]]}] if wrong else []
        yield Check.none(name, sorted(bad, key=lambda case: len(str(case))), cases=len(cases))


MORE = ((), (-1,), (2,), (-1, 3))
"""How far other tokens are from the one that asks."""


def sides(layer: Attention) -> list[Fraction]:
    """Tokens at, between and beyond those whose query turns the order of the keys around, in some head."""
    turns = set()
    for head in layer.heads:
        bias = np.zeros(len(head.w_q), dtype=int) if head.b_q is None else head.b_q
        rows = [[Fraction(x) for x in np.ravel(part).tolist()] for part in (head.w_q, bias, head.w_k)]
        slope, start = (sum((x * y for x, y in zip(row, rows[2], strict=True)), Fraction(0)) for row in rows[:2])
        turns |= {-start / slope} if slope else set()
    ordered = sorted(turns) or [Fraction(0)]
    between = [(one + other) / 2 for one, other in itertools.pairwise(ordered)]
    return [ordered[0] - 1, *ordered, *between, ordered[-1] + 1]


MEAN, NO_MEAN = "a weighted mean of the values", "a sum whose weights need not add up to 1"
KEPT, NOT_KEPT = "still equivariant", "no longer equivariant"


def mixed(scores: Sequence[Sequence[int]], values: Sequence[int], by_rows: bool) -> list[Fraction]:
    """What each token hears by hardmax; row i has what all tokens think of token i."""
    n = range(len(values))
    lines = scores if by_rows else [[scores[i][j] for i in n] for j in n]
    shares = [[Fraction(x == max(line), line.count(max(line))) for x in line] for line in lines]
    weight = shares if by_rows else [[shares[j][i] for j in n] for i in n]
    return [sum((values[i] * weight[i][j] for i in n), Fraction(0)) for j in n]


@functools.cache
def follows(by_rows: bool) -> bool:
    """Whether a permutation of three tokens permutes what they hear, for all permutations of a few scores."""
    rng = random.Random(3)
    for _ in range(20):
        keys, queries, values = ([rng.randint(-3, 3) for _ in range(3)] for _ in range(3))
        heard = mixed([[k * q for q in queries] for k in keys], values, by_rows)
        for s in itertools.permutations(range(3)):
            moved = mixed([[keys[i] * queries[j] for j in s] for i in s], [values[i] for i in s], by_rows)
            if moved != [heard[i] for i in s]:
                return False
    return True


@exercise(
    "ex-ground-rows",
    about=["yun2020:claim-1"],
    asks="Somebody normalizes the scores along their rows, not their columns; row i says what all tokens think of the "
    "key of token i. Is the layer still permutation equivariant? Is what a token hears still a weighted mean of the "
    "values? And what do the two tokens hear by hardmax, if the keys are (1, 1), the queries (0, 50) and the values "
    "{values}?",
    hands_in=[choice("symmetry", KEPT, NOT_KEPT), choice("weights", MEAN, NO_MEAN), numbers("heard", 2)],
    varies={"values": [(3, 7), (2, 5), (4, -1), (6, 1), (-2, 9)]},
    rubric={
        "symmetry": "Permute the tokens: rows and columns of the scores are permuted alike. Does it matter along which "
        "of the two one normalizes?",
        "weights": "The weights of a row add up to 1. A token hears by its column: what do the weights there add up "
        "to?",
        "heard": "Not {given}. Write the scores as two rows, (0, 50) and (0, 50), and give each row's weight away.",
    },
    wrong={
        "columns": (
            lambda values: (KEPT, NO_MEAN, [Fraction(sum(values), 2)] * 2),
            "That is what they hear if columns are normalized: equal keys share equally. Along a row the queries "
            "compete.",
        ),
        "the loudest alone": (
            lambda values: (KEPT, NO_MEAN, [0, max(values)]),
            "Token 2 wins the row of each key. So it hears both values in full, not one of them.",
        ),
        "a mean": (lambda values: (KEPT, MEAN, [0, sum(values)]), "weights"),
        "broken": (lambda values: (NOT_KEPT, NO_MEAN, [0, sum(values)]), "symmetry"),
    },
    hint="Go through the proof of Claim 1 once more: where does it use that columns are normalized?",
    why="So it is the mean that is lost and not the symmetry: Claim 1 never needed columns that add up to 1.",
)
def ground_rows(values: tuple[int, int]) -> tuple[str, str, list[Fraction]]:
    """By trying, and by the two rows."""
    scores = [[k * q for q in (0, 50)] for k in (1, 1)]
    heard = mixed(scores, values, by_rows=True)
    means = mixed(scores, (1, 1), by_rows=True) == [1, 1]
    return KEPT if follows(by_rows=True) else NOT_KEPT, MEAN if means else NO_MEAN, heard
