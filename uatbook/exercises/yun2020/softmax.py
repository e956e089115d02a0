"""The exercises of the page *Softmax in place of hardmax*."""

from __future__ import annotations

import math
from collections.abc import Iterable

from uatlib.certificate import Check

from ...answers import choice, number, whole
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
