"""One layer of attention and one of ReLUs that answer every token of given sequences with a given label.

The head of `rank_one_attention` gives every token of every sequence an id, which depends on the token and on the set of
tokens around it. Read along a vector a the ids are numbers t_1 < ... < t_m, and a piecewise linear function of one
variable passes through any labels there:

    z + W_2 relu(a^T z - t) + b_2 = y_j  at the id z with a^T z = t_j

Ids are no rationals. They are enclosed, and the weights are exact rationals from the centres of the enclosures, so
labels are met up to a tiny error, which `Memory.errors` encloses.

Source: kajitsuka2024, Corollaries 1 and 2, sections A.3 and A.4.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from uatlib.arithmetic import BALL, Ball, Undecided
from uatlib.arithmetic.numbers import FLOAT_RANGE, entries, fraction, log2
from uatlib.arithmetic.shown import scientific
from uatlib.checks import finite, flag, positive, shown, whole
from uatlib.internal.shapes import Numbers
from uatlib.kajitsuka2024.certified_margins import search_scale
from uatlib.kajitsuka2024.directions import direction, projections, rational_unit, tokens_of
from uatlib.kajitsuka2024.memory import Memory, encoded
from uatlib.kajitsuka2024.rank_one_layer import head_size_of, rank_one_attention, scale_of, separation
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge

from ..interpolation import interpolating_layer

__all__ = ["memorise", "positional_encoding"]

Scale = Literal["practical", "literal"]
MAX_IDS = 20_000
"""Ids that are enclosed one by one, and hidden units."""
MAX_ENTRIES = 1_000_000
MAX_BITS = 200_000
GUARD = 64
"""Binary digits of the ids beyond those that tell them apart and those of the largest label or token."""
READINGS = 100
GRID = 2001
SCORES = 40
"""Scores of the scales that are searched: softmax of larger ones is hardmax but for 10^-17."""


def positional_encoding(r_max: object, n: int, d: int, *, printed: bool = False) -> np.ndarray:
    """E of shape (d, n), Fractions: column k = 1, ..., n is 4 k r_max (1, 0, ..., 0); printed 2 k r_max (1, ..., 1).

    If all tokens have norms below r_max and distances over eps, tokens x + E_k have norms in (3 r_max, (4n + 1) r_max)
    and distances over min(eps, 2 r_max): those of different places are 4 r_max - 2 r_max apart. The printed ones can
    come as close as 2 r_max (sqrt(d) - 1), which is 0 for d = 1, and their norms reach (2n sqrt(d) + 1) r_max.

    Raises
    ------
    ValueError
        r_max is no number > 0, or n or d no int >= 1, or n d exceeds 1,000,000.

    Source: kajitsuka2024, eq. (48); any unit vector would do in place of (1, 0, ..., 0).
    """
    n, d = whole("n", n, 1), whole("d", d, 1)
    radius = positive("r_max", r_max, hint="it bounds the norms of tokens")
    if n * d > MAX_ENTRIES:
        got = f"n = {shown(n)} and d = {shown(d)}"
        raise ConstructionTooLarge(f"n: expected n d of at most {MAX_ENTRIES:,} entries, got {got}.")
    column = [2] * d if flag("printed", printed) else [4, *[0] * (d - 1)]
    return np.outer(np.array(column, dtype=object) * radius, np.arange(1, n + 1, dtype=object))


def memorise(
    sequences: Any, labels: Any, head_size: int = 1, *, encodings: Any = None, scale: Scale | object = "practical"
) -> Memory:
    """The network of Corollary 1, or with encodings of Corollary 2, for N labelled sequences.

        z = x_k + W_O W_V X softmax[(W_K X)^T W_Q x_k],    y_k = z + W_2 relu(1 a^T z - t) + b_2

    Parameters
    ----------
    sequences : numbers of shape (N, d, n), columns are tokens; or (N, n) for d = 1
    labels : numbers of the same shape
    head_size : s
    encodings : E of shape (d, n), added to every sequence; see `positional_encoding`
    scale : "practical", the small beta with the largest margin over these sequences that a search finds; "literal",
        that of Theorem 2; or beta itself

    Raises
    ------
    ValueError
        Other shapes; a token or label beyond 2^1000, or not 0 and below 2^-1000; a token of 0; a sequence with one
        token twice, which Corollary 1 excludes; two sequences with the same tokens that label one token differently;
        head_size or scale is off; the scale of Theorem 2 is beyond floats; ids that are not told apart with 200,000
        binary digits; as `direction` where it finds none or there are too many tokens.
    ConstructionTooLarge
        More than 20,000 ids.

    Source: kajitsuka2024, Corollaries 1 and 2.
    """
    X, Y = sequences_of(sequences, "sequences"), sequences_of(labels, "labels")
    if X.shape != Y.shape:
        raise ValueError(f"labels: expected a label for every entry, of shape {X.shape}, got labels of {Y.shape}.")
    E = None if encodings is None else encodings_of(encodings, X.shape)
    n, s = X.shape[2], head_size_of(head_size)
    fit = "other than 0, from 2^-1000 to 2^1000 in size"
    scale = scale_of(scale, fit, lambda number: finite("scale", number) != 0)
    if n < 2:
        raise ValueError("sequences: expected n >= 2 tokens, got n = 1; a lone token has no context.")
    places, vocabulary = places_of(encoded(X, E))
    answers = consistent_labels(places, X, Y)
    if len(answers) > MAX_IDS:
        got = f"{len(answers):,} ids, so as many hidden units; the limit is {MAX_IDS:,}"
        raise ConstructionTooLarge(f"sequences: expected fewer or shorter ones, got {got}.")
    tokens = tokens_of(vocabulary, "sequences")
    rows = sorted({row for row, _ in answers})
    v = direction(tokens).vector
    beta, bits = _first_scale(scale, tokens, rows, v, n)
    attention = rank_one_attention(tokens, n, s, beta, vector=v)
    order = [(row, t) for row in rows for t in row]
    # A label is off by the error of a reading times the steepness: largest label or token / least distance.
    guard = GUARD + max(0, math.ceil(log2(1 + max(abs(u) for u in (*Y.flat, *tokens.flat)))) - 10)
    bits += guard - GUARD
    while (found := _ids(attention, tokens, rows, bits, v, guard)) is None:
        bits *= 2
        if bits > MAX_BITS:
            got = f"ids that {MAX_BITS:,} binary digits do not tell apart, for {scientific(beta)}"
            raise ValueError(f"scale: expected a smaller one, got {got}.")
    Z, reading, t, gap = found
    layer = interpolating_layer(Z, np.array([answers[key] for key in order], dtype=object), reading, t)
    model = Transformer([*attention.layers, layer], n=n)
    return Memory(model, X, Y, E, s, beta, reading, len(order), gap, bits)


# ---------------------------------------------------------------------------------------------------------------- parts


def _first_scale(scale: Any, tokens: np.ndarray, rows: Sequence[Any], v: Any, n: int) -> tuple[Fraction, int]:
    """beta, and the bits to begin with."""
    if scale == "literal":
        promised = separation(tokens, n, Fraction(1, 1000))
        if promised.bits > MAX_BITS:
            needs = f"the scale of Theorem 2 needs {promised.bits:,} bits here, the limit is {MAX_BITS:,}"
            raise ValueError(f'sequences: expected fewer or shorter ones: {needs}; or take scale="practical".')
        return promised.scale, promised.bits + GUARD
    if scale != "practical":
        return scale, 2 * GUARD
    x = projections(tokens, v)
    largest = finite("sequences, scales for their tokens", SCORES / max(abs(u) for u in x) ** 2)
    return search_scale(x, rows, (-largest, largest), GRID), 2 * GUARD


def _ids(
    attention: Transformer, tokens: np.ndarray, rows: Sequence[Any], bits: int, v: Sequence[Fraction], guard: int
) -> tuple[np.ndarray, tuple[Fraction, ...], list[Fraction], Ball] | None:
    """Ids, shape (ids, d), a reading that tells them apart, their readings, and the least distance; all rationals.

    None if `bits` are too few: the enclosures of readings must be 2^-guard times as long as their least distance.
    """
    X = np.stack([tokens[:, list(row)] for row in rows])
    try:
        balls = np.concatenate(list(attention(X, BALL.with_bits(bits)).transpose(0, 2, 1)))
    except Undecided:
        return None
    Z = np.frompyfunc(lambda ball: ball.midpoint, 1, 1)(balls)
    radius = max(ball.radius for ball in balls.flat)
    points = Z.astype(np.float64)
    readings = [tuple(v)] if len(tokens) == 1 else [tuple(v), *_readings(len(tokens))]
    scores = [np.diff(np.sort(points @ np.array(a, dtype=np.float64))).min() for a in readings]
    for k in sorted(range(len(readings)), key=lambda k: -scores[k])[:3]:
        a = readings[k]
        t = list(Z @ np.array(a, dtype=object))
        # |a^T (z - midpoint)| is at most the sum of |a_i| times the radius.
        reach = radius * sum(abs(u) for u in a)
        order = sorted(t)
        least = min(high - low for low, high in itertools.pairwise(order))
        if least > reach * 2**guard:
            with BALL.with_bits(bits).context():
                return Z, a, t, Ball(least, 2 * reach)
    return None


def _readings(d: int) -> list[tuple[Fraction, ...]]:
    draws = np.random.default_rng(0).standard_normal((READINGS, d))
    return [rational_unit(u / np.linalg.norm(u)) for u in draws]


# ------------------------------------------------------------------------------------------ labelled data


def sequences_of(values: Numbers, name: str) -> np.ndarray:
    """Fractions of shape (N, d, n), columns are tokens, from that shape or (N, n); else ValueError."""
    array = entries(values, name, sized)
    array = array[:, None, :] if array.ndim == 2 else array
    if array.ndim != 3 or 0 in array.shape:
        raise ValueError(f"{name}: expected shape (N, d, n), columns as tokens, or (N, n), got {array.shape}.")
    return array


def encodings_of(values: Numbers, shape: tuple[int, ...]) -> np.ndarray:
    """Fractions of shape (d, n), for sequences of `shape` (N, d, n); else ValueError."""
    E = entries(values, "encodings", sized)
    if E.shape != shape[1:]:
        raise ValueError(f"encodings: expected shape (d, n) = {shape[1:]}, got {E.shape}.")
    return E


def sized(value: object) -> Fraction:
    """A number as a Fraction; ValueError unless it is 0 or from 2^-1000 to 2^1000 in size."""
    number = fraction(value)
    if number and abs(log2(abs(number))) > FLOAT_RANGE:
        sizes = f"0 or a size from 2^-{FLOAT_RANGE} to 2^{FLOAT_RANGE}, which floats hold"
        raise ValueError(f"expected {sizes}, got {shown(number)}; take another unit.")
    return number


def places_of(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every token as its place in the vocabulary, shape (N, n), and the vocabulary, shape (d, V), in sorted order."""
    columns = [[tuple(column) for column in x.T] for x in X]
    tokens = sorted({token for row in columns for token in row})
    place = {token: k for k, token in enumerate(tokens)}
    return np.array([[place[token] for token in row] for row in columns]), np.array(tokens, dtype=object).T


