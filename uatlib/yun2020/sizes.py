"""What to do about a construction on a grid that is too large."""

from __future__ import annotations

from functools import partial

from ..sizes import require_size as _require_size

COARSER = (
    "Choose a coarser grid (smaller inverse_delta), shorter sequences (smaller n) or fewer dimensions (smaller d)."
)
require_size = partial(_require_size, hint=COARSER)
