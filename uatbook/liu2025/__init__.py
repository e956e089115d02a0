"""The statements of liu2025, registered when this is imported, in the book's order."""

# ruff: noqa: F401, I001
from . import (
    partitions,
    indicator,
    self_attention,
    distances,
    lp,
    cross_attention,
    small_domains,
    precision,
    experiments,
)
