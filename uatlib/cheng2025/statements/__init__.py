"""The statements of cheng2025, registered when this is imported, in the book's order."""

from . import condition, interpolation, two_samples, kernels, kernel_lists, sparse  # noqa: F401, I001
from . import other_mixers, bias, symmetry, mixer_check  # noqa: F401
