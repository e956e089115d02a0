"""Kajitsuka, Sato (2024): one layer of rank-1 softmax attention is a contextual mapping, and what follows from it.

boltzmann, gaps, spacing   the Boltzmann operator, how far it tells inputs apart, and from which spacing on
directions                 tokens as numbers: a direction that keeps them apart (Lemma 2)
hardmax_fails              what no layer of hardmax attention tells apart (Theorem 1)
one_layer                  the layer of Theorem 2, with the proof's scale; `certified_margins`: scales that floats run
memorisation               networks that recall labels (Corollaries 1 and 2); `memory` measures them,
                           `labelled_sequences` reads the data
relu_steps, two_layers     steps, penalties and bumps as sums of ReLUs; the two layers of Proposition 1
network                    `build` makes the network of a target with its claim; `certify_network` measures it
"""

from .boltzmann import boltz, gradient, monotone_threshold
from .certified_margins import certified_margin, contexts, margins, practical_scale
from .certify_layer import collisions, visible_ids
from .certify_network import certify
from .directions import direction
from .memorisation import memorise, positional_encoding
from .network import build
from .one_layer import rank_one_attention, separation
from .relu_steps import bump, penalty, quantizer

__all__ = [
    "boltz",
    "build",
    "bump",
    "certified_margin",
    "certify",
    "collisions",
    "contexts",
    "direction",
    "gradient",
    "margins",
    "memorise",
    "monotone_threshold",
    "penalty",
    "positional_encoding",
    "practical_scale",
    "quantizer",
    "rank_one_attention",
    "separation",
    "visible_ids",
]
