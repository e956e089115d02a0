"""Random damages to networks, and pairs of them: which `certify` sees, and whether what it does not see is wrong.

    python benchmarks/damages.py             # the record data/damages.json, 320 damages a construction

One weight, bias or number of an activation changes; a layer goes, comes twice, changes places, loses its skip
connection, gets a mask or the other of softmax and hardmax; in pairs of them, also another kernel. A damage is seen if
a check of the certificate fails, not if it raises. One that is not is judged by another evaluation: the damaged layers
beside the whole ones, on more points with other seeds.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import datetime
import itertools
import json
import platform
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import flint
import numpy as np

from uatbook.damages import replaced, with_layer
from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import BALL, EXACT, Undecided, distances
from uatlib.certificate import Check, Construction
from uatlib.cheng2025 import certify_network as cheng2025_certify
from uatlib.grids import Grid
from uatlib.kajitsuka2024 import certify_network as kajitsuka2024_certify
from uatlib.kernels import CONSTANT
from uatlib.layers import RELU, Attention, FeedForward, LinearSum, ThreePiece
from uatlib.liu2025 import certify_network as liu2025_certify
from uatlib.model import Transformer
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean
from uatlib.yun2020 import certify_network as yun2020_certify

RECORD = Path(__file__).resolve().parents[1] / "data" / "damages.json"
TOLERANCE = Fraction(1, 2**40)
NONE = ValueError("the layer has nothing of the kind")

# ------------------------------------------------------------------------------------------------------------ damages


def changed(value: Any, rng: np.random.Generator) -> Any:
    """Another number: negative, doubled, a little more or less, one more; of 0 also a number from 1/8 to 1."""
    if rng.integers(5) == 0:
        return value + Fraction(int(rng.choice([-1, 1])), 10**4)
    if value == 0:
        return Fraction(int(rng.integers(1, 9)), 8)
    factor = [Fraction(-1), Fraction(2), Fraction(0), 1 + Fraction(1, 8), 1 + Fraction(1, 1000)][rng.integers(5)]
    return value * factor if rng.integers(6) else value + 1


def weight(layer: Any, rng: np.random.Generator) -> Any:
    """One weight or bias is another number."""
    weights = {name: array.copy() for name, array in layer.weights().items()}
    name = list(weights)[rng.integers(len(weights))]
    place = tuple(rng.integers(size) for size in weights[name].shape)
    weights[name][place] = changed(weights[name][place], rng)
    return layer.with_weights(weights)


def bias(layer: Any, rng: np.random.Generator) -> Any:
    """One entry of the output gets more."""
    if isinstance(layer, LinearSum):
        raise NONE
    name = "b_o" if isinstance(layer, Attention) else "b_2"
    more = np.zeros(layer.d_out, dtype=object)
    more[rng.integers(layer.d_out)] = Fraction(int(rng.integers(1, 9)), 8)
    return dataclasses.replace(layer, **{name: layer.weights().get(name, 0) + more})


def activation(layer: Any, rng: np.random.Generator) -> Any:
    """One number of a three-piece activation changes, or it is ReLU; ReLU is the identity."""
    if isinstance(layer, Attention):
        return head(layer, rng)
    if not isinstance(layer, FeedForward):
        raise NONE
    phi: Any = ThreePiece((0, 1), (1, 1, 0), (0, 0, 1))
    if isinstance(layer.activation, ThreePiece):
        numbers = {name: list(getattr(layer.activation, name)) for name in ThreePiece.NAMES}
        name = ThreePiece.NAMES[rng.integers(len(ThreePiece.NAMES))]
        k = int(rng.integers(len(numbers[name])))
        numbers[name][k] = changed(numbers[name][k], rng)
        phi = RELU if rng.integers(6) == 0 or not _is_activation(numbers) else ThreePiece(**numbers)
    return dataclasses.replace(layer, activation=phi)


def _is_activation(numbers: dict[str, list[Any]]) -> bool:
    return numbers["breakpoints"][0] <= numbers["breakpoints"][1] and 0 in numbers["slopes"]


def head(layer: Attention, rng: np.random.Generator) -> Attention:
    """One head twice, or one less."""
    heads = list(layer.heads)
    k = int(rng.integers(len(heads)))
    return dataclasses.replace(layer, heads=heads[:k] + heads[k + 1 :] if len(heads) > 1 else heads * 2)


def no_skip(layer: Any, rng: np.random.Generator) -> Any:
    """Without the skip connection."""
    if not layer.skip:
        raise NONE
    return dataclasses.replace(layer, skip=False)


def mask(layer: Any, rng: np.random.Generator, n: int) -> Any:
    """Attention to the tokens before, or to all but one."""
    visible = np.triu(np.ones((n, n), dtype=bool))
    if rng.integers(2):
        visible = np.ones((n, n), dtype=bool)
        visible[rng.integers(n), rng.integers(n)] = False
    return layer.with_mask(visible)


def other_kernel(layer: Any, rng: np.random.Generator) -> Any:
    """Each key is heard alike."""
    return dataclasses.replace(layer, kernel=CONSTANT)


def other_max(layer: Any, rng: np.random.Generator) -> Any:
    """Softmax for hardmax, or hardmax for softmax."""
    other = "hardmax" if layer.normalization == "softmax" else "softmax"
    return dataclasses.replace(layer, normalization=other)


ONE_LAYER: dict[str, Any] = {"weight": weight, "bias": bias, "activation": activation, "no skip": no_skip}
ATTENTION: dict[str, Any] = {"mask": mask, "other max": other_max}
KERNEL: dict[str, Any] = {"kernel": other_kernel}
ORDER = ("drop", "twice", "swap")
KINDS = ("weight", "weight", "weight", *ONE_LAYER, *ATTENTION, *ORDER)
"""Four in twelve are weights."""


def damaged(model: Transformer, rng: np.random.Generator, kinds: Sequence[str] = KINDS) -> tuple[str, Transformer]:
    """What was done, and the model: the first damage that is there, and leaves layers that fit."""
    while True:
        with contextlib.suppress(ValueError):
            if model.encoder and rng.integers(3) == 0:
                text, encoder = _damaged(Transformer(model.encoder), rng, kinds)
                return f"{text} of the encoder", Transformer(model.layers, n=model.n, encoder=encoder.layers)
            return _damaged(model, rng, kinds)


def _damaged(model: Transformer, rng: np.random.Generator, kinds: Sequence[str]) -> tuple[str, Transformer]:
    layers = model.layers
    kind = kinds[rng.integers(len(kinds))]
    k = int(rng.integers(len(layers)))
    if kind in ORDER and len(layers) == 1:
        kind = "twice"
    if kind in ATTENTION or kind == "kernel":
        # An encoder may have none, which NumPy refuses to choose from.
        k = int(rng.choice([i for i, layer in enumerate(layers) if isinstance(layer, Attention)]))
        n = next((layer.n_out for layer in layers[:k][::-1] if layer.n_out), model.n or 1)
        new = [mask(layers[k], rng, n) if kind == "mask" else (ATTENTION | KERNEL)[kind](layers[k], rng)]
    elif kind == "swap":
        other = int((k + rng.integers(1, len(layers))) % len(layers))
        return f"swap, layer {k}", with_layer(with_layer(model, k, layers[other]), other, layers[k])
    else:
        new = {"drop": [], "twice": [layers[k]] * 2}[kind] if kind in ORDER else [ONE_LAYER[kind](layers[k], rng)]
    return f"{kind}, layer {k}", with_layer(model, k, *new)


# ------------------------------------------------------------------------------------------------------- constructions


class Case(NamedTuple):
    """A construction, its checks that look at the layers, and whether a damaged one is wrong inside its set."""

    built: Any
    checks: Callable[[Any], list[Check]]
    is_wrong: Callable[[Any], bool]


def _dense(grid: Grid, below: Any, above: Any, seed: int) -> np.ndarray:
    """Every cell in every order, six times: at its edges, beside them, or inside; `below`, `above` are left free."""
    rng, (N, n, d) = np.random.default_rng(seed), vars(grid).values()
    L = np.array(list(itertools.product(range(N), repeat=d * n)), dtype=object).reshape(-1, d, n)
    if len(L) > 300:
        L = L[rng.choice(len(L), 300, replace=False)]
    L = np.concatenate([L] * 6)
    room = Fraction(1, N) - below - above
    near = Fraction(1, 10**9)
    part = rng.integers(0, 10**6, L.shape).astype(object) * Fraction(1, 10**6)
    part = np.where(rng.random(L.shape) < 0.3, near, part)
    part = np.where(rng.random(L.shape) < 0.3, 1 - near, part)
    part = np.where(rng.random(L.shape) < 0.2, Fraction(0), part)
    return np.asarray(L * Fraction(1, N) + below + part * room)


def of_yun(target: Any, seed: int = 10**6, **options: Any) -> Case:
    """A network of yun2020; wrong where it is off the whole network in the box, off the bands, or too far in them."""
    built = yun2020.build(target, **options)
    free = (built.width, Fraction(0)) if built.bands == "above" else (Fraction(0), built.width)
    X = _dense(built.grid, *free, seed)
    system = BALL.with_bits(built.bits) if built.stage == "softmax" else EXACT
    whole, allowed = built(X, system), built.tolerance * built.grid.delta

    def is_wrong(other: Construction) -> bool:
        # Both may be off the hardmax network by the tolerance.
        return bool(distances(other(X, system), whole).max() > 2 * allowed)

    return Case(built, yun2020_certify.network_checks, is_wrong)


def of_kajitsuka(target: Any, seed: int = 10**6, **options: Any) -> Case:
    """A network of Proposition 1."""
    built = kajitsuka2024.build(target, **options)
    X = _dense(built.grid, built.width, Fraction(0), seed)
    system = BALL.with_bits(built.bits)
    whole = built(X, system)
    allowed = Fraction(2 * built.claim["rounded"].bound)

    def is_wrong(other: Construction) -> bool:
        return bool(distances(other(X, system), whole).max() > allowed)

    return Case(built, kajitsuka2024_certify.network_checks, is_wrong)


def of_cheng(target: Any, seed: int = 10**6, **options: Any) -> Case:
    """A network of Theorem 1, wrong where it is off the whole network in the box, off the ramps."""
    built = cheng2025.build(target, **options)
    X = _dense(built.grid, Fraction(0), built.ramp * built.grid.delta, seed)
    system = BALL.with_bits(built.bits)
    whole = built(X, system)
    allowed = Fraction(2 * built.claim["interpolation"].bound)

    def is_wrong(other: Construction) -> bool:
        return bool(distances(other(X, system), whole).max() > allowed)

    return Case(built, cheng2025_certify.network_checks, is_wrong)


def of_liu(target: Any, seed: int = 10**6, **options: Any) -> Case:
    """A network of Theorem 4.1, 4.2 or 5.1, wrong where it is off the whole network in its set."""
    built = liu2025.build(target, **options)
    Z = liu2025_certify._points(built, 60, np.random.default_rng(seed))
    X = np.ascontiguousarray(Z.reshape(len(Z), -1, target.d).swapaxes(1, 2))
    given = {"source": X[..., : target.n]} if built.model.cross else {}
    X = X[..., target.n :] if given else X
    whole, allowed = built(X, BALL, **given), Fraction(2 * built.claim["rounding"].bound)

    def is_wrong(other: Construction) -> bool:
        return bool(distances(other(X, BALL, **given), whole).max() > allowed)

    return Case(built, liu2025_certify.network_checks, is_wrong)


def of_memory(n: int = 3, size: int = 5) -> Case:
    """A network of Corollary 1; wrong where an answer is."""
    rows = list(itertools.combinations(range(1, size + 1), n))
    labels = np.random.default_rng(0).integers(1, 5, (len(rows), n))
    built = kajitsuka2024.memorise(np.array(rows), labels)
    system = BALL.with_bits(2 * built.bits)

    def is_wrong(other: Any) -> bool:
        return bool(other.errors(system).max() > TOLERANCE)

    return Case(built, lambda c: list(kajitsuka2024.certify(c).checks), is_wrong)


def of_layer(vocabulary: tuple[int, ...] = (1, 2, 3), n: int = 2) -> Case:
    """A layer of Theorem 2; wrong where ids are too large or too near, by loops."""
    built = kajitsuka2024.rank_one_attention(vocabulary, n, slack=Fraction(1, 1000))
    said = kajitsuka2024.separation(vocabulary, n, Fraction(1, 1000))
    system = BALL.with_bits(2 * said.bits)

    def is_wrong(other: Transformer) -> bool:
        ids = []
        for row in itertools.permutations(vocabulary, n):
            for t, z in zip(row, other([list(row)], system)[0], strict=True):
                ids.append((t, frozenset(row), z.midpoint))
        for (s, a, y), (t, b, z) in itertools.combinations(ids, 2):
            if s != t and abs(y - z) <= said.eps / 2:
                return True
            # delta is more than 10^(log10 delta), rounded up here.
            if s == t and a != b and abs(y - z) <= Fraction(1, 10 ** int(-said.log10_delta)):
                return True
        return any(abs(z) >= said.r for _, _, z in ids)

    def checks(other: Transformer) -> list[Check]:
        # All tokens see all; without that a layer is certified under its own mask, if it has one.
        all_seen = np.ones((n, n), dtype=bool)
        return list(kajitsuka2024.certify(other, vocabulary, n, slack=Fraction(1, 1000), mask=all_seen).checks)

    return Case(built, checks, is_wrong)


PRODUCT = Target(lambda Z, source: Z * source, 1, 1, lipschitz=2, n_source=1, d_source=1)

CASES: dict[str, Callable[[], Case]] = {
    "yun2020 hardmax N=3 n=2": lambda: of_yun(mean_product(2), inverse_delta=3),
    "yun2020 hardmax N=2 n=2 d=2": lambda: of_yun(bump(2, 2), inverse_delta=2),
    "yun2020 hardmax N=4 n=3": lambda: of_yun(mean_product(3), inverse_delta=4),
    "yun2020 hardmax N=6 n=3": lambda: of_yun(mean_product(3), inverse_delta=6),
    "yun2020 hardmax N=3 n=2 printed": lambda: of_yun(mean_product(2), inverse_delta=3, variant="printed"),
    "yun2020 relu N=3 n=2": lambda: of_yun(mean_product(2), inverse_delta=3, stage="relu"),
    "yun2020 relu N=3 n=2 above": lambda: of_yun(mean_product(2), inverse_delta=3, stage="relu", bands="above"),
    "yun2020 softmax N=3 n=2": lambda: of_yun(mean_product(2), inverse_delta=3, stage="softmax"),
    "yun2020 hardmax N=3 n=2 with positions": lambda: of_yun(running_mean(2), inverse_delta=3, positional=True),
    "yun2020 softmax N=2 n=2 with positions": lambda: of_yun(
        running_mean(2), inverse_delta=2, positional=True, stage="softmax"
    ),
    "kajitsuka2024 network D=4 n=2": lambda: of_kajitsuka(mean_product(2), inverse_delta=4),
    "kajitsuka2024 network D=3 n=3 keep": lambda: of_kajitsuka(mean_product(3), inverse_delta=3, duplicates="keep"),
    "kajitsuka2024 memory": of_memory,
    "kajitsuka2024 layer": of_layer,
    "cheng2025 network N=4 n=2": lambda: of_cheng(mean_product(2), inverse_delta=4),
    "cheng2025 network N=3 n=3 cyclic": lambda: of_cheng(
        cyclic_difference(3), inverse_delta=3, patterns=[cheng2025.pattern("directed", 3, window=1)] * 3
    ),
    "liu2025 self-attention": lambda: of_liu(mean_product(2), inverse_delta=2),
    "liu2025 self-attention, smoother": lambda: of_liu(mean_product(2), error=2.0, form="smoother"),
    "liu2025 cross-attention": lambda: of_liu(PRODUCT, error=1.5, kind="cross"),
    "liu2025 cross-attention, smoother": lambda: of_liu(PRODUCT, error=1.5, kind="cross", form="smoother"),
    "liu2025 cover": lambda: of_liu(mean_product(2), error=0.5, kind="cover", centers=[[0.5, 0.5], [0.5, 1]]),
}


def put(built: Any, model: Transformer) -> Any:
    """The construction with another network."""
    return model if isinstance(built, Transformer) else replaced(built, model=model)


RUN = ("literal", "|", "least", "log10", "d_", "one token")
"""How the names of checks begin that run the layers; the others read them."""


def outcome(case: Case, seed: int, pair: bool = False) -> tuple[str, str]:
    """What was done, once or twice; and "run" or "read" for how it is seen, "refused", "harmless", or "SURVIVES"."""
    model = case.built if isinstance(case.built, Transformer) else case.built.model
    rng = np.random.default_rng(seed)
    text, other = damaged(model, rng, (*KINDS, *KERNEL) if pair else KINDS)
    if pair:
        again, other = damaged(other, rng, (*KINDS, *KERNEL))
        text = f"{text}, and {again}"
    built = put(case.built, other)
    try:
        failed = [check.name for check in case.checks(built) if check.outcome == "fails"]
    except ValueError as refusal:
        return text, "refused" if "expected" in str(refusal) else f"RAW {refusal}"
    except Exception as error:  # what a reader would see as a traceback counts as not seen
        return text, f"RAW {error!r}"
    if failed:
        return text, "run" if any(name.startswith(RUN) for name in failed) else "read"
    try:
        return text, "SURVIVES" if case.is_wrong(built) else "harmless"
    except (Undecided, ValueError):
        return text, "SURVIVES"


def counted(name: str, case: Case, count: int, pair: bool) -> dict[str, Any]:
    """How many of so many damages, or pairs, are seen, and how."""
    found: collections.Counter[str] = collections.Counter()
    for seed in range(count):
        text, result = outcome(case, seed, pair)
        found[result] += 1
        if result not in ("run", "read", "harmless"):
            print(f"  {name}, seed {seed}: {text}: {result}", flush=True)
    return {
        "damages": count,
        "seen by running the layers": found["run"],
        "seen by reading them": found["read"],
        "refused": found["refused"],
        "harmless inside": found["harmless"],
        "survivors": count - sum(found[key] for key in ("run", "read", "refused", "harmless")),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--damages", type=int, default=320, help="a construction")
    parser.add_argument("--pairs", type=int, default=24, help="of damages, a construction")
    parser.add_argument("--only", default="", help="constructions with this in their names; nothing is recorded")
    options = parser.parse_args()
    record: dict[str, Any] = {}
    for name, build in CASES.items():
        if options.only not in name:
            continue
        case = build()
        record[name] = counted(name, case, options.damages, pair=False)
        record[name]["pairs"] = counted(name, case, options.pairs, pair=True)
        print(name, record[name], flush=True)
    if options.only:
        return
    about = {
        "command": f"python benchmarks/damages.py --damages {options.damages} --pairs {options.pairs}",
        "date": datetime.date.today().isoformat(),
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "python-flint": flint.__version__},
    }
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps({**about, "constructions": record}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
