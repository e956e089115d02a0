"""The networks of liu2025 in bulk, and the values of f that they are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch

from ..arithmetic.numbers import doubles, floats
from ..checks import refused, sequences
from ..targets import Target, applied, shaped
from .self_attention_layers import MORE
from .smoothing import grid_centers, grid_smoother, smoother

Form = Literal["literal", "values", "smoother"]


@dataclass(frozen=True, eq=False)
class Smoothed:
    """The values of a construction in bulk, and what they are made of: centres (G, m), values (G, d, n), R.

    For pairs the centres are those of (key, query), stacked, with m = 2dn. The box is around `middle`.
    """

    centers: np.ndarray
    values: np.ndarray
    precision: float
    pairs: bool = False
    middle: float = 0.0

    def __call__(self, X: Any, source: Any = None) -> Any:
        if self._grid is None:
            Z = join(source, X) if self.pairs else X
            if self.middle:  # the scores of points far from 0 are large, and so is what they round
                Z = (Z if isinstance(Z, torch.Tensor) else doubles("X", sequences("X", Z))) - self.middle
            return smoother(Z, self.centers - self.middle, self.values, self.precision)
        Z = join(X, source) if self.pairs else X
        P, D, middle = self._grid
        parsed = sequences("X", Z, self.values.shape[1], self.values.shape[2] * (1 + self.pairs))
        Z = Z if isinstance(Z, torch.Tensor) else parsed
        return grid_smoother(Z, P, D, self.values, self.precision, middle=middle)

    @cached_property
    def _grid(self) -> tuple[int, float, float] | None:
        """P, D and the middle of the box if the centres are a grid, for pairs with the query's numbers first."""
        G, m = self.centers.shape
        P, low, high = round(G ** (1 / m)), float(self.centers.min()), float(self.centers.max())
        if m == 1 or P == 1 or P**m != G or not low < high:
            return None
        D, middle = (high - low) / 2 * P / (P - 1), (low + high) / 2
        v = np.roll(self.centers, m // 2, axis=1) if self.pairs else self.centers
        return (P, D, middle) if np.abs(v - middle - grid_centers(P, D, m)).max() <= 1e-12 * D else None


def join(Z_K: Any, Z_Q: Any) -> Any:
    """Both sequences as one, that of the keys first: shape (..., d, 2n)."""
    if isinstance(Z_K, torch.Tensor):
        batch = np.broadcast_shapes(Z_K.shape[:-2], Z_Q.shape[:-2])
        return torch.cat([Z.expand(*batch, *Z.shape[-2:]) for Z in (Z_K, Z_Q)], dim=-1)
    return np.concatenate(np.broadcast_arrays(Z_K, Z_Q), axis=-1)


def sup_lipschitz(f: Target) -> float:
    """L with |f(Y) - f(Z)|_inf <= L |Y - Z|_inf, rounded up."""
    return f.modulus(1)


def at_points(f: Target, Z: np.ndarray) -> np.ndarray:
    """f at sequences of shape (..., d, n), or at pairs, of shape (..., d, 2n), the keys first."""
    return finite_values(f, [Z] if f.d_source is None else [Z[..., f.n :], Z[..., : f.n]])


def finite_values(f: Target, XZ: Sequence[np.ndarray]) -> np.ndarray:
    """f at sequences, floats; ValueError with the first at which it is not finite."""
    found = floats(shaped(XZ[0], applied(f, XZ, "target"), "target", (f.d, f.n)), "target(X)")
    bad = ~np.isfinite(found).all(axis=(-2, -1))
    if bad.any():
        k = np.unravel_index(bad.argmax(), bad.shape)
        at = " beside the source ".join(str(U[k].tolist()) for U in XZ)
        raise refused("target", "finite values", found[k].tolist(), f"at X = {at}")
    return found


def moved(form: Form, eps: float, sup: float, n: int) -> float:
    """The mean of |v - f(Z)| over the values v that are averaged: how sensitive the output is to their weights.

    All proofs of the error bound it by eps, where values are apart from scores; the values of other tokens are heard
    e^-M times as loud. Where values ride, +-1 are averaged and multiplied with B_0 = `sup`.
    """
    others = 2 * sup * (n - 1) * math.exp(-MORE) if form == "values" else 0.0
    return sup if form == "literal" else eps + others
