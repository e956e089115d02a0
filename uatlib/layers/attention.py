"""Attention: heads, and the layer that mixes what they hear."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial, reduce
from typing import ClassVar, Self

import numpy as np

from ..arithmetic import Arithmetic
from ..arithmetic.base import N
from ..arithmetic.numbers import Number
from ..checks import choice, flag, instance, items, refused
from ..internal.files import Saved, Settings
from ..internal.shapes import Keys, Matrix, Queries, Sequences, Values, Vector, Visible, Weight
from ..kernels import DOT, Kernel
from ..masks import require_mask
from ..patterns import Pattern, hear_in_blocks
from .base import Layer, affine, freeze_weights, only, require_shapes, set_fields, weight, widths


@dataclass(frozen=True, eq=False, repr=False)
class Head(Saved):
    """Weights of one attention head. Of the d rows of X it makes queries, of the d' rows of Z keys and values.

    Parameters
    ----------
    w_q, w_k, w_v, w_o : (m, d), (m, d'), (v, d') and (d_out, v); d' = d where keys and values come of X
    b_q, b_k, b_v : None or (m,), (m,), (v,)
    w_e, w_f : None, or token projections E and F of shape (n', k), both: the keys are those of Z E, the values those of
        Z F, for Z of n' tokens (Linformer; cheng2025, eq. (19))
    """

    w_q: Weight
    w_k: Weight
    w_v: Weight
    w_o: Weight
    b_q: Weight = None
    b_k: Weight = None
    b_v: Weight = None
    w_e: Weight = None
    w_f: Weight = None

    kind: ClassVar[str] = "head"
    NAMES: ClassVar[tuple[str, ...]] = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "w_e", "w_f")

    def __post_init__(self) -> None:
        freeze_weights(self)
        m, v, source = len(self.w_q), len(self.w_v), self.w_k.shape[1]
        require_shapes(self, w_k=(m, source), w_v=(v, source), w_o=(len(self.w_o), v), b_q=(m,), b_k=(m,), b_v=(v,))
        if (self.w_e is None) != (self.w_f is None):
            raise ValueError("Head: expected w_e and w_f together, got one of them: as many values as keys are needed.")
        require_shapes(self, w_f=np.shape(self.w_e))

    def __repr__(self) -> str:
        m, d = self.w_q.shape
        return f"Head(d={d}, m={m})"


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
    b_o: Weight = None
    mask: Weight | Pattern = None
    _: KW_ONLY
    kernel: Kernel = DOT
    skip: bool = True
    cross: bool = False

    kind: ClassVar[str] = "attention"
    SETTINGS: ClassVar[tuple[str, ...]] = ("normalization", "mask", "kernel", "skip", "cross")

    def __post_init__(self) -> None:
        heads, cross = items("Attention heads", self.heads, Head), flag("Attention cross", self.cross)
        set_fields(self, heads=heads, cross=cross)
        choice("Attention normalization", self.normalization, ("softmax", "hardmax", "none"))
        instance("Attention kernel", self.kernel, Kernel, "take kernels.DOT for instance")
        sizes = {(head.w_q.shape[1], head.w_k.shape[1], len(head.w_o)) for head in self.heads}
        d, d_source, d_out = only(sizes, "Attention", "heads of one size (d, d', d_out)")
        if not self.cross and d_source != d:
            expected = f"w_k and w_v with d = {d} columns as w_q has"
            raise refused("Attention", expected, d_source, "keys and values of a second sequence need cross=True")
        projected = {np.shape(head.w_e) for head in self.heads}
        shape = only(projected, "Attention", "token projections of one shape in all heads")
        n_source, keys = shape or (None, None)
        n = None if self.cross else n_source
        set_fields(self, d_in=d, d_out=d_out, d_source=d_source)
        self._parse_skip()
        if self.b_o is not None:
            set_fields(self, b_o=weight(self.b_o, "Attention b_o", 1))
            require_shapes(self, b_o=(d_out,))
        if self.mask is not None:
            if not isinstance(self.mask, Pattern):
                mask = require_mask(self.mask).copy()
                mask.flags.writeable = False
                set_fields(self, mask=mask)
            n, keys = self._fit_mask(n, keys)
            n_source = n_source or keys
        set_fields(self, n_in=n, n_out=n, n_source=n_source)

    def _fit_mask(self, n: int | None, keys: int | None) -> tuple[int, int]:
        """The number of tokens and of keys, by the mask; ValueError if something else says otherwise."""
        rows, columns = self.mask.shape[-2:]
        if keys is None and not self.cross:
            keys = columns
        if (rows, columns) != (keys or rows, n or columns):
            expected = f"a mask with {keys or 'any'} keys down and {n or 'any'} queries across"
            raise refused("Attention", expected, self.mask.shape)
        return columns, rows

    def weights(self) -> dict[str, Matrix | Vector]:
        """head 0's as ``head0.w_q`` and so on, then ``b_o``; absent biases are left out."""
        named = {f"head{i}.{name}": getattr(head, name) for i, head in enumerate(self.heads) for name in Head.NAMES}
        return {name: array for name, array in (named | {"b_o": self.b_o}).items() if array is not None}

    @classmethod
    def from_settings(cls, weights: Settings, settings: Settings) -> Self:
        heads: dict[str, dict[str, Matrix | Vector]] = {}
        for name, array in weights.items():
            if name != "b_o":
                place, letter = name.split(".")
                heads.setdefault(place, {})[letter] = array
        return cls([Head(**heads[f"head{i}"]) for i in range(len(heads))], b_o=weights.get("b_o"), **settings)

    def with_mask(self, mask: object) -> Attention:
        """The same heads under another mask, or under none."""
        return replace(self, mask=mask)

    def lower(self, system: Arithmetic[N], place: str) -> dict[str, N]:
        """The weights, and the mask if there is one, in the native form of `system`."""
        native = super().lower(system, place)
        if self.mask is not None:
            native |= self.mask.lower(system) if isinstance(self.mask, Pattern) else {"mask": system.index(self.mask)}
        return native

    def forward(
        self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N], source: Sequences[N] | None = None
    ) -> Sequences[N]:
        """The layer applied to X in `system`, keys and values from `source` if that is given."""
        self.require_fit(tuple(X.shape))
        heads = (self._head(i, X, X if source is None else source, weights, system) for i in range(len(self.heads)))
        total = reduce(system.add, itertools.chain([X] if self.skip else [], heads))
        return system.add(total, weights["b_o"][..., None]) if "b_o" in weights else total

    def _head(
        self, i: int, X: Sequences[N], Z: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]
    ) -> Sequences[N]:
        """W_O times what each query hears of the values, under the mask or pattern, of head i."""
        w = {name: weights[place] for name in Head.NAMES if (place := f"head{i}.{name}") in weights}
        keys_of, values_of = (system.matmul(Z, w[name]) if name in w else Z for name in ("w_e", "w_f"))
        queries = affine(system, w["w_q"], X, w.get("b_q"))
        keys = affine(system, w["w_k"], keys_of, w.get("b_k"))
        values = affine(system, w["w_v"], values_of, w.get("b_v"))
        if isinstance(self.mask, Pattern):
            mixed = hear_in_blocks(partial(self._mix, system), values, keys, queries, weights, system)
        else:
            mixed = self._mix(system, values, keys, queries, weights.get("mask"))
        return system.matmul(w["w_o"], mixed)

    def _mix(
        self, system: Arithmetic[N], values: Values[N], keys: Keys[N], queries: Queries[N], visible: Visible[N]
    ) -> Values[N]:
        """values @ weights of the kernel, normalized down each column."""
        if self.normalization == "softmax":
            return self.kernel.mix(values, keys, queries, system, visible)
        if self.normalization == "hardmax":
            return system.hardmax_mix(values, self.kernel.scores(keys, queries, system), visible)
        shift, powers = self.kernel.weights(keys, queries, system, visible)
        total = system.matmul(values, powers)
        return total if shift is None else system.multiply(total, system.function("exp", shift))

    def require_fit(self, shape: tuple[int, ...]) -> None:
        """ValueError unless the mask, if there is one, has leading axes that go with those of X, of this shape."""
        batch, given = () if self.mask is None else self.mask.shape[:-2], shape[:-2]
        fits = len(batch) <= len(given) and all(a in (1, b) for a, b in zip(batch[::-1], given[::-1], strict=False))
        if not fits:
            raise ValueError(f"X: expected leading axes that go with those of the mask, {batch}, got {given}.")

    def with_softmax(self, scale: Number) -> Attention:
        """The same heads with softmax of `scale` times the scores (inverse temperature; W_Q and b_Q are scaled).

        As `scale` grows the layer tends to this one with hardmax: yun2020, section F.
        """
        factor = weight(scale, "with_softmax scale", 0).item()
        heads = [replace(h, w_q=h.w_q * factor, b_q=None if h.b_q is None else h.b_q * factor) for h in self.heads]
        return replace(self, heads=heads, normalization="softmax")

    def __repr__(self) -> str:
        sizes = ", ".join(str(m) for m in sorted({head.w_q.shape[0] for head in self.heads}))
        more = "" if self.mask is None else f", mask for n={self.mask.shape[-1]}"
        more += "" if self.kernel == DOT else f", {self.kernel}"
        more += ("" if self.skip else ", no skip") + (", cross" if self.cross else "")
        return f"Attention({self.normalization}, heads={len(self.heads)}, head size={sizes}, {widths(self)}{more})"
