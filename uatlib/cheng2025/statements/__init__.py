"""The statements of cheng2025, registered when this is imported, in the book's order."""

from . import (
    condition,  # noqa: F401
    interpolation,  # noqa: F401
)
