"""Pictures of what the rest of the library computes; nothing outside this folder imports it."""

from .controls import Control
from .explorer import Explorer, explore

__all__ = ["Control", "Explorer", "explore"]
