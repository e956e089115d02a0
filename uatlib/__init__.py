"""Universal-approximation theorems for transformers as code: build the network of a proof, run it, check it.

yun2020, ...      a source each, by its bib key; its docstring says in which module each numbered result is
arithmetic        number systems: floats, exact fractions, balls that enclose
layers, model     attention and feed-forward layers, and the transformers of them; `torch_model` takes them to torch
kernels, mixers   what may stand in the place of softmax attention; `masks` and `patterns` say who hears whom
targets, grids    functions to approximate, and cells; `contexts`, `groups`, `metrics` say what is near, what alike
certificate       a network with what is claimed of it, and checks of a claim beside what was measured
comparison        one function, the networks of all proofs: sizes, bounds and errors side by side
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .moved import Finder

__version__ = "0.1.0"
sys.meta_path.insert(0, Finder)


def __getattr__(name: str) -> ModuleType:
    """A module of the package, imported when it is first named: `import uatlib` alone is quick."""
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
