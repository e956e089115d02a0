"""The atlas of mixers: published mixers of tokens, each asked whether its layers tell any two sequences apart.

A mixer is one function behind `@mixer`, in the module of its family. `record` asks, and reads what was recorded.
"""

from . import attention, linear, positions, recurrent, sets, sparse, static
from .registry import MIXERS, Claim, Entry, mixer

__all__ = ["MIXERS", "Claim", "Entry", "mixer"]
FAMILIES = [module.__name__.rpartition(".")[2] for module in (attention, positions, sparse, linear, static, recurrent, sets)]
"""In the order of the page."""
