"""Pictures whose network runs in the page."""

from .lowered import lowered

__all__ = ["lowered"]
