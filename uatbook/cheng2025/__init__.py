"""The statements of cheng2025, registered when this is imported, in the book's order.

condition      Definition 1, Definition 2, Definition 3, Theorem 1; `encodings` has what a group leaves of a function,
               and encodings that lift it
interpolation  Proposition 1, Proposition 2, Proposition 3, of `residual_blocks`, of d hidden units each
two_samples    Theorem 2: `shared_weights` has one set of weights for many sequences; `keyhole` is a mixer that needs
               its hypothesis
kernels        Lemma 1, Lemma 2, Corollary 1; `growth` says how fast kernels grow, and whether (13) holds by it
mixing_terms   mixing terms of layers, on tensors (Lemma 3, Corollary 1, Corollary 3)
kernel_lists   the kernels of section 4.1, one by one; `kernel_samples` draws their arguments
sparse         Definition 4, Corollary 2
other_mixers   Lemma 3, Corollary 3
bias           Corollary 5
symmetry       Corollary 4
your_mixer     the search for pairs that fool a mixer; `gallery` has mixers to try
told_apart     what several of them share
"""

# ruff: noqa: F401, I001
from . import (
    condition,
    interpolation,
    two_samples,
    kernels,
    kernel_lists,
    sparse,
    other_mixers,
    bias,
    symmetry,
    your_mixer,
)
