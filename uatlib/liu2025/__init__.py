"""Liu, Hu, Song, Liu (2025): one head of attention cuts its input space into cells and puts a value on each.

partitions              max-affine functions, their partitions and margins (Definition 3.1, Definition 3.2,
                        Proposition 3.1)
separation              labelled points as the cells of one, or a proof that they are none
bounds                  how precise the head must be, how fine the grid: as printed, and as it holds
indicator               a head whose scores are a max-affine function (Proposition 3.2, Proposition 3.3)
smoothing, covers       what all heads below compute, in bulk; balls that cover a cloud of points, for centres
self_attention_layers   self-attention with explicit weights (Theorem 4.1), also on a small domain (Theorem 5.1)
cross_attention_layers  cross-attention with explicit weights (Theorem 4.2)
compact, rounding       the same maps with few weights; what floats make of values that ride on scores
network                 `build` makes the network of a target with its claim, in any d_p
                        (Corollary 4.1.1, Corollary 4.2.1); `certify_network` measures what was built
settled, enclosure      that its layers are the smoother, for all inputs; the error on a whole set, proved
"""

from .bounds import parameters_for, precision
from .certify_network import certify
from .covers import cover, cover_error
from .cross_attention_layers import cross_attention
from .indicator import indicator_attention
from .network import build
from .partitions import MaxAffine
from .self_attention_layers import self_attention
from .smoothing import grid_centers, smoother

__all__ = [
    "MaxAffine",
    "build",
    "certify",
    "cover",
    "cover_error",
    "cross_attention",
    "grid_centers",
    "indicator_attention",
    "parameters_for",
    "precision",
    "self_attention",
    "smoother",
]
