"""The statements of liu2025, registered when this is imported, in the book's order."""

from . import partition, indicator, self_attention, distances, lp, cross_attention  # noqa: F401, I001
from . import small_domains, precision, experiments  # noqa: F401
