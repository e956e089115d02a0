"""Kajitsuka, Sato (2024): from a function to the network of Proposition 1, with its claim.

Three layers: ReLUs that round tokens to a grid and push what is outside the box far away, one head of softmax attention
whose weights have rank 1, ReLUs with a bump at every id. All weights are exact rationals.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from ..arithmetic.base import as_float, exact, is_int, log2, real, shown
from ..build_checks import coarsest, require_build, require_equivariance
from ..cells import repeated_share
from ..certificate import Claim, Construction, Term
from ..model import ConstructionTooLarge, Transformer, require_size
from ..targets import Target, entrywise_norm
from ._margins import MAX_WORK, contexts, search_scale
from .rank_one import rank_one_attention, require_head_size, separation
from .relu_steps import band_width
from .two_layers import (
    GUARD,
    MAX_BITS,
    StepValues,
    context_count,
    find_ids,
    first_layer,
    grid_tokens,
    reading_vector,
    require_contexts,
    root,
    second_layer,
)

Duplicates = Literal["drop", "keep"]
Scale = Literal["literal", "practical"]
SLACK = Fraction(1, 1000)
SHARE = 1 / 16
"""What the bands may add to the other terms, as a share of them, or take of the error that is asked for."""
ROUNDING = 1e-12
TOLERANCE = Fraction(1, 2**40)
"""What rounded centres may change of an output, as a share of the largest."""
SCORES = 40
"""Scores of the scales that are searched, 1 to 40: smaller ones hear the mean, which from n = 3 on tells too little;
larger ones are hardmax."""
BITS = 128


def terms(target: Target, granularity: int, p: float, duplicates: Duplicates = "drop") -> list[Term]:
    """The terms of d_p(f, g) without the bands, from the stated Lipschitz constant and bound of the target.

    (55): the modulus of f at 1/D in the p-norm, since f(L) is taken at a corner. (70): g is 0 where a cell has a token
    twice, which costs at most the bound of |f|_p times (share of the volume)^(1/p); not with duplicates "keep".
    """
    factor = (1 + ROUNDING) * (target.d * target.n) ** max(0.0, 1 / p - 1 / target.norm)
    promised = [Term("step function", "(55)", factor * target.modulus(1 / granularity))]
    if duplicates == "drop":
        if target.bound is None:
            raise ValueError(f"{target.name}: its bound is not known; state it with Target(bound=...).")
        share = float(repeated_share(granularity, target.n, target.d))
        promised.append(Term("repeated tokens", "(70)", factor * target.bound * share ** (1 / p)))
    return promised


def build(
    target: Target,
    *,
    granularity: int | None = None,
    error: float | None = None,
    p: float = 2,
    duplicates: Duplicates = "drop",
    scale: Scale | Any = "practical",
    variant: Literal["repaired", "printed"] = "repaired",
    head_size: int = 1,
    width: Any = None,
) -> Construction:
    """The network that approximates `target`, continued by 0 outside the unit box, on all of R^{d x n}.

    Parameters
    ----------
    target : a permutation equivariant `Target` on [0, 1]^(d x n) with n >= 2, its Lipschitz constant and (with
        duplicates "drop") its bound stated
    granularity, error : D, the cells an axis, or the d_p error that the grid must be fine enough for; give one
    p : 1 <= p < inf
    duplicates : what becomes of sequences whose tokens share a cell: "drop" sends them to 0; the text calls them
        negligible. "keep" has bumps for them too, since softmax also tells how often a token occurs.
    scale : of the attention layer: "practical", a negative beta of large margin that a search finds, with which the
        largest token scores itself between -40 and -1; "literal", -beta of Theorem 2, which no float can run; or a
        negative number. Negative, as the penalty sends what is outside down, and tokens must listen there.
    variant : "repaired", or "printed" with the formulas (58), (59), (67) of the text, read token by token
    width : of the bands of the quantizer, at most 1/(2 D); chosen so that they matter little unless given

    `evaluate` gives the values off the bands in bulk. The layers run in BALL.with_bits(parameters["bits"]), with more
    bits far outside the box, and in floats while they resolve bands and ids. Outside the box and its bands floats give
    0 until numbers overflow.

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant (an input is shown), has another box or values that floats
        do not hold; or with duplicates "drop" there are fewer than n tokens.
    ConstructionTooLarge
        The network would not fit, its ids or bands take too many bits, or p asks for bands below 2^-131,072 of a cell;
        but for bands, that is said before the target is evaluated on the grid.
    """
    require_build(target, p, variant, granularity, error, "granularity")
    if duplicates not in get_args(Duplicates):
        raise ValueError(f'build: expected duplicates "drop" or "keep", got {duplicates!r}.')
    if granularity is not None and not is_int(granularity, 2):
        raise ValueError(f"build: expected granularity to be an int >= 2, got {shown(granularity)}.")
    require_head_size("build", head_size)
    if tuple(target.domain) != (0, 1):
        raise ValueError(
            f"build: expected a target on [0, 1]^(d x n), got the domain {target.domain}; rescale it, e.g. "
            "g(X) = f(low + (high - low) X)."
        )
    require_equivariance(target, "Proposition 1 approximates permutation equivariant functions.")
    if granularity is None:
        assert error is not None
        granularity = coarsest(
            lambda D: sum(term.bound for term in terms(target, D, p, duplicates)), error * (1 - SHARE)
        )
    D, n, d = granularity, target.n, target.d
    given = None if width is None else band_width("build", width, D)
    promised = terms(target, D, p, duplicates)
    what = f"build(granularity={shown(D)}, n={n}, d={d})"
    size = D**d if d * D.bit_length() < 10_000 else 2**10_000
    units = d * (2 * D + 6) + 3 * n * context_count(min(size, 2**64), n) + 2 * d
    if duplicates == "drop" and n > size:
        raise ValueError(f"{what}: every sequence of {n} out of {size} tokens repeats one; take a larger granularity.")
    require_contexts(what, min(size, 2**64), n, BITS)
    require_size(what, layers=3, arrays_per_layer=8, parameters=units * (2 * d + 1))
    tokens, v = grid_tokens(D, d), reading_vector(D, d)
    beta, bits = _negative_scale(what, scale, tokens, v, n)
    attention = rank_one_attention(tokens, n, head_size, beta, vector=v, slack=SLACK)
    ids = find_ids(what, attention, tokens, v, n, bits)
    values = StepValues(target, D, duplicates)
    wanted = [j for j, (row, _) in enumerate(ids.keys) if duplicates == "keep" or len(set(row)) == n]
    centres, heights = [ids.centres[j] for j in wanted], [values.at(*ids.keys[j]) for j in wanted]
    write, reach = separation(tokens, n, SLACK).write, sum(v)
    # Hats are disjoint, miss all other ids, and lie above what tokens hear outside the box.
    radius = min(ids.gap, min(centres) - write * reach) / 2
    steepness = Fraction(2) ** math.ceil(-log2(radius))
    sizes = [[abs(as_float(u, f"values of {target.name}")) for u in y] for y in heights]
    largest = float(entrywise_norm(np.array(sizes)[:, None], p).max()) * n ** (1 / p)
    highest = max(1.0, *(u for y in sizes for u in y))
    rounded = Term("rounded centres", "ours", (d * n) ** (1 / p) * highest * float(TOLERANCE))
    so_far = sum(term.bound for term in promised)
    room = error - so_far - rounded.bound if error is not None else SHARE * (so_far or 1)
    band = _width(what, D, n, d, p, largest, room) if given is None else given
    promised += [Term("bands", "(69)", _band_term(D, n, d, p, largest, band)), rounded]
    is_printed = variant == "printed"
    height = math.ceil(n / write) + n
    first = first_layer(D, d, band, 1 if is_printed else height, bounded=is_printed, printed=is_printed)
    if is_printed:
        at = np.stack([tokens[:, ids.keys[j][1]] for j in wanted], axis=1)
        second = second_layer(centres, heights, Fraction(2 * D), v, tokens=at)
    else:
        second = second_layer(centres, heights, steepness, v)
    model = Transformer([first, *attention.layers, second], n=n)
    hidden = _hidden_units(D, n, d, duplicates, is_printed)
    claim = Claim(
        promised,
        p=p,
        domain=(-math.inf, math.inf),
        layers=3,
        width=d,
        heads=1,
        head_size=head_size,
        hidden=max(hidden),
        # A unit reads d entries, has a bias and writes d; queries, keys, values and what is written take s d each.
        parameters=sum(hidden) * (2 * d + 1) + 4 * head_size * d,
    )
    notes = {"target": target.name, "granularity": D, "n": n, "d": d, "duplicates": duplicates, "variant": variant}
    notes |= {"scale": beta, "width": band, "bits": max(ids.bits, _bits(what, band, steepness, height, beta))}
    return Construction(target, model, claim, values, notes)


# ---------------------------------------------------------------------------------------------------------------- parts


def _hidden_units(D: int, n: int, d: int, duplicates: Duplicates, is_printed: bool) -> tuple[int, int]:
    """Units of the two feed-forward layers: steps, penalties and bumps, and two a row in place of the skip connection.

    A step takes two ReLUs, D + 1 of them a row; a penalty two, as printed four; a bump three, as printed d times three.
    Bumps stand at each token of each set of n tokens; where duplicates are kept of each multiset, once.
    """
    size = D**d
    ids = size * context_count(size, n - 1) if duplicates == "keep" else n * math.comb(size, n)
    return d * (2 * (D + 1) + (4 if is_printed else 2) + 2), 3 * ids * (d if is_printed else 1) + 2 * d


def _negative_scale(what: str, scale: Any, tokens: np.ndarray, v: Any, n: int) -> tuple[Fraction, int]:
    """beta < 0, and the bits to begin with."""
    size = tokens.shape[1]
    if scale == "literal":
        promised = separation(tokens, n, SLACK)
        require_contexts(what, size, n, promised.bits)
        return -promised.scale, promised.bits + 64
    if scale == "practical":
        rows = contexts(size, n, repeats=True)
        x = list(np.array(v, dtype=object) @ tokens)
        grid = max(51, min(2001, MAX_WORK // (len(rows) * n * n)))
        return search_scale(x, rows, (-SCORES / float(max(x)) ** 2, -1 / float(max(x)) ** 2), grid), BITS
    try:
        beta = Fraction(exact(real(scale)))
    except ValueError:
        raise ValueError(f'{what}: expected the scale "practical", "literal" or a number, got {scale!r}.') from None
    if beta >= 0:
        raise ValueError(
            f"{what}: expected a scale < 0, with which tokens hear one outside the box, got {shown(scale)}."
        )
    return beta, BITS


def _band_term(D: int, n: int, d: int, p: float, largest: float, width: Fraction) -> float:
    """2 A (1 - (1 - D w)^{dn})^{1/p} in the box, A ((1 + 2 w)^{dn} - 1)^{1/p} beside it, for |g|_p <= A."""
    inside = 1 - (1 - D * width) ** (d * n)
    beside = (1 + 2 * width) ** (d * n) - 1
    return (1 + ROUNDING) * largest * (2 * root(inside, p) + root(beside, p))


def _width(what: str, D: int, n: int, d: int, p: float, largest: float, room: float) -> Fraction:
    """The largest 2^-k / D, k >= 1, whose bands add at most `room`."""
    if room <= 0:
        raise ValueError("build: expected an error that the rounding of weights leaves room for; take a larger one.")

    def is_narrow(k: int) -> bool:
        return _band_term(D, n, d, p, largest, Fraction(1, D << k)) <= room * (1 - ROUNDING)

    low, high = 0, 1
    while not is_narrow(high):
        low, high = high, 2 * high
        if high > MAX_BITS:
            raise ConstructionTooLarge(
                f"{what}: bands of 2^-{low:,} cells are still too wide in d_{p:g}. Choose a smaller p or a larger "
                "error."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_narrow(middle) else (middle, high)
    return Fraction(1, D << high)


def _bits(what: str, band: Fraction, steepness: Fraction, height: int, beta: Fraction) -> int:
    """What resolves the bands: a ramp of slope 1/width, then attention, then a hat, each times the error before it."""
    factors = (1 / band, steepness, 2 + abs(beta), Fraction(2 + height) ** 2)
    bits = math.ceil(sum(max(0.0, log2(q)) for q in factors)) + GUARD
    if bits > MAX_BITS:
        raise ConstructionTooLarge(f"{what}: bands that take {bits:,} bits, the limit is {MAX_BITS:,}; widen them.")
    return bits
