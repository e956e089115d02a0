"""The statements of liu2025, registered when this is imported, in the book's order.

partitions       Definition 3.1, Definition 3.2, Proposition 3.1: `max_affine` has the functions and their heads,
                 `separation` labelled points as the cells of one, or a proof that they are none
indicator        Proposition 3.2, Proposition 3.3, of `max_affine`
self_attention   Theorem 4.1
distances        (B.21), a line of its proof
lp               Corollary 4.1.1, Corollary 4.2.1
cross_attention  Theorem 4.2
small_domains    Theorem 5.1; `covers` has balls that cover a cloud of points, for centres
precision        the limits of floats, whose `rounding` eats what rides on scores
experiments      section 6 and appendix D.1: attention, trained by `experiment`
"""

# ruff: noqa: F401, I001
from . import (
    partitions,
    indicator,
    self_attention,
    distances,
    lp,
    cross_attention,
    small_domains,
    precision,
    experiments,
)
