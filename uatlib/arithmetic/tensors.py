"""FLOAT64, FLOAT32 and INT64: torch tensors on any device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational
from typing import Self

import numpy as np
import torch
from torch import Tensor

from .base import Arithmetic, Overflow
from .numbers import FLOATS, entries, fraction, not_finite, numbers, positive, real, real_tensor
from .shown import refused, shown


@dataclass(frozen=True, repr=False)
class _Torch(Arithmetic[Tensor]):
    """Operations shared by the torch systems: tensors on one device (that of X unless `on` names another)."""

    name: str
    dtype: torch.dtype
    device: torch.device | None = None

    def __repr__(self) -> str:
        return self.name if self.device is None else f'{self.name}.on("{self.device}")'

    def on(self, device: torch.device | str) -> Self:
        """The same system on another device, e.g. ``FLOAT64.on("cuda")``; ValueError if there is none."""
        return replace(self, device=usable_device(device))

    def beside(self, X: object) -> Self:
        # A tensor without numbers is refused where it is read.
        if self.device is None and isinstance(X, Tensor) and not X.is_meta:
            return replace(self, device=X.device)
        return self

    def index(self, values: np.ndarray) -> Tensor:
        return torch.tensor(values, device=self.device)

    def output(self, native: Tensor) -> Tensor:
        # The caller's own: what is changed in place there must not change X, or the layers of a trace to come.
        return native.clone()

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(parts), dim=-1)

    def relu(self, t: Tensor) -> Tensor:
        return torch.relu(t)

    def piecewise(self, t: Tensor, breakpoints: Tensor, slopes: Tensor, intercepts: Tensor) -> Tensor:
        piece = (t.unsqueeze(-1) >= breakpoints).sum(-1)
        return self.add(slopes[piece] * t, intercepts[piece])

    def largest(self, scores: Tensor, visible: Tensor | None = None) -> Tensor:
        # inf - inf is NaN: scores that overflowed choose nothing, where == would call them tied.
        tied = scores - hide(scores, visible).amax(-2, keepdim=True) == 0
        return (tied if visible is None else tied & visible).to(self.dtype)

    def average(self, values: Tensor, weights: Tensor) -> Tensor:
        sums = self.matmul(weights.new_ones(1, weights.shape[-2]), weights)
        return self.divide(self.matmul(values, weights), sums)

    def divide(self, total: Tensor, count: Tensor) -> Tensor:
        """total / count."""
        return total / count


def usable_device(device: object) -> torch.device:
    """The torch device that is named; ValueError unless it is there and holds numbers ("meta" holds none)."""
    expected = '"cpu", or an accelerator that is there'
    # torch ends the process where it is given a tensor of some subclasses.
    if not isinstance(device, (str, torch.device)):
        raise refused("device", expected, device)
    try:
        found = torch.device(device)
        torch.zeros(1, device="cpu").to(found).tolist()
        return found
    # torch says that no number can be read, that it was built without the accelerator, or that this names none.
    except (RuntimeError, AssertionError, TypeError, ValueError, OverflowError) as error:
        raise refused("device", expected, device, str(error)[:200]) from None


def hide(scores: Tensor, visible: Tensor | None) -> Tensor:
    """The least number of the dtype, -inf for floats, where not `visible`."""
    if visible is None:
        return scores
    least = -torch.inf if scores.is_floating_point() else torch.iinfo(scores.dtype).min
    return scores.masked_fill(~visible, least)


class _Float(_Torch):
    def array(self, values: object, what: str = "X") -> Tensor:
        if isinstance(values, Tensor):
            source = real_tensor(values, what)
        else:
            array = numbers(values, what)
            if array.dtype.kind == "O":
                array = entries(array, what, real)
            try:
                source = torch.from_numpy(array.astype(np.float64))  # here: some devices have no float64
            except OverflowError:
                raise self._too_large(what) from None
        # The caller may write into a tensor of theirs while a trace goes on.
        home = source.device if source is values else torch.get_default_device()
        tensor = source.to(self.device or home, self.dtype, copy=source is values)
        if bool(torch.isfinite(tensor).all()):
            return tensor
        if bool(torch.isfinite(source).all()):
            raise self._too_large(what)
        raise not_finite(what)

    def _too_large(self, what: str) -> Overflow:
        largest = torch.finfo(self.dtype).max
        return Overflow(f"{what}: a number exceeds the largest {self.name}, {largest:.3g}; use EXACT or BALL.")

    def output(self, native: Tensor) -> Tensor:
        # Infinity and NaN spread to the output (but for relu(-inf) = 0, which is right), so one pass here, and one wait
        # for the GPU, finds an overflow.
        if not bool(torch.isfinite(native).all()):
            raise self._too_large("a number inside the model")
        return super().output(native)

    def softmax_mix(self, values: Tensor, scores: Tensor, visible: Tensor | None = None) -> Tensor:
        # The bits, the speed and the gradient of torch's own.
        return torch.matmul(values, torch.softmax(hide(scores, visible), dim=-2))

    def exponentials(self, t: Tensor, visible: Tensor | None = None, axis: int = -1) -> tuple[Tensor, Tensor]:
        t = hide(t, None if visible is None else torch.as_tensor(visible, device=t.device))
        shift = t.detach().amax(axis, keepdim=True)
        return shift, torch.exp(t - shift)

    def _transcendental(self, name: str, t: Tensor) -> Tensor:
        return getattr(torch, name)(t)

    def log_sum(self, t: Tensor) -> Tensor:
        # log1p keeps what is added to the largest, be it below the rounding of 1.
        top, place = t.max(-1, keepdim=True)
        rest = t.scatter(-1, place, 0).sum(-1)
        return torch.log(top[..., 0]) + torch.log1p(rest / top[..., 0])


_WITHIN_INT64 = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


@dataclass(frozen=True, repr=False)
class _Int64(_Torch):
    """Whole multiples of `unit`: inputs and outputs count units, a model's weights are given in real units.

    Before each operation the largest value it could produce is bounded, in Python integers, from the operands at
    hand; a bound of 2^63 or more raises `Overflow`.
    """

    unit: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if isinstance(self.unit, FLOATS):
            raise refused("unit", "an int or Fraction > 0", self.unit, "a float is seldom the number that is meant")
        object.__setattr__(self, "unit", positive("unit", self.unit))

    def __repr__(self) -> str:
        return super().__repr__() + ("" if self.unit == 1 else f".in_units_of({self.unit})")

    def in_units_of(self, unit: Fraction) -> Self:
        """The same system counting multiples of `unit`, e.g. ``Fraction(1, 2 * N)`` for half steps of a grid."""
        return replace(self, unit=unit)

    def array(self, values: object, what: str = "X") -> Tensor:
        if isinstance(values, Tensor) and real_tensor(values, what).dtype in _WITHIN_INT64:
            return values.to(self.device or values.device, self.dtype, copy=True)
        source = numbers(values, what)
        if not np.can_cast(source.dtype, np.int64):
            source = entries(source, what, self._whole)
        return torch.tensor(source.astype(np.int64), device=self.device)

    def weight(self, values: object, what: str, *, has_unit: bool) -> Tensor:
        scale = 1 / self.unit if has_unit else Fraction(1)

        def count(value: object) -> int:
            if isinstance(value, Rational) and (units := fraction(value) * scale).denominator == 1:
                return self._whole(units)
            of = f"multiples of the unit {self.unit}" if has_unit else "whole factors"
            raise ValueError(f"INT64 takes {of} as weights, got {shown(value)}; choose a finer unit, or use EXACT.")

        return torch.tensor(entries(values, what, count).astype(np.int64), device=self.device)

    @staticmethod
    def _whole(value: object) -> int:
        number = real(value)
        if isinstance(number, float) or number.denominator != 1:
            raise ValueError(f"INT64 takes whole numbers of units, got {type(value).__name__} {shown(value)}.")
        units = int(number)
        if not -(2**63) < units < 2**63:
            raise Overflow(f"{shown(units)} units need more than 63 bits; use EXACT.")
        return units

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        pairs = [(a[..., :, k : k + 1], b[..., k : k + 1, :]) for k in range(a.shape[-1])]
        self._require(sum(_largest(column) * _largest(row) for column, row in pairs), "a matrix product")
        # Outer products, summed: torch has no int64 matmul on GPUs, and inner sizes are small here.
        total = pairs[0][0] * pairs[0][1]
        for column, row in pairs[1:]:
            total = total + column * row
        return total

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        self._require(_largest(a) + _largest(b), "a sum")
        return a + b

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        self._require(_largest(a) * _largest(b), "a product")
        return a * b

    def piecewise(self, t: Tensor, breakpoints: Tensor, slopes: Tensor, intercepts: Tensor) -> Tensor:
        self._require(_largest(slopes) * _largest(t), "a piecewise linear function")
        return super().piecewise(t, breakpoints, slopes, intercepts)

    def divide(self, total: Tensor, count: Tensor) -> Tensor:
        if bool((total % count).any()):
            raise ValueError(
                f"INT64: hardmax averages tied tokens to no whole multiple of the unit {self.unit}; use EXACT."
            )
        return total // count

    def _require(self, bound: int, operation: str) -> None:
        if bound >= 2**63:
            raise Overflow(f"INT64: {operation} could need {bound.bit_length()} bits and has 63; use EXACT.")


def _largest(a: Tensor) -> int:
    """max |a| as a Python integer."""
    return max(int(a.max()), -int(a.min())) if a.numel() else 0


FLOAT64 = _Float("FLOAT64", torch.float64)
FLOAT32 = _Float("FLOAT32", torch.float32)
INT64 = _Int64("INT64", torch.int64)
