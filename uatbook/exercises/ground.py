"""The exercises of the page *Common ground*."""

from __future__ import annotations

import random
from collections.abc import Iterable
from fractions import Fraction

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..answers import network, wholes
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
)
def ground_hand(X: tuple[int, ...]) -> list[int]:
    """Each token, with the mean of those that win its scores."""
    heard = []
    for x in X:
        scores = [k * (x - Fraction(1, 2)) for k in X]
        winners = [k for k, score in zip(X, scores, strict=True) if score == max(scores)]
        heard.append(sum(winners) // len(winners))
    return [x + h for x, h in zip(X, heard, strict=True)]


def one_head(w_q: int, b_q: int, w_v: int = 1) -> Transformer:
    """A hardmax head of size one on tokens of one dimension."""
    head = Head(w_q=[[w_q]], w_k=[[1]], w_v=[[w_v]], w_o=[[1]], b_q=[b_q])
    return Transformer([Attention([head], "hardmax")])


@exercise(
    "ex-ground-count",
    asks="Build a transformer of one hardmax attention layer that replaces each scalar token x by x plus the largest "
    "token, whatever the signs: `add_maximum`, a Transformer.",
    hands_in=network("add_maximum"),
    rubric={
        "one hardmax layer": "One layer of attention with hardmax is enough, on tokens of one dimension.",
        "positive tokens": "At X = {X} token {token} becomes {given}.",
        "all tokens": "At X = {X} token {token} becomes {given}. A negative query turns the order of the scores "
        "around, so that the smallest wins.",
    },
    reference=lambda: one_head(0, 1),
    wrong={
        "W_Q = 1": (one_head(1, 0), "all tokens"),
        "a negative query": (one_head(0, -1), "positive tokens"),
        "no output": (one_head(0, 1, w_v=0), "positive tokens"),
        "two layers": (Transformer([*one_head(0, 1).layers, *one_head(0, 1).layers]), "one hardmax layer"),
    },
    hint="Can a query be independent of the token that asks?",
)
def ground_count(model: Transformer) -> Iterable[Check]:
    """x + max in exact arithmetic, on 200 sequences of each kind."""
    layer = model.layers[0]
    fits = (
        len(model.layers) == 1
        and isinstance(layer, Attention)
        and layer.normalization == "hardmax"
        and model.width == 1
    )
    yield Check.none("one hardmax layer", [] if fits else [{}])
    rng = random.Random(7)
    for name, least in (("positive tokens", 1), ("all tokens", -30)):
        bad: list[dict[str, object]] = [] if fits else [{}]
        for _ in range(200 if fits else 0):
            X = [Fraction(rng.randint(least, 30), rng.randint(1, 4)) for _ in range(rng.randint(1, 5))]
            given = model([X], EXACT)[0].tolist()
            wrong = [j for j, x in enumerate(X) if given[j] != x + max(X)]
            bad += [{"X": tuple(X), "token": wrong[0] + 1, "given": given[wrong[0]]}] if wrong else []
        yield Check.none(name, sorted(bad, key=lambda case: len(str(case))), cases=200)
