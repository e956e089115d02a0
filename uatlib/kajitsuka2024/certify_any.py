"""One `certify` for what this source builds: a layer, a memory, a network."""

from __future__ import annotations

import inspect
from typing import Any

from ..certificate import Certificate, Construction
from ..checks import refused
from ..model import Transformer
from .certify_layer import certify_layer
from .certify_memory import certify_memory
from .certify_network import certify_network
from .memorisation import Memory

OF: dict[type, Any] = {Transformer: certify_layer, Memory: certify_memory, Construction: certify_network}


def certify(built: Any, *arguments: Any, **options: Any) -> Certificate:
    """What is claimed of a layer, a memory or a network of this source, beside what is measured.

        certify(layer, vocabulary, n, slack=1/1000, spacing=None, mask=None)    a layer of Theorem 2
        certify(memory, system=None)                                           what `memorise` returns
        certify(construction, literal=36, samples=200_000, seed=0, executor=None)    what `build` returns

    The parameters are those of `certify_layer`, `certify_memory` and `certify_network`.

    Raises
    ------
    ValueError
        Something else, arguments that belong to another of the three, or as those.

    Source: kajitsuka2024, Theorem 2, Corollaries 1 and 2, Proposition 1.
    """
    certifier = next((certifier for kind, certifier in OF.items() if isinstance(built, kind)), None)
    if certifier is None:
        raise refused("built", "a Transformer with its vocabulary and n, a Memory or a Construction", built)
    signature = inspect.signature(certifier)
    try:
        bound = signature.bind(built, *arguments, **options)
    except TypeError as error:
        expected = ", ".join(str(parameter).split(":")[0] for parameter in signature.parameters.values())
        raise ValueError(f"built: expected certify({expected}) for a {type(built).__name__}, but {error}.") from None
    return certifier(*bound.args, **bound.kwargs)
