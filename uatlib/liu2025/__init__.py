"""Liu, Hu, Song, Liu (2025): one head of attention cuts its input space into cells and puts a value on each.

max_affine        max-affine functions, their partitions and margins
bounds            how precise the head must be, how fine the grid: as printed, and as it holds
indicator         a head whose scores are a max-affine function (Propositions 3.2 and 3.3)
smoother          what the heads of Theorems 4.1, 4.2 and 5.1 compute, in bulk
self_attention    Theorem 4.1 with explicit weights
cross_attention   Theorem 4.2 with explicit weights
"""

# No `__all__` yet: nothing here is public before `build`, `certify` and the statements stand beside it.
# mypy: implicit-reexport
# ruff: noqa: F401

from .bounds import parameters_for, precision
from .cross_attention import cross_attention
from .indicator import indicator_attention
from .max_affine import MaxAffine
from .self_attention import self_attention
from .smoother import grid_centers, smoother
