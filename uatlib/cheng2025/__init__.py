"""Cheng, Lin, Shen, Li (2025): one condition on token mixing under which transformers approximate everything.

distinguishing    layers that tell sequences apart (Definition 2, Definition 3)
encodings         what a group leaves of a function, and encodings that lift it (Definition 1)
network           from a function to its network (Theorem 1): `grid_sequences` has one of each orbit, `grid_layers` the
                  staircase (36) and a memory; `certify_network` measures what it claims
sequence_interpolation   finitely many sequences to their values (Proposition 1)
residual_blocks   blocks of d hidden units for it (Proposition 2, Proposition 3)
two_samples       one set of weights for many sequences (Theorem 2), of `random_attention`
kernels, growth   kernels by name; how fast they grow, and the limit condition (13) by it (Lemma 1, Lemma 2)
other_mixers      mixing terms of layers, on tensors (Lemma 3, Corollary 1, Corollary 3)
uatlib.mixers     mixers as layers (Corollary 5)
sparse            sparsity patterns by name (section 4.2)
connectivity      in how many layers each token reaches all others (Definition 4)
symmetry          the permutations that keep a pattern (15), and pairs of sequences that layers cannot tell apart
                  (Corollary 2, Corollary 4)
your_mixer        the search for `pairs` that fool a mixer of yours; `mixer_network` has its layers
"""

from .certify_network import certify
from .connectivity import connectivity_depth
from .kernels import kernel, satisfies_limit_condition
from .network import build
from .other_mixers import attention_weights, bias_attention, cyclic_convolution, linformer, skyformer
from .sparse import pattern
from .symmetry import automorphism_generators, automorphism_group, local_fooling_pairs
from .your_mixer import check_mixer, distinguishes

__all__ = [
    "attention_weights",
    "automorphism_generators",
    "automorphism_group",
    "bias_attention",
    "build",
    "certify",
    "check_mixer",
    "connectivity_depth",
    "cyclic_convolution",
    "distinguishes",
    "kernel",
    "linformer",
    "local_fooling_pairs",
    "pattern",
    "satisfies_limit_condition",
    "skyformer",
]
