"""So (2020), slides on yun2020: their picture for one dimension, and their sentinel."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ...arithmetic import EXACT
from ...certificate import Certificate, Check
from ...grids import Grid
from ...layers import Attention
from ...model import Transformer
from ...registry import register_by_seed as register
from .._selective_shift import psi, selective_shift, selective_shift_layer, sweep_layers
from ..ids import categories
from .contextual import exact_sequences, interval_checks

MAX_SEQUENCES = 20_000


def _certify_sentinel(grid: Grid, sentinel: Fraction, model: Transformer) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    if grid.n < 2:
        raise ValueError(f"so2020slides:sentinel: expected n >= 2, got {n}; a lone token has no context.")
    if grid.size(extended=True) > MAX_SEQUENCES:
        raise ValueError(
            f"so2020slides:sentinel: the layers are run on {grid.size(extended=True):,} sequences, the limit is "
            f"{MAX_SEQUENCES:,}; choose a coarser grid."
        )
    names = (
        "2a distinct columns, some id outside [a, b]",
        "2b other sequences, some id inside [a, b]",
    )
    checks = interval_checks(grid, sentinel, model, names)
    return Certificate(checks, parameters={"inverse_delta": N, "n": n, "d": d, "sentinel": sentinel})


def _perturb_sentinel(*, seed: int = 0, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """The global shift is left out, so that no id reaches the interval, or D times too strong, so that all pass it."""
    grid = Grid(inverse_delta, n, d)
    if n > grid.column_values:
        raise ValueError(f"so2020slides:sentinel: expected n <= N^d, got n = {n} and N^d = {grid.column_values}.")
    sweep = sweep_layers(inverse_delta, d)
    too_strong = Attention([psi(0, grid.column_values ** (n + 2), inverse_delta, d)], "hardmax")
    kinds = (sweep, [*sweep, too_strong])
    return _certify_sentinel(grid, Fraction(grid.sentinel), Transformer(kinds[seed % len(kinds)], n=n))


@register(
    "so2020slides:sentinel",
    "the value that marks entries outside the box",
    source="slides Quantization and Self-attention layers can express contextual mappings",
    chapter="yun-contextual-mapping",
    perturb=_perturb_sentinel,
    concerns="construction",
    erratum=(
        "The slides send entries outside [0, 1) to -delta^{nd}, a number close to 0; then ids of such sequences fall "
        "among the real ones. The paper's -delta^{-nd}, far below 0, is meant."
    ),
)
def verify_sentinel(*, variant: str = "repaired", inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """Property 2 of the slides' lemma on the whole extended grid, with the literal layers in EXACT."""
    grid = Grid(inverse_delta, n, d)
    sentinel = Fraction(grid.sentinel) if variant == "repaired" else -(grid.delta ** (n * d))
    return _certify_sentinel(grid, sentinel, selective_shift(inverse_delta=inverse_delta, n=n, d=d))


# ------------------------------------------------------------------------------------------- one dimension, in pictures


def _picture(tokens: np.ndarray, N: int) -> list[np.ndarray]:
    """The tokens k_1, ..., k_n of sequences (B, n) after each layer, as the slides draw it: all in units of k.

    For k = 0, ..., N - 1: r = max - min, and N r is added to what equals k. Then N^{n+1} max is added to all.
    """
    rows: list[list[list[int]]] = []
    for row in tokens.tolist():
        film = [row]
        for k in range(N):
            r = max(film[-1]) - min(film[-1])
            film.append([t + N * r if t == k else t for t in film[-1]])
        film.append([t + N ** (len(row) + 1) * max(film[-1]) for t in film[-1]])
        rows.append(film)
    return [np.array(layer, dtype=object) for layer in zip(*rows, strict=True)]


def _recovered(largest: int, N: int, n: int) -> list[int]:
    """k_1, ..., k_n in increasing order from max_j O_j: the last digit in base N is the largest token, and so on."""
    found: list[int] = []
    for _ in range(n):
        found.append(largest % N)
        largest = (largest - found[-1]) // N + found[-1]
    return found[::-1]


