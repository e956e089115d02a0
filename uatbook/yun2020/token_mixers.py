"""Constructions with cheaper token mixers, and what each tells apart. Source: yun2020, section H.

    average       X + W_O W_V X 1_n 1_n^T / n
    bilinear      X + W_O X W_P                `mixers.BilinearProjection`
    convolution   X + W_O (X * W_C)            `mixers.SeparableConvolution`

They stand where attention stands in a transformer. Sequences here are whole numbers ("in units of delta"): the layers
are linear, so real units only scale them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uatlib.checks import shown, whole
from uatlib.grids import Grid
from uatlib.layers import Attention, FeedForward, Head
from uatlib.mixers import BilinearProjection, SeparableConvolution
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge
from uatlib.yun2020.cost import require_size
from uatlib.yun2020.ids import column_vector

MAX_BITS = 1_000_000
"""Of the powers of `token_power`."""
MAX_TOKENS = 1_000_000

# -------------------------------------------------------------------------------------------------------------- layers


def average_attention(w_v: Any, w_o: Any, normalization: str = "hardmax") -> Attention:
    """X + W_O W_V X 1_n 1_n^T / n: attention whose queries and keys are zero.

    Parameters
    ----------
    w_v : (m, d), w_o : (d, m)
    normalization : all scores are 0, so softmax and hardmax both give 1/n; hardmax runs in EXACT too

    "The average of projections of all the other tokens", says the text, and the matrix full of 1/n that it gives
    averages over all tokens, the token itself included. Source: yun2020, section H.4.
    """
    zero = np.zeros(np.shape(w_v), dtype=int)
    return Attention([Head(zero, zero, w_v, w_o)], normalization)


# ---------------------------------------------------------------------------------------------------- average attention


def same_mean_pair(n: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(0, 1, 4, 5, 6, ...) and (0, 2, 3, 5, 6, ...), each of n different tokens: the same mean, the same token 0.

    One average layer gives token 0 the same result in both, x_0 + A mean(X), whatever A = W_O W_V is.

    Raises
    ------
    ValueError
        n is no int from 3 to a million.
    """
    shared = tuple(range(5, whole("n", n, 3, MAX_TOKENS, "two tokens are told by their mean") + 2))
    return (0, 1, 4, *shared), (0, 2, 3, *shared)


def token_power(inverse_delta: int, d: int, base: int) -> FeedForward:
    """Sends the first entry of a token x in {0, ..., N - 1}^d to base^{u^T x}; the others stay. D = N^d ReLUs.

    x_1 - ReLU(x_1) + 1 + sum_j c_j ReLU(u^T x - j), j = 0, ..., D - 2: the piecewise linear function through the
    powers, with c_j the change of its slope at j.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, d no int >= 1, or base no int >= 2.
    ConstructionTooLarge
        The powers together have more than a million bits; nothing is allocated.
    """
    grid, base = Grid(inverse_delta, 1, d), whole("base", base, 2)
    D, d = grid.column_values, grid.d
    if D**2 * base.bit_length() > MAX_BITS:
        raise ConstructionTooLarge(
            f"token_power({grid}, base={shown(base)}): the powers up to base^(N^d - 1) together take more "
            f"bits than {MAX_BITS:,}, which is the limit; choose a coarser grid."
        )
    slopes = [base ** (j + 1) - base**j for j in range(D - 1)]
    changes = [slope - before for slope, before in zip(slopes, [0, *slopes], strict=False)]
    u, first = column_vector(inverse_delta, d), [1] + [0] * (d - 1)
    w_2 = np.zeros((d, D), dtype=object)
    w_2[0] = [-1, *changes]
    return FeedForward([first, *[u] * (D - 1)], [0, *(-j for j in range(D - 1))], w_2, first)


def average_context(*, inverse_delta: int, n: int, d: int, base: int | None = None) -> Transformer:
    """`token_power`, then one average layer: a contextual mapping by feed-forward and averaging alone.

    With base b the first entry of token j becomes b^{l_j} + C sum_k b^{l_k}, C = b^D, where l = u^T L. For b = n + 1
    (the default) the sum tells the multiset of tokens; for b = 2 it does so among distinct tokens. The first term tells
    the token. Definition E.1 as in the slides. Source: section H.4, made literal.

    Raises
    ------
    ValueError, ConstructionTooLarge
        As `token_power` and `Grid`.
    """
    grid = Grid(inverse_delta, n, d)
    base = grid.n + 1 if base is None else base
    power = token_power(inverse_delta, d, base)
    first = [1] + [0] * (grid.d - 1)
    scale = grid.n * base**grid.column_values
    average = average_attention([first], [[scale * entry] for entry in first])
    return Transformer([power, average], n=grid.n)


