"""Cheng, Lin, Shen, Li (2025): one condition on token mixing under which transformers approximate everything.

network           from a function to its network (Theorem 1): `grid_sequences` has one of each orbit, `grid_layers` the
                  staircase (36) and a memory; `certify_network` measures what it claims
random_attention  attention of random weights, and the draws of them
named_kernels     kernels by name; `limit_condition` tries (13) for any
uatlib.mixers     mixers as layers (Corollary 5)
named_patterns    sparsity patterns by name (section 4.2)
connectivity      in how many layers each token has heard of all others
automorphisms     the permutations that keep a pattern (15), and pairs of sequences that layers cannot tell apart
                  (Corollary 2, Corollary 4)
mixer_doors       a search for `pairs` that fool a mixer of yours: `mixer_parsing` reads what is asked, `mixer_search`
                  tries pairs on a `mixer_network`, and judges
"""

from .automorphisms import automorphism_generators, automorphism_group, local_fooling_pairs
from .certify_network import certify
from .connectivity import connectivity_depth
from .limit_condition import satisfies_limit_condition
from .mixer_doors import check_mixer, distinguishes
from .named_kernels import kernel
from .named_patterns import pattern
from .network import build

__all__ = [
    "automorphism_generators",
    "automorphism_group",
    "build",
    "certify",
    "check_mixer",
    "connectivity_depth",
    "distinguishes",
    "kernel",
    "local_fooling_pairs",
    "pattern",
    "satisfies_limit_condition",
]
