"""Cheng, Lin, Shen, Li (2025): from a function to the network in the proof of Theorem 1, with its claim.

ReLUs that round tokens to a grid, layers of attention with random weights, ReLUs that know the value of every token by
what it has heard. All weights are exact rationals; only the kernel is not.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import FLOAT64
from ..certificate import Claim, Term
from ..grids import Duplicates, StepFunction, grid_tokens
from ..internal.building import ROUNDING, OnGrid, claim_sizes, coarsest, parse_build, step_terms
from ..kernels import DOT, Kernel
from ..layers import FeedForward
from ..layers.base import set_fields
from ..model import Transformer
from ..patterns import Pattern
from ..sizes import ConstructionTooLarge
from ..targets import Target, exact_values
from . import grid_sequences as sequences
from .automorphisms import local_fooling_pairs
from .certify_network import FLOATS, TOLERANCE, Network, System, Variant
from .grid_layers import Nodes, memory, staircase
from .grid_sequences import GridSequences, Symmetry
from .named_patterns import neighbour_lists, parse_patterns
from .random_attention import Mixing, best_mixing, ids_of, on_a_line

SHARE = 1 / 16
"""What the ramps may add to the other terms, as a share of them, or take of the error that is asked for."""
TRIES = 8
"""Draws of weights, of which the best is taken."""
RESOLVED = 2.0**-40
"""The least separation, as a share of the largest difference of two ids, that float64 is trusted with."""
SMALL, POINTS = 2.0**-20, 2000
"""A step, and sequences, with which it is measured what float64 rounds off."""
WIDEST = 4.0
"""How far, at most, a bump is taken to be from the next."""


class Unresolved(ValueError):
    """No draw of weights told all tokens apart in float64: the best `separation`, and the `pair` of tokens there."""

    def __init__(self, message: str, separation: float, pair: str) -> None:
        super().__init__(message)
        self.separation, self.pair = separation, pair


def terms(
    target: Target, inverse_delta: int, p: float, duplicates: Duplicates = "drop", variant: Variant = "repaired"
) -> list[Term]:
    """The terms of d_p(f, g) without ramps, from the stated Lipschitz constant and bound of the target.

    (34): the modulus of f in the p-norm at delta/2, since f(L) is taken at the centre of a cell; printed, at delta.
    (39): g is 0 where a cell has a token twice, which costs the bound of |f|_p times (share of the volume)^(1/p) =
    O(delta^(d/p)); not with duplicates "keep".
    """
    names = ("cells", "(34)"), ("repeated tokens", "(39)")
    reach = 1 / inverse_delta if variant == "printed" else 1 / (2 * inverse_delta)
    return step_terms(target, p, reach, names, inverse_delta if duplicates == "drop" else None)


def build(
    target: Target,
    *,
    error: float | None = None,
    p: float = 2,
    inverse_delta: int | None = None,
    kernel: Kernel = DOT,
    patterns: object = None,
    seed: int = 0,
    ramp: object = None,
    duplicates: Duplicates = "drop",
    variant: Variant = "repaired",
) -> Network:
    """The network that approximates `target` on the unit box: d_p(f, g) <= claim.error.

        g = memory o (Id + g_m) o ... o (Id + g_1) o staircase

    The text has blocks Id + h with at most d hidden units in place of the two wide layers of ReLUs (Propositions 2 and
    3, `residual_blocks`), for which it needs d >= 2; with these d = 1 will do.

    Parameters
    ----------
    target : a `Target` on [0, 1]^(d x n) with n >= 2, equivariant under the common automorphisms (18) of the patterns
        (all permutations, if there are none), its Lipschitz constant and bound stated
    error, inverse_delta : the d_p error that the grid must be fine enough for, or N = 1/delta, the cells a side; give
        one
    p : 1 <= p < inf; the ramps between cells have a small volume, but in the sup norm they count in full
    kernel : of all layers of attention, `cheng2025.kernel("exp")` and so on
    patterns : one a layer of attention, as for `connectivity_depth`; None: one layer in which all hear all
    seed : of the weights of attention, |W_Q|, |W_K| from 1/d to 4/d and |W_V| from 1/2 to 2 in steps of 1/64 of that;
        of eight draws the one that tells tokens apart best is taken
    ramp : 1 - alpha of (36), the share of a cell in which an entry goes to the next level, in (0, 1/2]; chosen so that
        the ramps matter little unless given
    duplicates : what becomes of sequences with two tokens in one cell: "drop" sends them to 0, as in the proof of
        Proposition 1; "keep" gives them their values too, where the layers tell them apart
    variant : "repaired", with the centres of cells as tokens, or "printed", with their corners (32), among which is the
        token 0, which softmax attention does not tell apart

    `shortcut` gives the values off the ramps in bulk. The layers run in the `system` of the network: "float64" where
    that resolves ids and bumps, else "ball"; and in `BALL.with_bits(bits)`, with its `bits`, always. Its `separation`
    is the least distance of two ids.

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant (an input is shown), or has another box; the patterns do not
        connect all tokens, or have local fooling pairs (one is shown); `Unresolved`: no draw tells all tokens apart in
        float64, with the separation and the number of tokens.
    ConstructionTooLarge
        There are too many tokens on the grid, or the network would not fit; said before anything is evaluated.

    Source: cheng2025, Theorem 1, section B.1, with Theorem 2 for the weights of attention.
    """
    order = _Order(target, error, p, inverse_delta, kernel, patterns, seed, ramp, duplicates, variant)
    order.require_fit()
    promised, width = order.terms_and_ramp()
    N, n, d = order.inverse_delta, order.n, order.d
    found = sequences.grid_sequences(N**d, order.symmetry, order.duplicates == "keep")
    tokens = grid_tokens(N, d, order.first)
    mixing = _mixing(order, found, tokens)
    X = tokens[:, found.rows].transpose(1, 0, 2)
    nodes = _nodes(order, mixing, found, exact_values(target, X))
    first, last = staircase(N, d, width, order.first), memory(nodes, mixing.u)
    system, bits = _system(order, first, width, nodes, mixing, X.astype(np.float64))
    return Network(
        target,
        Transformer([first, *mixing.layers, last], n=n),
        order.claim(promised),
        StepFunction(target, N, N * order.first, "border", order.duplicates),
        kernel=order.kernel,
        attention_layers=len(order.layers),
        group=order.symmetry.name,
        variant=order.variant,
        seed=order.seed,
        ramp=width,
        tokens=len(nodes.centres),
        separation=mixing.separation,
        system=system,
        bits=bits,
    )


# --------------------------------------------------------------------------------------------------------------- orders


@dataclass(frozen=True)
class _Order(OnGrid):
    """What `build` was asked for, with the grid for an error; and what follows from that alone."""

    target: Target
    error: float | None
    p: float
    inverse_delta: Any
    kernel: Kernel
    patterns: InitVar[object]
    seed: int
    ramp: Any
    duplicates: Duplicates
    variant: Variant
    layers: list[Pattern | None] = field(init=False)
    symmetry: Symmetry = field(init=False)

    def __post_init__(self, patterns: object) -> None:
        checks.either(inverse_delta=self.inverse_delta, error=self.error)
        why = "the theorem is in L_p: in the sup norm the ramps between cells count in full, however narrow they are"
        error, p = parse_build(self.target, self.error, self.p, why)
        N = 0 if self.inverse_delta is None else checks.whole("inverse_delta", self.inverse_delta, 2)
        checks.instance("kernel", self.kernel, Kernel, "take cheng2025.kernel, for instance")
        seed = checks.seed(self.seed)
        ramp = None if self.ramp is None else _relative_width(self.ramp)
        checks.choice("duplicates", self.duplicates, ("drop", "keep"))
        checks.choice("variant", self.variant, ("repaired", "printed"))
        layers = _masks(patterns, self.target.n)
        symmetry = _symmetry(self.target, layers)
        if error is not None:

            def promised(N: int) -> float:
                return sum(term.bound for term in terms(self.target, N, p, self.duplicates, self.variant))

            N = coarsest(promised, error * (1 - SHARE))
        set_fields(self, error=error, p=p, inverse_delta=N, layers=layers, symmetry=symmetry, seed=seed, ramp=ramp)

    def terms(self) -> list[Term]:
        """Those without the ramps."""
        return terms(self.target, self.inverse_delta, self.p, self.duplicates, self.variant)

    @property
    def first(self) -> Fraction:
        """The lowest level."""
        return Fraction(0) if self.variant == "printed" else Fraction(1, 2 * self.inverse_delta)

    @property
    def bumps(self) -> int:
        """By formula."""
        return sequences.token_count(self.inverse_delta**self.d, self.symmetry, self.duplicates == "keep")

    def hidden(self) -> tuple[int, int]:
        """Units of the two feed-forward layers: two a step, four a bump, two a row in place of the skip connection."""
        return 2 * self.d * self.inverse_delta, 4 * self.bumps + 2 * self.d

    def require_fit(self) -> None:
        """Refuse, before anything is built, what would take too many tokens: so many have four million weights."""
        self.terms()
        size = self.inverse_delta ** min(self.d, 64)
        if self.duplicates == "drop" and self.n > size:
            repeats = f"every sequence of {self.n} out of {size} tokens repeats one"
            raise ValueError(f"inverse_delta: expected a larger one: {repeats}.")
        sequences.require_sequences(self.name, size, self.symmetry)
        _require_distinguishing(self.layers, self.symmetry)

    def terms_and_ramp(self) -> tuple[list[Term], Fraction]:
        """All terms of the claim, and the relative width of the ramps."""
        f, p, n, d = self.target, self.p, self.n, self.d
        promised = self.terms()
        if f.bound is None:
            raise ValueError(f"{f.name}: its bound is not known; state it with Target(bound=...).")
        bound, entries = float(f.bound), (d * n) ** (1 / p)
        off = Term("interpolation", "interpolation", "(38)", entries * max(1.0, bound) * float(TOLERANCE))
        # |f|_p beside |g|_p, where g is between 0 and the values, entry by entry.
        both = (1 + ROUNDING) * bound * (entries + (d * n) ** max(0.0, 1 / p - 1 / f.norm))

        def ramps(width: Fraction) -> float:
            flat = (1 - width * (self.inverse_delta - 1) / self.inverse_delta) ** (d * n)
            return both * float(1 - flat) ** (1 / p)

        so_far = sum(term.bound for term in promised)
        room = SHARE * (so_far or 1) if self.error is None else self.error - so_far - off.bound
        fits = (w for k in range(3, 1000) if ramps(w := Fraction(1, 2**k)) <= room * (1 - ROUNDING))
        width = next(fits, None) if self.ramp is None else self.ramp
        if width is None:
            wide = f"ramps of 2^-1000 cells are still too wide in d_{p:g}"
            raise ConstructionTooLarge(f"{self.name}: {wide}. Choose a smaller p or a larger error.")
        if self.error is not None and ramps(width) > room:
            raise checks.refused("ramp", f"ramps that add at most {room:.3g} to the error", width, "give none")
        return [*promised, Term("ramps", "ramps", "(41)", ramps(width)), off], width

    def claim(self, promised: list[Term]) -> Claim:
        """By formulas: a hidden unit reads d entries, has a bias and writes d; a head has four matrices of d x d.

        The staircase has a bias b_2 of d entries.
        """
        units, d, layers = self.hidden(), self.d, len(self.layers)
        count = sum(units) * (2 * d + 1) + d + 4 * d * d * layers
        return Claim(promised, self.p, (0, 1), 2 + layers, d, 1, d, max(units), count, **claim_sizes(self.target))


def _relative_width(ramp: object) -> Fraction:
    width = checks.positive("ramp", ramp, Fraction(1, 2), "a cell has to have a flat part")
    return Fraction(checks.number("ramp", width))


def _masks(patterns: object, n: int) -> list[Pattern | None]:
    """A pattern for each layer, None where all hear all."""
    if patterns is None:
        return [None]
    rows = parse_patterns("patterns", patterns)
    if len(rows[0]) != n:
        raise checks.refused("patterns", f"patterns of {n} tokens, as the target has", len(rows[0]))
    return [None if all(len(row) == n for row in pattern) else Pattern(pattern) for pattern in rows]


def _symmetry(target: Target, layers: list[Pattern | None]) -> Symmetry:
    """(18), under which the target must be equivariant."""
    found = sequences.symmetry_of(neighbour_lists(layers, target.n), target.n)
    hint = "Layers of these patterns approximate functions with all their common automorphisms."
    try:
        dataclasses.replace(target, group=found.generators)
    except ValueError as violated:
        raise ValueError(f"{violated} {hint}") from None
    return found


def _require_distinguishing(layers: list[Pattern | None], symmetry: Symmetry) -> None:
    """Refuse patterns for which no weights tell all tokens apart, up to (18)."""
    if symmetry.elements is None and any(layer is None for layer in layers):
        return
    pairs = local_fooling_pairs(neighbour_lists(layers, symmetry.n), symmetry.generators)
    if pairs is None:
        raise checks.refused("patterns", "enough layers to connect all tokens", len(layers))
    if pairs:
        s, i = pairs[0]
        raise ValueError(
            f"patterns: expected layers that tell all tokens apart, got ones where token {i} of X hears what token "
            f"{s[i]} of Y hears, for all X and Y with Y[s(j)] = X[j] and s = {s} (tokens count from 0); add a layer."
        )


# --------------------------------------------------------------------------------------------------------------- mixing


def _mixing(order: _Order, found: GridSequences, tokens: np.ndarray) -> Mixing:
    """The best of eight draws; Unresolved if float64 does not tell all tokens apart."""
    best = best_mixing(order.layers, order.kernel, tokens.astype(np.float64), found, order.seed, TRIES)
    if best.separation > RESOLVED * best.spread:
        return best
    pair = " and ".join(_token(tokens, found.rows, place) for place in best.pair)
    keep = ', duplicates="drop"' if order.duplicates == "keep" else ""
    raise Unresolved(
        f"{order.name}: expected ids that float64 resolves, got the separation {best.separation:.3g} of "
        f"{int(found.wanted.sum()):,} tokens over a range of {best.spread:.3g}, between {pair}, at best of {TRIES} "
        f"draws of weights; take another seed, kernel or patterns{keep}, or a coarser grid.",
        best.separation,
        pair,
    )


def _token(tokens: np.ndarray, rows: np.ndarray, place: int) -> str:
    """A token in its sequence, for an error."""
    row, j = divmod(place, rows.shape[1])
    return f"token {j} of {[[str(t) for t in line] for line in tokens[:, rows[row]]]}"


def _nodes(order: _Order, mixing: Mixing, found: GridSequences, heights: np.ndarray) -> Nodes:
    """A bump at each id that gets a value; on either side it is flat for at most a quarter of the way to the next."""
    line, places, own = on_a_line(mixing.ids, found)
    gaps = np.concatenate([[WIDEST], np.minimum(np.diff(line), WIDEST), [WIDEST]])
    left, right = (2.0 ** np.floor(np.log2(side[own] / 4)) for side in (gaps[:-1], gaps[1:]))
    columns = heights.transpose(0, 2, 1).reshape(-1, order.d)[places[own]]
    centres, left, right = (np.array([Fraction(t) for t in side], dtype=object) for side in (line[own], left, right))
    return Nodes(centres, left, right, columns)


def _system(
    order: _Order, first: FeedForward, width: Fraction, nodes: Nodes, mixing: Mixing, X: np.ndarray
) -> tuple[System, int]:
    """Whether float64 resolves the network, by what it rounds off tokens, ids and the memory; and the bits that do.

    Tokens are measured at three points of each level, ids by how much they move beside grid sequences X.
    """
    N, rng = order.inverse_delta, np.random.default_rng(order.seed)
    narrow = float(min(nodes.left.min(), nodes.right.min()))
    slopes = float((1 / nodes.left.astype(float) + 1 / nodes.right.astype(float)).sum()) * (1 + mixing.spread)
    levels = np.tile(np.arange(N), 3)
    points = (levels + np.repeat([SMALL, 0.5, 1 - SMALL], N) * (1 - float(width) * (levels < N - 1))) / N
    token = Transformer([first])(np.tile(points, (order.d, 1)), FLOAT64.on("cpu")).numpy()
    token -= levels / N + float(order.first)
    moved = X[:POINTS] + SMALL * rng.choice([-1, 1], X[:POINTS].shape)
    gain = np.abs(ids_of(mixing.layers, mixing.u, moved) - mixing.ids[:POINTS]).max() / SMALL
    rounded = 4 * gain * np.abs(token).max() + 2.0**-48 * (1 + mixing.spread)
    fits = rounded <= narrow / 2 and 2.0**-52 * slopes <= FLOATS
    lost = math.log2(N / width) + math.log2(slopes) + 2 * max(0.0, -math.log2(narrow))
    return "float64" if fits else "ball", 64 + 32 * len(order.layers) + math.ceil(lost)
