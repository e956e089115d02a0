"""Pictures of what the rest of the library computes; nothing outside this folder imports it."""

from .explorer import Control, Explorer, explore

__all__ = ["Control", "Explorer", "explore"]
