"""Layers that mix tokens more cheaply than attention.

    bilinear      X + W_O X W_P                W_P of shape (n, n), the same for every X
    convolution   X + W_O (X * W_C)            W_C of shape (d, k): each row of X has its filter of width k
    bias          X + sum_j a alpha(W x_j - b) for each token, over the tokens j that it hears
    cyclic        X + psi * X                  psi of shape (l + 1,), the sequence closed to a ring

They run in every number system that has their functions. Source: yun2020, section H; cheng2025, (21) and (23).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar, Protocol

import numpy as np

from .arithmetic import Arithmetic
from .arithmetic.base import N
from .checks import instance, refused, whole
from .internal.shapes import Keys, Queries, Sequences, Values, Weight
from .kernels import CONSTANT
from .layers import Layer
from .layers.base import affine, freeze_weights, require_shapes, set_fields, weight
from .patterns import Pattern, hear_in_blocks

__all__ = ["BiasAttention", "BilinearProjection", "CyclicConvolution", "SeparableConvolution"]


class _Mixing(Layer):
    """What the layers X + W_O (mixed X) share."""

    w_o: Weight

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
    """X + W_O X W_P, `w_o` of shape (d, d) and `w_p` of shape (n, n): for sequences of n tokens only.

    Entry (i, j) of W_P says how much token j hears of token i, whatever the tokens are. Source: yun2020, eq. (5).
    """

    w_o: Weight
    w_p: Weight

    kind: ClassVar[str] = "bilinear-projection"
    NAMES: ClassVar[tuple[str, ...]] = ("w_o", "w_p")

    def __post_init__(self) -> None:
        self._freeze()
        n = len(self.w_p)
        require_shapes(self, w_p=(n, n))
        set_fields(self, n_in=n, n_out=n)

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X, of n tokens, in `system`."""
        return system.add(X, system.matmul(weights["w_o"], system.matmul(X, weights["w_p"])))

    def __repr__(self) -> str:
        return f"BilinearProjection(n={self.n_in}, d={self.d_in})"


