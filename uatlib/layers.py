"""The layers of a transformer as frozen data with named weights, each with its map.

    Attention    X + sum_h W_O (W_V X + b_V) sigma[(W_K X + b_K)^T (W_Q X + b_Q)] + b_O
    FeedForward  X + W_2 phi(W_1 X + b_1) + b_2

X has shape (..., d, n) and its columns are the tokens; sigma is softmax or hardmax down the columns; phi is ReLU or a
function with three linear pieces; a bias b stands for b 1_n^T, and one that is None is zero. The letters are those of
yun2020, eq. (1)-(2). Weights are read-only arrays of int and Fraction (exact) or of float64. Under a mask sigma runs
over the visible keys of each column only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from .arithmetic import Arithmetic
from .arithmetic.base import entries, numbers, real
from .masks import require_mask

__all__ = ["RELU", "Attention", "FeedForward", "Head", "Layer", "ThreePiece"]


def _weight(values: Any, name: str, ndim: int) -> np.ndarray:
    """A read-only array, of float64 if `values` hold floats and of int and Fraction otherwise."""
    result = numbers(values, name)
    if result.dtype.kind == "f":
        result = result.astype(np.float64)
        if not np.isfinite(result).all():
            raise ValueError(f"{name}: expected finite weights, got NaN or infinity.")
    else:
        result = entries(result, name, _exact)
        if any(isinstance(entry, float) for entry in result.flat):
            result = _as_floats(result, name)
    if result.ndim != ndim or 0 in result.shape:
        raise ValueError(f"{name}: expected a non-empty array with {ndim} axes, got shape {result.shape}.")
    result.flags.writeable = False
    return result


def _as_floats(array: np.ndarray, name: str) -> np.ndarray:
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(
            f"{name}: expected numbers that fit a float beside floats, got a larger one; give all as int and Fraction."
        ) from None


def _exact(value: Any) -> int | Fraction | float:
    """`value` as a number of Python, whole ones as int."""
    number: int | Fraction | float = real(value)
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number


def freeze_weights(part: Any) -> None:
    """Make every weight of `part` a read-only array; only biases may be None."""
    for name in part.NAMES:
        if (value := getattr(part, name)) is not None or name[0] == "w":
            axes = 2 if name[0] == "w" else 1
            object.__setattr__(part, name, _weight(value, f"{type(part).__name__} {name}", axes))


def require_all(values: Any, kind: type, expected: str) -> tuple[Any, ...]:
    """`values` as a tuple; ValueError, beginning with `expected`, unless each is a `kind`."""
    if not isinstance(values, Iterable):
        raise ValueError(f"{expected}, got {values!r}.")
    items = tuple(values)
    for item in items:
        if not isinstance(item, kind):
            raise ValueError(f"{expected}, got {item!r}.")
    return items


def require_weight_shape(array: np.ndarray | None, shape: tuple[int, ...], name: str) -> None:
    if array is not None and array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, got {array.shape}.")


@dataclass(frozen=True)
class ThreePiece:
    """A piecewise linear activation with three pieces, one of them constant: the class Phi of yun2020, section C.

        phi(t) = slopes[k] t + intercepts[k],  k = 0 if t < c_1, 1 if c_1 <= t < c_2, 2 if c_2 <= t

    with breakpoints (c_1, c_2). Raises ValueError unless c_1 <= c_2 and some slope is 0.
    """

    breakpoints: tuple[Any, Any]
    slopes: tuple[Any, Any, Any]
    intercepts: tuple[Any, Any, Any]

    NAMES: ClassVar[tuple[str, ...]] = ("breakpoints", "slopes", "intercepts")

    def __post_init__(self) -> None:
        for name, length in zip(self.NAMES, (2, 3, 3), strict=True):
            values = tuple(_weight(getattr(self, name), f"ThreePiece {name}", 1).tolist())
            if len(values) != length:
                raise ValueError(f"ThreePiece {name}: expected {length} numbers, got {len(values)}.")
            object.__setattr__(self, name, values)
        if self.breakpoints[0] > self.breakpoints[1]:
            raise ValueError(f"ThreePiece breakpoints: expected c_1 <= c_2, got {self.breakpoints}.")
        if 0 not in self.slopes:
            raise ValueError(f"ThreePiece slopes: expected a constant piece (slope 0), got {self.slopes}.")

    def __str__(self) -> str:
        return "three-piece"


RELU: Literal["relu"] = "relu"
Activation = ThreePiece | Literal["relu"]


# ------------------------------------------------------------------------------------------------------------- layers


class Rebuilt:
    """Data that pickle and deepcopy rebuild by the constructor, since a copied array would be writable."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class Head(Rebuilt):
    """Weights of one attention head: w_q, w_k, w_v of shape (m, d), w_o of shape (d, m), biases of shape (m,)."""

    w_q: Any
    w_k: Any
    w_v: Any
    w_o: Any
    b_q: Any = None
    b_k: Any = None
    b_v: Any = None

    NAMES: ClassVar[tuple[str, ...]] = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v")

    def __post_init__(self) -> None:
        freeze_weights(self)
        m, d = self.w_q.shape
        for name in ("w_k", "w_v"):
            require_weight_shape(getattr(self, name), (m, d), f"Head {name}")
        require_weight_shape(self.w_o, (d, m), "Head w_o")
        for name in ("b_q", "b_k", "b_v"):
            require_weight_shape(getattr(self, name), (m,), f"Head {name}")

    def __repr__(self) -> str:
        m, d = self.w_q.shape
        return f"Head(d={d}, m={m})"


