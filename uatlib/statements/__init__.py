"""The statements of the book by id: `get("yun2020:lem-8").verify(inverse_delta=3, n=2, d=1)`.

A file holds statements of one source and begins with its bib key; importing it registers them, in this order.
"""

# Imported to register, in the book's order.
# ruff: isort: off
from . import yun2020, yun2020_contextual, yun2020_values, yun2020_softmax, yun2020_stages, yun2020_positional  # noqa: F401
from . import so2020slides  # noqa: F401
# ruff: isort: on

from .registry import Statement, all, get

__all__ = ["Statement", "all", "get"]