@dataclass(frozen=True, eq=False, repr=False)
class SeparableConvolution(_Mixing):
    """X + W_O (X * W_C), `w_o` of shape (d, d) and `w_c` of shape (d, k), for sequences of any length.

    (X * W_C)_{i,j} = sum_t (W_C)_{i,t} X_{i, j + t - floor((k - 1)/2)} for t = 0, ..., k - 1, with zeros beside the
    sequence: the convention of `torch.nn.Conv1d(d, d, k, groups=d, padding="same")`, since the text states none.
    Source: yun2020, eq. (6).
    """

    w_o: Weight
    w_c: Weight

    kind: ClassVar[str] = "separable-convolution"
    NAMES: ClassVar[tuple[str, ...]] = ("w_o", "w_c")

    def __post_init__(self) -> None:
        self._freeze()
        require_shapes(self, w_c=(self.d_in, self.w_c.shape[1]))

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X in `system`."""
        n, k = X.shape[-1], self.w_c.shape[1]
        offsets = [t - (k - 1) // 2 for t in range(k)]
        # shifts[t] moves token j + offsets[t] to place j; products with 0 and 1 round nothing.
        shifts = system.constant(np.array([np.eye(n, k=-offset, dtype=int) for offset in offsets]), X)
        windows = system.matmul(X[..., None, :, :], shifts).swapaxes(-3, -2)
        mixed = system.matmul(weights["w_c"][:, None, :], windows)[..., 0, :]
        return system.add(X, system.matmul(weights["w_o"], mixed))

    def __repr__(self) -> str:
        return f"SeparableConvolution(k={self.w_c.shape[1]}, d={self.d_in})"


# ------------------------------------------------------------------------------------------------------ bias attention


class Alpha(Protocol):
    """A function of every entry, in any number system."""

    def __call__(self, system: Arithmetic[N], t: N, /) -> N: ...


def _named(name: str) -> Alpha:
    def alpha(system: Arithmetic[N], t: N) -> N:
        return system.function(name, t)

    return alpha


def _share(system: Arithmetic[N], function: str, t: N) -> N:
    """(1 + f(t))/2."""
    half = system.constant(Fraction(1, 2), t)
    return system.add(half, system.multiply(half, system.function(function, t)))


def _sigmoid(system: Arithmetic[N], t: N) -> N:
    return _share(system, "tanh", system.multiply(system.constant(Fraction(1, 2), t), t))


def _gelu(system: Arithmetic[N], t: N) -> N:
    root = system.function("sqrt", system.constant(Fraction(1, 2), t))
    return system.multiply(t, _share(system, "erf", system.multiply(root, t)))


ALPHAS: dict[str, Alpha] = {name: _named(name) for name in ("relu", "tanh", "exp", "sin")}
ALPHAS |= {"sigmoid": _sigmoid, "gelu": _gelu}
MAX_DEGREE = 64


def parse_alpha(alpha: object) -> str | int:
    """A name of `ALPHAS`, or k for t^k; ValueError if it is neither."""
    if isinstance(alpha, Integral) and not isinstance(alpha, bool):
        return whole("alpha", alpha, 0, MAX_DEGREE)
    if not isinstance(alpha, str) or alpha not in ALPHAS:
        raise refused("alpha", f"one of {', '.join(ALPHAS)}, or k for t^k", alpha)
    return str(alpha)


def applied_alpha(alpha: str | int, t: N, system: Arithmetic[N]) -> N:
    """alpha(t), entry by entry. ValueError where the system cannot run it."""
    if isinstance(alpha, str):
        return ALPHAS[alpha](system, t)
    if getattr(system, "unit", 1) != 1:
        raise refused("alpha", f"a function of t that counts units of {system}", f"t^{alpha}", "use EXACT")
    power = system.add(system.constant(1, t), system.multiply(system.constant(0, t), t))
    for _ in range(alpha):
        power = system.multiply(power, t)
    return power


@dataclass(frozen=True, eq=False, repr=False)
class BiasAttention(Layer):
    """X + sum over j in N(i) of a alpha(W x_j - b) for each token i, entry by entry.

    No token asks: what it hears depends on its place alone, through N(i).

    Parameters
    ----------
    a, w, b : a number, (d, d) and (d,)
    alpha : "relu", "tanh", "exp", "sin", "sigmoid", "gelu" (t times the normal distribution function), or a whole
        number k for t^k, 0 for the constant 1
    pattern : N, a `Pattern`; None: every token hears all

    Source: cheng2025, (21), with the sizes of appendix C.4.3.
    """

    a: Weight
    w: Weight
    b: Weight
    alpha: str | int = "tanh"
    pattern: Any = None

    kind: ClassVar[str] = "bias-attention"
    NAMES: ClassVar[tuple[str, ...]] = ("a", "w", "b")
    SETTINGS: ClassVar[tuple[str, ...]] = ("alpha", "pattern")

    def __post_init__(self) -> None:
        for name, ndim in (("a", 0), ("w", 2), ("b", 1)):
            set_fields(self, **{name: weight(getattr(self, name), f"BiasAttention {name}", ndim)})
        d = len(self.w)
        set_fields(self, d_in=d, d_out=d, alpha=parse_alpha(self.alpha))
        require_shapes(self, w=(d, d), b=(d,))
        if self.pattern is not None:
            n, tokens = instance("BiasAttention pattern", self.pattern, Pattern).shape
            if n != tokens:
                raise refused("BiasAttention pattern", "one of as many keys as tokens", (n, tokens))
            set_fields(self, n_in=n, n_out=n)

    @property
    def acts(self) -> bool:
        return bool(self.a != 0)

    def lower(self, system: Arithmetic[N], place: str) -> dict[str, N]:
        """The weights, and the blocks of the pattern if there is one, in the native form of `system`."""
        return super().lower(system, place) | ({} if self.pattern is None else self.pattern.lower(system))

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X in `system`."""
        inner = affine(system, weights["w"], X, system.multiply(system.constant(-1, X), weights["b"]))
        values = applied_alpha(self.alpha, inner, system)
        if self.pattern is None:
            heard = system.matmul(values, system.constant(np.ones((X.shape[-1], 1), dtype=int), X))
        else:

            def hear(values: Values[N], keys: Keys[N], queries: Queries[N], visible: N) -> N:
                return system.matmul(values, CONSTANT.weights(keys, queries, system, visible)[1])

            heard = hear_in_blocks(hear, values, X, X, weights, system)
        return system.add(X, system.multiply(weights["a"], heard))

    def __repr__(self) -> str:
        alpha = self.alpha if isinstance(self.alpha, str) else f"t^{self.alpha}"
        return f"BiasAttention({alpha}, d={self.d_in}{'' if self.pattern is None else f', {self.pattern}'})"


@dataclass(frozen=True, eq=False, repr=False)
class CyclicConvolution(Layer):
    """X + psi * X: token i gets sum_{j = 0}^{l} psi_j x_{(i + j) mod n}, psi of shape (l + 1,), for any n.

    Source: cheng2025, (23), with the index i + j.
    """

    psi: Weight

    kind: ClassVar[str] = "cyclic-convolution"
    NAMES: ClassVar[tuple[str, ...]] = ("psi",)

    def __post_init__(self) -> None:
        set_fields(self, psi=weight(self.psi, "CyclicConvolution psi", 1))

    @property
    def acts(self) -> bool:
        return bool(np.any(self.psi != 0))

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X in `system`."""
        n, total = X.shape[-1], X
        for j in range(len(self.psi)):
            places = system.beside(X).index((np.arange(n) + j) % n)
            total = system.add(total, system.multiply(weights["psi"][j : j + 1], X[..., places]))
        return total

    def __repr__(self) -> str:
        return f"CyclicConvolution(l={len(self.psi) - 1})"