class Layer:
    """A map of sequences given by named weights. `weights()` is what a number system lowers and a file holds."""

    width: int

    def weights(self) -> dict[str, np.ndarray]:
        """Name to read-only array; names that start with ``b_`` after the last ``.`` are biases."""
        raise NotImplementedError

    def with_weights(self, weights: Mapping[str, Any]) -> Layer:
        """The same kind of layer with other weights, named as in `weights()`."""
        raise NotImplementedError

    def forward(self, X: Any, weights: Mapping[str, Any], system: Arithmetic) -> Any:
        """The layer applied to X, with its weights and X in the native form of `system`."""
        raise NotImplementedError

    @property
    def acts(self) -> bool:
        """Whether the layer can change its input: whether its output weights or output bias are not all zero."""
        raise NotImplementedError

    def parameter_count(self, nonzero: bool = False) -> int:
        """Number of weights and biases (those that are not 0, if `nonzero`). Activations have no parameters."""
        return sum(int(np.count_nonzero(a)) if nonzero else a.size for a in self.weights().values())

    def lower(self, system: Arithmetic, place: str) -> dict[str, Any]:
        """The weights in the native form of `system`; `place` names the layer in errors."""
        return {
            name: system.weight(array, f"{place}, {name}", has_unit=name.split(".")[-1][0] == "b")
            for name, array in self.weights().items()
        }


def _affine(system: Arithmetic, w: Any, X: Any, b: Any | None) -> Any:
    product = system.matmul(w, X)
    return product if b is None else system.add(product, b[..., None])


