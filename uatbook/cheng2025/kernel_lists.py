"""Cheng et al. (2025): the kernels of section 4.1 that pass (13), appendix C.2, and kernels that fail."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, EXACT, distances
from uatlib.certificate import Check
from uatlib.checks import choice, whole
from uatlib.cheng2025.named_kernels import Performer
from uatlib.kernels import Kernel, Settled
from uatlib.model import Transformer

from ..damages import mapped, put
from ..registry import register
from . import kernel_samples as shared
from .growth import settles
from .kernel_samples import BESIDE, CROSS, HALF, PAIRS, TURNED, Pair, example, holding, kernels, paired, weights
from .mixing_terms import attention_weights

# ------------------------------------------------------------------------------------------- Section 4.1, appendix C.2


class Listed(NamedTuple):
    """The kernels of the list, and what appendix C.2 says of two of them.

    `slope` is the factor of t x^T W_K (y_1 - y_2) in (61), `whole_exponent` whether it is asked for beside (62), and
    `second` the key of the second term of (66).
    """

    d: int
    kernels: dict[str, Kernel]
    slope: Fraction
    whole_exponent: bool
    second: int


def _keys(d: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rows = {
        "two at random": ((1, 2, -1), (3, -1, 2)),
        "opposite": ((1, 2, -1), (-1, -2, 1)),
        "of equal length": ((1, 2, -1), (2, 1, 1)),
        "one twice the other": ((1, 2, -1), (2, 4, -2)),
        "one entry shared": ((1, 2, -1), (1, -1, 3)),
    }
    return {name: (np.array(a[:d], dtype=object), np.array(b[:d], dtype=object)) for name, (a, b) in rows.items()}


def _certify_list(parts: Listed) -> list[Check]:
    d, x = parts.d, np.array((1, HALF, -1)[: parts.d], dtype=object)
    drawn, checks = weights(d, 25, 3, 10**6), []
    for name, k in parts.kernels.items():
        still = [
            {"y_1, y_2": what, "W_K": W}
            for what, (y_1, y_2) in _keys(d).items()
            for W in drawn[settles(k, x, drawn @ y_1, drawn @ y_2)]
        ]
        cases = len(drawn) * len(_keys(d))
        checks.append(Check.none(f"{name}: W_K at which the ratio settles", still, None, "sampled", cases))
    return [*checks, *_appendix(parts, x, drawn)]


def _appendix(parts: Listed, x: np.ndarray, drawn: np.ndarray) -> Iterator[Check]:
    """The exponent of (61), the equation (62), and the hyperplanes of (66)."""
    rbf, t = example("rbf"), 3
    off, where, null = Fraction(0), None, []
    for what, (y_1, y_2) in _keys(parts.d).items():
        zero = True
        for W in drawn:
            keys = t * W @ np.column_stack([y_1, y_2])
            with EXACT.context():
                score = EXACT.output(rbf.scores(EXACT.array(keys), EXACT.array(x[:, None]), EXACT))[:, 0]
            a, b = W @ y_1, W @ y_2
            squares, line = a @ a - b @ b, x @ (a - b)
            zero &= squares == 0 and (not parts.whole_exponent or line == 0)
            miss = abs(score[0] - score[1] - (-HALF * squares * t * t + parts.slope * t * line))
            if miss > off:
                off, where = miss, {"y_1, y_2": what, "t": 3, "W_K": W}
        null += [{"y_1, y_2": what}] * zero
    cases = len(drawn) * len(_keys(parts.d))
    yield Check("(61): log of the ratio less the exponent", off, "==", 0, where, "sampled", cases)
    named = "whose exponent" if parts.whole_exponent else "for which (62)"
    yield Check.none(f"keys {named} is 0 for every W_K", null, None, "sampled", cases)
    omega = Performer.example(parts.d).omega
    drawn, y = weights(parts.d, 1500, 5, 3), _keys(parts.d)["two at random"]
    one, two, second = ((drawn @ key) @ omega.T for key in (*y, y[parts.second]))
    met = one.max(axis=1) == two.max(axis=1)
    same = one[:, :, None] == second[:, None, :]
    if parts.second == 0:
        same[:, range(3), range(3)] = False  # every W_K lies in these
    outside = met & ~same.any(axis=(1, 2))
    name = "(65): W_K outside of the sets (66)"
    yield Check.none(name, outside, lambda k: {"W_K": drawn[k]}, "sampled", int(met.sum()))


@register(
    "cheng2025:kernels",
    "five kernels for which the ratio of two keys tends to 0 or infinity, for almost every W_K",
    source="section 4.1 and appendix C.2, (13), (59) to (68)",
    chapter="cheng-kernels",
    construction=settles,
    certify=_certify_list,
    cases=[{"d": 3}],
    damages={
        "opposite features": lambda parts, rng: (
            _with_kernel(parts, performer=example("antithetic")) if parts.d == 2 else None
        ),
        "cosh in place of exp": lambda parts, rng: _with_kernel(parts, exp=example("cosh")),
        "Cauchy in place of RBF": lambda parts, rng: _with_kernel(parts, rbf=example("cauchy")),
        "half of the slope": mapped(slope=lambda slope: slope / 2),
        "the squares alone": put(whole_exponent=False),
    },
    concerns="proof",
    erratum="""In (61) the last term is 2 gamma t x^T W_K (y_1 - y_2): gamma is missing, and the sign is the other. (62)
    is 0 for every W_K if y_2 = -y_1, where that last term decides. (66) has y_1 twice. (The title of the fourth item of
    appendix C.2 has exp(w . x) + exp(w . y), with any w; its computation, (67), is for the kernel of section 4.1,
    exp(w . (x + y)) with w != 0, and is right. The sum itself would fail (13).)""",
)
def listed(*, variant: object = "repaired", d: object = 2) -> Listed:
    """The five kernels, and the lines of the appendix, as corrected or as printed."""
    d, printed = whole("d", d, 2, 3), variant == "printed"
    gamma = HALF
    slope = Fraction(-2) if printed else 2 * gamma
    return Listed(d, {name: example(name, d) for name in holding()}, slope, not printed, 0 if printed else 1)


def _with_kernel(parts: Listed, **kernels: Kernel) -> Listed:
    return parts._replace(kernels={**parts.kernels, **kernels})


# ----------------------------------------------------------------------------------------- kernels for which (13) fails


class Failing(NamedTuple):
    """A kernel, where its ratio settles, a layer with contexts, and a pair that fools it."""

    name: str
    kernel: Kernel
    settled: Settled
    model: Transformer
    X: np.ndarray
    fooled: Pair | None


FAILING = [name for name, kernel in kernels().items() if kernel.settled]
ROUNDING = Fraction(1, 2**80)


def _moment(tokens: np.ndarray, powers: tuple[int, ...]) -> Fraction:
    """The sum over tokens of the product of their entries to these powers."""
    return sum((math.prod(u**p for u, p in zip(token, powers, strict=True)) for token in tokens.T), Fraction(0))


def _certify_failing(parts: Failing) -> list[Check]:
    x, entries = np.array([1, Fraction(1, 5)], dtype=object), (-2, -1, 1, 2)
    W = np.array(list(itertools.product(entries, repeat=4)), dtype=object).reshape(-1, 2, 2)
    still = settles(parts.kernel, x, *(W @ np.array(y, dtype=object) for y in parts.settled.keys))
    share = Fraction(int(still.sum()), len(W))
    gap, which, pairs, _ = shared.least_gap(parts.model, parts.X)
    name, keys = (
        f"least distance of two tokens after a layer, all contexts of {parts.X.shape[-1]}",
        {"y_1, y_2": parts.settled.keys},
    )
    return [
        Check("share of W_K at which the ratio settles", share, ">=", parts.settled.share, keys, cases=len(W)),
        Check(name, gap, ">", 0, which, "enclosed", pairs),
        *(_certify_fooled(parts) if parts.fooled else []),
    ]


def _certify_fooled(parts: Failing) -> Iterator[Check]:
    assert parts.fooled is not None
    *pair, agreeing, layers = parts.fooled
    both, worst = np.array(pair), Fraction(0)
    where = {"X": both[0], "Y": both[1]}
    for seed in range(8):
        W = [shared.quarters(2, 100 * seed + k) for k in range(layers)]
        model = Transformer([layer for q, k, v in W for layer in shared.one_layer(parts.kernel, k, v, q).layers])
        out = model(both, BALL)
        worst = max(worst, *distances(out[0, :, 0], out[1, :, 0]))
    name = f"{both.shape[-1]} tokens, {layers} layer{'s' * (layers > 1)}: outputs of the first differ by"
    yield Check(name, worst, "<=", ROUNDING, where, "enclosed", 8)
    powers = [(p, q - p) for q in agreeing for p in range(q + 1)]
    differ = [c for c in powers if _moment(both[0], c) != _moment(both[1], c)]
    degrees = ", ".join(map(str, agreeing))
    yield Check(f"moments of degree {degrees} that differ", len(differ), "==", 0, where, cases=len(powers))


def _moved(parts: Failing, rng: np.random.Generator) -> Failing | None:
    """The last token of the second context goes a little to the right."""
    if parts.fooled is None:
        return None
    second = parts.fooled.Y.copy()
    second[0, -1] += Fraction(1, 8)
    return parts._replace(fooled=parts.fooled._replace(Y=second))


@register(
    "cheng2025:kernels-that-fail",
    "kernels for which (13) fails: most tell contexts apart all the same, some are fooled",
    source="section 4.1, (13); the kernels and pairs are ours",
    chapter="cheng-kernels",
    construction=attention_weights,
    certify=_certify_failing,
    cases=[{"kernel": name} for name in FAILING[1:]],
    damages={
        "exp in its place": put(kernel=example("exp")),
        "no values": shared.reweighted(w_v=shared.nothing),
        "no keys": lambda parts, rng: (
            None if parts.name == "constant" else shared.reweighted(w_k=shared.nothing)(parts, rng)
        ),
        "a token of the pair moved": _moved,
    },
)
def failing(*, kernel: str = "exp_plus") -> Failing:
    """The kernel, contexts out of two squares and a token beside them, and the pair that fools it, if there is one."""
    name = choice("kernel", kernel, FAILING)
    chosen = kernels()[name]
    assert chosen.settled is not None
    fooled = PAIRS.get(paired(chosen) or "")
    # Of five tokens all are told apart, or of one less than of the pair.
    n = 5 if fooled is None else fooled.X.shape[1] - 1
    X, k = shared.contexts(np.hstack([BESIDE, CROSS, TURNED]), n), chosen.example()
    return Failing(name, k, chosen.settled, shared.best(k, X), X, fooled)
