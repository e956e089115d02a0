"""The statements of cheng2025, registered when this is imported, in the book's order."""

from . import interpolation  # noqa: F401, I001
from . import symmetry  # noqa: F401
