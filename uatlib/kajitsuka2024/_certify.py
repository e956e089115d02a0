"""One `certify` for what this source builds: a layer, a memory, a network."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ..certificate import Certificate, Construction
from ..model import Transformer
from .certify_layer import certify_layer
from .certify_memory import certify_memory
from .certify_network import certify_network
from .memory import Memory


@singledispatch
def certify(built: Any, *arguments: Any, **options: Any) -> Certificate:
    """What is claimed of a layer, a memory or a network of this module, beside what is measured.

    `certify_layer(model, vocabulary, n, slack=..., spacing=..., mask=...)` for a layer of Theorem 2,
    `certify_memory(memory, system=...)` for what `memorise` returns, and
    `certify_network(construction, literal=..., samples=...)` for what `build` returns.

    Raises
    ------
    ValueError
        Something else, or as those.
    """
    raise ValueError(
        f"certify: expected a Transformer with its vocabulary and n, a Memory or a Construction, got {built!r}."
    )


certify.register(Transformer, certify_layer)
certify.register(Memory, certify_memory)
certify.register(Construction, certify_network)
