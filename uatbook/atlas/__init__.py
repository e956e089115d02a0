"""The atlas of mixers: published mixers of tokens, each asked whether its layers tell any two sequences apart.

A mixer is one function behind `@mixer`, in the module of its family. `record` asks, and reads what was recorded.
"""

from . import attention, positions, sparse, sets, linear, static, recurrent  # noqa: F401, I001 - in this order
from .registry import MIXERS, Claim, Entry, mixer

__all__ = ["MIXERS", "Claim", "Entry", "mixer"]
