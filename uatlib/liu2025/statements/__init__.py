"""The statements of liu2025, registered when this is imported, in the book's order."""

from . import small_domains  # noqa: F401
