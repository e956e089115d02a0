"""The statements of kajitsuka2024, registered when this is imported, in the book's order.

boltzmann      Definition 3, Lemma 4, Lemma 5
gaps           Lemma 1, Lemma 6, Lemma 7; `boltzmann_gaps` has the gaps themselves, and bounds on them
spacing        the least spacing at which the operator tells inputs apart
definitions    Definition 1, Definition 2
one_layer      Lemma 2, Lemma 3, Theorem 1, Theorem 2; `float_scales` has scales that floats can run
hardmax_fails  layers of hardmax, for Definition 2 and Theorem 1
memorisation   Corollary 1, Corollary 2; `label_networks` has the networks that recall labels
universality   Proposition 1
masks          appendix C
rank_1         section 5: rank-1 attention, trained by `experiment`
common         what several of them share
"""

# ruff: noqa: F401, I001
from . import boltzmann, gaps, spacing, definitions, one_layer, float_scales, memorisation, universality, masks, rank_1
