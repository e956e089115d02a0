"""Pictures: arrays in, matplotlib figure out; no mathematics. `style` has the house style.

What a module here defines is found by its name alone, `figures.squares`: a new module needs no line in this one.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from uatlib.checks import installed

installed("book", "explorables", "matplotlib")

from .style import BOUND, COLOURS, MARKERS, MEASURED  # noqa: E402

__all__ = ["BOUND", "COLOURS", "MARKERS", "MEASURED"]

for _module in [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]:
    _defined = (name for name, value in vars(_module).items() if getattr(value, "__module__", "") == _module.__name__)
    globals().update({name: getattr(_module, name) for name in _defined if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    """For type checkers, which cannot see the names above."""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
