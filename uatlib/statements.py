"""The statements of the book by id: `get("yun2020:lem-8").verify(inverse_delta=3, n=2, d=1)`.

A source registers its own when its folder `statements` is imported, as it is here, in the book's order.
"""

from .yun2020 import statements as _yun2020  # noqa: F401, I001  (the book's order)
from .kajitsuka2024 import statements as _kajitsuka2024  # noqa: F401

from .registry import Statement, all, get

__all__ = ["Statement", "all", "get"]
