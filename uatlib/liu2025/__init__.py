"""Liu, Hu, Song, Liu (2025): one head of attention cuts its input space into cells and puts a value on each.

bounds                  how precise the head must be, how fine the grid: as printed, and as it holds
smoothing               what all heads below compute, in bulk
self_attention_layers   self-attention with explicit weights (Theorem 4.1), also on a small domain (Theorem 5.1)
cross_attention_layers  cross-attention with explicit weights (Theorem 4.2)
compact                 the same maps with few weights
network                 `build` makes the network of a target with its claim, in any d_p
                        (Corollary 4.1.1, Corollary 4.2.1); `certify_network` measures what was built, beside
                        its values in bulk (`evaluation`)
settled, enclosure      that its layers are the smoother, for all inputs; the error on a whole set, proved
"""

from .bounds import parameters_for, precision
from .certify_network import certify
from .cross_attention_layers import cross_attention
from .network import build
from .self_attention_layers import self_attention
from .smoothing import grid_centers, smoother

__all__ = [
    "build",
    "certify",
    "cross_attention",
    "grid_centers",
    "parameters_for",
    "precision",
    "self_attention",
    "smoother",
]
