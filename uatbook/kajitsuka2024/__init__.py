"""The statements of kajitsuka2024, registered when this is imported, in the book's order."""

# ruff: noqa: F401, I001
from . import boltzmann, gaps, spacing, definitions, one_layer, memorisation, universality, masks, rank_1