def consistent_labels(
    places: np.ndarray, X: np.ndarray, Y: np.ndarray
) -> dict[tuple[tuple[int, ...], int], np.ndarray]:
    """The label of every token in every set of tokens; ValueError if two sequences say otherwise."""
    first: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {}
    for i, places_i in enumerate(places.tolist()):
        row = tuple(sorted(places_i))
        if len(set(row)) < len(row):
            raise ValueError(
                f"sequences: expected sequences without repeated tokens, got {_text(X[i])}; add positional encodings: "
                "encodings=positional_encoding(r_max, n, d)."
            )
        for k, token in enumerate(places_i):
            j, m = first.setdefault((row, token), (i, k))
            if (Y[i, :, k] != Y[j, :, m]).any():
                raise ValueError(
                    f"labels: expected consistent labels, got {_text(X[j])} with labels {_text(Y[j])} and "
                    f"{_text(X[i])} with labels {_text(Y[i])}: the same tokens, and {_text(X[i, :, k : k + 1])} is "
                    f"labelled {_text(Y[j, :, m : m + 1])} and {_text(Y[i, :, k : k + 1])}; an attention layer does "
                    "not see places."
                )
    return {key: Y[i, :, k] for key, (i, k) in first.items()}


def _text(matrix: np.ndarray) -> str:
    rows = [", ".join(shown(entry) for entry in row) for row in matrix]
    return f"({rows[0]})" if len(rows) == 1 else f"[{'; '.join(rows)}]"
