"""The statements of yun2020, registered when this is imported, in the book's order.

quantization        Claim 1, Lemma 4, Lemma 7
contextual_mapping  Definition E.1, Lemma 8, Lemma 10
value_mapping       Lemma 9, Proposition 5
softmax             Lemma 6
theorem_2           Theorem 2
theorem_3           Theorem 3
cheaper_mixers      section H: averages, bilinear projections, convolutions; `token_mixers` builds them and what they
                    tell apart, `trained_mixers` trains them
precision           the grids at which floats go wrong, which `float_limits` finds
so2020slides        the slides on it: sentinels, and one dimension
common              what several of them share
"""

# ruff: noqa: F401, I001
from . import quantization, contextual_mapping, value_mapping, softmax, theorem_2, theorem_3, cheaper_mixers, precision
from . import so2020slides
