"""Layers that mix tokens more cheaply than attention: bilinear projection and separable convolution.

    bilinear      X + W_O X W_P                W_P of shape (n, n), the same for every X
    convolution   X + W_O (X * W_C)            W_C of shape (d, k): each row of X has its filter of width k

They run in every number system. Source: yun2020, section H.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .arithmetic import Arithmetic
from .layers import Layer
from .layers.base import freeze_weights, require_shapes, set_fields
from .shapes import Sequences

__all__ = ["BilinearProjection", "SeparableConvolution"]


class _Mixing(Layer):
    """What the layers X + W_O (mixed X) share."""

    w_o: Any

    def _freeze(self) -> None:
        freeze_weights(self)
        d = len(self.w_o)
        set_fields(self, d_in=d, d_out=d)
        require_shapes(self, w_o=(d, d))

    @property
    def acts(self) -> bool:
        return all(bool(np.any(array != 0)) for array in self.weights().values())


@dataclass(frozen=True, eq=False, repr=False)
class BilinearProjection(_Mixing):
    """X + W_O X W_P, w_o of shape (d, d) and w_p of shape (n, n): for sequences of n tokens only.

    Entry (i, j) of W_P says how much token j hears of token i, whatever the tokens are. Source: yun2020, eq. (5).
    """

    w_o: Any
    w_p: Any

    kind: ClassVar[str] = "bilinear-projection"
    NAMES: ClassVar[tuple[str, ...]] = ("w_o", "w_p")

    def __post_init__(self) -> None:
        self._freeze()
        n = len(self.w_p)
        require_shapes(self, w_p=(n, n))
        set_fields(self, n_in=n, n_out=n)

    def forward(self, X: Sequences, weights: Mapping[str, Any], system: Arithmetic) -> Sequences:
        """The layer applied to X, of n tokens, in `system`."""
        return system.add(X, system.matmul(weights["w_o"], system.matmul(X, weights["w_p"])))

    def __repr__(self) -> str:
        return f"BilinearProjection(n={self.n_in}, d={self.d_in})"


@dataclass(frozen=True, eq=False, repr=False)
class SeparableConvolution(_Mixing):
    """X + W_O (X * W_C), w_o of shape (d, d) and w_c of shape (d, k), for sequences of any length.

    (X * W_C)_{i,j} = sum_t (W_C)_{i,t} X_{i, j + t - floor((k - 1)/2)} for t = 0, ..., k - 1, with zeros beside the
    sequence: the convention of `torch.nn.Conv1d(d, d, k, groups=d, padding="same")`, since the text states none.
    Source: yun2020, eq. (6).
    """

    w_o: Any
    w_c: Any

    kind: ClassVar[str] = "separable-convolution"
    NAMES: ClassVar[tuple[str, ...]] = ("w_o", "w_c")

    def __post_init__(self) -> None:
        self._freeze()
        require_shapes(self, w_c=(self.d_in, self.w_c.shape[1]))

    def forward(self, X: Sequences, weights: Mapping[str, Any], system: Arithmetic) -> Sequences:
        """The layer applied to X in `system`."""
        n, k = X.shape[-1], self.w_c.shape[1]
        offsets = [t - (k - 1) // 2 for t in range(k)]
        # shifts[t] moves token j + offsets[t] to place j; products with 0 and 1 round nothing.
        shifts = system.beside(X).array(np.array([np.eye(n, k=-offset, dtype=int) for offset in offsets]))
        windows = system.matmul(X[..., None, :, :], shifts).swapaxes(-3, -2)
        mixed = system.matmul(weights["w_c"][:, None, :], windows)[..., 0, :]
        return system.add(X, system.matmul(weights["w_o"], mixed))

    def __repr__(self) -> str:
        return f"SeparableConvolution(k={self.w_c.shape[1]}, d={self.d_in})"
