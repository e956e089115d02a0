"""The statements of cheng2025, registered when this is imported, in the book's order."""

from . import mixer_check  # noqa: F401
