"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): transformers approximate every sequence function; literal networks.

_quantizer         the layers that put a sequence on the grid (Lemma 7)
_selective_shift   the attention layers of the contextual mapping (Lemma 8); `ids` has their values in closed form
_value_layers      the layers that put an output in the place of an id (Lemma 9); `value_lookup` evaluates them
_four_relus        three-piece activations as ReLUs; `_softmax_scale`: softmax in the place of hardmax (Lemma 6)
positional         the layers under positional encodings (Theorem 3)
mixers             cheaper token mixers, and what they tell apart (section H); `mixing_experiment` trains them
network, _certify  `build` makes the network of a target with its claim, `certify` measures it; `stages` bounds
                   what ReLU and softmax add, `evaluation` gives values in bulk
costs, precision   layers, weights and bits in closed form; the grids at which floats go wrong
statements         each numbered result, as a check that can be run
"""

from ._certify import certify
from ._four_relus import four_relus
from ._quantizer import quantizer
from ._selective_shift import selective_shift
from ._softmax_scale import softmax_scale
from ._value_layers import value_layers
from .costs import bits_needed, layer_counts
from .ids import context_ids
from .network import build, coarsest_grid, terms

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
