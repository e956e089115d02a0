"""The exercises of Kajitsuka and Sato's part."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..answers import choice, network, number, whole
from .exercise import exercise


def inner(V: int) -> list[tuple[int, int]]:
    """The other two of a context of four with 1 and V."""
    return list(itertools.combinations(range(2, V), 2))


@exercise(
    "ex-hardmax-classes",
    asks="Out of the tokens 1 to {V} take all contexts of four that contain both 1 and {V}. How many are there? How "
    "many different values can token 1 get from a layer of hardmax, at most?",
    hands_in=[whole("contexts"), whole("values")],
    varies={"V": [8, 7, 9, 10, 11]},
    rubric={
        "contexts": "Not {given}. Two tokens are free: from which are they taken?",
        "values": "Not {given}. A layer hears the smallest, the largest, or a mean: what else can differ?",
    },
    wrong={
        "any four": (
            lambda V: (math.comb(V, 4), 2 * V - 7),
            "The contexts must contain 1 and {V}: two tokens are free.",
        ),
        "a value a context": (
            lambda V: (len(inner(V)), len(inner(V))),
            "Different pairs may have equal sums, and no layer of hardmax tells these apart.",
        ),
        "1 and the largest again": (lambda V: (math.comb(V, 2), 2 * V - 7), "contexts"),
    },
    hint="What is the least sum that two free tokens can have, and the largest?",
)
def hardmax_classes(V: int) -> tuple[int, int]:
    """The pairs, and their sums."""
    return len(inner(V)), len({sum(two) for two in inner(V)})


def one_head(w_v: list[int], w_k: list[int], w_q: list[int], d: int, b_q: int | Fraction = 0) -> Attention:
    """A hardmax head of size one that writes into the first entry."""
    return Attention([Head([w_q], [w_k], [w_v], [[1]] + [[0]] * (d - 1), b_q=[b_q])], "hardmax")


def shared_alike(
    model: Transformer, one: Sequence[int], other: Sequence[int], rows: Sequence[int]
) -> list[dict[str, object]]:
    """The tokens of both contexts that become the same number in both, in exact arithmetic: entry 1 of token t^r."""
    X, Y = (model([[t**r for t in context] for r in rows], EXACT) for context in (one, other))
    shared = sorted({*one} & {*other})
    pairs = [(t, X[:, one.index(t)].tolist(), Y[:, other.index(t)].tolist()) for t in shared]
    return [{"token": t, "value": tuple(x)} for t, x, y in pairs if x == y]


def attention_only(model: Transformer, most: int, d: int) -> bool:
    """At most so many layers, all of them hardmax attention of one head, on tokens of d entries."""
    layers = model.layers
    kinds = all(isinstance(x, Attention) and x.normalization == "hardmax" and len(x.heads) == 1 for x in layers)
    return kinds and len(layers) <= most and model.width == d


PAIRS = [((1, 2, 5, 6), (1, 3, 4, 6)), ((4, 5, 8, 9), (4, 6, 7, 9)), ((3, 5, 8, 10), (3, 6, 7, 10))]
PAIRS += [((5, 6, 9, 10), (5, 7, 8, 10)), ((4, 6, 9, 10), (4, 7, 8, 10))]
ROUND = [PAIRS[0], ((0, 1, 8, 9), (0, 4, 7, 9)), ((1, 2, 9, 10), (1, 6, 7, 10)), ((1, 2, 11, 12), (1, 5, 10, 12))]
"""But in the first pair the sums of the squares are equal, and not those of the numbers."""


def entry(pair: tuple[tuple[int, ...], tuple[int, ...]], alike: bool) -> list[int]:
    """The entry whose mean is the same in both contexts, or the other."""
    sums_alike = sum(pair[0]) == sum(pair[1])
    return [1, 0] if sums_alike == alike else [0, 1]


@exercise(
    "ex-hardmax-parabola",
    asks="Tokens on a parabola, (t, t^2). Build one head of hardmax that tells the contexts {pair[0]} and {pair[1]} "
    "apart at their smallest and at their largest token: `parabola`, a Transformer of one attention layer, d = 2.",
    hands_in=network("parabola"),
    varies={"pair": ROUND},
    rubric={
        "one head": "One layer of hardmax attention with one head is asked for, on tokens of two entries.",
        "told apart": "Token {token} becomes {value} in both contexts.",
    },
    reference=lambda pair: Transformer([one_head(entry(pair, alike=False), [0, 0], [0, 0], 2)]),
    wrong={
        "a mean that is the same": (
            lambda pair: Transformer([one_head(entry(pair, alike=True), [0, 0], [0, 0], 2)]),
            "told apart",
        ),
        "the largest": (Transformer([one_head([1, 0], [1, 0], [1, 0], 2)]), "told apart"),
        "two layers": (Transformer([one_head([0, 1], [0, 0], [0, 0], 2)] * 2), "one head"),
    },
    hint="A head may read one entry alone. What is the mean of the squares in each context, and what of the numbers?",
)
def hardmax_parabola(model: Transformer, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> Iterable[Check]:
    """Both ends of the two contexts."""
    fits = attention_only(model, 1, 2)
    yield Check.none("one head", [] if fits else [{}])
    yield Check.none("told apart", shared_alike(model, *pair, rows=(1, 2)) if fits else [{}])


@exercise(
    "ex-hardmax-two",
    asks="Build a Transformer of at most two layers of hardmax attention with one head each, and nothing else, that "
    "tells the contexts {pair[0]} and {pair[1]} of numbers apart at every token that they share: `two`. Biases are "
    "allowed.",
    hands_in=network("two"),
    varies={"pair": PAIRS},
    rubric={
        "attention alone": "At most two layers, each of hardmax attention with one head, on tokens of one entry.",
        "told apart": "Token {token} becomes {value} in both contexts.",
    },
    reference=lambda pair: two_layers(Fraction(pair[0][1] + pair[1][1], 2)),
    wrong={
        "one layer": (Transformer([one_head([1], [0], [0], 1)]), "told apart"),
        "two means": (Transformer([one_head([1], [0], [0], 1)] * 2), "told apart"),
        "without a bias": (Transformer([one_head([1], [1], [1], 1), one_head([1], [0], [0], 1)]), "told apart"),
        "three layers": (Transformer([one_head([1], [0], [0], 1)] * 3), "attention alone"),
    },
    hint="A bias lets small and large tokens listen to different ends, so that one layer can make the two sums differ.",
)
def hardmax_two(model: Transformer, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> Iterable[Check]:
    """All shared tokens."""
    fits = attention_only(model, 2, 1)
    yield Check.none("attention alone", [] if fits else [{}])
    yield Check.none("told apart", shared_alike(model, *pair, rows=(1,)) if fits else [{}])


def two_layers(threshold: Fraction) -> Transformer:
    """Tokens above the threshold hear the largest, the others the smallest; then all hear the mean."""
    return Transformer([one_head([1], [1], [1], 1, -threshold), one_head([1], [0], [0], 1)])


def boltz(x: Sequence[float]) -> float:
    """sum x e^x / sum e^x."""
    weights = [math.exp(u - max(x)) for u in x]
    return sum(w * u for w, u in zip(weights, x, strict=True)) / sum(weights)


def rises(x: Sequence[float], k: int, step: float) -> str:
    """Whether the value rises or falls when entry k grows."""
    moved = [u + step * (j == k) for j, u in enumerate(x)]
    return "rises" if boltz(moved) > boltz(x) else "falls"


MOVES = [
    ((0, -3, -8), (0, -0.5, -8)),
    ((-6, 0, -0.5), (0, -3, -8)),
    ((-6, 0, -9), (1, 0.5, -6)),
    ((-7, -0.4, 0), (1, -3, -6)),
    ((-9, -5, 0), (0, -3, -1)),
]
TURNS = ("rises", "falls")


def moves(case: tuple[Sequence[float], Sequence[float]]) -> list[tuple[Sequence[float], int, float]]:
    """The entries, which of them grows, and by how much: A to D."""
    return [(case[0], 1, 1), (case[0], 2, 1), (case[0], 0, 1), (case[1], 1, 0.1)]


@exercise(
    "ex-boltz-raise",
    asks="Does the Boltzmann operator rise or fall when A) the middle entry of {case[0]} grows by 1, B) the last "
    "one does, C) the first one does, and D) the middle entry of {case[1]} grows by 0.1?",
    hands_in=[choice(letter, *TURNS) for letter in "abcd"],
    varies={"case": MOVES},
    rubric={
        "a": "Is the middle entry more than one below the value?",
        "b": "An entry below counts for little, but on which side?",
        "c": "Does the first entry lie above the value, or more than one below it?",
        "d": "How far is the middle entry below the value here?",
    },
    wrong={
        "all rise": (
            ("rises",) * 4,
            "Raising an entry also raises its weight, and an entry more than one below the value pulls it down.",
        ),
        "all fall": (("falls",) * 4, "Entries less than one below the value, or above it, lift it."),
        "the middle turned": (
            lambda case: (TURNS[rises(case[0], 1, 1) == "rises"], *(rises(*move) for move in moves(case)[1:])),
            "a",
        ),
    },
    hint="Where is the value, roughly? Which entries are more than one below it?",
)
def boltz_raise(case: tuple[Sequence[float], Sequence[float]]) -> tuple[str, ...]:
    """Each move, tried."""
    return tuple(rises(*move) for move in moves(case))


def twin(a: float) -> float:
    """t > 1.3 with boltz(0, -t) = boltz(0, -a), by bisection; beyond the bottom the value rises."""
    low, high = 1.3, 60.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if boltz((0, -middle)) < boltz((0, -a)) else (low, middle)
    return high


@exercise(
    "ex-boltz-twin",
    asks="Beside 0, which other entry gives the same soft maximum as -{a}? Find t, other than {a}, with boltz(0, -t) "
    "= boltz(0, -{a}) to 15 digits.",
    hands_in=number("t"),
    varies={"a": [1, 0.9, 0.8, 0.7, 1.1]},
    rubric={
        "equal": "boltz(0, -t) and boltz(0, -{a}) differ by {difference}.",
    },
    reference=lambda a: twin(a),
    wrong={
        "few digits": (lambda a: round(twin(a), 1), "equal"),
        "the same": (
            lambda a: a,
            "t = {a} is the entry that you have. Look beyond the bottom, where the value rises again.",
        ),
        "its inverse": (lambda a: 2.5 / a, "equal"),
    },
    hint="Beyond the bottom the value rises with t, so you can bisect.",
)
def boltz_twin(t: Fraction, a: float) -> Iterable[Check]:
    """On the other branch, within 1e-15."""
    difference = abs(boltz((0, -min(float(t), 500))) - boltz((0, -a))) if abs(t) < 10**6 else 1.0
    same = abs(t - Fraction(a)) < Fraction(1, 10)
    told = {} if same else {"difference": f"{difference:.2g}"}
    yield Check.none("equal", [] if difference < 1e-15 and not same else [told])


def masked_ids(V: int, n: int) -> int:
    """Tokens with a set of at most n out of V that contains them."""
    return sum(k * math.comb(V, k) for k in range(1, n + 1))


@exercise(
    "ex-masks-count",
    asks="Sequences of {n} different tokens out of {V}, under a causal mask. How many different ids are there? And "
    "how many sequences have at the last position the id that the sequence 1, ..., {n} has there?",
    hands_in=[whole("ids"), whole("sequences")],
    varies={"V": [6, 5, 7, 8], "n": [4, 3]},
    rubric={
        "ids": "Not {given}: an id is a token together with a set that contains it.",
        "sequences": "Not {given}. Which tokens may change places?",
    },
    wrong={
        "orders told apart": (
            lambda V, n: (sum(math.perm(V, k) for k in range(1, n + 1)), math.factorial(n - 1)),
            "Orders of the same visible set share an id.",
        ),
        "the last one moves, too": (
            lambda V, n: (masked_ids(V, n), math.factorial(n)),
            "The last token is given: only those before it may change places.",
        ),
        "whole sets only": (lambda V, n: (n * math.comb(V, n), math.factorial(n - 1)), "ids"),
    },
    hint="How many sets of each size are there, and how many tokens has each?",
)
def masks_count(V: int, n: int) -> tuple[int, int]:
    """Tokens with visible sets, and the orders of what stands before the last."""
    return masked_ids(V, n), math.factorial(n - 1)


def heard(S: Sequence[int], beta: float) -> float:
    """The mean of S under softmax with the sharpness beta, listened to by x = 1."""
    weights = [math.exp(beta * (u - max(S))) for u in S]
    return sum(w * u for w, u in zip(weights, S, strict=True)) / sum(weights)


def unnoticed(S: tuple[int, int], z: int) -> float:
    """The sharpness at which the mean of two numbers is z."""
    return math.log((z - S[0]) / (S[1] - z)) / (S[1] - S[0])


@exercise(
    "ex-masks-newcomer",
    asks="At which sharpness does the listener x = 1 not notice that {case[2]} joins {case[0]} and {case[1]}? Four "
    "decimals are enough.",
    hands_in=number("sharpness", tolerance="1/10000"),
    varies={"case": [(1, 4, 3), (1, 5, 4), (2, 6, 3), (0, 5, 1), (1, 6, 5)]},
    rubric={"sharpness": "At {given} it is noticed. When the mean of the first two is {case[2]}, it is not."},
    wrong={
        "the other side": (
            lambda case: -unnoticed(case[:2], case[2]),
            "The sign is turned: which of the two is the newcomer nearer to?",
        ),
        "one unit": (
            lambda case: unnoticed(case[:2], case[2]) * (case[1] - case[0]),
            "The scores of the two differ by the sharpness times their distance.",
        ),
        "the mean": (lambda case: 0, "At 0 both weigh the same, and their mean is not {case[2]}."),
    },
    hint="For the two to sound like {case[2]}, in which ratio must their weights stand?",
)
def masks_newcomer(case: tuple[int, int, int]) -> float:
    """Where the mean of the two is the newcomer."""
    return unnoticed(case[:2], case[2])


@exercise(
    "ex-memory-orders",
    asks="All orders of the tokens 1 to {n}, each token labelled with 2 if it is even and 1 if it is odd; tokens have "
    "one entry, heads size one. How many ids are there, how many weights does the corollary allow, and how many does "
    "the network need if all rows of the answer share the vector that reads ids, and the kinks?",
    hands_in=[whole("ids"), whole("allowed"), whole("needed")],
    varies={"n": [4, 3, 5]},
    rubric={
        "ids": "Not {given}. How many contexts are there, and how many tokens has each?",
        "allowed": "Not {given}. The corollary counts all tokens of all sequences, twice, and 4 x 2 + 1 more.",
        "needed": "Not {given}. Four matrices of rank 1, the reading, and a kink and a slope for each id but one, a "
        "bias.",
    },
    wrong={
        "an id a place": (
            lambda n: (n * math.factorial(n), 9 + 2 * n * math.factorial(n), 8 + 1 + 2 * (n - 1) + 1),
            "All orders are one context.",
        ),
        "contexts counted": (lambda n: (n, 9 + 2 * n, 8 + 1 + 2 * (n - 1) + 1), "allowed"),
        "a kink an id": (lambda n: (n, 9 + 2 * n * math.factorial(n), 8 + 1 + 2 * n + 1), "needed"),
    },
    hint="How many different contexts are there among the orders?",
)
def memory_orders(n: int) -> tuple[int, int, int]:
    """n ids; 4 (1 + 1) + 2 n n! + 1; 8 + 1 + 2 (n - 1) + 1."""
    orders = len(list(itertools.permutations(range(n))))
    return n, 8 + 2 * n * orders + 1, 8 + 1 + 2 * (n - 1) + 1
