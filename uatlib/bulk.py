"""Functions of sequences in bulk: of Fractions exactly, of floats in floats, of tensors in tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from . import checks
from .arithmetic import Overflow
from .progress import progress

CHUNK = 2**15
"""Sequences evaluated at once: their columns stay in a core's cache."""


def in_bulk(
    values: Callable[[np.ndarray], np.ndarray], X: Any, d: int | None = None, n: int | None = None, label: str = ""
) -> Any:
    """`values` of any X of shape (..., d, n), where it is written for arrays of shape (count, d, n) of one kind.

    ====================================  ============================  ==================================
    X                                     what `values` gets            what comes out
    ====================================  ============================  ==================================
    ints and Fractions, in a list or an   Fractions, in an object       an object array of Fractions
    array                                 array
    an array of floats                    float64                       float64
    floats beside ints and Fractions      Fractions: each float stands  float64, every number rounded once
                                          for its exact value
    a tensor                              as an array of its numbers    a tensor of its dtype and device,
                                                                        of float64 if X holds ints
    ====================================  ============================  ==================================

    Raises ValueError unless X is such and not empty, Overflow if a value does not fit the floats.
    """
    array = checks.sequences("X", X, d, n)
    is_float = array.dtype.kind == "f"
    is_mixed = array.dtype.kind == "O" and any(type(t) is float for t in array.flat)
    source = np.asarray(array, dtype=np.float64) if is_float else checks.rationals("X", array)
    flat = source.reshape(-1, *array.shape[-2:])
    starts = range(0, len(flat), CHUNK)
    try:
        parts = [values(flat[k : k + CHUNK]) for k in (progress(starts, label) if label else starts)]
        result = np.concatenate(parts).reshape(*array.shape[:-2], *parts[0].shape[1:])
        if is_float or is_mixed or isinstance(X, torch.Tensor):
            result = result.astype(np.float64, copy=False)
    except OverflowError:
        raise Overflow("X: expected values that floats hold, got a larger one; use Fractions.") from None
    return _tensor_like(X, result) if isinstance(X, torch.Tensor) else result


def _tensor_like(X: torch.Tensor, result: np.ndarray) -> torch.Tensor:
    tensor = torch.from_numpy(result).to(X.device, X.dtype if X.is_floating_point() else torch.float64)
    if not bool(torch.isfinite(tensor).all()):
        raise Overflow(f"X: expected values that {X.dtype} holds, got {np.abs(result).max():.3g}; use Fractions.")
    return tensor
