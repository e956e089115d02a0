"""Kajitsuka, Sato (2024): one layer of attention and one of ReLUs recall labels; Corollaries 1 and 2."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64, Arithmetic
from uatlib.certificate import Certificate, Check
from uatlib.checks import refused, whole
from uatlib.kajitsuka2024.certified_margins import contexts
from uatlib.kajitsuka2024.certify_layer import certify_layer
from uatlib.kajitsuka2024.memory import Memory
from uatlib.kajitsuka2024.rank_one_layer import rank_one_attention, separation

from ..damages import changed, hardened, in_a_layer, in_part, mapped, scaled
from ..registry import register
from .common import MAX_SIZE, SLACK, lattice
from .label_networks import memorise, positional_encoding

CHAPTER = "kajitsuka-memorisation"
R_MAX = 1
MAX_CLASSES = 10**6
MAX_IDS = 2000
NORM = Fraction(99, 100)


def _labels(classes: object, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Random labels, not all the same: such would be recalled whatever the ids."""
    most = whole("classes", classes, 2, MAX_CLASSES) + 1
    while True:
        Y = rng.integers(1, most, shape)
        if (Y.flat[0] != Y).any():
            return Y


def _bent(w_2: np.ndarray) -> np.ndarray:
    """The largest bend of the answers is 1 % too large."""
    bends = abs(w_2)
    return np.where(bends == bends.max(), w_2 * Fraction(101, 100), w_2)


OF_MEMORIES = {
    name: in_part("memory", in_part("model", in_a_layer(change)))
    for name, change in {
        "hardmax": hardened,
        "more written by attention": scaled("w_o", Fraction(9, 8)),
        "a bend of the answers off": changed("w_2", _bent),
    }.items()
}


# ---------------------------------------------------------------------------------------------------------- Corollary 1


class Recalled(NamedTuple):
    """A network, and a float system in which it is run beside BALL."""

    memory: Memory
    system: Arithmetic | None


def _printed_corollary_1() -> Certificate:
    """(47) for the tokens 1, ..., 4 and n = 2, made so small that it fails."""
    tokens, n = [1, 2, 3, 4], 2
    promised = separation(tokens, n, SLACK)
    measured = certify_layer(rank_one_attention(tokens, n), tokens, n, slack=SLACK)["log10"]
    quoted = promised.log10_delta - math.log10(2 * float(promised.eps) * math.log(n))
    # Weights beta / c^2 and tokens c x give ids that are c times as large.
    k = math.ceil(measured.measured - quoted) + 1
    name = f"log10 ||difference of ids||, tokens 10^-{k} times 1, ..., 4, against delta of (47)"
    witness = f"(47) has no unit of length: {quoted:.1f} for tokens of any size, {measured.witness}"
    check = Check(name, measured.measured - k, ">", quoted, witness, "enclosed", measured.cases)
    return Certificate([check], parameters={"n": n})


@register(
    "kajitsuka2024:cor-1",
    "one layer of attention and one of ReLUs recall the labels of all tokens",
    source="Corollary 1, section A.3",
    chapter=CHAPTER,
    construction=memorise,
    certify=lambda recalled: recalled.memory.certify(system=recalled.system),
    cases=[{"size": 4, "n": 2, "d": 2, "head_size": 2}, {"size": 5, "n": 3, "d": 3, "classes": 9}],
    damages=OF_MEMORIES,
    printed=_printed_corollary_1,
    concerns="proof",
    erratum="""(47) gives the delta of Theorem 2 without the factor 2 eps log n of (8) and (45). Tokens scaled by c have
    ids scaled by c, and (47) stays: for small tokens it is false. The corollary does not use its size.""",
)
def recalled(
    *, size: int = 6, n: int = 4, d: int = 1, classes: int = 3, head_size: int = 1, scale: str = "practical"
) -> Recalled:
    """Random labels for every context of n tokens, recalled in BALL and, unless the scale is literal, in float64.

    Each context has a random order. Printed: (47) for the tokens 1, ..., 4 and n = 2, made so small that it fails.
    """
    tokens, rng = lattice(size, d), np.random.default_rng(0)
    n = whole("n", n, 2, tokens.shape[1] - 1)
    if (ids := n * math.comb(tokens.shape[1], n)) > MAX_IDS:
        raise refused("n", f"at most {MAX_IDS:,} tokens in all contexts", n, f"they have {ids:,}")
    rows = [rng.permutation(row) for row in contexts(tokens.shape[1], n)]
    X = np.stack([tokens[:, row] for row in rows])
    memory = memorise(X, _labels(classes, X.shape, rng), head_size, scale=scale)
    return Recalled(memory, None if isinstance(scale, str) and scale == "literal" else FLOAT64)