@dataclass(frozen=True, eq=False, repr=False)
class Attention(Rebuilt, Layer):
    """X + sum_h W_O (W_V X + b_V) sigma[(W_K X + b_K)^T (W_Q X + b_Q)] + b_O, sigma down the columns.

    Parameters
    ----------
    heads : sequence of Head, all of the same d (head sizes m may differ)
    normalization : "softmax" or "hardmax" (ties share equally)
    b_o : None or array of shape (d,)
    mask : None, or booleans of shape (n, n) or (..., n, n), True where the key (row) is visible to the query (column),
        for all heads. It fixes the number of tokens; leading axes go with those of X. No parameters. See `masks`

    Raises
    ------
    ValueError
        No heads, or of several widths; another normalization; a mask as refused by `masks.require_mask`, for instance
        with a column that sees nothing.

    Source: yun2020, eq. (1); the query bias is the one of its footnote 1 and section E.3. The mask: kajitsuka2024, eq.
    (132), with hidden keys left out instead of -inf added.
    """

    heads: Sequence[Head]
    normalization: str = "softmax"
    b_o: Any = None
    mask: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "heads", require_all(self.heads, Head, "Attention: expected a sequence of Head"))
        if not self.heads:
            raise ValueError("Attention: expected at least one head, got none.")
        if self.normalization not in ("softmax", "hardmax"):
            raise ValueError(f'Attention: expected normalization "softmax" or "hardmax", got {self.normalization!r}.')
        widths = {head.w_q.shape[1] for head in self.heads}
        if len(widths) != 1:
            raise ValueError(f"Attention: expected heads of one width d, got {sorted(widths)}.")
        object.__setattr__(self, "width", widths.pop())
        if self.b_o is not None:
            object.__setattr__(self, "b_o", _weight(self.b_o, "Attention b_o", 1))
            require_weight_shape(self.b_o, (self.width,), "Attention b_o")
        if self.mask is not None:
            mask = require_mask(self.mask).copy()
            mask.flags.writeable = False
            object.__setattr__(self, "mask", mask)

    def weights(self) -> dict[str, np.ndarray]:
        """head 0's as ``head0.w_q`` and so on, then ``b_o``; absent biases are left out."""
        named = {f"head{i}.{name}": getattr(head, name) for i, head in enumerate(self.heads) for name in Head.NAMES} | {
            "b_o": self.b_o
        }
        return {name: array for name, array in named.items() if array is not None}

    @classmethod
    def from_weights(cls, weights: Mapping[str, Any], normalization: str, mask: Any = None) -> Attention:
        """The layer whose `weights()` are these."""
        heads: dict[str, dict[str, Any]] = {}
        for name, array in weights.items():
            if name != "b_o":
                place, letter = name.split(".")
                heads.setdefault(place, {})[letter] = array
        return cls([Head(**heads[f"head{i}"]) for i in range(len(heads))], normalization, weights.get("b_o"), mask)

    def with_weights(self, weights: Mapping[str, Any]) -> Attention:
        """Attention of the same normalization and mask with other weights."""
        return Attention.from_weights(weights, self.normalization, self.mask)

    def with_mask(self, mask: Any) -> Attention:
        """The same heads under another mask, or under none."""
        return Attention(self.heads, self.normalization, self.b_o, mask)

    def lower(self, system: Arithmetic, place: str) -> dict[str, Any]:
        """The weights, and the mask if there is one, in the native form of `system`."""
        native = super().lower(system, place)
        if self.mask is not None:
            native["mask"] = system.booleans(self.mask)
        return native

    def forward(self, X: Any, weights: Mapping[str, Any], system: Arithmetic) -> Any:
        """The layer applied to X in `system`; ValueError if the mask is for another shape."""
        self.require_fit(tuple(X.shape))
        mix = system.softmax_mix if self.normalization == "softmax" else system.hardmax_mix
        result = X
        for i in range(len(self.heads)):
            w = {name: weights.get(f"head{i}.{name}") for name in Head.NAMES}
            queries = _affine(system, w["w_q"], X, w["b_q"])
            keys = _affine(system, w["w_k"], X, w["b_k"])
            values = _affine(system, w["w_v"], X, w["b_v"])
            scores = system.matmul(system.transpose(keys), queries)
            heard = mix(values, scores, weights.get("mask"))
            result = system.add(result, system.matmul(w["w_o"], heard))
        if "b_o" in weights:
            result = system.add(result, weights["b_o"][..., None])
        return result

    def require_fit(self, shape: tuple[int, ...]) -> None:
        """ValueError unless the mask, if there is one, is for X of this shape."""
        if self.mask is None:
            return
        if shape[-1] != self.mask.shape[-1]:
            raise ValueError(
                f"X: expected {self.mask.shape[-1]} tokens as the mask has columns, got {shape[-1]}; a mask fixes the "
                "length: give the layer one of that length with with_mask."
            )
        batch, given = self.mask.shape[:-2], shape[:-2]
        fits = len(batch) <= len(given) and all(a in (1, b) for a, b in zip(batch[::-1], given[::-1], strict=False))
        if not fits:
            raise ValueError(f"X: expected leading axes that go with those of the mask, {batch}, got {given}.")

    @property
    def acts(self) -> bool:
        return any(np.any(head.w_o != 0) for head in self.heads) or (self.b_o is not None and bool(np.any(self.b_o)))

    def with_softmax(self, scale: Any) -> Attention:
        """The same heads with softmax of `scale` times the scores (inverse temperature; W_Q and b_Q are scaled).

        As `scale` grows the layer tends to this one with hardmax: yun2020, section F.
        """
        scale = _weight(scale, "with_softmax scale", 0).item()
        heads = [
            Head(h.w_q * scale, h.w_k, h.w_v, h.w_o, None if h.b_q is None else h.b_q * scale, h.b_k, h.b_v)
            for h in self.heads
        ]
        return Attention(heads, "softmax", self.b_o, self.mask)

    def __repr__(self) -> str:
        sizes = ", ".join(str(m) for m in sorted({head.w_q.shape[0] for head in self.heads}))
        mask = "" if self.mask is None else f", mask for n={self.mask.shape[-1]}"
        return f"Attention({self.normalization}, heads={len(self.heads)}, head size={sizes}, d={self.width}{mask})"


