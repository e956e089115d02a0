"""One head of softmax attention with weights of rank 1 that tells contexts apart: its scale and its weights.

A token x is seen as the number v^T x, for a unit vector v. Keys, queries and values are multiples of it, so token k
hears

    sum_j x_j softmax(beta x_k x)_j  =  boltz(beta x_k x) / (beta x_k),        x = v^T X,

and what is heard is written back along v. Only v, the scale beta and the factor of the output matter, whatever the head
size. Tokens are the columns of a vocabulary of shape (d, V); all weights are exact rationals.

Source: kajitsuka2024, Theorem 2, section A.2.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..arithmetic.numbers import Number, log2
from ..checks import finite, rational, refused, whole
from ..internal.shapes import Numbers
from ..layers import Attention, Head
from ..model import Transformer
from .boltzmann_operator import length
from .boltzmann_spacing import LEAST_SPACING, spacing_constant
from .directions import direction, least_square, projections, rational_vector, tokens_of

SQRT_BITS = 64
MAX_HEAD_SIZE = 1000
"""It is a choice of the factorization only: what the layer computes does not depend on it."""


@dataclass(frozen=True)
class Separation:
    """What Theorem 2 promises for a vocabulary of `size` tokens, d entries each, and sequences of n; and its scale.

    Attributes
    ----------
    r_min, r_max, eps : norms lie in (r_min, r_max), distances of tokens are > eps (>= without slack)
    r : bound on the norm of a context id, (7)
    log10_delta : log10 of the distance of context ids, (8)
    beta : |u^T u'| of (29)
    scale : a rational from beta to beta (1 + 2^-40)
    score_bound : r of (37), the bound on the scores
    bits : binary digits that tell the ids apart: 2 score_bound / log 2, and 64
    """

    size: int
    d: int
    n: int
    r_min: Fraction
    r_max: Fraction
    eps: Fraction
    r: Fraction
    log10_delta: float
    beta: float
    scale: Fraction
    score_bound: float
    bits: int

    @property
    def write(self) -> Fraction:
        """||W_O u''|| = eps / (4 r_max), (32)."""
        return self.eps / (4 * self.r_max)


def separation(vocabulary: Numbers, n: int, slack: Number = 0, *, spacing: Number | None = None) -> Separation:
    """The numbers of Theorem 2 for a vocabulary of V tokens.

        r     = r_max + eps/4
        delta = 2 (log n)^2 eps^2 r_min / (r_max^2 (V+1)^4 (2 log n + 3) pi d)
                exp(-(V+1)^4 (2 log n + 3) pi d r_max^2 / (4 eps r_min))
        beta  = (V+1)^4 pi d (2 log n + 3) / (8 eps r_min)

    Parameters
    ----------
    slack : in [0, 1). Definition 1 wants r_min < norms < r_max and distances > eps, so r_min and eps are 1 - slack
        times, r_max is 1 + slack times what the vocabulary has. With 0 it is met with equality.
    spacing : s, how far apart scores shall be; without it s = 2 log n + 3, as the text has it. For s > log(2 + sqrt 3)
        `log_spacing_bound` takes the place of Lemma 1: s that of 2 log n + 3, and `spacing_constant(s)` that of
        (log n)^2. Then neither beta nor delta depends on n. (For one n every s > `least_spacing(n)` would do.)

    Raises
    ------
    ValueError
        As `tokens_of`; n is no int >= 2; the slack is no rational in [0, 1); s is not above log(2 + sqrt 3); beta or
        the bound on scores is so large or small that floats do not hold it; more pairs than `direction` takes.

    Source: kajitsuka2024, eq. (7), (8), (29), (37); other spacings are ours.
    """
    tokens, n = tokens_of(vocabulary), length(n)
    widening = rational("slack", slack, 0)
    if widening >= 1:
        raise refused("slack", "a number in [0, 1)", slack, "1/1000 will do")
    d, size = tokens.shape
    norms = [sum(column * column) for column in tokens.T]
    r_min = _sqrt(min(norms))[0] * (1 - widening)
    r_max = _sqrt(max(norms))[1] * (1 + widening)
    eps = _sqrt(least_square(tokens))[0] * (1 - widening)
    gap = 2 * math.log(n) + 3 if spacing is None else finite("spacing", spacing)
    factor = math.log(n) ** 2 if spacing is None else spacing_constant(spacing)
    if not factor > 0:
        raise refused("spacing", f"a number above log(2 + sqrt 3) = {LEAST_SPACING:.6f}", spacing)
    scores = Fraction((size + 1) ** 4 * math.pi * d / 8) * Fraction(gap)
    beta = finite("vocabulary, the scale of Theorem 2 for its tokens", scores / (eps * r_min))
    score_bound = finite("vocabulary, the bound on scores of its tokens", scores * r_max**2 / (eps * r_min))
    log_factor = math.log(2 * factor / ((size + 1) ** 4 * gap * math.pi * d))
    log_factor += log2(eps**2 * r_min / r_max**2) * math.log(2)
    log10_delta = (log_factor - 2 * score_bound) / math.log(10)
    scale, bits = Fraction(beta) * (1 + Fraction(1, 2**41)), math.ceil(2 * score_bound / math.log(2)) + 64
    return Separation(size, d, n, r_min, r_max, eps, r_max + eps / 4, log10_delta, beta, scale, score_bound, bits)


def head_size_of(value: object) -> int:
    """s, an int in [1, 1,000]."""
    return whole("head_size", value, 1, MAX_HEAD_SIZE)


def scale_of(value: object, kind: str, is_fit: Callable[[Fraction], bool]) -> Any:
    """One of the two names, or a number of that kind."""
    if isinstance(value, str) and value in ("practical", "literal"):
        return value
    with contextlib.suppress(ValueError):
        number = rational("scale", value)
        if is_fit(number):
            return number
    raise refused("scale", f'"practical", "literal" or a number {kind}', value)


def rank_one_attention(
    vocabulary: Numbers,
    n: int,
    head_size: int = 1,
    scale: Number | None = None,
    *,
    vector: Numbers | None = None,
    slack: Number = Fraction(1, 1000),
    spacing: Number | None = None,
    mask: object = None,
) -> Transformer:
    """The layer X + W_O W_V X softmax[(W_K X)^T W_Q X] of Theorem 2, its four weights of rank 1 and exact.

        W_K = u v^T,  W_Q = u' v^T,  W_V = u'' v^T,  W_O = eps / (4 r_max s) v u''^T

    with u = u'' = (1, ..., 1) and u' = beta/s (1, ..., 1) of length s, the head size.

    Parameters
    ----------
    vocabulary : tokens as columns, shape (d, V), or (V,) for d = 1
    scale : beta, any rational but 0, or float; without it the one of Theorem 2, `separation(...).scale`
    vector : a vector of rationals, of norm 1 exactly; without it that of `direction`
    slack, spacing : as `separation`
    mask : what each column sees, as `Attention` takes it; the weights do not depend on it

    Raises
    ------
    ValueError
        As `separation` and `projections`; head_size is no int in [1, 1,000], the scale is 0, the vector is not of
        norm 1, the mask is none for n tokens.

    Source: kajitsuka2024, section A.2; masks as in appendix C.
    """
    s, promised = head_size_of(head_size), separation(vocabulary, n, slack, spacing=spacing)
    beta = promised.scale if scale is None else rational("scale", scale)
    if beta == 0:
        raise ValueError("scale: expected a number other than 0, where softmax weighs all tokens alike, got 0.")
    x = tokens_of(vocabulary)
    v = direction(x).vector if vector is None else rational_vector(vector, len(x))
    projections(x, v)
    if sum(u * u for u in v) != 1:
        raise ValueError("rank_one_attention: expected a vector of norm 1 exactly; `direction` gives rational ones.")
    along = [list(v)] * s
    queries = [[beta / s * u for u in v]] * s
    write = [[promised.write / s * u] * s for u in v]
    layer = Attention([Head(w_q=queries, w_k=along, w_v=along, w_o=write)], mask=mask)
    return Transformer([layer], n=promised.n)


def _sqrt(q: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals at most 2^-64 / denominator apart with the root between them; equal if the root is rational."""
    whole = q.numerator * q.denominator << 2 * SQRT_BITS
    root = math.isqrt(whole)
    low = Fraction(root, q.denominator << SQRT_BITS)
    return low, low if root * root == whole else Fraction(root + 1, q.denominator << SQRT_BITS)
