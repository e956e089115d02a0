"""The exercises of Kajitsuka and Sato's part."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..answers import choice, network, number, whole, wholes
from .exercise import exercise


def inner(V: int) -> list[tuple[int, int]]:
    """The other two of a context of four with 1 and V."""
    return list(itertools.combinations(range(2, V), 2))


@exercise(
    "ex-hardmax-classes",
    about=["kajitsuka2024:thm-1"],
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
        "one end": (
            lambda V: (len(inner(V)), 2 * V - 8),
            "The sums go from the least to the largest, and both of these count.",
        ),
        "the largest sum": (
            lambda V: (len(inner(V)), 2 * V - 3),
            "That is the largest sum of two free tokens. But how small can their sum be?",
        ),
        "1 and the largest again": (lambda V: (math.comb(V, 2), 2 * V - 7), "contexts"),
    },
    hint="What is the least sum that two free tokens can have, and the largest?",
    why="There are more contexts than values: some contexts must sound alike to the token 1.",
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


Context = tuple[int, ...]


def agree(b: Fraction, first: Context, second: Context, token: int) -> tuple[bool, bool, bool]:
    """Whether the token hears the same in both, all tokens add up to the same, and all that is heard does.

    Tokens above b hear the largest, the others the smallest, w times what they hear is added, and then v times the
    mean: for all w and v the token ends alike exactly if all three hold.
    """
    ends = [(min(row), max(row)) for row in (first, second)]
    heard = [[high if x > b else low for x in row] for row, (low, high) in zip((first, second), ends, strict=True)]
    own = [hears[row.index(token)] for hears, row in zip(heard, (first, second), strict=True)]
    return own[0] == own[1], sum(first) == sum(second), sum(heard[0]) == sum(heard[1])


def fooled(b: Fraction, least: int, most: int) -> Iterator[tuple[int, Context, Context]]:
    """A token, and two contexts of four that it cannot tell apart."""
    for first, second in itertools.combinations(itertools.combinations(range(least, most + 1), 4), 2):
        for token in first:
            if token in second and all(agree(b, first, second, token)):
                yield token, first, second


@functools.cache
def one_threshold(least: int) -> tuple[int, Fraction, Context, Context]:
    """The largest V with a threshold that does, the first such, and two contexts that fool it one further on."""
    best = least + 3, Fraction(least)
    for most in itertools.count(least + 4):
        halves = [Fraction(2 * k + 1, 2) for k in range(least - 1, most + 1)]
        good = [b for b in halves if next(fooled(b, least, most), None) is None]
        if not good:
            return *best, *next(fooled(best[1], least, most))[1:]
        best = most, good[0]
    raise AssertionError


@exercise(
    "ex-hardmax-two",
    about=["kajitsuka2024:thm-1"],
    asks="Two layers. In the first, tokens above a threshold b hear the largest token of the context, the others the "
    "smallest, and each adds w times what it hears. In the second each adds v times the mean of all. Contexts are four "
    "different whole numbers from {least} to V. Up to which V is there a b with which every token tells all its "
    "contexts apart, for some w and v? Name such a b, and two contexts with tokens up to V + 1 that fool it.",
    hands_in=[whole("V", 0, 100), number("b"), wholes("first", 4), wholes("second", 4)],
    varies={"least": [1, 2, 3, 5, 10]},
    rubric={
        "V": "Not {given}. Three things must agree to fool a token: what it hears itself, the sum of all tokens, and "
        "the sum of all that is heard.",
        "threshold": "With b = {b} the token {token} does not tell {A} from {B}, whose tokens are all up to V.",
        "contexts": "Take two different contexts of four different tokens from {least} to V + 1, with a token in both.",
        "fooled": "{A} and {B} do not fool your b: {reason}.",
    },
    reference=lambda least: one_threshold(least),
    wrong={
        "one less": (lambda least: (least + 4, *one_threshold(least)[1:]), "V"),
        "one more": (lambda least: (least + 6, *one_threshold(least)[1:]), "V"),
        "in the middle": (
            lambda least: (least + 5, Fraction(2 * least + 5, 2), *one_threshold(least)[2:]),
            "threshold",
        ),
        "the pair of one layer": (
            lambda least: (
                *one_threshold(least)[:2],
                *(tuple(least - 1 + t for t in row) for row in ((1, 2, 5, 6), (1, 3, 4, 6))),
            ),
            "fooled",
        ),
        "one context in two orders": (
            lambda least: (*one_threshold(least)[:2], [least + k for k in range(4)], [least + 3 - k for k in range(4)]),
            "contexts",
        ),
    },
    hint="Write down the pairs that have the same smallest, largest and sum for small V: b must count differently many "
    "large tokens in each of them. Then look for contexts with different largest tokens, where the counts make up.",
    why="One threshold saves the pair of this page and every other up to here, and no further. How many layers all "
    "contexts need, for large V, nobody has told us.",
)
def hardmax_two(V: int, b: Fraction, first: list[int], second: list[int], least: int) -> Iterable[Check]:
    """By trying all pairs of contexts and all shared tokens."""
    most = one_threshold(least)[0]
    yield Check.none("V", [] if most == V else [{"given": V}])
    caught = next(fooled(b, least, most), None)
    told = {"b": b, "token": caught[0], "A": caught[1], "B": caught[2]} if caught and most == V else {}
    yield Check.none("threshold", [told] if caught else [])  # otherwise it would tell V
    rows = [tuple(sorted({*row})) for row in (first, second)]
    fits = rows[0] != rows[1] and all(len(row) == 4 and least <= row[0] and row[3] <= most + 1 for row in rows)
    shared = [t for t in rows[0] if t in rows[1]]
    yield Check.none("contexts", [] if fits and shared else [{}])
    found = [agree(b, rows[0], rows[1], t) for t in shared] if fits else []
    good = any(all(three) for three in found) and not caught
    told = {"A": rows[0], "B": rows[1], "reason": reason(found)} if found and not caught else {}
    yield Check.none("fooled", [] if good else [told])


def reason(found: Sequence[tuple[bool, bool, bool]]) -> str:
    """Why no token is fooled."""
    if not found[0][1]:
        return "their tokens have different sums"
    if not found[0][2]:
        return "what is heard has different sums"
    return "each token in both hears something else"


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
    about=["kajitsuka2024:lem-4"],
    asks="Does the Boltzmann operator rise or fall when A) the middle entry of {case[0]} grows by 1, B) the last "
    "one does, C) the first one does, and D) the middle entry of {case[1]} grows by 0.1?",
    hands_in=[choice(letter, *TURNS) for letter in "ABCD"],
    varies={"case": MOVES},
    rubric={
        "A": "Is the middle entry more than one below the value?",
        "B": "An entry below counts for little, but on which side?",
        "C": "Does the first entry lie above the value, or more than one below it?",
        "D": "How far is the middle entry below the value here?",
    },
    wrong={
        "all rise": (
            ("rises",) * 4,
            "Raising an entry also raises its weight, and an entry more than one below the value pulls it down.",
        ),
        "all fall": (("falls",) * 4, "Entries less than one below the value, or above it, lift it."),
        "the middle turned": (
            lambda case: (TURNS[rises(case[0], 1, 1) == "rises"], *(rises(*move) for move in moves(case)[1:])),
            "A",
        ),
    },
    hint="Where is the value, roughly? Which entries are more than one below it?",
    why="So boltz is not monotone: it falls where an entry more than one below its value rises.",
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
    why="So soft maxima of real numbers may collide; those of fractions never do.",
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
    about=["kajitsuka2024:app-c-layer"],
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
    why="Under a causal mask a place knows the set before it and not its order: the last token cannot tell these "
    "sequences apart.",
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
    about=["kajitsuka2024:app-c"],
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
    why="One sharpness hides one newcomer from one listener, and every other one gives it away.",
)
def masks_newcomer(case: tuple[int, int, int]) -> float:
    """Where the mean of the two is the newcomer."""
    return unnoticed(case[:2], case[2])


@exercise(
    "ex-memory-orders",
    about=["kajitsuka2024:cor-1"],
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
    why="Orders share their contexts, and so does the memory: the corollary allows far more than is needed.",
)
def memory_orders(n: int) -> tuple[int, int, int]:
    """n ids; 4 (1 + 1) + 2 n n! + 1; 8 + 1 + 2 (n - 1) + 1."""
    orders = len(list(itertools.permutations(range(n))))
    return n, 8 + 2 * n * orders + 1, 8 + 1 + 2 * (n - 1) + 1


@exercise(
    "ex-hardmax-count",
    about=["kajitsuka2024:thm-1"],
    asks="Contexts of {n} tokens out of 1 to V; a layer of hardmax knows smallest, largest and sum, fewer than {n} V^3 "
    "triples. From which V on are there more contexts than that? And at which V do two contexts first have one triple?",
    hands_in=[whole("counted"), whole("found")],
    varies={"n": [4, 5, 6]},
    rubric={
        "counted": "Not {given}: compare the contexts of {n} out of V with {n} V^3, there and at the V before.",
        "found": "Not {given}. All tokens but the two ends are free: where do two choices first have one sum?",
    },
    wrong={
        "V^3 alone": (
            lambda n: (next(V for V in range(n, 300) if math.comb(V, n) > V**3), n + 2),
            "That is where contexts outnumber V^3. The sum runs up to {n} V, so compare with {n} V^3.",
        ),
        "one more token is enough": (
            lambda n: (next(V for V in range(n, 300) if math.comb(V, n) > n * V**3), n + 1),
            "With one token more than a context has, it leaves out one, and the sum says which.",
        ),
        "no sooner than counted": (
            lambda n: (next(V for V in range(n, 300) if math.comb(V, n) > n * V**3),) * 2,
            "found",
        ),
    },
    hint="How many contexts are there, and what can a layer know of one?",
    hints={
        "counted": "V (V - 1) (V - 2) ... over n! against n V^3: try V = 50, 100, 200, and close in.",
        "found": "Look for two choices between the ends with one sum: the least tokens of which two pairs do?",
    },
    why="Counting proves that pairs exist without showing one, and promises them far later than they come.",
)
def hardmax_count(n: int) -> tuple[int, int]:
    """By going through V."""
    counted = next(V for V in range(n, 300) if math.comb(V, n) > n * V**3)
    for V in itertools.count(n):
        rows = list(itertools.combinations(range(1, V + 1), n))
        if len({(row[0], row[-1], sum(row)) for row in rows}) < len(rows):
            return counted, V
    raise AssertionError


@exercise(
    "ex-one-layer-count",
    about=["kajitsuka2024:thm-2"],
    asks="The literal layer, tokens 1 to {V}, contexts of two. How many pairs of one token in two contexts are there, "
    "and how many of them get one number in float64?",
    hands_in=[whole("pairs"), whole("collide")],
    varies={"V": [5, 4, 6, 7, 8]},
    rubric={
        "pairs": "Not {given}. A token has a context with each of the others: how many pairs of contexts is that?",
        "collide": "Not {given}. In float64 a token hears the larger of the two. When is that itself, in both?",
    },
    wrong={
        "the others": (
            lambda V: (V * math.comb(V - 1, 2), V * math.comb(V - 1, 2) - math.comb(V, 3)),
            "Those are the pairs that stay apart.",
        ),
        "in exact numbers": (
            lambda V: (V * math.comb(V - 1, 2), 0),
            "None collides in exact numbers. But the smaller token weighs less than float64 can add.",
        ),
        "any two contexts": (
            lambda V: (V * math.comb(math.comb(V, 2), 2), math.comb(V, 3)),
            "A pair is one token in two contexts, and both contain it.",
        ),
        "the largest token alone": (lambda V: (V * math.comb(V - 1, 2), math.comb(V - 1, 2)), "collide"),
    },
    hint="Token t hears itself in the contexts whose other token is smaller.",
    why="Some pairs are lost in float64, although the theorem tells all apart: its gap is below what floats keep.",
)
def one_layer_count(V: int) -> tuple[int, int]:
    """Every token, every two of its contexts; heard is the larger token."""
    pairs = [(t, x, y) for t in range(1, V + 1) for x, y in itertools.combinations({*range(1, V + 1)} - {t}, 2)]
    return len(pairs), sum(max(t, x) == max(t, y) for t, x, y in pairs)


def exponent(tokens: int, r_min: Fraction, r_max: Fraction, eps: Fraction) -> Fraction:
    """S of Theorem 2 but for what does not change: (2 log n + 3) pi d / 8."""
    return (tokens + 1) ** 4 * r_max**2 / (eps * r_min)


def before_the_power(tokens: int, r_min: Fraction, r_max: Fraction, eps: Fraction) -> Fraction:
    """What stands before e^(-2S) in the gap, but for n and d."""
    return eps**2 * r_min / (r_max**2 * (tokens + 1) ** 4)


@exercise(
    "ex-one-layer-gap",
    about=["kajitsuka2024:thm-2"],
    asks="Can one help Theorem 2 by larger tokens? All of them are multiplied by {case[0]}, and with them r_min, "
    "r_max and eps. By what factor does the exponent S change, and by what factor the gap gamma? Then the vocabulary "
    "grows from {case[1]} tokens to {case[2]}, with r_min, r_max and eps as they were: by what factor does S change?",
    hands_in=[number("S"), number("gap"), number("S of more tokens")],
    varies={"case": [(10, 3, 7), (5, 1, 5), (3, 2, 8), (4, 4, 9), (100, 5, 11)]},
    rubric={
        "S": "Not {given}. Count the lengths in S: two above the line, and below it?",
        "gap": "Not {given}. What becomes of e^(-2S)? And how many lengths are left before it?",
        "S of more tokens": "Not {given}. S has the fourth power of the number of tokens and one more.",
    },
    wrong={
        "the square of r_max": (
            lambda case: (case[0] ** 2, case[0], more_tokens(case)),
            "r_max is squared, but eps and r_min stand below the line: they are lengths, too.",
        ),
        "the gap stays": (
            lambda case: (1, 1, more_tokens(case)),
            "e^(-2S) stays. But before it stand three lengths above the line and two below.",
        ),
        "without the one": (
            lambda case: (1, case[0], Fraction(case[2], case[1]) ** 4),
            "S counts one more than the tokens: differences to 0 matter as well.",
        ),
        "not the fourth power": (lambda case: (1, case[0], Fraction(case[2] + 1, case[1] + 1)), "S of more tokens"),
    },
    hint="Put c r_min, c r_max and c eps into both formulas, and cancel.",
    why="Scaling is no help, as the exponent does not notice; more tokens raise it like their fourth power.",
)
def one_layer_gap(case: tuple[int, int, int]) -> tuple[Fraction, Fraction, Fraction]:
    """Both formulas, before and after; where S stays, so does e^(-2S)."""
    lengths = (Fraction(2), Fraction(7), Fraction(1, 3))
    longer = tuple(case[0] * x for x in lengths)
    same = exponent(case[1], *longer) / exponent(case[1], *lengths)
    assert same == 1
    return same, before_the_power(case[1], *longer) / before_the_power(case[1], *lengths), more_tokens(case)


def more_tokens(case: tuple[int, int, int]) -> Fraction:
    """By how much S grows with the vocabulary."""
    lengths = (Fraction(2), Fraction(7), Fraction(1, 3))
    return exponent(case[2], *lengths) / exponent(case[1], *lengths)


def neighbours(levels: Iterable[int], n: int) -> list[tuple[int, tuple[int, ...]]]:
    """A token with whatever else may stand in a sequence of n, in whatever order, equal tokens included."""
    kept = list(levels)
    return [(t, others) for t in kept for others in itertools.combinations_with_replacement(kept, n - 1)]


@exercise(
    "ex-universality-units",
    about=["kajitsuka2024:prop-1"],
    asks="d = 1 and N = {N}. The second block of Proposition 1 looks up an id for each token with each choice of the "
    "others, equal tokens included. How many ids are that for n = 2, and for n = 3? How many hidden units does the "
    "block take at n = 2, three for each id and two more?",
    hands_in=[whole("two tokens"), whole("three tokens"), whole("units")],
    varies={"N": [8, 4, 6, 10, 12]},
    rubric={
        "two tokens": "Not {given}. Which tokens may stand beside a token?",
        "three tokens": "Not {given}. The two others have no order, but may be equal.",
        "units": "Not {given}. Three ReLUs make a bump, and two more units are needed in all.",
    },
    wrong={
        "others in order": (
            lambda N: (N * N, N**3, 3 * N * N + 2),
            "The head does not hear in which order the two others stand: both orders have one id.",
        ),
        "the diagonal given up": (
            lambda N: (N * (N - 1), N * math.comb(N - 1, 2), 3 * N * (N - 1) + 2),
            "Without equal tokens you give up the diagonal, which these blocks keep.",
        ),
        "sequences in place of tokens": (
            lambda N: (math.comb(N + 1, 2), math.comb(N + 2, 3), 3 * math.comb(N + 1, 2) + 2),
            "That is the number of contexts. But each token of a context asks for an answer of its own.",
        ),
        "bumps alone": (
            lambda N: (N * N, N * math.comb(N + 1, 2), 3 * N * N),
            "Those are the three units of each id. The block has two more.",
        ),
        "one unit an id": (lambda N: (N * N, N * math.comb(N + 1, 2), N * N + 2), "units"),
    },
    hint="Two others out of N, where the order does not count and both may be equal: N (N + 1)/2.",
    why="Ids grow like a binomial coefficient of N and n, and the second block pays three units for each.",
)
def universality_units(N: int) -> tuple[int, int, int]:
    """List them."""
    two, three = (len(neighbours(range(N), n)) for n in (2, 3))
    return two, three, 3 * two + 2


@exercise(
    "ex-universality-mean",
    asks="Sharpness 0, three tokens on the levels 1 to {N}, equal ones allowed. How many pairs of a token and the two "
    "others are there? How many different ids do they get, if a token knows itself and the mean? And how many if "
    "the levels are 1, 5, 25 and so on instead?",
    hands_in=[whole("pairs"), whole("ids"), whole("of powers")],
    varies={"N": [4, 3, 5, 6]},
    rubric={
        "pairs": "Not {given}. For each token: how many choices of two others, without order?",
        "ids": "Not {given}. Which sums can two others have, from the least to the largest?",
        "of powers": "Not {given}. Can two different choices of two powers of 5 have one sum?",
    },
    wrong={
        "sums alone": (
            lambda N: (N * math.comb(N + 1, 2), 2 * N - 1, N * math.comb(N + 1, 2)),
            "That is the number of sums. A token knows itself as well, so each sum counts for every token.",
        ),
        "all told apart": (
            lambda N: (N * math.comb(N + 1, 2),) * 3,
            "1 and 3 have the sum of 2 and 2: the mean cannot tell them apart.",
        ),
        "others in order": (
            lambda N: (N**3, N * (2 * N - 1), N**3),
            "The two others have no order, as the mean has none.",
        ),
        "powers no better": (lambda N: (N * math.comb(N + 1, 2), N * (2 * N - 1), N * (2 * N - 1)), "of powers"),
    },
    hint="If you know yourself and the mean of three, you know the sum of the two others, and no more.",
    why="The mean of powers gives away the whole multiset: sharpness 0 is enough behind the right first block.",
)
def universality_mean(N: int) -> tuple[int, int, int]:
    """List them, and what each token knows."""
    counts = []
    for levels in (range(1, N + 1), [5**t for t in range(N)]):
        pairs = neighbours(levels, 3)
        counts += [len(pairs), len({(t, t + sum(others)) for t, others in pairs})]
    return counts[0], counts[1], counts[3]
