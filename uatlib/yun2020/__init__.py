"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): transformers approximate every sequence function; literal networks.

quantizer_layers   the layers that put a sequence on the grid (Lemma 7)
shift_layers       the attention layers of the contextual mapping (Lemma 8)
ids                what they compute, in closed form (Definition E.1, Lemma 10)
output_layers      the layers that put an output in the place of an id (Lemma 9); `value_lookup` evaluates them
softmax_layers     softmax in the place of hardmax (Lemma 6); `relus` has three-piece activations as ReLUs
network            `build` makes the network of a target with its claim (Proposition 5); `evaluation` gives its
                   values in bulk
softmax_and_relu   what softmax and ReLUs add to the error (Theorem 2); `certify_network` measures what is claimed
positional_layers  the layers under positional encodings (Theorem 3)
cost               layers, weights and bits in closed form
uatlib.model       a transformer, which commutes with permutations of its tokens (Claim 1)
uatlib.grids       grids, and functions constant on their cells (Lemma 4)
"""

from .certify_network import certify
from .cost import bits_needed, layer_counts
from .ids import context_ids
from .network import build, coarsest_grid, terms
from .output_layers import value_layers
from .quantizer_layers import quantizer
from .relus import four_relus
from .shift_layers import selective_shift
from .softmax_layers import softmax_scale

__all__ = [
    "bits_needed",
    "build",
    "certify",
    "coarsest_grid",
    "context_ids",
    "four_relus",
    "layer_counts",
    "quantizer",
    "selective_shift",
    "softmax_scale",
    "terms",
    "value_layers",
]
