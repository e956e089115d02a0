"""Sums of products from both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Self

from ..arithmetic import Arithmetic
from ..arithmetic.base import N
from ..checks import listed, refused
from ..internal.files import Settings
from ..internal.shapes import Matrix, Numbers, Sequences, Vector, Weight
from .base import Layer, only, require_shapes, set_fields, weight


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

    terms: Sequence[tuple[Weight, Weight]]
    r: Weight = None

    kind: ClassVar[str] = "linear-sum"
    skip = False

    def __post_init__(self) -> None:
        pairs = []
        for pair in listed("LinearSum terms", self.terms, "pairs (P, Q)"):
            pairs.append(listed("LinearSum terms", pair))
            if len(pairs[-1]) != 2:
                raise refused("LinearSum terms", "at least one pair (P, Q), nothing else", pair)
        if not pairs:
            raise refused("LinearSum terms", "at least one pair (P, Q)", self.terms)
        terms = tuple(
            tuple(_matrix(w, f"LinearSum term {i}, {name}") for name, w in zip("PQ", pair, strict=True))
            for i, pair in enumerate(pairs)
        )
        set_fields(self, terms=terms, r=_matrix(self.r, "LinearSum r"))
        sizes: dict[str, int | None] = {}
        for side, (into, out) in enumerate((("d_out", "d_in"), ("n_in", "n_out"))):
            shapes = {() if (w := term[side]) is None else w.shape for term in terms}
            shape = only(shapes, "LinearSum", f"{'PQ'[side]} of one shape in all terms")
            sizes[into], sizes[out] = shape or (None, None)
        if self.r is not None:
            for name, size in zip(("d_out", "n_out"), self.r.shape, strict=True):
                if sizes[name] is None:  # the identity of this size
                    sizes[name] = sizes[name.replace("out", "in")] = size
            require_shapes(self, r=(sizes["d_out"], sizes["n_out"]))
        set_fields(self, **sizes)

    def weights(self) -> dict[str, Matrix | Vector]:
        """``term0.p``, ``term0.q`` and so on, then ``b_r`` for R, which carries the unit of X as biases do."""
        named = {f"term{i}.{name}": w for i, term in enumerate(self.terms) for name, w in zip("pq", term, strict=True)}
        return {name: array for name, array in (named | {"b_r": self.r}).items() if array is not None}

    def settings(self) -> Settings:
        """The number of terms, since identities have no weights."""
        return {"count": len(self.terms)}

    @classmethod
    def from_settings(cls, weights: Settings, settings: Settings) -> Self:
        known = dict(weights)
        if settings.keys() != {"count"}:
            raise ValueError(f"LinearSum: expected the setting count alone, got {sorted(settings)}.")
        terms = [tuple(known.pop(f"term{i}.{name}", None) for name in "pq") for i in range(settings["count"])]
        r = known.pop("b_r", None)
        if known:
            raise ValueError(f"LinearSum: expected weights of {len(terms)} terms and b_r, got {sorted(known)}.")
        return cls(terms, r)

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X in `system`."""

        def term(i: int) -> N:
            p, q = (weights.get(f"term{i}.{name}") for name in "pq")
            product = X if p is None else system.matmul(p, X)
            return product if q is None else system.matmul(product, q)

        total = reduce(system.add, map(term, range(len(self.terms))))
        return system.add(total, weights["b_r"]) if "b_r" in weights else total

    def __repr__(self) -> str:
        tokens = "any n" if self.n_in is None else f"n={self.n_in} to {self.n_out}"
        entries = "any d" if self.d_in is None else f"d={self.d_in} to {self.d_out}"
        return f"LinearSum(terms={len(self.terms)}, {entries}, {tokens})"


def _matrix(values: Numbers | None, name: str) -> Matrix | None:
    return None if values is None else weight(values, name, 2)
