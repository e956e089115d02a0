"""Explorers: pictures that a reader steps through, live in a notebook and drawn beforehand in a static page.

Knows nothing of transformers, and nothing else of the library imports it.
"""

from ..checks import installed

installed("explorer", "matplotlib", "anywidget")

from .controls import Control  # noqa: E402
from .explorer import Explorer, explore  # noqa: E402

__all__ = ["Control", "Explorer", "explore"]
