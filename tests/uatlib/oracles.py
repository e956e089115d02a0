"""Attention and feed-forward as plain loops over tokens and entries, and random examples of both.

A layer is a dict of nested lists: `run` evaluates it from the formula, `build` makes the library's layer.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from uatlib.layers import RELU, Attention, FeedForward, Head, ThreePiece

EXAMPLES = settings(derandomize=True, deadline=None, max_examples=60)

Matrix = list[list[Any]]


# --------------------------------------------------------------------------------------------------- formulas


def dot(a: list[Any], b: list[Any]) -> Any:
    total = a[0] * b[0]
    for k in range(1, len(a)):
        total = total + a[k] * b[k]
    return total


def affine(w: Matrix, token: list[Any], b: list[Any] | None) -> list[Any]:
    return [dot(w[i], token) if b is None else dot(w[i], token) + b[i] for i in range(len(w))]


def tokens(X: Matrix) -> Matrix:
    return [[row[j] for row in X] for j in range(len(X[0]))]


def hardmax(scores: list[Any]) -> list[Fraction]:
    tied = [score == max(scores) for score in scores]
    return [Fraction(int(one), sum(tied)) for one in tied]


def softmax(scores: list[Decimal]) -> list[Decimal]:
    powers = [(score - max(scores)).exp() for score in scores]
    return [power / sum(powers) for power in powers]


def relu(t: Any) -> Any:
    return t if t > 0 else 0 * t


def three_piece(breakpoints: list[Any], slopes: list[Any], intercepts: list[Any]) -> Callable[[Any], Any]:
    def phi(t: Any) -> Any:
        piece = 0 if t < breakpoints[0] else 1 if t < breakpoints[1] else 2
        return slopes[piece] * t + intercepts[piece]

    return phi


def attention(X: Matrix, heads: list[dict], b_o: list[Any] | None, normalize: Callable) -> Matrix:
    columns = tokens(X)
    n = len(columns)
    result = [list(row) for row in X]
    for head in heads:
        q = [affine(head["w_q"], column, head.get("b_q")) for column in columns]
        k = [affine(head["w_k"], column, head.get("b_k")) for column in columns]
        v = [affine(head["w_v"], column, head.get("b_v")) for column in columns]
        for j in range(n):
            weights = normalize([dot(k[i], q[j]) for i in range(n)])
            mixed = [dot(weights, [v[i][r] for i in range(n)]) for r in range(len(v[0]))]
            for row in range(len(X)):
                result[row][j] = result[row][j] + dot(head["w_o"][row], mixed)
    if b_o is not None:
        result = [[entry + b_o[row] for entry in result[row]] for row in range(len(X))]
    return result


def feed_forward(X: Matrix, w_1: Matrix, b_1: list, w_2: Matrix, b_2: list | None, phi: Callable) -> Matrix:
    result = [list(row) for row in X]
    for j, column in enumerate(tokens(X)):
        change = affine(w_2, [phi(t) for t in affine(w_1, column, b_1)], b_2)
        for row in range(len(X)):
            result[row][j] = result[row][j] + change[row]
    return result


def run(layers: list[dict], X: Matrix) -> Matrix:
    """The layers in order, in exact rationals, or in decimals of 60 digits where X holds Decimals."""
    with decimal.localcontext(prec=60):
        for layer in layers:
            if isinstance(X[0][0], Decimal):
                layer = decimals(layer)
            if "heads" in layer:
                normalize = hardmax if layer["normalization"] == "hardmax" else softmax
                X = attention(X, layer["heads"], layer["b_o"], normalize)
            else:
                phi = relu if layer["phi"] is None else three_piece(*layer["phi"])
                X = feed_forward(X, layer["w_1"], layer["b_1"], layer["w_2"], layer["b_2"], phi)
    return X


def decimals(value: Any) -> Any:
    """Every number in nested lists and dicts as a Decimal of 60 digits."""
    if isinstance(value, dict):
        return {key: decimals(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [decimals(entry) for entry in value]
    if isinstance(value, (int, Fraction)):
        with decimal.localcontext(prec=60):
            return Decimal(value.numerator) / Decimal(value.denominator)
    return value


# --------------------------------------------------------------------------------------------------- examples


def build(layer: dict) -> Attention | FeedForward:
    if "heads" in layer:
        return Attention([Head(**head) for head in layer["heads"]], layer["normalization"], layer["b_o"])
    activation = RELU if layer["phi"] is None else ThreePiece(*layer["phi"])
    return FeedForward(layer["w_1"], layer["b_1"], layer["w_2"], layer["b_2"], activation)


SMALL = st.integers(-3, 3)
HALVES = st.integers(-6, 6).map(lambda k: Fraction(k, 2))
RATIONALS = SMALL | st.fractions(-3, 3, max_denominator=6)


def vectors(length: int, numbers: st.SearchStrategy = RATIONALS) -> st.SearchStrategy[list]:
    return st.lists(numbers, min_size=length, max_size=length)


def matrices(rows: int, columns: int, numbers: st.SearchStrategy = RATIONALS) -> st.SearchStrategy[Matrix]:
    return st.lists(vectors(columns, numbers), min_size=rows, max_size=rows)


@st.composite
def attentions(draw: Any, d: int, numbers: Any = RATIONALS, normalization: str = "hardmax") -> dict:
    heads = []
    for _ in range(draw(st.integers(1, 2))):
        m = draw(st.integers(1, 3))
        head = {name: draw(matrices(m, d, numbers)) for name in ("w_q", "w_k", "w_v")}
        head["w_o"] = draw(matrices(d, m, numbers))
        for name in draw(st.sets(st.sampled_from(["b_q", "b_k", "b_v"]))):
            head[name] = draw(vectors(m, numbers))
        heads.append(head)
    b_o = draw(st.none() | vectors(d, numbers))
    return {"heads": heads, "normalization": normalization, "b_o": b_o}


@st.composite
def activations(draw: Any, numbers: Any = RATIONALS) -> tuple[list, list, list]:
    slopes = draw(vectors(3, numbers))
    slopes[draw(st.integers(0, 2))] = 0
    return sorted(draw(vectors(2, numbers))), slopes, draw(vectors(3, numbers))


@st.composite
def feed_forwards(draw: Any, d: int, numbers: Any = RATIONALS) -> dict:
    r = draw(st.integers(1, 3))
    return {
        "w_1": draw(matrices(r, d, numbers)),
        "b_1": draw(vectors(r, numbers)),
        "w_2": draw(matrices(d, r, numbers)),
        "b_2": draw(st.none() | vectors(d, numbers)),
        "phi": draw(st.none() | activations(numbers)),
    }


@st.composite
def examples(
    draw: Any, numbers: Any = RATIONALS, normalization: str = "hardmax", depth: int = 3
) -> tuple[list[dict], Matrix]:
    """(layers, X) with d, n <= 3: an attention layer first, then feed-forward and attention in turn."""
    d, n = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    layers = [
        draw(feed_forwards(d, numbers) if i % 2 else attentions(d, numbers, normalization))
        for i in range(draw(st.integers(1, depth)))
    ]
    return layers, draw(matrices(d, n, numbers))


def array(X: Any) -> np.ndarray:
    """Nested lists as an object array, whatever the numbers are."""
    return np.array(X, dtype=object)


def case_name(case):
    """How a test case is called: by the name of a target's maker, or by its number."""
    return case.__name__ if callable(case) else str(case)
