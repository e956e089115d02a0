"""Number systems in which one forward pass runs.

    EXACT     rationals (`Fraction` in and out): proofs run literally, no rounding, no doubt
    BALL      intervals that contain the value: certified bounds where exp or sqrt appear
    FLOAT64   `torch.float64`, any device: the numbers of numerical computing
    FLOAT32   `torch.float32`, any device: the numbers of deep learning
    INT64     `torch.int64` counts of a unit: bulk exact work on a grid, overflow refused

A number system turns weights and inputs into its own numbers, and offers the few operations that a transformer
needs. Everything that compares (hardmax, piecewise activations) goes through it, because comparing is where number
systems differ: a ball that overlaps a threshold raises `Undecided`, it never guesses.
"""

from .base import Arithmetic, Overflow, Undecided
from .objects import BALL, EXACT, Ball, distances
from .tensors import FLOAT32, FLOAT64, INT64

__all__ = ["BALL", "EXACT", "FLOAT32", "FLOAT64", "INT64", "Arithmetic", "Ball", "Overflow", "Undecided", "distances"]