# ---------------------------------------------------------------------------------------------------------- Corollary 2


class Encoded(NamedTuple):
    """Sequences of two opposite tokens, positional encodings, and a network for their sums."""

    X: np.ndarray
    E: np.ndarray
    memory: Memory


def _opposite(n: object, d: object) -> np.ndarray:
    """All sequences of n of the tokens +-t (1, ..., 1), of norm just below 1 = r_max; rationals, shape (2^n, d, n)."""
    n, d = whole("n", n, 2, 6), whole("d", d, 1, MAX_SIZE)
    t = Fraction(math.isqrt(10**8 // d), 10**4) * NORM
    signs = np.array(list(itertools.product([1, -1], repeat=n)), dtype=object)
    return np.broadcast_to(signs[:, None, :] * t, (2**n, d, n)).copy()


def _separation_checks(
    X: np.ndarray, E: np.ndarray, squares: tuple[Any, Any, Any], names: tuple[str, ...]
) -> list[Check]:
    """Definition 1 for the columns of X + E: squared norms between two bounds, squared distances over a third."""
    columns = {(tuple(column), k) for x in X + E for k, column in enumerate(x.T)}
    tokens = sorted(columns, key=lambda pair: pair[1])
    norms = [(sum(u * u for u in column), k) for column, k in tokens]
    pairs = [
        (sum((u - w) ** 2 for u, w in zip(a, b, strict=True)), (i, k))
        for (a, i), (b, k) in itertools.combinations(tokens, 2)
        if a != b
    ]

    def check(what: str, relation: str, measured: list[Any], place: int) -> Check:
        values, places = zip(*measured, strict=True)
        name = f"{what}, against {names[place]}"
        return Check.worst(name, values, relation, squares[place], lambda k: {"k": places[k]})

    return [
        check("||x + E_k||^2, least", ">", norms, 0),
        check("||x + E_k||^2, largest", "<", norms, 1),
        check("||difference of tokens||^2, least", ">", pairs, 2),
    ]


def _eps_square(X: np.ndarray) -> Fraction:
    """(a hundredth less than the distance of the two tokens)^2."""
    return (NORM * 2) ** 2 * Fraction(sum(u * u for u in X[0, :, 0]))


def _certify_corollary_2(parts: Encoded) -> Certificate:
    X, E, memory = parts
    n = X.shape[2]
    squares = (9 * R_MAX**2, ((4 * n + 1) * R_MAX) ** 2, min(_eps_square(X), Fraction(4 * R_MAX**2)))
    names = ("(3 r_max)^2", f"((4n + 1) r_max)^2 = {squares[1]}", "min(eps, 2 r_max)^2")
    certificate = memory.certify()
    return Certificate([*_separation_checks(X, E, squares, names), *certificate.checks], "", certificate.parameters)


def _printed_corollary_2(*, n: int = 3, d: int = 1) -> list[Check]:
    """The separation claimed for (48)."""
    X, E = _opposite(n, d), positional_encoding(R_MAX, n, d, printed=True)
    names = ("r_max^2", f"((2n + 1) r_max)^2 = {(2 * n + 1) ** 2}", "eps^2")
    squares = (R_MAX**2, ((2 * n + 1) * R_MAX) ** 2, _eps_square(X))
    return _separation_checks(X, E, squares, names)


@register(
    "kajitsuka2024:cor-2",
    "with positional encodings the labels of all sequences are recalled",
    source="Corollary 2, section A.4",
    chapter=CHAPTER,
    construction=positional_encoding,
    certify=_certify_corollary_2,
    cases=[{"n": 2, "d": 3, "head_size": 3}, {"n": 4, "d": 2, "classes": 7}],
    damages={
        "encodings half as far apart": mapped(E=lambda E: E * Fraction(1, 2)),
        "encodings twice as long": mapped(E=lambda E: E * 2),
        **OF_MEMORIES,
    },
    printed=_printed_corollary_2,
    concerns="construction",
    erratum="""X + E for E_k = 2k r_max (1, ..., 1) is not separated as claimed: for d = 1 tokens of neighbouring places
    can be as close as one likes, and for d >= 2 norms exceed (2n + 1) r_max. With E_k = 4k r_max e for a unit vector e
    it is tokenwise (3 r_max, (4n + 1) r_max, min(eps, 2 r_max))-separated.""",
)
def encoded(*, n: int = 3, d: int = 1, classes: int = 3, head_size: int = 1) -> Encoded:
    """All sequences of two opposite tokens of norm near r_max = 1; printed: the separation claimed for (48)."""
    X, E = _opposite(n, d), positional_encoding(R_MAX, n, d)
    Y = _labels(classes, X.shape, np.random.default_rng(0))
    return Encoded(X, E, memorise(X, Y, head_size, encodings=E))
