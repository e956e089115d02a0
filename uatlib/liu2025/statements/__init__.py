"""The statements of Liu, Hu, Song and Liu (2025); importing a module registers them."""

from . import cross_attention

__all__ = ["cross_attention"]
