"""Explorers: pictures that a reader steps through, live in a notebook and drawn beforehand in a static page.

Knows nothing of transformers, and nothing else of the library imports it.
"""

from .controls import Control
from .explorer import Explorer, explore

__all__ = ["Control", "Explorer", "explore"]
