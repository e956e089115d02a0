"""Cheng et al. (2025): the search behind `check_mixer`, on mixers whose answer is proved. Ours."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, refused, whole
from uatlib.checks import seed as parse_seed
from uatlib.cheng2025 import check_mixer
from uatlib.cheng2025.mixer_network import Network
from uatlib.cheng2025.mixer_parsing import Asked, Step
from uatlib.cheng2025.mixer_search import AGAIN, FOOLED, TOLD, Search, Verdict
from uatlib.cheng2025.pairs import FAMILIES, pairs

from ..damages import Damage, replaced
from ..registry import register
from .gallery import GALLERY, arranged

CLOSE, APART = 1e-12, 1e-12
"""Relative distances of two tokens in float64: at most, where they are alike; at least, where they are told apart."""


UNMASKING = {
    "the same tokens in another order": "softmax, in order",
    "one token turned to its opposite": "cosines",
    "one token between two others moved": "hardmax",
    "turned polygons": "lengths and cubes",
    "equal power sums on a line": "polynomial",
    "antipodal tokens": "cosh",
    "a centred triple mirrored": "sigmoid",
    "two tokens on one ray, equal sum": "scores of directions",
    "tokens on one ray, equal squares": "ReLU of scores",
    "one entry changed": "first entry",
    "entries exchanged": "sums of entries",
    "a token turned about a shared one": "cosines of differences",
    "a token moved across a shared one": "inner products",
    "a token shifted by a period": "fixed waves",
    "a zero token": "softmax with zeros",
}
"""Families, and the mixer of the cases that passes without it. The others find what these find, or nothing."""


GATED = "softmax behind a gate"


class Searched(NamedTuple):
    """A mixer of the gallery, the answer, what is asked, and options of the search."""

    name: str
    known: bool
    layers: int
    asked: Asked
    options: dict[str, Any]


def _distance(F: np.ndarray, G: np.ndarray) -> float:
    return float(np.abs(F - G).max() / (1 + max(np.abs(F).max(), np.abs(G).max())))


def _apart_anew(parts: Searched, verdict: Verdict) -> Check:
    """At the joint parameters, the nearest two tokens of pairs that the search has not seen."""
    steps, n, d, _, inside, seed, zeros = parts.asked
    net, worst, where, count = Network(steps), np.inf, None, 0
    for pair in pairs(n, d, inside, np.random.default_rng(seed + 1), zeros):
        F, G = (net.one(torch.as_tensor(Z), torch.as_tensor(verdict.theta)).numpy() for Z in (pair.X, pair.Y))
        near = [(_distance(F[:, i], G[:, j]), i, j) for i in range(n) for j in range(n)]
        near += [(_distance(F[:, i], F[:, j]), i, j) for i in range(n) for j in range(i)]
        count += len(near)
        if min(near)[0] < worst:
            worst, where = min(near)[0], {"family": pair.family, "tokens": min(near)[1:]}
    name = "joint parameters, pairs drawn anew: least relative distance of two tokens"
    return Check(name, worst, ">=", APART, where, "sampled", count)


def _alike_anew(parts: Searched, verdict: Verdict) -> Check:
    """The pair, by the layers themselves at parameters of its own."""
    rng = np.random.default_rng(parts.asked.seed + 1)
    assert verdict.pair is not None
    assert verdict.tokens is not None
    net, (X, Y), (i, j) = Network(parts.asked.steps), verdict.pair, verdict.tokens
    most = 0.0
    for _ in range(AGAIN):
        theta = torch.as_tensor(rng.normal(size=net.count))
        F, G = (net.one(torch.as_tensor(Z), theta).numpy() for Z in (X, Y))
        most = max(most, _distance(F[:, i], G[:, j]))
    name = "the pair at parameters drawn anew: largest relative distance of the two tokens"
    return Check(name, most, "<=", CLOSE, {"tokens": (i, j)}, "sampled", AGAIN)


def _certify(parts: Searched) -> Certificate:
    verdict = Search(parts.asked, **parts.options).run()
    assert verdict.pair is not None
    assert verdict.tokens is not None
    (X, Y), (i, j) = verdict.pair, verdict.tokens
    pair = {"family": verdict.family, "X": X.round(3), "token": i, "Y": Y.round(3), "token of Y": j}
    name = f"{parts.name}, proved to {'tell' if parts.known else 'fail'}: gap of the hardest pair, in units of rounding"
    relation, bound = (">=", TOLD) if parts.known else ("<=", FOOLED)
    right = verdict.verdict == ("yes" if parts.known else "no")
    checks = [
        Check(name, verdict.gap, relation, bound, pair, "sampled", len(verdict.gaps or {})),
        Check("verdict: the proved one", int(right), "==", 1, {"verdict": verdict.verdict}, "sampled"),
    ]
    if verdict.verdict == "no":
        checks.append(_alike_anew(parts, verdict))
    elif (
        verdict.verdict == "yes" and verdict.theta is not None and not verdict.kinks
    ):  # else one theta need not do for all
        checks.append(_apart_anew(parts, verdict))
    sizes = {"n": parts.asked.n, "d": parts.asked.d, "layers": parts.layers}
    return Certificate(checks, parameters={"mixer": parts.name, **sizes})


def _without(family: str) -> Damage:
    """The search without a family, where no other unmasks the mixer."""

    def damaged(parts: Searched, rng: np.random.Generator) -> Searched | None:
        if parts.name != UNMASKING[family]:
            return None
        return replaced(parts, options={"families": [name for name in FAMILIES if name != family]})

    return damaged


def _gullible(parts: Searched, rng: np.random.Generator) -> Searched | None:
    return None if parts.known else replaced(parts, options={"threshold": 0.0})


def _lazy(parts: Searched, rng: np.random.Generator) -> Searched | None:
    """Without ascent, where random parameters do not suffice."""
    return replaced(parts, options={"climbs": 0}) if parts.name == GATED else None


def _deaf(parts: Searched, rng: np.random.Generator) -> Searched | None:
    """The mixer with its parameters at 0, whatever they are."""
    deaf = replaced(parts, asked=parts.asked._replace(steps=[_silent(step) for step in parts.asked.steps]))
    return deaf if parts.known and parts.name in ("softmax", "next token") else None


def _silent(step: Step) -> Step:
    return Step(lambda X, theta: step.run(X, 0 * theta), step.size)


@register(
    "cheng2025:mixer-check",
    "a search over pairs of sequences gives mixers of known answer their verdict",
    source="Definition 3 and Theorem 2; the search: ours",
    chapter="cheng-your-mixer",
    construction=check_mixer,
    certify=_certify,
    cases=[
        {"mixer": "softmax, in order"},
        {"mixer": "softmax with zeros"},
        {"mixer": "softmax of directions", "n": 4},
        *({"mixer": mixer} for mixer in ("scores of directions", "ReLU of scores")),
        {"mixer": GATED},
        {"mixer": "hardmax"},
        {"mixer": "sigmoid", "n": 5},
        {"mixer": "average", "layers": 2},
        {"mixer": "cosh", "n": 4},
        {"mixer": "polynomial", "n": 5, "d": 1},
        {"mixer": "cosines"},
        {"mixer": "lengths and cubes", "n": 5},
        *({"mixer": mixer} for mixer in ("first entry", "sums of entries", "cosines of differences")),
        *({"mixer": mixer} for mixer in ("inner products", "fixed waves")),
        {"mixer": "next token", "n": 4, "layers": 2},
        {"mixer": "next token", "n": 4, "layers": 3},
        {"mixer": "Linformer"},
        {"mixer": "tanh sums"},
        {"mixer": "ReLU sums", "n": 4},
    ],
    damages={
        **{f"without the family: {name}": _without(name) for name in UNMASKING},
        "any gap counts": _gullible,
        "without ascent": _lazy,
        "parameters not heard": _deaf,
    },
)
def mixer_check(*, mixer: Any = "softmax", n: Any = 3, d: Any = 2, layers: Any = 1, seed: Any = 0) -> Searched:
    """The search for layers of a mixer of the gallery, at sizes where its answer is proved."""
    choice("mixer", mixer, list(GALLERY))
    n, d, layers = whole("n", n, 2, 8), whole("d", d, 1, 8), whole("layers", layers, 1, 8)
    known = GALLERY[mixer].known(n, d, layers)
    if known is None:
        raise refused("n", f"sizes for which the answer of {layers} layers of {mixer} is proved", (n, d))
    return Searched(mixer, known, layers, arranged(mixer, n, d, layers, parse_seed(seed)), {})
