"""Networks of the approximation theorems, one file a source, named by its bib key."""

from __future__ import annotations

from collections.abc import Callable

from . import cheng2025, kajitsuka2024, liu2025, yun2020
from .certificate import Construction

__all__ = ["CONSTRUCTIONS"]

CONSTRUCTIONS: dict[str, Callable[..., Construction]] = {
    "yun2020": yun2020.build,
    "kajitsuka2024": kajitsuka2024.build,
    "liu2025": liu2025.build,
    "cheng2025": cheng2025.build,
}
"""Bib key to ``build(target, error=...)``, or with its grid: ``inverse_delta=...``, ``granularity=...``,
``cells=...``."""
