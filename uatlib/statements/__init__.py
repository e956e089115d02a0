"""The statements of the book by id: `get("yun2020:lem-8").verify(inverse_delta=3, n=2, d=1)`.

A file holds statements of one source and begins with its bib key; importing it registers them, in this order.
"""

from . import (  # noqa: I001  (imported to register, in the book's order)
    yun2020,  # noqa: F401
    yun2020_contextual,  # noqa: F401
    yun2020_values,  # noqa: F401
    yun2020_softmax,  # noqa: F401
    yun2020_stages,  # noqa: F401
    yun2020_positional,  # noqa: F401
    yun2020_mixers,  # noqa: F401
    yun2020_precision,  # noqa: F401
    so2020slides,  # noqa: F401
    kajitsuka2024,  # noqa: F401
    kajitsuka2024_gaps,  # noqa: F401
    kajitsuka2024_spacing,  # noqa: F401
    kajitsuka2024_attention,  # noqa: F401
    kajitsuka2024_memory,  # noqa: F401
    kajitsuka2024_universality,  # noqa: F401
    kajitsuka2024_masks,  # noqa: F401
    kajitsuka2024_training,  # noqa: F401
)
from .registry import Statement, all, get

__all__ = ["Statement", "all", "get"]
