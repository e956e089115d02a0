"""Kajitsuka, Sato (2024): from a function to the network of Proposition 1, with its claim.

Three layers: ReLUs that round tokens to a grid and push what is outside the box far away, one head of softmax attention
whose weights have rank 1, ReLUs with a bump at every id. All weights are exact rationals.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arithmetic.numbers import log2
from ..certificate import Claim, Term
from ..checks import choice, either, finite, refused, whole
from ..grids import Duplicates, StepFunction, grid_tokens
from ..internal.building import ROUNDING, OnGrid, claim_sizes, coarsest, parse_build, require_equivariance, step_terms
from ..layers.base import set_fields
from ..model import Transformer
from ..sizes import ConstructionTooLarge, require_size
from ..targets import Target, entrywise_norm, exact_values
from . import two_layers
from .certified_margins import MAX_WORK, contexts, search_scale
from .certify_network import Network, Variant
from .rank_one_layer import head_size_of, rank_one_attention, scale_of, separation
from .relu_steps import band_width
from .two_layers import Ids, root

Scale = Literal["literal", "practical"]
SLACK = Fraction(1, 1000)
SHARE = 1 / 16
"""What the bands may add to the other terms, as a share of them, or take of the error that is asked for."""
TOLERANCE = Fraction(1, 2**40)
"""What rounded centres may change of an output, as a share of the largest."""
SCORES = 40
"""Scores of the scales that are searched, 1 to 40: smaller ones hear the mean, which from n = 3 on tells too little;
larger ones are hardmax."""
BITS = 128


def terms(target: Target, inverse_delta: int, p: float, duplicates: Duplicates = "drop") -> list[Term]:
    """The terms of d_p(f, g) without the bands, from the stated Lipschitz constant and bound of the target.

    (55): the modulus of f at 1/D in the p-norm, since f(L) is taken at a corner. (70): g is 0 where a cell has a token
    twice, which costs at most the bound of |f|_p times (share of the volume)^(1/p); not with duplicates "keep".
    """
    names = ("step function", "(55)"), ("repeated tokens", "(70)")
    return step_terms(target, p, 1 / inverse_delta, names, inverse_delta if duplicates == "drop" else None)


def build(
    target: Target,
    *,
    error: float | None = None,
    p: float = 2,
    inverse_delta: int | None = None,
    duplicates: Duplicates = "drop",
    scale: Scale | object = "practical",
    variant: Variant = "repaired",
    head_size: int = 1,
    width: object = None,
) -> Network:
    """The network that approximates `target`, continued by 0 outside the unit box, on all of R^{d x n}.

        g = second o attention o first,  d_p(f, g) = (integral of |f - g|_p^p)^(1/p) <= claim.error

    Parameters
    ----------
    target : a permutation equivariant `Target` on [0, 1]^(d x n) with n >= 2, its Lipschitz constant and (with
        duplicates "drop") its bound stated
    error, inverse_delta : the d_p error that the grid must be fine enough for, or D = 1/delta, the cells a side; give
        one. The text calls D the granularity
    p : 1 <= p < inf; the bands between cells have a small volume, but in the sup norm they count in full
    duplicates : what becomes of sequences whose tokens share a cell: "drop" sends them to 0; the text calls them
        negligible. "keep" has bumps for them too, since softmax also tells how often a token occurs.
    scale : of the attention layer: "practical", a negative beta of large margin that a search finds, with which the
        largest token scores itself between -40 and -1; "literal", -beta of Theorem 2, which no float can run; or a
        negative number. Negative, as the penalty sends what is outside down, and tokens must listen there.
    variant : "repaired", or "printed" with the formulas (58), (59), (67) of the text, read token by token
    width : of the bands of the quantizer, at most 1/(2 D); chosen so that they matter little unless given

    `shortcut` gives the values off the bands in bulk. The layers run in `BALL.with_bits(bits)`, the `bits` of the
    network, with more bits far outside the box, and in floats while they resolve bands and ids. Outside the box and its
    bands floats give 0 until numbers overflow. Steps cancel but for the rounding of their sum, whose order is torch's:
    take FLOAT64, for in FLOAT32 what a CPU sums right may be off by a whole value on a GPU.

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant (an input is shown), has another box or values that floats
        do not hold; or with duplicates "drop" there are fewer than n tokens.
    ConstructionTooLarge
        The network would not fit, its ids or bands take too many bits, or p asks for bands below 2^-131,072 of a cell;
        but for bands, that is said before the target is evaluated on the grid.

    Source: kajitsuka2024, Proposition 1, section A.5.
    """
    order = _Order(target, error, p, inverse_delta, duplicates, scale, variant, head_size, width)
    order.require_fit()
    D, n, d = order.inverse_delta, order.n, order.d
    tokens, v = grid_tokens(D, d, Fraction(1, D)), two_layers.reading_vector(D, d)
    beta, bits = _first_scale(order, tokens, v)
    attention = rank_one_attention(tokens, n, order.head_size, beta, vector=v, slack=SLACK)
    write = separation(tokens, n, SLACK).write
    ids = two_layers.find_ids(order.name, attention, tokens, v, n, bits)
    hats = _hats(order, ids, tokens, write * sum(v))
    promised, band = _terms_and_band(order, hats.heights)
    height = math.ceil(n / write) + n
    if order.variant == "printed":
        first = two_layers.first_layer(D, d, band, printed=True)
        second = two_layers.second_layer(hats.centres, hats.heights, Fraction(2 * D), v, tokens=tokens[:, hats.tokens])
    else:
        first = two_layers.first_layer(D, d, band, height, bounded=False)
        second = two_layers.second_layer(hats.centres, hats.heights, hats.steepness, v)
    bits = max(ids.bits, _bits(order.name, band, hats.steepness, height, beta))
    model = Transformer([first, *attention.layers, second], n=n)
    values = StepFunction(target, D, Fraction(1), "closed", order.duplicates)
    return Network(target, model, order.claim(promised), values, order.variant, beta, band, bits)


# ---------------------------------------------------------------------------------------------------------------- parts


@dataclass(frozen=True)
class _Order(OnGrid):
    """What `build` was asked for, with the grid for an error; and what follows from that alone."""

    target: Target
    error: float | None
    p: float
    inverse_delta: Any
    duplicates: Duplicates
    scale: Any
    variant: Variant
    head_size: int
    width: Any

    def __post_init__(self) -> None:
        either(inverse_delta=self.inverse_delta, error=self.error)
        why = "in the sup norm the bands between cells count in full, however narrow they are"
        error, p = parse_build(self.target, self.error, self.p, why)
        choice("duplicates", self.duplicates, ("drop", "keep"))
        scale = scale_of(self.scale, "< 0, with which tokens hear one outside the box", lambda number: number < 0)
        choice("variant", self.variant, ("repaired", "printed"))
        head_size = head_size_of(self.head_size)
        D = 0 if self.inverse_delta is None else whole("inverse_delta", self.inverse_delta, 2)
        require_equivariance(self.target, "Proposition 1 approximates permutation equivariant functions.")
        if error is not None:

            def promised(D: int) -> float:
                return sum(term.bound for term in terms(self.target, D, p, self.duplicates))

            D = coarsest(promised, error * (1 - SHARE))
        width = None if self.width is None else band_width(self.width, D)
        set_fields(self, error=error, p=p, inverse_delta=D, scale=scale, head_size=head_size, width=width)

    def require_fit(self) -> None:
        """Refuse, before anything is built, what would take too many bits or weights."""
        terms(self.target, self.inverse_delta, self.p, self.duplicates)
        size = min(self.inverse_delta ** min(self.d, 64), 2**64)
        if self.duplicates == "drop" and self.n > size:
            repeats = f"every sequence of {self.n} out of {size} tokens repeats one"
            raise ValueError(f"inverse_delta: expected a larger one: {repeats}.")
        two_layers.require_contexts(self.name, size, self.n, BITS)
        units = self.d * (2 * self.inverse_delta + 8) + 3 * self.n * two_layers.context_count(size, self.n)
        hint = "Choose a smaller inverse_delta, shorter sequences or fewer dimensions."
        require_size(self.name, layers=3, arrays_per_layer=8, parameters=units * (2 * self.d + 1), hint=hint)

    def hidden(self) -> tuple[int, int]:
        """Units of the two feed-forward layers: steps, penalties and bumps; two a row in place of the skip connection.

        A step takes two ReLUs, D + 1 of them a row; a penalty two, as printed four; a bump three, as printed d times
        three. Bumps stand at each token of each set of n tokens; where duplicates are kept of each multiset, once.
        """
        size = self.inverse_delta**self.d
        keeps = self.duplicates == "keep"
        ids = size * two_layers.context_count(size, self.n - 1) if keeps else self.n * math.comb(size, self.n)
        per_row, per_id = (4, 3 * self.d) if self.variant == "printed" else (2, 3)
        return self.d * (2 * (self.inverse_delta + 1) + per_row + 2), per_id * ids + 2 * self.d

    def claim(self, promised: list[Term]) -> Claim:
        """By formulas: a hidden unit reads d entries, has a bias and writes d; a head has four matrices of s d."""
        units, s, d = self.hidden(), self.head_size, self.d
        count = sum(units) * (2 * d + 1) + 4 * s * d
        sizes = claim_sizes(self.target)
        return Claim(promised, self.p, (-math.inf, math.inf), 3, d, 1, s, max(units), count, **sizes)


def _first_scale(order: _Order, tokens: np.ndarray, v: object) -> tuple[Fraction, int]:
    """beta < 0, and the bits to begin with."""
    n, size = order.n, tokens.shape[1]
    if order.scale == "literal":
        promised = separation(tokens, n, SLACK)
        two_layers.require_contexts(order.name, size, n, promised.bits)
        return -promised.scale, promised.bits + 64
    if order.scale == "practical":
        rows = contexts(size, n, repeats=True)
        x = list(np.array(v, dtype=object) @ tokens)
        grid = max(51, min(2001, MAX_WORK // (len(rows) * n * n)))
        return search_scale(x, rows, (-SCORES / float(max(x)) ** 2, -1 / float(max(x)) ** 2), grid), BITS
    return order.scale, BITS


class _Hats(NamedTuple):
    """The bumps of the last layer: where, of which token, how high in each row, and how steep."""

    centres: list[Fraction]
    tokens: list[int]
    heights: list[np.ndarray]
    steepness: Fraction


def _hats(order: _Order, ids: Ids, tokens: np.ndarray, outside: Fraction) -> _Hats:
    """Hats at all wanted ids: disjoint, off all other ids, and above `outside`, what tokens hear outside the box."""
    keeps = order.duplicates == "keep"
    wanted = [j for j, (row, _) in enumerate(ids.keys) if keeps or len(set(row)) == order.n]
    centres = [ids.centres[j] for j in wanted]
    radius = min(ids.gap, min(centres) - outside) / 2
    steepness = Fraction(2) ** math.ceil(-log2(radius))
    rows = list(dict.fromkeys(ids.keys[j][0] for j in wanted))
    values = dict(zip(rows, exact_values(order.target, tokens[:, rows].swapaxes(0, 1)), strict=True))
    heights = [values[row][:, row.index(t)] for row, t in (ids.keys[j] for j in wanted)]
    return _Hats(centres, [ids.keys[j][1] for j in wanted], heights, steepness)


def _terms_and_band(order: _Order, heights: list[np.ndarray]) -> tuple[list[Term], Fraction]:
    """All terms of the claim, and the width of the bands, for the heights of the hats."""
    n, d, p = order.n, order.d, order.p
    name = f"values of {order.target.name}"
    sizes = np.array([[abs(finite(name, u)) for u in y] for y in heights])
    largest = float(entrywise_norm(sizes[:, None], p).max()) * n ** (1 / p)
    promised = terms(order.target, order.inverse_delta, p, order.duplicates)
    so_far = sum(term.bound for term in promised)
    rounded = Term("rounded", "rounded centres", "ours", (d * n) ** (1 / p) * max(1.0, sizes.max()) * float(TOLERANCE))
    room = SHARE * (so_far or 1) if order.error is None else order.error - so_far - rounded.bound
    band = _width(order, largest, room) if order.width is None else order.width
    return [*promised, Term("bands", "bands", "(69)", _band_term(order, largest, band)), rounded], band


def _band_term(order: _Order, largest: float, width: Fraction) -> float:
    """2 A (1 - (1 - D w)^{dn})^{1/p} in the box, A ((1 + 2 w)^{dn} - 1)^{1/p} beside it, for |g|_p <= A."""
    entries = order.d * order.n
    volumes = 1 - (1 - order.inverse_delta * width) ** entries, (1 + 2 * width) ** entries - 1
    inside, beside = (root(volume, order.p) for volume in volumes)
    return (1 + ROUNDING) * largest * (2 * inside + beside)


def _width(order: _Order, largest: float, room: float) -> Fraction:
    """The largest 2^-k / D, k >= 1, whose bands add at most `room`."""
    if room <= 0:
        raise refused("error", "one that the rounding of weights leaves room for", order.error, "take a larger one")

    def is_narrow(k: int) -> bool:
        return _band_term(order, largest, Fraction(1, order.inverse_delta << k)) <= room * (1 - ROUNDING)

    high = next((2**j for j in range(two_layers.MAX_BITS.bit_length()) if is_narrow(2**j)), None)
    if high is None:
        wide = f"bands of 2^-131,072 cells are still too wide in d_{order.p:g}"
        raise ConstructionTooLarge(f"{order.name}: {wide}. Choose a smaller p or a larger error.")
    return Fraction(1, order.inverse_delta << bisect_left(range(high), True, high // 2 + 1, key=is_narrow))


def _bits(what: str, band: Fraction, steepness: Fraction, height: int, beta: Fraction) -> int:
    """What resolves the bands: a ramp of slope 1/width, then attention, then a hat, each times the error before it."""
    factors = (1 / band, steepness, 2 + abs(beta), Fraction(2 + height) ** 2)
    bits = math.ceil(sum(max(0.0, log2(q)) for q in factors)) + two_layers.GUARD
    if bits > two_layers.MAX_BITS:
        limit = f"the limit is {two_layers.MAX_BITS:,}; widen them."
        raise ConstructionTooLarge(f"{what}: bands that take {bits:,} bits, {limit}")
    return bits
