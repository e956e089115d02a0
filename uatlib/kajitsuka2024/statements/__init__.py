"""The statements of kajitsuka2024, registered when this is imported, in the book's order."""

from . import boltzmann, gaps, spacing, definitions, attention, memory, universality, masks, training  # noqa: F401, I001