@dataclass(frozen=True, eq=False, repr=False)
class FeedForward(Rebuilt, Layer):
    """X + W_2 phi(W_1 X + b_1) + b_2, the same on every token.

    Parameters
    ----------
    w_1 : (r, d), b_1 : None or (r,), w_2 : (d, r), b_2 : None or (d,)
    activation : RELU ("relu") or a `ThreePiece`

    Source: yun2020, eq. (2) and section C.
    """

    w_1: Any
    b_1: Any
    w_2: Any
    b_2: Any = None
    activation: Activation = RELU

    NAMES: ClassVar[tuple[str, ...]] = ("w_1", "b_1", "w_2", "b_2")

    def __post_init__(self) -> None:
        freeze_weights(self)
        r, d = self.w_1.shape
        object.__setattr__(self, "width", d)
        require_weight_shape(self.b_1, (r,), "FeedForward b_1")
        require_weight_shape(self.w_2, (d, r), "FeedForward w_2")
        require_weight_shape(self.b_2, (d,), "FeedForward b_2")
        if self.activation != RELU and not isinstance(self.activation, ThreePiece):
            raise ValueError(f'FeedForward: expected activation "relu" or a ThreePiece, got {self.activation!r}.')

    def weights(self) -> dict[str, np.ndarray]:
        """``w_1``, ``b_1``, ``w_2``, ``b_2``; absent biases are left out."""
        return {name: array for name in self.NAMES if (array := getattr(self, name)) is not None}

    @classmethod
    def from_weights(cls, weights: Mapping[str, Any], activation: Activation) -> FeedForward:
        """The layer whose `weights()` are these."""
        return cls(**{"b_1": None, **weights}, activation=activation)

    def with_weights(self, weights: Mapping[str, Any]) -> FeedForward:
        """A feed-forward layer of the same activation with other weights."""
        return FeedForward.from_weights(weights, self.activation)

    def lower(self, system: Arithmetic, place: str) -> dict[str, Any]:
        """The weights, and the numbers of a three-piece activation, in the native form of `system`."""
        native = super().lower(system, place)
        if isinstance(self.activation, ThreePiece):
            for name in ThreePiece.NAMES:
                values = getattr(self.activation, name)
                native[name] = system.weight(values, f"{place}, {name}", has_unit=name != "slopes")
        return native

    def forward(self, X: Any, weights: Mapping[str, Any], system: Arithmetic) -> Any:
        """The layer applied to X in `system`."""
        hidden = _affine(system, weights["w_1"], X, weights.get("b_1"))
        if isinstance(self.activation, ThreePiece):
            hidden = system.piecewise(hidden, weights["breakpoints"], weights["slopes"], weights["intercepts"])
        else:
            hidden = system.relu(hidden)
        return system.add(X, _affine(system, weights["w_2"], hidden, weights.get("b_2")))

    @property
    def acts(self) -> bool:
        return bool(np.any(self.w_2 != 0)) or (self.b_2 is not None and bool(np.any(self.b_2 != 0)))

    def __repr__(self) -> str:
        return f"FeedForward({self.activation}, r={self.w_1.shape[0]}, d={self.width})"
