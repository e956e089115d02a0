"""So (2020), slides on yun2020: where they differ from the paper."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..certificate import Certificate
from ..contextual_mapping import psi, selective_shift, sweep_layers
from ..layers import Attention
from ..model import Transformer
from ..quantization import Grid
from .registry import register
from .yun2020_contextual import interval_checks

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
    damaged = Transformer([*sweep, too_strong] if np.random.default_rng(seed).integers(2) else sweep, n=n)
    return _certify_sentinel(grid, Fraction(grid.sentinel), damaged)


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
