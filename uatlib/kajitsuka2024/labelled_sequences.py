"""Labelled sequences as exact numbers: shapes and sizes, the place of every token in a vocabulary, consistent labels.

Source: kajitsuka2024, Corollaries 1 and 2.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..arithmetic.numbers import FLOAT_RANGE, entries, fraction, log2
from ..checks import shown
from ..shapes import Numbers


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
