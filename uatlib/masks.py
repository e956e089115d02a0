"""Masks: which tokens a token may hear.

A mask is an array of booleans of shape (n, n), or (..., n, n) for one mask a sequence. Its rows are keys, its columns
queries, as in the scores (W_K X)^T (W_Q X): mask[i, j] is True where token j sees token i. Softmax and hardmax then
run over the visible keys of a column only. In the source the same is written with a matrix C of 0 and -inf that is
added to the scores; `additive` and `from_additive` convert. (`torch.nn.MultiheadAttention` takes the contrary,
`attn_mask[query, key]` True where nothing is seen: `~mask.T`; `scaled_dot_product_attention` takes `mask.T`.)

Source: kajitsuka2024, appendix C, eq. (132).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch

from . import checks
from .arithmetic.numbers import entries, numbers, real, require_plain

MAX_LENGTH = 2**15
"""Tokens of the masks that are made here: n^2 bytes are a gigabyte then."""

__all__ = ["additive", "causal", "combine", "from_additive", "padding"]


def causal(n: int) -> np.ndarray:
    """mask[i, j] = (i <= j), shape (n, n): a token sees itself and those before it.

    Raises
    ------
    ValueError
        n is no int from 1 to 32,768.
    """
    n = checks.whole("n", n, 1, MAX_LENGTH)
    return np.triu(np.ones((n, n), dtype=bool))


def padding(lengths: int | Sequence[int], n: int, side: Literal["right", "left"] = "right") -> np.ndarray:
    """mask[i, j] = (i < length): sequences of `length` tokens, filled up to n columns; shape (..., n, n).

    All columns see the same: the real tokens. The padded columns see them too, so that no column is NaN; what comes
    out there means nothing and is to be left out.

    Parameters
    ----------
    lengths : an int in [1, n], or a sequence of them, one for each sequence of a batch
    side : where the padding stands; "left" makes it the real tokens i >= n - length that are seen

    Raises
    ------
    ValueError
        n is no int from 1 to 32,768, a length is no int in [1, n], another side is asked for, or
        the masks take over 1 GiB.
    """
    n = checks.whole("n", n, 1, MAX_LENGTH)
    checks.choice("side", side, ("right", "left"))

    def length(value: object) -> int:
        empty = value == 0 and "leave out empty sequences, which have no token to hear"
        return checks.whole("lengths", real(value), 1, n, empty or "")

    given = entries(lengths, "lengths", length)
    if given.size * n * n > MAX_LENGTH**2:
        raise checks.refused("lengths", f"masks of at most {MAX_LENGTH**2:,} entries", lengths, "take fewer")
    keys = np.arange(n) if side == "right" else np.arange(n)[::-1]
    filled = keys < given.astype(np.int64)[..., None]
    return np.repeat(filled[..., None], n, axis=-1)


def combine(*masks: object) -> np.ndarray:
    """Where all masks let through; their shapes are broadcast.

    Raises
    ------
    ValueError
        No mask, shapes that do not go together, as `booleans`, or a column that sees nothing any more: a causal mask
        with padding on the left hides everything from the first columns.
    """
    if not masks:
        raise ValueError("masks: expected at least one mask, got none.")
    arrays = [booleans(mask) for mask in masks]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"masks: expected masks of one length n, got shapes {shapes}.") from None
    return require_mask(np.logical_and.reduce([np.broadcast_to(array, shape) for array in arrays]))


def additive(mask: object) -> np.ndarray:
    """The matrix C that is added to scores: 0 where visible, -inf elsewhere; float64, the shape of the mask.

    Raises
    ------
    ValueError
        As `booleans`.
    """
    return np.where(booleans(mask), 0.0, -np.inf)


def from_additive(C: object) -> np.ndarray:
    """The mask of a matrix C of 0 and -inf.

    Raises
    ------
    ValueError
        Another entry: NaN, infinity, or a large negative number like -10^4, which hides nothing from larger scores.
    """
    values = numbers(C, "C")
    try:
        with warnings.catch_warnings(action="error", category=np.exceptions.ComplexWarning):
            matrix = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError, np.exceptions.ComplexWarning):
        raise ValueError(f"C: expected an array of 0 and -inf, got {checks.shown(C)}.") from None
    visible = matrix == 0
    if not (visible | np.isneginf(matrix)).all():
        place = [int(i) for i in np.argwhere(~(visible | np.isneginf(matrix)))[0]]
        entry = matrix[tuple(place)]
        hint = "; it only weakens a key, so say which are hidden: mask = C > -1000, for instance"
        raise ValueError(f"C{place}: expected 0 or -inf, got {entry:g}{hint if np.isfinite(entry) else ''}.")
    return visible


def visible_keys(mask: object) -> list[tuple[int, ...]]:
    """For each column of a mask of shape (n, n) the keys that it sees, in increasing order.

    Raises
    ------
    ValueError
        As `require_mask`; there is more than one mask.
    """
    array = require_mask(mask)
    if array.ndim != 2:
        raise ValueError(f"mask: expected one mask of shape (n, n), got {array.shape}; take them one by one.")
    return [tuple(int(i) for i in np.flatnonzero(column)) for column in array.T]


def booleans(mask: object) -> np.ndarray:
    """The mask as a NumPy array of booleans.

    Raises
    ------
    ValueError
        It holds other things: 0 and 1, 0 and -inf, lists of unequal lengths.
    """
    require_plain(mask, "mask")
    given = mask
    if isinstance(mask, torch.Tensor) and mask.dtype != torch.bool:
        given = numbers(mask, "mask")
    try:
        array = given.numpy(force=True) if isinstance(given, torch.Tensor) else np.asarray(given)
    except (TypeError, ValueError, RuntimeError):
        raise ValueError("mask: expected a dense array of booleans, got uneven lists.") from None
    if array.size > MAX_LENGTH**2:
        raise checks.refused("mask", f"at most {MAX_LENGTH**2:,} entries", array, "take a Pattern")
    if array.dtype != bool:
        kind = array.dtype.kind
        hint = {"f": "; take masks.from_additive for 0 and -inf", "i": "; compare with 0", "u": "; compare with 0"}
        got = checks.shown(mask) if isinstance(mask, torch.Tensor) or kind not in "iuf" else str(array.dtype)
        raise ValueError(f"mask: expected booleans, True for visible entries, got {got}{hint.get(kind, '')}.")
    return array


def require_mask(mask: object) -> np.ndarray:
    """The mask as booleans of shape (..., k, n), each of whose columns sees something.

    The softmax of a blind column would be 0/0: exponentials of -inf, none of them positive, divided by their sum.

    Raises
    ------
    ValueError
        As `booleans`; another shape; a blind column, whose place is named.
    """
    array = booleans(mask)
    if array.ndim < 2 or 0 in array.shape:
        hint = "for one row of real tokens take masks.padding"
        raise checks.refused("mask", "shape (..., k, n), keys down and queries across", array.shape, hint)
    blind = np.argwhere(~array.any(axis=-2))
    if len(blind):
        *batch, column = (int(i) for i in blind[0])
        place = ", ".join(str(i) for i in [*batch, ":", column])
        raise ValueError(
            f"mask: expected a visible key in every column, got none in mask[{place}] ({len(blind)} such columns); its "
            "softmax is 0/0 = NaN. Let the column see itself, mask | numpy.eye(n, dtype=bool), and leave its output "
            "out if it is padding."
        )
    return array
