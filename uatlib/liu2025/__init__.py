"""Liu, Hu, Song, Liu (2025): one head of attention cuts its input space into cells and puts a value on each.

partitions              max-affine functions, their partitions and margins
separation              labelled points as the cells of one, or a proof that they are none
bounds                  how precise the head must be, how fine the grid: as printed, and as it holds
indicator               a head whose scores are a max-affine function (Propositions 3.2 and 3.3)
smoothing               what the heads of Theorems 4.1, 4.2 and 5.1 compute, in bulk
self_attention_layers   Theorem 4.1 with explicit weights
cross_attention_layers  Theorem 4.2 with explicit weights
compact                 the same maps with few weights
covers                  balls that cover a cloud of points, and how wrong a smoother over them can be
rounding                what floats make of values that ride on scores
network                 `build` makes the network of a target with its claim; `certify_network` measures what was built
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
