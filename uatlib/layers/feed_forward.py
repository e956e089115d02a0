"""Feed-forward layers, and their activations with three pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from ..arithmetic import Arithmetic
from ..arithmetic.base import N
from ..checks import refused, shown
from ..internal.files import Saved, Settings
from ..internal.shapes import Sequences, Weight
from .base import Layer, affine, freeze_weights, require_shapes, set_fields, weight, widths


@dataclass(frozen=True)
class ThreePiece(Saved):
    """A piecewise linear activation with three pieces, one of them constant: the class Phi of yun2020, section C.

        phi(t) = slopes[k] t + intercepts[k],  k = 0 if t < c_1, 1 if c_1 <= t < c_2, 2 if c_2 <= t

    with breakpoints (c_1, c_2). Raises ValueError unless c_1 <= c_2 and some slope is 0.
    """

    breakpoints: tuple[Weight, Weight]
    slopes: tuple[Weight, Weight, Weight]
    intercepts: tuple[Weight, Weight, Weight]

    kind: ClassVar[str] = "three-piece"
    NAMES: ClassVar[tuple[str, ...]] = ("breakpoints", "slopes", "intercepts")

    def __post_init__(self) -> None:
        for name, length in zip(self.NAMES, (2, 3, 3), strict=True):
            values = tuple(weight(getattr(self, name), f"ThreePiece {name}", 1).tolist())
            if len(values) != length:
                raise ValueError(f"ThreePiece {name}: expected {length} numbers, got {len(values)}.")
            object.__setattr__(self, name, values)
        if self.breakpoints[0] > self.breakpoints[1]:
            raise ValueError(f"ThreePiece breakpoints: expected c_1 <= c_2, got {shown(self.breakpoints)}.")
        if 0 not in self.slopes:
            raise ValueError(f"ThreePiece slopes: expected a constant piece (slope 0), got {shown(self.slopes)}.")

    def settings(self) -> Settings:
        """The numbers, each tuple as an array."""
        return {name: np.array(getattr(self, name), dtype=object) for name in self.NAMES}

    def __str__(self) -> str:
        return "three-piece"


RELU: Literal["relu"] = "relu"
Activation = ThreePiece | Literal["relu"]


@dataclass(frozen=True, eq=False, repr=False)
class FeedForward(Layer):
    """X + W_2 phi(W_1 X + b_1) + b_2, the same on every token.

    Parameters
    ----------
    w_1, w_2 : (r, d) and (d_out, r)
    b_1, b_2 : None or (r,), and None or (d_out,)
    activation : RELU ("relu") or a `ThreePiece`
    skip : whether X is added, which needs d_out = d

    Source: yun2020, eq. (2) and section C.
    """

    w_1: Weight
    b_1: Weight
    w_2: Weight
    b_2: Weight = None
    activation: Activation = RELU
    _: KW_ONLY
    skip: bool = True

    kind: ClassVar[str] = "feed-forward"
    NAMES: ClassVar[tuple[str, ...]] = ("w_1", "b_1", "w_2", "b_2")
    SETTINGS: ClassVar[tuple[str, ...]] = ("activation", "skip")

    def __post_init__(self) -> None:
        freeze_weights(self)
        (r, d), d_out = self.w_1.shape, len(self.w_2)
        require_shapes(self, b_1=(r,), w_2=(d_out, r), b_2=(d_out,))
        set_fields(self, d_in=d, d_out=d_out)
        self._parse_skip()
        if not isinstance(self.activation, ThreePiece) and (type(self.activation), self.activation) != (str, RELU):
            raise refused("FeedForward activation", '"relu" or a ThreePiece', self.activation)

    @classmethod
    def from_settings(cls, weights: Settings, settings: Settings) -> Self:
        activation = settings["activation"]
        if isinstance(activation, dict):  # as in files before version 4
            activation = ThreePiece(**activation)
        return cls(**{"b_1": None, **weights, **settings, "activation": activation})

    def lower(self, system: Arithmetic[N], place: str) -> dict[str, N]:
        """The weights, and the numbers of a three-piece activation, in the native form of `system`."""
        native = super().lower(system, place)
        if isinstance(self.activation, ThreePiece):
            for name in ThreePiece.NAMES:
                values = getattr(self.activation, name)
                native[name] = system.weight(values, f"{place}, {name}", has_unit=name != "slopes")
        return native

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X in `system`."""
        hidden = affine(system, weights["w_1"], X, weights.get("b_1"))
        if isinstance(self.activation, ThreePiece):
            hidden = system.piecewise(hidden, weights["breakpoints"], weights["slopes"], weights["intercepts"])
        else:
            hidden = system.relu(hidden)
        change = affine(system, weights["w_2"], hidden, weights.get("b_2"))
        return system.add(X, change) if self.skip else change

    def __repr__(self) -> str:
        return f"FeedForward({self.activation}, r={len(self.w_1)}, {widths(self)}{'' if self.skip else ', no skip'})"
