"""The statements of liu2025, registered when this is imported, in the book's order."""

from . import self_attention, lp  # noqa: F401, I001
