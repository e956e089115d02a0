"""Masks: which tokens a token may hear.

A mask is an array of booleans of shape (n, n), or (..., n, n) for one mask a sequence. Its rows are keys, its columns
queries, as in the scores (W_K X)^T (W_Q X): mask[i, j] is True where token j sees token i. Softmax and hardmax then
run over the visible keys of a column only. In the source the same is written with a matrix C of 0 and -inf that is
added to the scores; `additive` and `from_additive` convert. (`torch.nn.MultiheadAttention` takes the contrary,
attn_mask[query, key] True where nothing is seen: ~mask.T.)

Source: kajitsuka2024, appendix C, eq. (132).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch

from .arithmetic.base import is_int, numbers

__all__ = [
    "additive",
    "booleans",
    "causal",
    "combine",
    "from_additive",
    "padding",
    "require_mask",
    "require_visible",
    "visible_keys",
]


def causal(n: int) -> np.ndarray:
    """mask[i, j] = (i <= j), shape (n, n): a token sees itself and those before it.

    Raises
    ------
    ValueError
        n is no int >= 1.
    """
    return np.triu(np.ones((_length(n, "causal"),) * 2, dtype=bool))


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
        n is no int >= 1, a length is no int in [1, n], or another side is asked for.
    """
    n = _length(n, "padding")
    if side not in ("right", "left"):
        raise ValueError(f'padding: expected side "right" or "left", got {side!r}.')
    given = np.array(lengths, dtype=object)
    for length in given.ravel().tolist():
        if not is_int(length, 1) or length > n:
            raise ValueError(
                f"padding: expected lengths to be ints in [1, {n}], got {length!r}; an empty sequence has no token to "
                "hear, leave it out."
            )
    keys = np.arange(n) if side == "right" else np.arange(n)[::-1]
    real = keys < given.astype(np.int64)[..., None]
    return np.repeat(real[..., None], n, axis=-1)


def combine(*masks: Any) -> np.ndarray:
    """Where all masks let through; their shapes are broadcast.

    Raises
    ------
    ValueError
        No mask, shapes that do not go together, as `booleans`, or a column that sees nothing any more: a causal mask
        with padding on the left hides everything from the first columns.
    """
    if not masks:
        raise ValueError("combine: expected at least one mask, got none.")
    arrays = [booleans(mask) for mask in masks]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"combine: expected masks of one length n, got shapes {shapes}.") from None
    return require_mask(np.logical_and.reduce([np.broadcast_to(array, shape) for array in arrays]))


def additive(mask: Any) -> np.ndarray:
    """The matrix C that is added to scores: 0 where visible, -inf elsewhere; float64, the shape of the mask.

    Raises
    ------
    ValueError
        As `booleans`.
    """
    return np.where(booleans(mask), 0.0, -np.inf)


def from_additive(C: Any) -> np.ndarray:
    """The mask of a matrix C of 0 and -inf.

    Raises
    ------
    ValueError
        Another entry: NaN, infinity, or a large negative number like -10^4, which hides nothing from larger scores.
    """
    matrix = numbers(C, "C").astype(np.float64)
    visible = matrix == 0
    if not (visible | np.isneginf(matrix)).all():
        place = [int(i) for i in np.argwhere(~(visible | np.isneginf(matrix)))[0]]
        raise ValueError(
            f"C{place}: expected 0 or -inf, got {matrix[tuple(place)]:g}; a finite number only weakens a key, so "
            "say which keys are hidden: mask = C > -1000, for instance."
        )
    return visible


def visible_keys(mask: Any) -> list[tuple[int, ...]]:
    """For each column of a mask of shape (n, n) the keys that it sees, in increasing order.

    Raises
    ------
    ValueError
        As `require_mask`; there is more than one mask.
    """
    array = require_mask(mask)
    if array.ndim != 2:
        raise ValueError(f"visible_keys: expected one mask of shape (n, n), got {array.shape}; take them one by one.")
    return [tuple(int(i) for i in np.flatnonzero(column)) for column in array.T]


def booleans(mask: Any) -> np.ndarray:
    """The mask as a NumPy array of booleans.

    Raises
    ------
    ValueError
        It holds other things: 0 and 1, 0 and -inf, lists of unequal lengths.
    """
    try:
        array = mask.numpy(force=True) if isinstance(mask, torch.Tensor) else np.asarray(mask)
    except ValueError:
        raise ValueError("mask: expected an array of booleans, got lists of unequal lengths.") from None
    if array.dtype != bool:
        hint = "take masks.from_additive for 0 and -inf" if array.dtype.kind == "f" else "compare with 0"
        raise ValueError(f"mask: expected booleans, True for visible entries, got {array.dtype}; {hint}.")
    return array


def require_visible(mask: np.ndarray) -> None:
    """ValueError if some column of a mask of shape (..., n, n) sees nothing.

    Its softmax would be 0/0: exponentials of -inf, none of them positive, divided by their sum. Floats call that NaN.
    """
    blind = np.argwhere(~mask.any(axis=-2))
    if len(blind):
        *batch, column = (int(i) for i in blind[0])
        place = ", ".join(str(i) for i in [*batch, ":", column])
        raise ValueError(
            f"mask: expected a visible key in every column, got none in mask[{place}] ({len(blind)} such columns); its "
            "softmax is 0/0 = NaN. Let the column see itself, mask | numpy.eye(n, dtype=bool), and leave its output "
            "out if it is padding."
        )


def require_mask(mask: Any) -> np.ndarray:
    """The mask as booleans of shape (..., n, n), none of whose columns is blind.

    Raises
    ------
    ValueError
        As `booleans` and `require_visible`; another shape.
    """
    array = booleans(mask)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or 0 in array.shape:
        raise ValueError(
            f"mask: expected shape (..., n, n), keys down and queries across, got {array.shape}; for one row of real "
            "tokens take masks.padding."
        )
    require_visible(array)
    return array


def _length(n: Any, what: str) -> int:
    n = int(n) if isinstance(n, np.integer) else n
    if not is_int(n, 1):
        raise ValueError(f"{what}: expected n to be an int >= 1, got {n!r}.")
    return int(n)
