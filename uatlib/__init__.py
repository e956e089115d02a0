"""Universal-approximation theorems for transformers as code: build the network of a proof, run it, check it.

Five words come first,

arithmetic        numbers: floats, exact fractions, balls that enclose
layers            attention and feed-forward layers with explicit weights
model             transformers of them: the only forward pass; `torch_model` takes them to torch
targets           functions to approximate; `grids` has the cells, `groups` what commutes with them
certificate       a network with what is claimed of it, and checks of the claim beside what was measured

and a folder for each source, by its bib key, whose docstring says in which module each numbered result is:

yun2020           many thin layers on a grid
kajitsuka2024     one layer of rank-1 attention, which tells contexts apart
liu2025           one head, which cuts space into cells
cheng2025         one condition on whatever mixes tokens, and a search for what breaks it

What else one asks for:

kernels, mixers   what may stand in the place of softmax attention
masks, patterns   who hears whom
contexts, metrics what is near, what alike
comparison        one function, the networks of all proofs: sizes, bounds and errors side by side
commands          `uatlib` on the command line
checks, sizes     arguments and sizes, refused in words
internal          what the modules share; `moved` says where old names went
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .moved import Finder

__version__ = "0.2.0"
sys.meta_path.insert(0, Finder)


def __getattr__(name: str) -> ModuleType:
    """A module of the package, imported when it is first named: `import uatlib` alone is quick."""
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
