"""The statements of Liu et al. (2025), in the order of the book."""

from . import cross_attention  # noqa: F401
