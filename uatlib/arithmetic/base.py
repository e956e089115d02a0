"""What every number system offers."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Generic, Self, TypeVar

import numpy as np
from torch import Tensor

N = TypeVar("N", Tensor, np.ndarray)
"""The arrays of a number system: tensors, or object arrays of python-flint numbers, which only that system may read."""


FUNCTIONS = ("relu", "exp", "log", "sqrt", "sin", "cos", "tanh", "cosh", "atan", "erf")


class Undecided(ArithmeticError):
    """Two enclosures overlap, so which number is larger cannot be told at this precision."""


class Overflow(ValueError):
    """A number, or a number that an operation could produce, does not fit the number system."""


class Arithmetic(ABC, Generic[N]):
    """A number system. Users pass one to a model; subclasses implement the operations of the forward pass."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def context(self) -> AbstractContextManager[None]:
        """What must be in force while native numbers are computed (the working precision of balls)."""
        return contextlib.nullcontext()

    def beside(self, X: object) -> Self:
        """This system on the device of X, if X is a tensor and no device was named."""
        return self

    @abstractmethod
    def array(self, values: object, what: str = "X") -> N:
        """`values` in this system; `what` names them in the errors (`ValueError`: not numbers, NaN, too large)."""

    def constant(self, values: object, like: N, what: str = "constant") -> N:
        """`values`, numbers without unit, in this system and on the device of `like`; errors as `array`."""
        return self.beside(like).array(values, what)

    def weight(self, values: object, what: str, *, has_unit: bool) -> N:
        """A model's weight in this system. Biases and breakpoints carry the unit of X, factors do not."""
        return self.array(values, what)

    @abstractmethod
    def index(self, values: np.ndarray) -> N:
        """Booleans or places in the form by which arrays of this system are indexed: masks, for instance."""

    @abstractmethod
    def output(self, native: N) -> N:
        """What the user gets: Fractions (EXACT), Balls (BALL) or a tensor."""

    def matmul(self, a: N, b: N) -> N:
        """Matrix product over the last two axes."""
        return a @ b

    @abstractmethod
    def join(self, parts: Sequence[N]) -> N:
        """The arrays side by side, along the last axis."""

    def add(self, a: N, b: N) -> N:
        """Sum, with broadcasting."""
        return a + b

    def multiply(self, a: N, b: N) -> N:
        """Product entry by entry, with broadcasting."""
        return a * b

    @abstractmethod
    def relu(self, t: N) -> N:
        """max(t, 0)."""

    @abstractmethod
    def piecewise(self, t: N, breakpoints: N, slopes: N, intercepts: N) -> N:
        """slopes[k] t + intercepts[k], where k counts the breakpoints c (ascending) with c <= t."""

    @abstractmethod
    def largest(self, scores: N, visible: N | None = None) -> N:
        """1 where an entry is the largest of its column or ties with it, 0 elsewhere; entries not `visible` are out."""

    @abstractmethod
    def average(self, values: N, weights: N) -> N:
        """The average of the columns of `values`, weighted by each column of `weights`: values @ weights over its sum.

        Divided after summing, so that ties of hardmax are exact.
        """

    def exponentials(self, t: N, visible: N | None = None, axis: int = -1) -> tuple[N, N]:
        """(m, e^{t - m}) along `axis`, with m of length 1 there and near the maximum; 0 where not `visible`."""
        raise self._irrational("exp")

    def log_sum(self, t: N) -> N:
        """log of the sum over the last axis, for positive sums of entries >= 0."""
        raise self._irrational("log")

    def function(self, name: str, t: N) -> N:
        """The function that is named (one of `FUNCTIONS`) of every entry; all but relu in BALL and floats only."""
        if name not in FUNCTIONS:
            raise ValueError(f"expected a function out of {', '.join(FUNCTIONS)}, got {name!r}.")
        return self.relu(t) if name == "relu" else self._transcendental(name, t)

    def _transcendental(self, name: str, t: N) -> N:
        raise self._irrational(name)

    def softmax_mix(self, values: N, scores: N, visible: N | None = None) -> N:
        """values @ softmax(scores), softmax down the columns, over `visible` entries only if that is given."""
        return self.average(values, self.exponentials(scores, visible, axis=-2)[1])

    def hardmax_mix(self, values: N, scores: N, visible: N | None = None) -> N:
        """values @ hardmax(scores), down the columns; k tied entries get weight 1/k. `visible` as in `largest`."""
        return self.average(values, self.largest(scores, visible))

    def _irrational(self, function: str) -> ValueError:
        return ValueError(
            f"{self.name} cannot run {function}{' (so no softmax)' if function == 'exp' else ''}: of a rational it is "
            "not rational. Use BALL for certified enclosures, FLOAT64 for speed, or hardmax attention."
        )
