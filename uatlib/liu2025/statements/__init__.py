"""The statements of liu2025, registered when this is imported, in the book's order."""

from . import precision  # noqa: F401
