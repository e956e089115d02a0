"""Kajitsuka, Sato (2024), section 5: rank-1 transformers, what is among them and what training makes of them."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..damages import Damage, put, replaced
from ..registry import register
from .experiment.networks import RankOneAttention, RankOneTransformer, recalling_network
from .experiment.race import LEVEL, race, reached
from .experiment.token_classification import Sequences, synthetic
from .experiment.train import predict
from .label_networks import memorise

DRAWS = 20
TOLERANCE = 1e-12
RATE, BRANCHES = 1e-2, {"6 layers": 0.4}
"""Where the bound network is at its best; six layers, with smaller branches, nearly."""
BOUND, FREED = "1 layer", ("6 heads", "1 head, 6 numbers", "6 layers")
LABELS, WEIGHTS = (0, 1), (10, 11, 12)
"""Seeds: each set of labels is trained on from each of the random weights."""
RUNS = len(LABELS) * len(WEIGHTS)
LIMITS = {"size": 100, "n": 20, "vocabulary": 1000, "classes": 100, "epochs": 1000}


class Trained(NamedTuple):
    """Labelled sequences, the network of Corollary 1 for them, and which networks are trained."""

    sizes: Mapping[str, int]
    data: Sequences
    network: RankOneTransformer
    freed: Sequence[str] = FREED


def _certify(parts: Trained) -> Certificate:
    checks = [_layer_check("keys"), *_recall_checks(parts.network, parts.data), *_training_checks(parts)]
    return Certificate(checks, parameters=parts.sizes)


def _heard(Z: list[list[float]], v_1: list[float], v_2: list[float], k: int) -> float:
    """What token k hears by (20), in loops: the values v_1^T z_j, weighed by softmax over j of v_1^T z_j v_2^T z_k."""
    d, n = len(Z), len(Z[0])
    seen = [sum(v_1[i] * Z[i][j] for i in range(d)) for j in range(n)]
    asked = sum(v_2[i] * Z[i][k] for i in range(d))
    top = max(s * asked for s in seen)
    powers = [math.exp(s * asked - top) for s in seen]
    return sum(s * p for s, p in zip(seen, powers, strict=True)) / sum(powers)


def _head(layer: RankOneAttention, shared: str) -> Transformer:
    """The layer's one head of size 1, whose values share v_1 with the keys, as in (20), or with the queries."""
    v_1, v_2, w_o = (w.detach().double().numpy()[0] for w in (layer.v_1, layer.v_2, layer.w_o))
    w_k, w_q = (v_1, v_2) if shared == "keys" else (v_2, v_1)
    return Transformer([Attention([Head(w_q=w_q[None], w_k=w_k[None], w_v=v_1[None], w_o=w_o[:, None])])])


def _layer_check(shared: str) -> Check:
    """(20) in loops against the head, on the case by hand, Z = 1, v_1 = (1, 0), v_2 = (0, 1), and on random ones."""
    rng = np.random.default_rng(0)
    cases = [(np.eye(2), *np.array([[1, 0], [0, 1], [1, 0]], dtype=float))]
    for _ in range(DRAWS):
        d, n = (int(u) for u in rng.integers(1, 4, 2))
        cases.append((rng.integers(-2, 3, (d, n)).astype(float), *rng.integers(-2, 3, (3, d)) / 2))
    worst, witness = 0.0, None
    for case in cases:
        (Z, v_1, v_2, w_o), (X, *vectors) = case, (array.tolist() for array in case)
        added = np.asarray(_head(RankOneAttention(v_1, v_2, w_o), shared)(Z, FLOAT64)) - Z
        for k in range(Z.shape[1]):
            mean = _heard(X, vectors[0], vectors[1], k)
            error = float(abs(added[:, k] - w_o * mean).max())
            if error > worst:
                row = int(abs(w_o).argmax())
                head = round(added[row, k] / w_o[row], 3) + 0  # no -0
                case_at = {"Z": Z, "v_1": v_1, "v_2": v_2, "W_O": w_o, "token": k + 1}
                worst, witness = error, {**case_at, "by (20)": round(mean, 3), "from this head": head}
    name = f"formula (20), against a head whose values and {shared} have the same weights: largest difference"
    return Check(name, worst, "<=", TOLERANCE, witness if worst > TOLERANCE else None, "sampled", len(cases))