# -------------------------------------------------------------------------------------------------- bilinear projection


def bilinear_context(*, inverse_delta: int, n: int, d: int) -> Transformer:
    """One bilinear projection with W_O = I and (W_P)_{ij} = D^i, i = 1, ..., n: a contextual mapping, and of rank one.

    With l = u^T L the id of token j is l_j + sum_i D^i l_i, the number with the digits l_n ... l_1 l_j in base D, below
    D^{n+1}. It tells the whole sequence, in its order, and the token: Definition E.1 as printed, which no permutation
    equivariant map can satisfy. Source: yun2020, section H.1; section H.3 says that no such layer is one.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, or n or d no int >= 1.
    ConstructionTooLarge
        More parameters or bytes than fit; nothing is allocated.
    """
    grid = _sized("bilinear_context", Grid(inverse_delta, n, d), n)
    weights = [[grid.column_values**i] * grid.n for i in range(1, grid.n + 1)]
    return Transformer([BilinearProjection(np.eye(grid.d, dtype=int), weights)], n=grid.n)


# ---------------------------------------------------------------------------------------------------------- convolution


def receptive_field(k: int, layers: int, token: int, n: int) -> range:
    """The tokens that `token` (0, ..., n - 1) can hear through `layers` convolutions with filters of width k.

    token - layers floor((k - 1)/2), ..., token + layers floor(k/2), as far as they exist.

    Raises
    ------
    ValueError
        k or n is no int >= 1, n over a million, layers no int >= 0, or token no int in 0, ..., n - 1.
    """
    k, n, layers = whole("k", k, 1), whole("n", n, 1, MAX_TOKENS), whole("layers", layers, 0)
    token = whole("token", token, 0, n - 1)
    return range(max(0, token - layers * ((k - 1) // 2)), min(n, token + layers * (k // 2) + 1))


def unheard_pair(k: int, layers: int, token: int, n: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Two sequences of n different tokens that differ where `token` does not hear: (1, 2, 3, 0) and (1, 2, 3, 4).

    They are no permutations of each other, and yet `token` ends the same in both, for all weights of the convolutions
    and of any feed-forward layers between them. None if `token` hears all. Errors as `receptive_field`.
    """
    heard = receptive_field(k, layers, token, n)
    unheard = [j for j in range(n) if j not in heard]
    if not unheard:
        return None
    others = iter(range(1, n))
    shared = [0 if j == unheard[-1] else next(others) for j in range(n)]
    return tuple(shared), tuple(n if j == unheard[-1] else x for j, x in enumerate(shared))


def separable_context(*, inverse_delta: int, n: int, d: int) -> Transformer:
    """One convolution with filters of width k = 2n - 1, W_O = I and (W_C)_{i,t} = D^{t+1}: a contextual mapping.

    With l = u^T L the id of token j is l_j + D^{n-j} sum_i D^i l_i (i, j = 1, ..., n): in base D the last digit is
    the token, and the others are the sequence, seen from it: Definition E.1 as in the slides. As printed no one
    convolution satisfies it: (1, 2, 0) and (0, 1, 2) share ids. Narrower filters do not do it, see `unheard_pair`.
    Source: yun2020, section H.2; section H.3 says that no convolution is one. Errors as `bilinear_context`.
    """
    grid = Grid(inverse_delta, n, d)
    grid = _sized("separable_context", grid, 2 * grid.d)
    filters = [[grid.column_values ** (t + 1) for t in range(2 * grid.n - 1)]] * grid.d
    return Transformer([SeparableConvolution(np.eye(grid.d, dtype=int), filters)], n=grid.n)


def _sized(name: str, grid: Grid, rows: int) -> Grid:
    """The grid; ConstructionTooLarge where `rows` by n weights of up to D^{2n} do not fit."""
    bits = 2 * grid.n * grid.d * grid.inverse_delta.bit_length()
    # Long numbers count by their 64-bit words.
    parameters = (rows * grid.n) * (1 + bits // 64) + grid.d**2
    require_size(f"{name}({grid})", layers=1, arrays_per_layer=2, parameters=parameters, longest_bits=bits)
    return grid


def digits(ids: Sequence[int], inverse_delta: int, d: int) -> list[list[int]]:
    """The sequence of shape (d, n) whose columns have these ids, u^T x = id, in units of delta."""
    return [[int(x) // inverse_delta**i % inverse_delta for x in ids] for i in range(d)]
