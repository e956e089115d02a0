"""The layers of a transformer as frozen data with named weights, each with its map.

    Attention    X + sum_h W_O (W_V Z + b_V) sigma[(W_K Z + b_K)^T (W_Q X + b_Q)] + b_O,  Z = X or a second sequence
    FeedForward  X + W_2 phi(W_1 X + b_1) + b_2
    LinearSum    sum_i P_i X Q_i + R

X has shape (..., d, n) and its columns are the tokens; sigma is softmax or hardmax down the columns, or another
kernel's weights (`kernels`); phi is ReLU or a function with three linear pieces; a bias b stands for b 1_n^T, and one
that is None is zero. The letters are those of yun2020, eq. (1)-(2), and liu2025, section 2. Weights are read-only
arrays of int and Fraction (exact) or of float64. Under a mask sigma runs over the visible keys of each column only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from .arithmetic import Arithmetic
from .arithmetic.base import Native
from .arithmetic.border import entries, numbers, real
from .checks import choice, flag, instance, items, listed, mapping, refused, shown
from .files import Saved
from .kernels import DOT, Kernel
from .masks import require_mask
from .patterns import Pattern, hear_in_blocks
from .shapes import Keys, Matrix, Queries, Sequences, Values, Vector

__all__ = ["RELU", "Attention", "FeedForward", "Head", "Layer", "LinearSum", "ThreePiece"]


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
    """Make every weight of `part` a read-only array; None may be biases, and weights whose default is None."""
    for name in part.NAMES:
        value, is_matrix = getattr(part, name), name[0] == "w"
        if value is not None or (is_matrix and not hasattr(type(part), name)):
            object.__setattr__(part, name, _weight(value, f"{type(part).__name__} {name}", 2 if is_matrix else 1))


def set_fields(part: Any, **values: Any) -> None:
    """Set what frozen data computes of itself."""
    for name, value in values.items():
        object.__setattr__(part, name, value)


def require_weight_shape(array: np.ndarray | None, shape: tuple[int | None, ...], name: str) -> None:
    if array is not None and array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, got {array.shape}.")


@dataclass(frozen=True)
class ThreePiece(Saved):
    """A piecewise linear activation with three pieces, one of them constant: the class Phi of yun2020, section C.

        phi(t) = slopes[k] t + intercepts[k],  k = 0 if t < c_1, 1 if c_1 <= t < c_2, 2 if c_2 <= t

    with breakpoints (c_1, c_2). Raises ValueError unless c_1 <= c_2 and some slope is 0.
    """

    breakpoints: tuple[Any, Any]
    slopes: tuple[Any, Any, Any]
    intercepts: tuple[Any, Any, Any]

    kind: ClassVar[str] = "three-piece"
    NAMES: ClassVar[tuple[str, ...]] = ("breakpoints", "slopes", "intercepts")

    def __post_init__(self) -> None:
        for name, length in zip(self.NAMES, (2, 3, 3), strict=True):
            values = tuple(_weight(getattr(self, name), f"ThreePiece {name}", 1).tolist())
            if len(values) != length:
                raise ValueError(f"ThreePiece {name}: expected {length} numbers, got {len(values)}.")
            object.__setattr__(self, name, values)
        if self.breakpoints[0] > self.breakpoints[1]:
            raise ValueError(f"ThreePiece breakpoints: expected c_1 <= c_2, got {shown(self.breakpoints)}.")
        if 0 not in self.slopes:
            raise ValueError(f"ThreePiece slopes: expected a constant piece (slope 0), got {shown(self.slopes)}.")

    def settings(self) -> dict[str, Any]:
        """The numbers, each tuple as an array."""
        return {name: np.array(getattr(self, name), dtype=object) for name in self.NAMES}

    def __str__(self) -> str:
        return "three-piece"


RELU: Literal["relu"] = "relu"
Activation = ThreePiece | Literal["relu"]


# ------------------------------------------------------------------------------------------------------------- layers


@dataclass(frozen=True, eq=False, repr=False)
class Head(Saved):
    """Weights of one attention head. Of the d rows of X it makes queries, of the d' rows of Z keys and values.

    Parameters
    ----------
    w_q : (m, d), w_k : (m, d'), w_v : (v, d'), w_o : (d_out, v); d' = d where keys and values come of X
    b_q, b_k, b_v : None or (m,), (m,), (v,)
    w_e, w_f : None, or token projections E and F of shape (n', k), both: the keys are those of Z E, the values those of
        Z F, for Z of n' tokens (Linformer; cheng2025, eq. (19))
    """

    w_q: Any
    w_k: Any
    w_v: Any
    w_o: Any
    b_q: Any = None
    b_k: Any = None
    b_v: Any = None
    w_e: Any = None
    w_f: Any = None

    kind: ClassVar[str] = "head"
    NAMES: ClassVar[tuple[str, ...]] = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "w_e", "w_f")

    def __post_init__(self) -> None:
        freeze_weights(self)
        m, v, source = len(self.w_q), len(self.w_v), self.w_k.shape[1]
        expected = {"w_k": (m, source), "w_v": (v, source), "w_o": (len(self.w_o), v), "b_q": (m,), "b_k": (m,)}
        for name, shape in (expected | {"b_v": (v,)}).items():
            require_weight_shape(getattr(self, name), shape, f"Head {name}")
        if (self.w_e is None) != (self.w_f is None):
            raise ValueError("Head: expected w_e and w_f together, got one of them: as many values as keys are needed.")
        require_weight_shape(self.w_f, np.shape(self.w_e), "Head w_f")

    def __repr__(self) -> str:
        m, d = self.w_q.shape
        return f"Head(d={d}, m={m})"


class Layer(Saved):
    """A map of sequences given by named weights. `weights()` is what a number system lowers and a file holds.

    A subclass with a `kind` of its own is known to files. It sets the sizes that it takes and gives:

    d_in, d_out : entries of a token, n_in, n_out : tokens of a sequence; None: any, and as many come out
    cross : whether `forward` takes a second sequence, of d_source rows and n_source tokens
    """

    NAMES: ClassVar[tuple[str, ...]] = ()
    SETTINGS: ClassVar[tuple[str, ...]] = ()
    d_in: int | None = None
    d_out: int | None = None
    n_in: int | None = None
    n_out: int | None = None
    cross: bool = False
    d_source: int | None = None
    n_source: int | None = None

    def weights(self) -> dict[str, Matrix | Vector]:
        """Name to read-only array, without those that are None; after the last ``.`` a bias is named ``b_...``."""
        return {name: array for name in self.NAMES if (array := getattr(self, name)) is not None}

    def settings(self) -> dict[str, Any]:
        """What the layer is made of beside its weights, by name."""
        return {name: getattr(self, name) for name in self.SETTINGS}

    def with_weights(self, weights: Mapping[str, Any]) -> Self:
        """The same kind of layer with other weights, named as in `weights()`."""
        own = self.weights()
        if set(mapping("weights", weights)) != set(own):
            raise refused("weights", f"the names {', '.join(own)}", list(weights))
        return self.from_settings(weights, self.settings())

    def forward(self, X: Sequences, weights: Mapping[str, Any], system: Arithmetic) -> Sequences:
        """The layer applied to X, with its weights and X in the native form of `system`.

        A layer with `cross` takes a fourth argument: the second sequence.
        """
        raise NotImplementedError

    @property
    def acts(self) -> bool:
        """Whether the layer can change its input: whether its output weights or output bias are not all zero."""
        raise NotImplementedError

    def parameter_count(self, nonzero: bool = False) -> int:
        """Number of weights and biases (those that are not 0, if `nonzero`). Activations have no parameters."""
        return sum(int(np.count_nonzero(a)) if nonzero else a.size for a in self.weights().values())

    def lower(self, system: Arithmetic, place: str) -> dict[str, Native]:
        """The weights in the native form of `system`; `place` names the layer in errors."""
        return {
            name: system.weight(array, f"{place}, {name}", has_unit=name.split(".")[-1][0] == "b")
            for name, array in self.weights().items()
        }

    def _parse_flags(self, *flags: str) -> None:
        """ValueError unless these are truth values, and what the layer adds to X, with `skip`, has the size of X."""
        set_fields(self, **{name: flag(f"{type(self).__name__} {name}", getattr(self, name)) for name in flags})
        if getattr(self, "skip", False) and self.d_in != self.d_out:
            raise ValueError(
                f"{type(self).__name__} skip: expected d_out = d_in = {self.d_in} for the skip connection, got d_out = "
                f"{self.d_out}; give skip=False."
            )


def _affine(system: Arithmetic, w: Native, X: Sequences, b: Native | None) -> Native:
    product = system.matmul(w, X)
    return product if b is None else system.add(product, b[..., None])


@dataclass(frozen=True, eq=False, repr=False)
class LinearSum(Layer):
    """sum_i P_i X Q_i + R: the layer "Linear" of liu2025, section 2, of other sizes than X, without skip connection.

    Parameters
    ----------
    terms : pairs (P, Q), P of shape (d_out, d_in) and Q of shape (n_in, n_out); None for the identity
    r : R of shape (d_out, n_out), or None for zero

    Raises
    ------
    ValueError
        No terms, or shapes that do not go together.
    """

    terms: Sequence[tuple[Any, Any]]
    r: Any = None

    kind: ClassVar[str] = "linear-sum"

    def __post_init__(self) -> None:
        pairs = [listed("LinearSum terms", pair) for pair in listed("LinearSum terms", self.terms, "pairs (P, Q)")]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"LinearSum terms: expected at least one pair (P, Q), got {len(pairs)} terms.")
        terms = tuple(
            tuple(_matrix(w, f"LinearSum term {i}, {name}") for name, w in zip("PQ", pair, strict=True))
            for i, pair in enumerate(pairs)
        )
        set_fields(self, terms=terms, r=_matrix(self.r, "LinearSum r"))
        sizes: dict[str, int | None] = {}
        for side, (into, out) in enumerate((("d_out", "d_in"), ("n_in", "n_out"))):
            shapes = {() if (w := term[side]) is None else w.shape for term in terms}
            if len(shapes) > 1:
                raise ValueError(f"LinearSum: expected {'PQ'[side]} of one shape in all terms, got {shapes}.")
            sizes[into], sizes[out] = shapes.pop() or (None, None)
        if self.r is not None:
            for name, size in zip(("d_out", "n_out"), self.r.shape, strict=True):
                if sizes[name] is None:  # the identity of this size
                    sizes[name] = sizes[name.replace("out", "in")] = size
            require_weight_shape(self.r, (sizes["d_out"], sizes["n_out"]), "LinearSum r")
        set_fields(self, **sizes)

    def weights(self) -> dict[str, Matrix | Vector]:
        """``term0.p``, ``term0.q`` and so on, then ``b_r`` for R, which carries the unit of X as biases do."""
        named = {f"term{i}.{name}": w for i, term in enumerate(self.terms) for name, w in zip("pq", term, strict=True)}
        return {name: array for name, array in (named | {"b_r": self.r}).items() if array is not None}

    def settings(self) -> dict[str, Any]:
        """The number of terms, since identities have no weights."""
        return {"count": len(self.terms)}

    @classmethod
    def from_settings(cls, weights: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        known = dict(weights)
        terms = [tuple(known.pop(f"term{i}.{name}", None) for name in "pq") for i in range(settings["count"])]
        r = known.pop("b_r", None)
        if known:
            raise ValueError(f"LinearSum: expected weights of {len(terms)} terms and b_r, got {sorted(known)}.")
        return cls(terms, r)

    def forward(self, X: Sequences, weights: Mapping[str, Any], system: Arithmetic) -> Sequences:
        """The layer applied to X in `system`."""
        total = None
        for i in range(len(self.terms)):
            p, q = (weights.get(f"term{i}.{name}") for name in "pq")
            term = X if p is None else system.matmul(p, X)
            term = term if q is None else system.matmul(term, q)
            total = term if total is None else system.add(total, term)
        return system.add(total, weights["b_r"]) if "b_r" in weights else total

    @property
    def acts(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"LinearSum(terms={len(self.terms)}, d={self.d_in} to {self.d_out}, n={self.n_in} to {self.n_out})"


def _matrix(values: Any, name: str) -> Matrix | None:
    return None if values is None else _weight(values, name, 2)


@dataclass(frozen=True, eq=False, repr=False)
class Attention(Layer):
    """X + sum_h W_O (W_V Z + b_V) sigma[(W_K Z + b_K)^T (W_Q X + b_Q)] + b_O, sigma down the columns.

    Z is X, or a second sequence (cross-attention).

    Parameters
    ----------
    heads : sequence of Head, all with the same d, d' and d_out (sizes m and v may differ)
    normalization : "softmax": the kernel's values over their sum; "hardmax": 1 for the largest, ties share equally;
        "none": the kernel's values as they are (Skyformer; cheng2025, eq. (20))
    b_o : None or array of shape (d_out,)
    mask : None, or booleans of shape (n, n) or (..., n, n), True where the key (row) is visible to the query (column),
        for all heads: (..., k, n) where there are k keys. It fixes the number of tokens; leading axes go with those of
        X. No parameters. See `masks`. Or a `Pattern`: the same by lists, for long sequences
    kernel : what takes the place of exp in the scores; `kernels.DOT` is softmax of scores
    skip : whether X is added, which needs d_out = d
    cross : whether keys and values come of a second sequence

    Raises
    ------
    ValueError
        No heads, or of several widths; another normalization; a mask as refused by `masks.require_mask`, for instance
        with a column that sees nothing; sizes that do not go together.

    Source: yun2020, eq. (1); the query bias is the one of its footnote 1 and section E.3. The mask: kajitsuka2024, eq.
    (132), with hidden keys left out instead of -inf added. The kernel: cheng2025, eq. (12). Cross-attention: liu2025,
    section 2.
    """

    heads: Sequence[Head]
    normalization: str = "softmax"
    b_o: Any = None
    mask: Any = None
    _: KW_ONLY
    kernel: Kernel = DOT
    skip: bool = True
    cross: bool = False

    kind: ClassVar[str] = "attention"
    SETTINGS: ClassVar[tuple[str, ...]] = ("normalization", "mask", "kernel", "skip", "cross")

    def __post_init__(self) -> None:
        heads = items("Attention heads", self.heads, Head)
        choice("Attention normalization", self.normalization, ("softmax", "hardmax", "none"))
        instance("Attention kernel", self.kernel, Kernel, "take kernels.DOT for instance")
        flag("Attention cross", self.cross)
        widths = {(head.w_q.shape[1], head.w_k.shape[1], len(head.w_o)) for head in heads}
        if len(widths) != 1:
            raise ValueError(f"Attention: expected heads of one size (d, d', d_out), got {sorted(widths)}.")
        d, d_source, d_out = widths.pop()
        if not self.cross and d_source != d:
            raise ValueError(
                f"Attention: expected w_k and w_v with d = {d} columns as w_q has, got {d_source}; keys and values of "
                "a second sequence need cross=True."
            )
        projected = {np.shape(head.w_e) for head in heads}
        if len(projected) != 1:
            raise ValueError(f"Attention: expected token projections of one shape in all heads, got {projected}.")
        n_source, keys = projected.pop() or (None, None)
        n = None if self.cross else n_source
        set_fields(self, heads=heads, d_in=d, d_out=d_out, d_source=d_source)
        self._parse_flags("skip", "cross")
        if self.b_o is not None:
            set_fields(self, b_o=_weight(self.b_o, "Attention b_o", 1))
            require_weight_shape(self.b_o, (d_out,), "Attention b_o")
        if self.mask is not None:
            if not isinstance(self.mask, Pattern):
                mask = require_mask(self.mask).copy()
                mask.flags.writeable = False
                set_fields(self, mask=mask)
            n, keys = self._fit_mask(n, keys if n_source else None)
            n_source = n_source or keys
        set_fields(self, n_in=n, n_out=n, n_source=n_source)

    def _fit_mask(self, n: int | None, keys: int | None) -> tuple[int, int]:
        """The number of tokens and of keys, by the mask; ValueError if something else says otherwise."""
        rows, columns = self.mask.shape[-2:]
        if keys is None and not self.cross:
            keys = columns
        if (rows, columns) != (keys or rows, n or columns):
            raise ValueError(
                f"Attention: expected a mask with {keys or 'any'} keys down and {n or 'any'} queries across, got "
                f"{self.mask.shape}."
            )
        return columns, rows

    def weights(self) -> dict[str, Matrix | Vector]:
        """head 0's as ``head0.w_q`` and so on, then ``b_o``; absent biases are left out."""
        named = {f"head{i}.{name}": getattr(head, name) for i, head in enumerate(self.heads) for name in Head.NAMES}
        return {name: array for name, array in (named | {"b_o": self.b_o}).items() if array is not None}

    @classmethod
    def from_settings(cls, weights: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        heads: dict[str, dict[str, Any]] = {}
        for name, array in weights.items():
            if name != "b_o":
                place, letter = name.split(".")
                heads.setdefault(place, {})[letter] = array
        return cls([Head(**heads[f"head{i}"]) for i in range(len(heads))], b_o=weights.get("b_o"), **settings)

    def with_mask(self, mask: Any) -> Attention:
        """The same heads under another mask, or under none."""
        return replace(self, mask=mask)

    def lower(self, system: Arithmetic, place: str) -> dict[str, Native]:
        """The weights, and the mask if there is one, in the native form of `system`."""
        native = super().lower(system, place)
        if self.mask is not None:
            native |= self.mask.lower(system) if isinstance(self.mask, Pattern) else {"mask": system.index(self.mask)}
        return native

    def forward(
        self, X: Sequences, weights: Mapping[str, Any], system: Arithmetic, source: Sequences | None = None
    ) -> Sequences:
        """The layer applied to X in `system`, keys and values from `source` if that is given."""
        self.require_fit(tuple(X.shape))
        Z = X if source is None else source
        result = X if self.skip else None
        for i in range(len(self.heads)):
            w = {name: weights.get(f"head{i}.{name}") for name in Head.NAMES}
            keys_of, values_of = (Z if w[name] is None else system.matmul(Z, w[name]) for name in ("w_e", "w_f"))
            queries = _affine(system, w["w_q"], X, w["b_q"])
            keys = _affine(system, w["w_k"], keys_of, w["b_k"])
            values = _affine(system, w["w_v"], values_of, w["b_v"])
            heard = system.matmul(w["w_o"], self._heard(values, keys, queries, weights, system))
            result = heard if result is None else system.add(result, heard)
        return system.add(result, weights["b_o"][..., None]) if "b_o" in weights else result

    def _heard(
        self, values: Values, keys: Keys, queries: Queries, weights: Mapping[str, Any], system: Arithmetic
    ) -> Native:
        """What each query hears of the values, under the mask or pattern: shape (..., v, n)."""
        if isinstance(self.mask, Pattern):
            return hear_in_blocks(partial(self._mix, system), values, keys, queries, weights, system)
        return self._mix(system, values, keys, queries, weights.get("mask"))

    def _mix(self, system: Arithmetic, values: Values, keys: Keys, queries: Queries, visible: Native) -> Native:
        """values @ weights of the kernel, normalized down each column."""
        if self.normalization == "softmax":
            return self.kernel.mix(values, keys, queries, system, visible)
        if self.normalization == "hardmax":
            return system.hardmax_mix(values, self.kernel.scores(keys, queries, system), visible)
        shift, powers = self.kernel.weights(keys, queries, system, visible)
        heard = system.matmul(values, powers)
        return heard if shift is None else system.multiply(heard, system.function("exp", shift))

    def require_fit(self, shape: tuple[int, ...]) -> None:
        """ValueError unless the mask, if there is one, has leading axes that go with those of X, of this shape."""
        batch, given = () if self.mask is None else self.mask.shape[:-2], shape[:-2]
        fits = len(batch) <= len(given) and all(a in (1, b) for a, b in zip(batch[::-1], given[::-1], strict=False))
        if not fits:
            raise ValueError(f"X: expected leading axes that go with those of the mask, {batch}, got {given}.")

    @property
    def acts(self) -> bool:
        return (
            not self.skip
            or any(np.any(head.w_o != 0) for head in self.heads)
            or (self.b_o is not None and bool(np.any(self.b_o)))
        )

    def with_softmax(self, scale: Any) -> Attention:
        """The same heads with softmax of `scale` times the scores (inverse temperature; W_Q and b_Q are scaled).

        As `scale` grows the layer tends to this one with hardmax: yun2020, section F.
        """
        scale = _weight(scale, "with_softmax scale", 0).item()
        heads = [replace(h, w_q=h.w_q * scale, b_q=None if h.b_q is None else h.b_q * scale) for h in self.heads]
        return replace(self, heads=heads, normalization="softmax")

    def __repr__(self) -> str:
        sizes = ", ".join(str(m) for m in sorted({head.w_q.shape[0] for head in self.heads}))
        more = "" if self.mask is None else f", mask for n={self.mask.shape[-1]}"
        if self.kernel != DOT:
            more += f", {self.kernel}"
        return (
            f"Attention({self.normalization}, heads={len(self.heads)}, head size={sizes}, {_widths(self)}{more}"
            f"{'' if self.skip else ', no skip'}{', cross' if self.cross else ''})"
        )


def _widths(layer: Layer) -> str:
    return f"d={layer.d_in}" + ("" if layer.d_in == layer.d_out else f" to {layer.d_out}")


@dataclass(frozen=True, eq=False, repr=False)
class FeedForward(Layer):
    """X + W_2 phi(W_1 X + b_1) + b_2, the same on every token.

    Parameters
    ----------
    w_1 : (r, d), b_1 : None or (r,), w_2 : (d_out, r), b_2 : None or (d_out,)
    activation : RELU ("relu") or a `ThreePiece`
    skip : whether X is added, which needs d_out = d

    Source: yun2020, eq. (2) and section C.
    """

    w_1: Any
    b_1: Any
    w_2: Any
    b_2: Any = None
    activation: Activation = RELU
    _: KW_ONLY
    skip: bool = True

    kind: ClassVar[str] = "feed-forward"
    NAMES: ClassVar[tuple[str, ...]] = ("w_1", "b_1", "w_2", "b_2")
    SETTINGS: ClassVar[tuple[str, ...]] = ("activation", "skip")

    def __post_init__(self) -> None:
        freeze_weights(self)
        (r, d), d_out = self.w_1.shape, len(self.w_2)
        set_fields(self, d_in=d, d_out=d_out)
        require_weight_shape(self.b_1, (r,), "FeedForward b_1")
        require_weight_shape(self.w_2, (d_out, r), "FeedForward w_2")
        require_weight_shape(self.b_2, (d_out,), "FeedForward b_2")
        self._parse_flags("skip")
        if not isinstance(self.activation, ThreePiece) and (type(self.activation), self.activation) != (str, RELU):
            raise refused("FeedForward activation", '"relu" or a ThreePiece', self.activation)

    @classmethod
    def from_settings(cls, weights: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        activation = settings["activation"]
        if isinstance(activation, dict):  # as in files before version 4
            activation = ThreePiece(**activation)
        return cls(**{"b_1": None, **weights, **settings, "activation": activation})

    def lower(self, system: Arithmetic, place: str) -> dict[str, Native]:
        """The weights, and the numbers of a three-piece activation, in the native form of `system`."""
        native = super().lower(system, place)
        if isinstance(self.activation, ThreePiece):
            for name in ThreePiece.NAMES:
                values = getattr(self.activation, name)
                native[name] = system.weight(values, f"{place}, {name}", has_unit=name != "slopes")
        return native

    def forward(self, X: Sequences, weights: Mapping[str, Any], system: Arithmetic) -> Sequences:
        """The layer applied to X in `system`."""
        hidden = _affine(system, weights["w_1"], X, weights.get("b_1"))
        if isinstance(self.activation, ThreePiece):
            hidden = system.piecewise(hidden, weights["breakpoints"], weights["slopes"], weights["intercepts"])
        else:
            hidden = system.relu(hidden)
        change = _affine(system, weights["w_2"], hidden, weights.get("b_2"))
        return system.add(X, change) if self.skip else change

    @property
    def acts(self) -> bool:
        return not self.skip or bool(np.any(self.w_2 != 0)) or (self.b_2 is not None and bool(np.any(self.b_2 != 0)))

    def __repr__(self) -> str:
        return (
            f"FeedForward({self.activation}, r={self.w_1.shape[0]}, {_widths(self)}{'' if self.skip else ', no skip'})"
        )


def is_standard(layer: Any, masked: bool = False) -> bool:
    """Whether it is Attention or FeedForward as in yun2020, eq. (1)-(2), of any normalization and activation.

    That is no subclass, with its skip connection, and attention with DOT, without second sequence, token projections
    and, unless `masked`, mask.
    """
    if type(layer) is not Attention:
        return type(layer) is FeedForward and layer.skip
    own = layer.skip and not layer.cross and layer.kernel == DOT and all(head.w_e is None for head in layer.heads)
    return own and (masked or layer.mask is None)