def _recall_checks(network: RankOneTransformer, data: Sequences) -> list[Check]:
    wrong = (predict(network, data) != data.labels).numpy()
    tokens, units = data.labels.numel(), sum(len(w) for w in network.w_1)
    return [
        Check.none("Corollary 1, float32: tokens mistaken", wrong, lambda i, k: {"sequence": i, "token": k}),
        Check("its layers of attention", len(network.attention), "==", 1),
        Check("its hidden units, against the tokens n N", units, "<=", tokens),
    ]


@functools.lru_cache(maxsize=32)
def _arrivals(name: str, size: int, n: int, vocabulary: int, classes: int, epochs: int) -> tuple[int | None, ...]:
    """Of each run the epoch with 9 of 10 tokens right, None if there is none."""
    settings: dict[str, Any] = {"rate": RATE, "branches": BRANCHES.get(name, 1.0), "weight_seeds": WEIGHTS}
    tasks = [synthetic(size, n, vocabulary, classes, seed=seed) for seed in LABELS]
    return tuple(reached(row) for data in tasks for row in race(name, data, epochs=epochs, **settings))


def _training_checks(parts: Trained) -> list[Check]:
    """Epochs until 9 of 10 tokens are right, for several random weights on several sets of labels: an observation."""
    *sizes, epochs = parts.sizes.values()
    checks, latest = [], 0
    for name in parts.freed:
        epochs_of = _arrivals(name, *sizes, epochs)
        came = [epoch for epoch in epochs_of if epoch is not None]
        latest = max(latest, *came, epochs if len(came) < RUNS else 0)
        text = f"{name}: runs, of {RUNS}, with {LEVEL} of the tokens right within {epochs} epochs"
        witness = f"epochs of the runs: {epochs_of}" if len(came) < RUNS else None
        checks.append(Check(text, len(came), "==", RUNS, witness, "sampled", RUNS))
    came = [epoch for epoch in _arrivals(BOUND, *sizes, latest) if epoch is not None]
    text = f"{BOUND}, one head as in (20): runs, of {RUNS}, by epoch {latest}, when all of those have come"
    return [*checks, Check(text, len(came), "==", 0, str(came) if came else None, "sampled", RUNS)]


def _another_label(parts: Trained, rng: np.random.Generator) -> Trained:
    labels = parts.data.labels.clone()
    place = tuple(int(rng.integers(k)) for k in labels.shape)
    labels[place] = (labels[place] + 1) % parts.sizes["classes"]
    return parts._replace(data=replaced(parts.data, labels=labels))


def _scaled(weight: Callable[[Any], Any], factor: float) -> Damage:
    """What `weight` gives of the network, times the factor."""

    def damaged(parts: Trained, rng: np.random.Generator) -> Trained:
        network = copy.deepcopy(parts.network)
        with torch.no_grad():
            weight(network).mul_(factor)
        return parts._replace(network=network)

    return damaged


@register(
    "kajitsuka2024:exp-5",
    "rank-1 layers: formula (20) as a head, what one layer recalls, what training finds",
    source="section 5, eq. (20), Figure 1",
    chapter="kajitsuka-rank-1",
    construction=RankOneTransformer,
    certify=_certify,
    cases=[{"size": 24, "n": 5, "epochs": 120}, {"vocabulary": 16, "classes": 4, "epochs": 120}],
    damages={
        "another scale": _scaled(lambda network: network.attention[0].v_2, 1.5),
        "a bend of the answers off": _scaled(lambda network: network.w_2[0][0][abs(network.w_2[0][0]).argmax()], 9 / 8),
        "another label": _another_label,
        "six heads with one": put(freed=(BOUND,)),
    },
    printed=lambda: Certificate([_layer_check("queries")]),
    concerns="sentence",
    erratum="""The sentence below (20) says that values and queries have the weight vector v_1. In (20) values and keys
    have it, and queries have v_2. For d >= 2 these are different layers.""",
)
def trained(*, size: int = 32, n: int = 6, vocabulary: int = 20, classes: int = 3, epochs: int = 100) -> Trained:
    """(20) in loops; Corollary 1's network in float32 on random labels; the same sizes, trained from random weights.

    Printed: the sentence below (20), against the formula.
    """
    given = {"size": size, "n": n, "vocabulary": vocabulary, "classes": classes, "epochs": epochs}
    sizes = {name: whole(name, value, 1, LIMITS[name]) for name, value in given.items()}
    data = synthetic(size, n, vocabulary, classes)
    memory = memorise(data.tokens.numpy() + 1, data.labels.numpy())
    return Trained(sizes, data, recalling_network(memory, vocabulary=vocabulary, classes=classes))
