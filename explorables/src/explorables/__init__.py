"""Explorables: pictures that a reader steps through, live in a notebook and drawn beforehand in a static page."""

from .controls import Control
from .explorer import Explorer, explore
from .progress import static_page

__all__ = ["Control", "Explorer", "explore", "static_page"]
__version__ = "0.2.0"