def _certify_picture(grid: Grid, model: Transformer) -> Certificate:
    N, n = grid.inverse_delta, grid.n
    L = grid.sequences()
    tokens = L[categories(L) == 1][:, 0].numpy().astype(object)
    states = [Z[:, 0] * N for Z in model.trace(exact_sequences(tokens[:, None], N), EXACT)]
    drawn = _picture(tokens, N)
    others = [int((got != want).any(axis=-1).sum()) for got, want in zip(states[1:], drawn[1:], strict=False)]
    # O / N are the real tokens after the sweep; the literal layers' own, damaged or not.
    swept, ids = states[-2], states[-1]
    largest = swept.max(axis=-1)
    remainders = (swept / Fraction(N)) % 1 != tokens / Fraction(N)
    sets = [_recovered(int(s), N, n) != sorted(row) for s, row in zip(largest, tokens.tolist(), strict=True)]
    split = (ids // N ** (n + 1) != largest[:, None]) | (ids % N ** (n + 1) != swept)
    B = len(tokens)
    return Certificate(
        [
            Check("layers that do not move tokens as drawn: sequences", sum(others), "==", 0, cases=B * len(others)),
            Check("k_i/N is not O_i mod 1: tokens", int(remainders.sum()), "==", 0, cases=remainders.size),
            Check("k_1, ..., k_n not recovered from max O: sequences", sum(sets), "==", 0, cases=B),
            Check(
                "ids / N^(n+1) without quotient s or remainder O_j: tokens",
                int(split.sum()),
                "==",
                0,
                cases=B * n,
            ),
            Check("attention layers, N + 1", model.depth, "==", N + 1),
        ],
        parameters={"inverse_delta": N, "n": n},
    )


def _picture_grid(inverse_delta: int, n: int) -> Grid:
    grid = Grid(inverse_delta, n, 1)
    if not 2 <= n <= inverse_delta:
        raise ValueError(f"so2020slides:one-dimension: expected 2 <= n <= N, got n = {n} and N = {inverse_delta}.")
    if (run := max(grid.size(), math.perm(inverse_delta, n) * (inverse_delta + 1))) > MAX_SEQUENCES:
        raise ValueError(
            f"so2020slides:one-dimension: {run:,} sequences times layers, the limit is {MAX_SEQUENCES:,}; choose a "
            "coarser grid."
        )
    return grid


def _perturb_picture(*, seed: int = 0, inverse_delta: int = 4, n: int = 2) -> Certificate:
    """A shift is left out, adds (N + 1) r or acts on the next token, or the lift has one power of N less."""
    grid = _picture_grid(inverse_delta, n)
    *sweep, lift = selective_shift(inverse_delta=inverse_delta, n=n, d=1).layers
    place = int(np.random.default_rng(seed).integers(inverse_delta))
    shift = sweep[place].weights()
    factor = Fraction(inverse_delta + 1, inverse_delta)
    stronger = {name: w * factor if name.endswith("w_o") else w for name, w in shift.items()}
    kinds = (
        [*sweep[:place], *sweep[place + 1 :], lift],
        [*sweep[:place], sweep[place].with_weights(stronger), *sweep[place + 1 :], lift],
        [*sweep[:place], selective_shift_layer(place + 1, inverse_delta, 1), *sweep[place + 1 :], lift],
        [*sweep, Attention([psi(0, inverse_delta**n, inverse_delta, 1)], "hardmax")],
    )
    return _certify_picture(grid, Transformer(kinds[seed % len(kinds)], n=n))


@register(
    "so2020slides:one-dimension",
    "the picture for one dimension: each jump is N r, the last digit stays",
    source="slides Proof: self-attention can express contextual mappings, 1D case",
    chapter="yun-contextual-mapping",
    perturb=_perturb_picture,
)
def verify_picture(*, inverse_delta: int = 4, n: int = 2) -> Certificate:
    """Tokens k_i/N, all different: every layer as drawn, k_i/N = O_i mod 1, all k_i from max O, and all from an id.

    The slides count r and s in units of k and O in the units of the tokens; here all three are in one unit, k, but for
    the line with mod 1, which is in that of the tokens. On all sequences of different tokens, literal layers in EXACT.
    """
    grid = _picture_grid(inverse_delta, n)
    return _certify_picture(grid, selective_shift(inverse_delta=inverse_delta, n=n, d=1))
