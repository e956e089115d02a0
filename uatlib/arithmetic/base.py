"""What every number system offers."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np

Native = Any
"""An array in a number system's own representation; only the system that made it may read it."""


FUNCTIONS = ("relu", "exp", "log", "sqrt", "sin", "cos", "tanh", "cosh", "atan", "erf")


class Undecided(ArithmeticError):
    """Two enclosures overlap, so which number is larger cannot be told at this precision."""


class Overflow(ValueError):
    """A number, or a number that an operation could produce, does not fit the number system."""


class Arithmetic(ABC):
    """A number system. Users pass one to a model; subclasses implement the operations of the forward pass."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def context(self) -> AbstractContextManager[Any]:
        """What must be in force while native numbers are computed (the working precision of balls)."""
        return contextlib.nullcontext()

    def beside(self, X: Any) -> Self:
        """This system on the device of X, if X is a tensor and no device was named."""
        return self

    @abstractmethod
    def array(self, values: Any, what: str = "X") -> Native:
        """`values` in this system; `what` names them in the errors (`ValueError`: not numbers, NaN, too large)."""

    def weight(self, values: Any, what: str, *, has_unit: bool) -> Native:
        """A model's weight in this system. Biases and breakpoints carry the unit of X, factors do not."""
        return self.array(values, what)

    def index(self, values: np.ndarray) -> Native:
        """Booleans or places in the form by which arrays of this system are indexed: masks, for instance."""
        return values

    @abstractmethod
    def output(self, native: Native) -> Any:
        """What the user gets: Fractions (EXACT), Balls (BALL) or a tensor."""

    def matmul(self, a: Native, b: Native) -> Native:
        """Matrix product over the last two axes."""
        return a @ b

    def transpose(self, a: Native) -> Native:
        """Exchange the last two axes."""
        return a.mT

    @abstractmethod
    def join(self, parts: Sequence[Native]) -> Native:
        """The arrays side by side, along the last axis."""

    def add(self, a: Native, b: Native) -> Native:
        """Sum, with broadcasting."""
        return a + b

    def multiply(self, a: Native, b: Native) -> Native:
        """Product entry by entry, with broadcasting."""
        return a * b

    @abstractmethod
    def relu(self, t: Native) -> Native:
        """max(t, 0)."""

    @abstractmethod
    def piecewise(self, t: Native, breakpoints: Native, slopes: Native, intercepts: Native) -> Native:
        """slopes[k] t + intercepts[k], where k counts the breakpoints c (ascending) with c <= t."""

    @abstractmethod
    def largest(self, scores: Native, visible: Native = None) -> Native:
        """1 where an entry is the largest of its column or ties with it, 0 elsewhere; entries not `visible` are out."""

    @abstractmethod
    def average(self, values: Native, weights: Native) -> Native:
        """The average of the columns of `values`, weighted by each column of `weights`: values @ weights over its sum.

        Divided after summing, so that ties of hardmax are exact.
        """

    def exponentials(self, t: Native, visible: Native = None, axis: int = -1) -> tuple[Native, Native]:
        """(m, e^{t - m}) along `axis`, with m of length 1 there and near the maximum; 0 where not `visible`."""
        raise self._irrational("exp")

    def log_sum(self, t: Native) -> Native:
        """log of the sum over the last axis, for positive sums of entries >= 0."""
        raise self._irrational("log")

    def function(self, name: str, t: Native) -> Native:
        """The function that is named (one of `FUNCTIONS`) of every entry; all but relu in BALL and floats only."""
        if name not in FUNCTIONS:
            raise ValueError(f"expected a function out of {', '.join(FUNCTIONS)}, got {name!r}.")
        return self.relu(t) if name == "relu" else self._transcendental(name, t)

    def _transcendental(self, name: str, t: Native) -> Native:
        raise self._irrational(name)

    def softmax_mix(self, values: Native, scores: Native, visible: Native = None) -> Native:
        """values @ softmax(scores), softmax down the columns, over `visible` entries only if that is given."""
        return self.average(values, self.exponentials(scores, visible, axis=-2)[1])

    def hardmax_mix(self, values: Native, scores: Native, visible: Native = None) -> Native:
        """values @ hardmax(scores), down the columns; k tied entries get weight 1/k. `visible` as in `largest`."""
        return self.average(values, self.largest(scores, visible))

    def _irrational(self, function: str) -> ValueError:
        return ValueError(
            f"{self.name} cannot run {function}{' (so no softmax)' if function == 'exp' else ''}: of a rational it is "
            "not rational. Use BALL for certified enclosures, FLOAT64 for speed, or hardmax attention."
        )
