"""Liu, Hu, Song, Liu (2025): one head of attention cuts its input space into cells and puts a value on each.

max_affine          max-affine functions, their partitions and margins
bounds              how precise the head must be, how fine the grid: as printed, and as it holds
indicator           a head whose scores are a max-affine function (Propositions 3.2 and 3.3)
_smoother           what the heads of Theorems 4.1, 4.2 and 5.1 compute, in bulk
_self_attention     Theorem 4.1 with explicit weights
_cross_attention    Theorem 4.2 with explicit weights
compact             the same maps with few weights
network, _certify   `build` makes the network of a target with its claim; `certify` measures what was built
enclosure           the error on a whole set, proved
statements          each numbered result, as a check that can be run
"""

from ._certify import certify
from ._cross_attention import cross_attention
from ._self_attention import self_attention
from ._smoother import grid_centers, smoother
from .bounds import parameters_for, precision
from .indicator import indicator_attention
from .max_affine import MaxAffine
from .network import build

__all__ = [
    "MaxAffine",
    "build",
    "certify",
    "cross_attention",
    "grid_centers",
    "indicator_attention",
    "parameters_for",
    "precision",
    "self_attention",
    "smoother",
]
