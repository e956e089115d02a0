"""A mixer that listens through a hole: why Theorem 2 needs g to be analytic in (X, theta), not in theta alone. Ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

Hole = Callable[[np.ndarray], np.ndarray]


def hat(X: np.ndarray) -> np.ndarray:
    """max(0, 1 - |x|) for the columns x, |x| the largest entry: shape (..., d, n) to (..., n). Open for |x| < 1."""
    return np.maximum(0, 1 - abs(X).max(axis=-2))


def bell(X: np.ndarray) -> np.ndarray:
    """exp(-4 |x|^2) for the columns x: about as wide as `hat`, but analytic. Shape (..., d, n) to (..., n)."""
    return np.exp(-4 * (X**2).sum(axis=-2))


def heard(X: np.ndarray, hole: Hole = hat) -> np.ndarray:
    """sum_j hole(x_j): shape (..., d, n) to (...)."""
    return hole(X).sum(axis=-1)


def keyhole(X: np.ndarray, theta: Iterable[tuple[object, object]], hole: Hole = hat) -> np.ndarray:
    """The layers X + g(X; s, w) with g(X; s, w)_i = s + w sum_j hole(x_j), one for each (s, w) in `theta`.

    For each X that is linear in (s, w); for all X together analytic if the hole is. It is permutation equivariant.

    Parameters
    ----------
    X : (..., d, n), floats or Fractions
    theta : vectors s and w of d entries for each layer
    """
    for s, w in theta:
        X = X + np.asarray(s)[:, None] + np.asarray(heard(X, hole))[..., None, None] * np.asarray(w)[:, None]
    return X
