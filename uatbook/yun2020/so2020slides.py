"""So (2020), slides on yun2020: their picture for one dimension, and their sentinel."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Certificate, Check
from uatlib.grids import Grid
from uatlib.layers import Attention
from uatlib.model import Transformer
from uatlib.yun2020.ids import categories
from uatlib.yun2020.shift_layers import psi, selective_shift, selective_shift_layer

from ..damages import Damage, scaled, with_layer
from ..registry import register
from .common import OnGrid, exact_sequences, grid_of, interval_checks, require_few

MAX_SEQUENCES = 20_000
SEQUENCES = "sequences on which the layers are run"


class Marked(NamedTuple):
    """The contextual mapping, and the value of entries outside the box."""

    grid: Grid
    model: Transformer
    sentinel: Fraction


def _certify_sentinel(parts: Marked) -> Certificate:
    grid, model, sentinel = parts
    names = ("2a distinct columns, some id outside [a, b]", "2b other sequences, some id inside [a, b]")
    checks = interval_checks(grid, sentinel, model, names)
    return Certificate(checks, parameters={**vars(grid), "sentinel": sentinel})


def _with_lift(power: int | None) -> Damage:
    """The last layer lifts by D^{n + power}, not D^{n+1}, or is left out; where no columns differ none is needed."""

    def damaged(parts: Any, rng: np.random.Generator) -> Any:
        grid = parts.grid
        if grid.n > grid.column_values:
            return None
        N, d = grid.inverse_delta, grid.d
        lift = [] if power is None else [Attention([psi(0, grid.column_values ** (grid.n + power), N, d)], "hardmax")]
        return parts._replace(model=with_layer(parts.model, len(parts.model.layers) - 1, *lift))

    return damaged


@register(
    "so2020slides:sentinel",
    "the value that marks entries outside the box",
    source="slides Quantization and Self-attention layers can express contextual mappings",
    chapter="yun-contextual-mapping",
    construction=selective_shift,
    certify=_certify_sentinel,
    cases=[{"inverse_delta": 2, "n": 2, "d": 1}, {"inverse_delta": 2, "n": 2, "d": 2}],
    damages={"the global shift left out": _with_lift(None), "the global shift D times too strong": _with_lift(2)},
    concerns="construction",
    erratum="""The slides send entries outside [0, 1) to -delta^{nd}, a number close to 0; then ids of such sequences
    fall among the real ones. The paper's -delta^{-nd}, far below 0, is meant.""",
)
def sentinel(*, variant: str = "repaired", inverse_delta: int = 3, n: int = 2, d: int = 1) -> Marked:
    """Property 2 of the slides' lemma on the whole extended grid, with the literal layers in EXACT."""
    grid = grid_of("so2020slides:sentinel", inverse_delta, n, d)
    require_few("so2020slides:sentinel", SEQUENCES, grid.size(extended=True), MAX_SEQUENCES)
    value = Fraction(grid.sentinel) if variant == "repaired" else -(grid.delta ** (grid.n * grid.d))
    return Marked(grid, selective_shift(inverse_delta=inverse_delta, n=n, d=d), value)


# ------------------------------------------------------------------------------------------- one dimension, in pictures


def _picture(tokens: np.ndarray, N: int) -> list[np.ndarray]:
    """The tokens k_1, ..., k_n of sequences (B, n) after each layer, as the slides draw it: all in units of k.

    For k = 0, ..., N - 1: r = max - min, and N r is added to what equals k. Then N^{n+1} max is added to all.
    """
    film = [tokens]
    for k in range(N):
        r = film[-1].max(axis=-1, keepdims=True) - film[-1].min(axis=-1, keepdims=True)
        film.append(np.where(film[-1] == k, film[-1] + N * r, film[-1]))
    return [*film, film[-1] + N ** (tokens.shape[-1] + 1) * film[-1].max(axis=-1, keepdims=True)]


def _recovered(largest: int, N: int, n: int) -> list[int]:
    """k_1, ..., k_n in increasing order from max_j O_j: the last digit in base N is the largest token, and so on."""
    digits: list[int] = []
    for _ in range(n):
        digits.append(largest % N)
        largest = (largest - digits[-1]) // N + digits[-1]
    return digits[::-1]


