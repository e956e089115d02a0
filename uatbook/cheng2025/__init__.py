"""The statements of cheng2025, registered when this is imported, in the book's order."""

# ruff: noqa: F401, I001
from . import (
    condition,
    interpolation,
    two_samples,
    kernels,
    kernel_lists,
    sparse,
    other_mixers,
    bias,
    symmetry,
    your_mixer,
)
