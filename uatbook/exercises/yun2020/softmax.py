"""The exercises of the page *Softmax in place of hardmax*."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ...answers import choice, number, numbers, whole
from ..exercise import exercise


def increase(N: int, from_error: float, to_error: float, halved: int = 2) -> float:
    """By how much the sharpness must grow, where the error goes as exp(-sharpness / (halved N^2))."""
    return halved * N * N * math.log(from_error / to_error)


@exercise(
    "ex-softmax-scale",
    about=["yun2020:lem-6"],
    asks="For N = {N} the ids of a sequence are wrong by {error} delta at the sharpness {at}; the error goes as "
    "exp(-sharpness delta^2 / 2). At which sharpness will they be wrong by about 1e-{digits} delta?",
    hands_in=number("sharpness", tolerance=3),
    varies={"N": [4], "error": [0.0027, 0.0041, 0.0019, 0.0033], "at": [500], "digits": [9, 8, 10, 12]},
    rubric={"sharpness": "Not {given}. Which factor lies between the two errors, and what is its logarithm?"},
    wrong={
        "the increase": (
            lambda N, error, at, digits: increase(N, error, 10**-digits),
            "That is by how much the sharpness grows. Where did it start?",
        ),
        "no half": (
            lambda N, error, at, digits: at + increase(N, error, 10**-digits, 1),
            "The exponent is sharpness times delta^2, halved.",
        ),
        "decimal logarithm": (
            lambda N, error, at, digits: at + 2 * N * N * math.log10(error * 10**digits),
            "The errors go as a power of e, so take the natural logarithm of the factor.",
        ),
    },
    hint="Divide {error} by 1e-{digits} and take the logarithm.",
    why="Errors fall exponentially: each factor of ten costs the same sharpness.",
)
def softmax_scale(N: int, error: float, at: int, digits: int) -> float:
    """at + 2 N^2 ln(error / 10^-digits)."""
    return at + increase(N, error, 10**-digits)


def softmax_ids(sharpness: float, N: int, tokens: tuple[int, int]) -> list[float]:
    """The ids of two tokens, in units of 1/N, after the sweep and the lift with softmax: d = 1."""

    def heard(z: float, Z: list[float], b: float) -> float:
        scores = [sharpness * k * (z - b) for k in Z]
        weights = [math.exp(score - max(scores)) for score in scores]
        return sum(w * k for w, k in zip(weights, Z, strict=True)) / sum(weights)

    Z = [token / N for token in tokens]
    for level in range(N):
        Z = [z + N * (heard(z, Z, (level - 0.5) / N) - heard(z, Z, (level + 0.5) / N)) for z in Z]
    return [z + N**3 * heard(z, Z, 0) for z in Z]


def swapped(case: tuple[int, int, int]) -> list[int]:
    """The whole sharpnesses at which the smaller token has the larger id; they follow each other."""
    N, *tokens = case
    pairs = ((s, softmax_ids(s, N, (tokens[0], tokens[1]))) for s in range(1, 200))
    return [s for s, (low, high) in pairs if low > high]


@exercise(
    "ex-softmax-swap",
    about=["yun2020:lem-6"],
    asks="Two tokens, d = 1, on the grid with N = {case[0]}: {case[1]}/N and {case[2]}/N. With softmax of some "
    "sharpnesses the smaller one gets the larger id. From which whole sharpness to which? And is there a sharpness at "
    "which both get the same id?",
    hands_in=[whole("from"), whole("to"), choice("the same id", "yes", "no")],
    varies={"case": [(2, 0, 1), (3, 0, 2), (3, 1, 2), (4, 0, 2), (4, 0, 3), (4, 1, 3)]},
    rubric={
        "from": "At the sharpness {given} the ids are {low} and {high}, and one below it {low_below} and "
        "{high_below}: it is not there that they change places.",
        "to": "At the sharpness {given} the ids are {low} and {high}, and one above it {low_above} and {high_above}: "
        "it is not there that they change back.",
        "the same id": "The difference of the two ids is a continuous function of the sharpness, and it changes its "
        "sign.",
    },
    reference=lambda case: (swapped(case)[0], swapped(case)[-1], "yes"),
    wrong={
        "one too early": (lambda case: (swapped(case)[0] - 1, swapped(case)[-1], "yes"), "from"),
        "one too late": (lambda case: (swapped(case)[0], swapped(case)[-1] + 1, "yes"), "to"),
        "never equal": (lambda case: (swapped(case)[0], swapped(case)[-1], "no"), "the same id"),
    },
    hint="Run the layers for each whole sharpness from 1 on, and compare the two ids.",
    why="So ids need not come right one after another: on their way they may change places, and meet.",
)
def softmax_swap(first: int, last: int, same: str, case: tuple[int, int, int]) -> Iterable[Check]:
    """The ends of the interval, each by the ids on both of its sides."""
    N, a, b = case
    right = swapped(case)
    for name, given, step, end in (("from", first, -1, right[0]), ("to", last, 1, right[-1])):
        at = min(max(given, 0), 500)
        shown = {"given": given, **dict(zip(("low", "high"), softmax_ids(at, N, (a, b)), strict=True))}
        beside = ("low_below", "high_below") if step < 0 else ("low_above", "high_above")
        shown |= dict(zip(beside, softmax_ids(at + step, N, (a, b)), strict=True))
        yield Check.none(name, [] if given == end else [shown])
    yield Check.none("the same id", [] if same == "yes" else [{"given": same}])


def landed(N: int, scale: float) -> float:
    """Where the first of two tokens in the cells 0 and 1 is after shift 0, in units: what two heads say, times N."""
    beta = scale / N**2
    heard = [math.exp(beta * q) / (1 + math.exp(beta * q)) for q in (0.5, -0.5)]
    return N * (heard[0] - heard[1])


@exercise(
    "ex-softmax-needed",
    about=["yun2020:lem-6"],
    asks="Two tokens in the cells 0 and 1, d = 1, N = {N}. Where is the first after shift 0 at the sharpness {scale}, "
    "in units of delta, to two decimals? And from which sharpness on is it within half a unit of where hardmax puts "
    "it, to the nearest whole number?",
    hands_in=[number("landing", Fraction(1, 100)), number("sharpness", 1)],
    varies={"N": [4, 3, 5, 6], "scale": [60, 50, 80]},
    rubric={
        "landing": "Not {given}. With the query +1/2 the scores are 0 and beta/2, beta = sharpness/N^2; with -1/2 "
        "they are 0 and -beta/2. What do both heads hear?",
        "sharpness": "Not {given}. 2 N / (e^(beta/2) + 1) must be at most 1/2. And beta is the sharpness over N "
        "squared.",
    },
    wrong={
        "hardmax": (
            lambda N, scale: (N, 2 * N**2 * math.log(4 * N - 1)),
            "That is where hardmax puts it. Softmax gives the other token some weight in both heads.",
        ),
        "one head": (
            lambda N, scale: (
                N * math.exp(scale / N**2 / 2) / (1 + math.exp(scale / N**2 / 2)),
                2 * N**2 * math.log(4 * N - 1),
            ),
            "That is what the first head says, times {N}. The other head's share is taken away.",
        ),
        "in units": (lambda N, scale: (landed(N, scale), 2 * math.log(4 * N - 1)), "sharpness"),
    },
    hint="N tanh(beta/4), with beta = sharpness / N^2.",
    why="So the first landing asks for sharpness already, before any errors add up.",
)
def softmax_needed(N: int, scale: int) -> tuple[float, float]:
    """Both heads; and by bisection."""
    low, high = 1.0, 5000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if N - landed(N, middle) <= 0.5 else (middle, high)
    return landed(N, scale), high


def hat_parts(hat: tuple[int, int, int]) -> tuple[list[Fraction], list[Fraction]]:
    """Start, middle and end, and how the slope changes there."""
    start, end, top = hat
    rise = Fraction(2 * top, end - start)
    return [Fraction(start), Fraction(start + end, 2), Fraction(end)], [rise, -2 * rise, rise]


@exercise(
    "ex-softmax-hat",
    about=["yun2020:lem-6"],
    asks="A hat is 0 outside of [{hat[0]}, {hat[1]}], rises straight to {hat[2]} in the middle, and falls straight "
    "back. Write it as a sum of three ReLUs, c_i relu(t - k_i): name the kinks k and the factors c, in the same order.",
    hands_in=[numbers("kinks", 3), numbers("factors", 3)],
    varies={"hat": [(0, 2, 3), (1, 3, 2), (-1, 1, 4), (0, 4, 1), (2, 4, 5)]},
    rubric={
        "before": "Left of the hat, at t = {t}, the sum is {value}.",
        "on it": "On the hat, at t = {t}, the sum is {value}, and {wanted} is wanted.",
        "behind": "Right of the hat, at t = {t}, the sum is {value}: what rises for ever must be taken back.",
    },
    reference=lambda hat: hat_parts(hat),
    wrong={
        "up and down": (
            lambda hat: (hat_parts(hat)[0], [hat_parts(hat)[1][0], -hat_parts(hat)[1][0], 0]),
            "on it",
        ),
        "down for ever": (lambda hat: (hat_parts(hat)[0], [*hat_parts(hat)[1][:2], 0]), "behind"),
        "too early": (lambda hat: ([k - 1 for k in hat_parts(hat)[0]], hat_parts(hat)[1]), "before"),
    },
    entry=("before", "behind"),
    hint="Where does the slope change, and by how much? The factors are the changes of the slope.",
    why="Three kinks make a hat, and hats add up to any broken line.",
)
def softmax_hat(kinks: Sequence[Fraction], factors: Sequence[Fraction], hat: tuple[int, int, int]) -> Iterable[Check]:
    """At many points before, on and behind the hat, among them the kinks that were given."""
    start, end, top = hat
    middle, rise = Fraction(start + end, 2), Fraction(2 * top, end - start)
    points = sorted({*(Fraction(k, 4) for k in range(4 * start - 40, 4 * end + 41)), *map(Fraction, kinks)})
    parts: dict[str, list[dict[str, Fraction]]] = {"before": [], "on it": [], "behind": []}
    for t in points:
        value = sum((c * max(t - k, Fraction(0)) for k, c in zip(kinks, factors, strict=True)), Fraction(0))
        wanted = max(Fraction(0), top - rise * abs(t - middle))
        if value != wanted:
            where = "before" if t <= start else "on it" if t < end else "behind"
            parts[where] += [{"t": t, "value": value, "wanted": wanted}]
    for name, found in parts.items():
        yield Check.none(name, found, cases=len(points))
