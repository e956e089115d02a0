"""Networks of the approximation theorems, one file a source, named by its bib key."""

from __future__ import annotations

from collections.abc import Callable

from ..certificate import Construction
from . import yun2020

__all__ = ["CONSTRUCTIONS"]

CONSTRUCTIONS: dict[str, Callable[..., Construction]] = {"yun2020": yun2020.build}
"""Bib key to ``build(target, inverse_delta=... or error=...)``."""
