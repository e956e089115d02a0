"""The statements of Liu et al., registered when this is imported, in the book's order."""

from . import partition, indicator  # noqa: F401, I001
