"""Kajitsuka, Sato (2024): one layer of rank-1 softmax attention is a contextual mapping, and what follows from it.

boltzmann_operator  the Boltzmann operator and its derivatives (Definition 3, Lemma 4), which tells inputs apart;
                    `boltzmann_spacing` from which spacing on
directions          tokens as numbers: a direction that keeps them apart (Lemma 2)
rank_one_layer      the layer of Theorem 2, with the proof's scale (Definition 1, Lemma 3); `certify_layer` measures it,
                    `certified_margins` has scales that floats run
memory              what is claimed of a network that recalls labels, measured
network             `build` makes the network of a target with its claim (Proposition 1) out of `relu_steps`, steps and
                    bumps as sums of ReLUs, and `two_layers`; `certify_network` measures it
"""

from .boltzmann_operator import boltz, gradient, monotone_threshold
from .certified_margins import certified_margin, contexts, margins, practical_scale
from .certify_layer import collisions, visible_ids
from .certify_network import certify
from .directions import direction
from .network import build
from .rank_one_layer import rank_one_attention, separation
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
    "monotone_threshold",
    "penalty",
    "practical_scale",
    "quantizer",
    "rank_one_attention",
    "separation",
    "visible_ids",
]