def _certify_picture(parts: OnGrid) -> list[Check]:
    grid, model = parts
    N, n = grid.inverse_delta, grid.n
    L = grid.sequences()
    tokens = L[categories(L) == 1][:, 0].numpy().astype(object)
    states = [Z[:, 0] * N for Z in model.trace(exact_sequences(tokens[:, None], N), EXACT)]
    drawn = _picture(tokens, N)
    others = [(got != want).any(axis=-1) for got, want in zip(states[1:], drawn[1:], strict=False)]
    # O / N are the real tokens after the sweep; the literal layers' own, damaged or not.
    swept, ids = states[-2], states[-1]
    largest = swept.max(axis=-1)
    remainders = (swept / Fraction(N)) % 1 != tokens / Fraction(N)
    sets = [_recovered(int(s), N, n) != sorted(row) for s, row in zip(largest, tokens.tolist(), strict=True)]
    split = (ids // N ** (n + 1) != largest[:, None]) | (ids % N ** (n + 1) != swept)

    def moved(layer: int, k: int) -> dict[str, object]:
        return {"k": tokens[k], "after layer": layer, "tokens": states[layer + 1][k], "drawn": drawn[layer + 1][k]}

    def token(k: int, j: int) -> dict[str, Any]:
        return {"k": tokens[k], "token": j, "id": ids[k, j]}

    return [
        Check.none("layers that do not move tokens as drawn: sequences", np.array(others), moved),
        Check.none("k_i/N is not O_i mod 1: tokens", remainders, token),
        Check.none("k_1, ..., k_n not recovered from max O: sequences", np.array(sets), lambda k: {"k": tokens[k]}),
        Check.none("ids / N^(n+1) without quotient s or remainder O_j: tokens", split, token),
        Check("attention layers, N + 1", model.depth, "==", N + 1),
    ]


def _in_the_sweep(change: Callable[[Grid, int, Any], Any]) -> Damage:
    """The layers that `change` makes of one shift of the sweep."""

    def damaged(parts: OnGrid, rng: np.random.Generator) -> OnGrid:
        place = int(rng.integers(parts.grid.inverse_delta))
        return parts._replace(
            model=with_layer(parts.model, place, *change(parts.grid, place, parts.model.layers[place]))
        )

    return damaged


@register(
    "so2020slides:one-dimension",
    "the picture for one dimension: each jump is N r, the last digit stays",
    source="slides Proof: self-attention can express contextual mappings, 1D case",
    chapter="yun-contextual-mapping",
    construction=selective_shift,
    certify=_certify_picture,
    cases=[{"inverse_delta": 2}, {"inverse_delta": 5, "n": 3}],
    damages={
        "a shift left out": _in_the_sweep(lambda grid, k, layer: []),
        "a shift adds (N + 1) r": _in_the_sweep(lambda grid, k, layer: [scaled("w_o", 1 + grid.delta)(layer)]),
        "a shift moves the next token": _in_the_sweep(
            lambda grid, k, layer: [selective_shift_layer(k + 1, grid.inverse_delta, 1)]
        ),
        "the lift has one power of N less": _with_lift(0),
    },
)
def one_dimension(*, inverse_delta: int = 4, n: int = 2) -> OnGrid:
    """Tokens k_i/N, all different: every layer as drawn, k_i/N = O_i mod 1, all k_i from max O, and all from an id.

    The slides count r and s in units of k and O in the units of the tokens; here all three are in one unit, k, but for
    the line with mod 1, which is in that of the tokens. On all sequences of different tokens, literal layers in EXACT.
    """
    grid = grid_of("so2020slides:one-dimension", inverse_delta, n, distinct=True)
    N, n = grid.inverse_delta, grid.n
    run = max(grid.size(), math.perm(N, n) * (N + 1))
    require_few("so2020slides:one-dimension", f"{SEQUENCES}, times layers", run, MAX_SEQUENCES)
    return OnGrid(grid, selective_shift(inverse_delta=N, n=n, d=1))
