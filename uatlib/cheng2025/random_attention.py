"""Layers of attention with random weights, and how far apart they keep the tokens of grid sequences.

Theorem 2: if an analytic family tells any two sequences apart, almost all weights tell any number apart. How far apart
must be computed. Source: cheng2025, Theorem 2; the weights ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import torch

from ..arithmetic import FLOAT64
from ..kernels import DOT, Kernel
from ..layers import Attention, Head, Layer
from ..model import Transformer
from ..patterns import Pattern
from .grid_sequences import GridSequences

SCALE = 4
"""Entries of W_Q and W_K are at most 4/d: with larger ones attention is nearly hardmax, which hears too little."""
GRAIN = 64
CHUNK = 2**14
UNIT = 2.0**-50


class Mixing(NamedTuple):
    """Layers of attention, a direction u, the ids u . x (count, n) of all tokens, and how far apart they are."""

    layers: Sequence[Layer]
    u: np.ndarray
    ids: np.ndarray
    separation: float
    pair: tuple[int, int]

    @property
    def spread(self) -> float:
        """The largest difference of two ids."""
        return float(np.ptp(self.ids))


def best_mixing(
    patterns: Sequence[Pattern | None], kernel: Kernel, tokens: np.ndarray, found: GridSequences, seed: int, tries: int
) -> Mixing:
    """Of so many draws the one with the largest separation beside the spread; tokens (d, D) in float64."""
    X = tokens[:, found.rows].transpose(1, 0, 2)

    def mixing(attempt: int) -> Mixing:
        layers, u = draw(patterns, len(tokens), kernel, [seed, attempt])
        ids = ids_of(layers, u, X)
        return Mixing(layers, u, ids, *separation(ids, found))

    return max(map(mixing, range(tries)), key=lambda m: m.separation / (m.spread or 1))


def attention_layers(weights: np.ndarray, kernel: Kernel = DOT, patterns: Any = None) -> Transformer:
    """X + W_V X k(W_K X, W_Q X) over its column sums, layer by layer: what Theorem 2 calls (Id + g_m) ... (Id + g_1).

    Parameters
    ----------
    weights : (m, 3, d, d), for each layer W_Q, W_K and W_V
    patterns : for each layer a Pattern, or a list of n sets as `pattern` gives, or None: all tokens attend to all

    Source: cheng2025, (11) and (12).
    """
    rows = [None] * len(weights) if patterns is None else patterns
    masks = [row if row is None or isinstance(row, Pattern) else Pattern(row) for row in rows]
    unit = np.eye(weights.shape[-1], dtype=int)
    heads = [Head(W_Q, W_K, W_V, unit) for W_Q, W_K, W_V in weights]
    return Transformer([Attention([head], kernel=kernel, mask=mask) for head, mask in zip(heads, masks, strict=True)])


def random_weights(layers: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """W_Q, W_K and W_V of each layer, Fractions of few bits, shape (layers, 3, d, d).

    |W_Q| and |W_K| from 1/d to 4/d and |W_V| from 1/2 to 2, entry by entry: were W_Q W_K nearly 0, attention would hear
    the mean.
    """
    largest = np.array([Fraction(SCALE, d), Fraction(SCALE, d), Fraction(2)])[:, None, None]
    drawn = [
        [rng.integers(GRAIN // 4, GRAIN + 1, (d, d)) * rng.choice([-1, 1], (d, d)) for _ in largest]
        for _ in range(layers)
    ]
    return np.array(drawn).reshape(layers, 3, d, d).astype(object) * (largest / GRAIN)


def draw(patterns: Sequence[Pattern | None], d: int, kernel: Kernel, seed: Any) -> tuple[Sequence[Layer], np.ndarray]:
    """A layer with random weights for each pattern, and a direction with positive entries, by which ids are read."""
    rng = np.random.default_rng(seed)
    found = attention_layers(random_weights(len(patterns), d, rng), kernel, patterns)
    direction = rng.integers(1, GRAIN + 1, d).astype(object) * Fraction(1, GRAIN)
    return found.layers, direction if d > 1 else np.array([Fraction(1)], dtype=object)


def ids_of(layers: Sequence[Layer], u: np.ndarray, X: np.ndarray) -> np.ndarray:
    """u . x of each token after the layers, in float64; X of shape (count, d, n) to (count, n)."""
    mix = Transformer(layers).lower(FLOAT64.on("cpu"))
    parts = [mix(torch.from_numpy(X[k : k + CHUNK])).numpy() for k in range(0, len(X), CHUNK)]
    return np.asarray(np.einsum("i,kij->kj", u.astype(np.float64), np.concatenate(parts)))


def on_a_line(ids: np.ndarray, found: GridSequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ids that count, ascending, their places among all ids flattened, and which of them get a value."""
    places = np.flatnonzero(found.counted.ravel())
    places = places[np.argsort(ids.ravel()[places], kind="stable")]
    return ids.ravel()[places], places, found.wanted.ravel()[places]


def separation(ids: np.ndarray, found: GridSequences) -> tuple[float, tuple[int, int]]:
    """The least distance of an id that gets a value to any other, and the places of the two, ids flattened.

    Of several that floats do not tell from the least, one between two that get a value, if there is one.
    """
    line, places, own = on_a_line(ids, found)
    gaps = np.where(own[1:] | own[:-1], np.diff(line), np.inf)
    near = np.flatnonzero(gaps <= gaps.min() + UNIT * np.ptp(line))
    k = int(near[(own[1:] & own[:-1])[near].argmax()])
    return float(gaps[k]), (int(places[k]), int(places[k + 1]))
