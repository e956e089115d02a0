"""The statements of the book by id: `get("yun2020:lem-8").verify(inverse_delta=3, n=2, d=1)`.

A file holds statements of one source and begins with its bib key; importing it registers them, in this order.
"""

from . import yun2020, yun2020_contextual, yun2020_values, yun2020_stages, yun2020_positional, so2020slides  # noqa: F401, I001  (imported to register, in the book's order)
from .registry import Statement, all, get

__all__ = ["Statement", "all", "get"]
