"""Which layers are those of yun2020, section 2, and nothing more."""

from __future__ import annotations

from ..kernels import DOT
from .attention import Attention
from .feed_forward import FeedForward


def is_standard(layer: object, masked: bool = False) -> bool:
    """Whether it is Attention or FeedForward as in yun2020, eq. (1)-(2), of any normalization and activation.

    That is no subclass, with its skip connection, and attention with DOT, without second sequence, token projections
    and, unless `masked`, mask.
    """
    if type(layer) is not Attention:
        return type(layer) is FeedForward and layer.skip
    own = layer.skip and not layer.cross and layer.kernel == DOT and all(head.w_e is None for head in layer.heads)
    return own and (masked or layer.mask is None)
