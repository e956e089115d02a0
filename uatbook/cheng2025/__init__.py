"""The statements of cheng2025, registered when this is imported, in the book's order.

lift            Definition 1; `encodings` has what a group leaves of a function, and encodings that lift it
affine_family   Definition 2
distinguishing  Definition 3; `averages` that it is sufficient, not necessary
condition       Theorem 1
interpolation   Proposition 1, Proposition 2, Proposition 3, of `residual_blocks`, of d hidden units each; with
                attention before them they are the networks of `grid_networks`
two_samples     Theorem 2: `shared_weights` has one set of weights for many sequences; `keyhole` is a mixer that needs
                its hypothesis
kernels         Lemma 1, Lemma 2, Corollary 1; `growth` says how fast kernels grow, and whether (13) holds by it
mixing_terms    mixing terms of layers, on tensors (Lemma 3, Corollary 1, Corollary 3)
kernel_lists    the kernels of section 4.1, one by one; `kernel_samples` draws their arguments
hearing         Definition 4
sparse          Corollary 2; `random_patterns` have symmetry or none
other_mixers    Lemma 3, Corollary 3
bias            Corollary 5
symmetry        Corollary 4
your_mixer      the search for pairs that fool a mixer; `gallery` has mixers to try
told_apart      what several of them share
"""

# ruff: noqa: F401, I001
from . import (
    lift,
    affine_family,
    distinguishing,
    averages,
    condition,
    interpolation,
    grid_networks,
    two_samples,
    kernels,
    kernel_lists,
    hearing,
    sparse,
    random_patterns,
    other_mixers,
    bias,
    symmetry,
    your_mixer,
)
