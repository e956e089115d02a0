"""Cheng, Lin, Shen, Li (2025): one condition on token mixing under which transformers approximate everything.

sparse           sparsity patterns by name (section 4.2)
kernels, growth  kernels by name, and the limit condition (13); how fast they grow, and Lemma 1 by it
other_mixers     mixing terms of layers, on tensors
pairs, your_mixer   pairs that fool mixers, and the search for one that fools yours; `mixer_network` has its layers
connectivity     in how many layers each token reaches all others (Definition 4)
symmetry         the permutations that keep a pattern (15), and pairs of sequences that layers cannot tell apart
network          from a function to the network of Theorem 1, of grid_sequences (one of each orbit), grid_layers (the
                 staircase (36) and a memory) and random_attention; certify_network measures what it claims
two_samples, keyhole   one set of weights for many sequences (Theorem 2), and a mixer that needs its hypothesis
distinguishing, encodings   Definition 3 on finitely many sequences; encodings that lift a function (9)
residual_blocks  blocks of d hidden units for Propositions 2 and 3; sequence_interpolation   Proposition 1 with them
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
