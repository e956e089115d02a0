"""The statements of cheng2025, registered when this is imported, in the book's order."""

from . import two_samples  # noqa: F401
