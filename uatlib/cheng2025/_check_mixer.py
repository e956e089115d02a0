"""Can a mixer of token, whatever its parameters, tell any two sequences apart? A numerical search. Ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..arithmetic import FLOAT32, FLOAT64
from ..certificate import Certificate, Check
from ..checks import flag, function, instance, refused, whole
from ..checks import seed as parse_seed
from ..groups import elements, generators
from ..kernels import Kernel
from ..patterns import Pattern
from ..progress import progress
from .pairs import Pair, pairs, zero_pairs
from .sparsity import parse_patterns
from .symmetry import automorphism_generators

Mixer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
SCALES = (0.3, 1.0, 3.0)
DRAWS = 16
"""Parameters drawn at each scale."""
TOLD, FOOLED = 1e4, 100.0
"""Gaps in units of rounding: above the first two tokens are told apart, below the second they are not."""
STEPS, STARTS = 150, 3
MAX_NUMBERS = 4096


@dataclass(frozen=True, repr=False)
class Verdict(Certificate):
    """A certificate with its verdict.

    Attributes
    ----------
    verdict : "yes": no pair was found that fools the mixer; "no": one was, which no parameters that were tried tell
        apart; "unsure": a gap that may be rounding
    pair, tokens : the sequences (X, Y) and the places (i, j) that were hardest to tell apart; with "no" they are alike
    theta : the parameters with which the least gap of all pairs is largest, jointly for all layers
    """

    verdict: str = "unsure"
    pair: tuple[np.ndarray, np.ndarray] | None = None
    tokens: tuple[int, int] | None = None
    theta: np.ndarray | None = None

    __hash__ = None  # type: ignore[assignment]


def check_mixer(
    g: Mixer,
    *,
    parameters: Any,
    n: Any,
    d: Any,
    group: Any,
    layers: Any = 1,
    seed: Any = 0,
    zero_tokens: Any = False,
) -> Verdict:
    """Whether layers X + g(X, theta) can distinguish the tokens of any two sequences of different orbits.

    By Theorem 2, for g analytic in (X, theta) (assumed), that is all there is to ask: if two sequences can always be
    told apart, then all tokens of any finite set can by the same parameters. The search tries families of pairs that
    fool known mixers, at parameters of several sizes, and climbs before it says "no". So "no" is strong evidence: the
    pair is there to be checked; "yes" means that no such pair was found.

    Parameters
    ----------
    g : takes X of shape (d, n) and theta of shape (parameters,), tensors in float32 or float64, and gives the mixing
        term of shape (d, n), without X itself; the fewer its decimals, the larger the gaps must be
    group : under which g is equivariant: a name as in `Target`, or permutations
    layers : how many, each with parameters of its own
    zero_tokens : whether tokens may be 0, which fool softmax and others (such pairs are left out unless this is set)

    Raises
    ------
    ValueError
        An output of another shape or not finite, a g that is not equivariant (with the input), sizes that are off.

    Source: cheng2025, Definition 3 and Theorem 2; the families of pairs: ours.
    """
    g, n, d = function("g", g), whole("n", n, 1, 64), whole("d", d, 1, 64)
    count, depth = whole("parameters", parameters, 1, 10**6), whole("layers", layers, 1, 64)
    steps = generators(group, n)
    return _search([g] * depth, count, n, d, steps, group, parse_seed(seed), flag("zero_tokens", zero_tokens))


def distinguishes(kernel: Kernel, patterns: Any, *, d: Any, group: Any = None, seed: Any = 0) -> Verdict:
    """`check_mixer` for attention with a kernel, (12), one pattern a layer, d x d weights W_Q, W_K and W_V.

    Parameters
    ----------
    patterns : one a layer, each a list of n sets, as `pattern` gives
    group : None: the common automorphisms of the patterns

    Raises
    ------
    ValueError
        As `check_mixer`.
    """
    instance("kernel", kernel, Kernel)
    rows, d = parse_patterns("patterns", patterns), whole("d", d, 1, 64)
    n = len(rows[0])
    steps = automorphism_generators(list(rows)).generators if group is None else generators(group, n)

    def layer(row: Any) -> Mixer:
        heard = Pattern(row)

        def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
            W_Q, W_K, W_V = theta.reshape(3, d, d)
            return W_V @ X @ _weights(X, W_Q, W_K, kernel, heard)

        return g

    return _search([layer(row) for row in rows], 3 * d * d, n, d, steps, steps, parse_seed(seed), False)


def _weights(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, kernel: Kernel, heard: Pattern) -> torch.Tensor:
    system = FLOAT32 if X.dtype == torch.float32 else FLOAT64
    powers = kernel.weights(W_K @ X, W_Q @ X, system, torch.as_tensor(heard.mask()))[1]
    return powers / powers.sum(dim=-2, keepdim=True)


class _Network:
    """(Id + g_m) ... (Id + g_1), evaluated on many sequences at many parameters."""

    def __init__(self, mixers: Sequence[Mixer], count: int) -> None:
        self.mixers, self.count = mixers, count

    def one(self, X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        for mixer, part in zip(self.mixers, theta.reshape(len(self.mixers), self.count), strict=True):
            X = X + mixer(X, part)
        return X

    def __call__(self, X: np.ndarray, theta: np.ndarray, kind: torch.dtype = torch.float64) -> np.ndarray:
        with torch.no_grad():
            weights = torch.as_tensor(theta, dtype=kind)
            found = [self.one(torch.as_tensor(Z, dtype=kind), weights) for Z in X]
        return torch.stack(found).double().numpy()


def _search(
    mixers: Sequence[Mixer], count: int, n: int, d: int, steps: list[Any], group: Any, seed: int, zeros: bool
) -> Verdict:
    rng = np.random.default_rng(seed)
    net = _Network(mixers, count)
    checks = [_equivariance(mixers[0], count, n, d, steps, rng)]
    members = _membership(group, n)
    tried = list(pairs(n, d, members, rng)) + (list(zero_pairs(n, d, rng)) if zeros else [])
    both = np.array([[pair.X, pair.Y] for pair in tried])
    best = np.zeros((len(tried), 2, n, n))
    least, joint = -1.0, None
    for k in progress(range(len(SCALES) * DRAWS), "parameters"):
        theta = SCALES[k % len(SCALES)] * rng.normal(size=len(mixers) * count)
        units = _units(net, both, theta)
        best = np.fmax(best, units)
        if np.isfinite(units).all() and (low := float(units.min())) > least:
            least, joint = low, theta
    order = np.argsort(best.min(axis=(1, 2, 3)))
    for k in order[:20]:
        which, i, j = _place(best[k])
        if best[k, which, i, j] < TOLD:
            best[k, which, i, j] = max(best[k, which, i, j], _climb(net, both[k], which, i, j, rng))
            if best[k, which, i, j] <= FOOLED:
                break  # one pair is enough
    gaps = best.min(axis=(1, 2, 3))
    worst = int(gaps.argmin())
    which, i, j = _place(best[worst])
    verdict = "yes" if gaps[worst] >= TOLD else "no" if gaps[worst] <= FOOLED else "unsure"
    pair = (both[worst, 0], both[worst, 1] if which == 0 else both[worst, 0])
    for family in dict.fromkeys(p.family for p in tried):
        chosen = [k for k, p in enumerate(tried) if p.family == family]
        k = min(chosen, key=lambda k: gaps[k])
        name = f"{family}: least gap of two tokens at the best parameters, in units of rounding"
        checks.append(Check(name, float(gaps[k]), ">=", TOLD, _text(tried[k], best[k]), "sampled", len(chosen)))
    notes = {"n": n, "d": d, "layers": len(mixers), "verdict": verdict}
    title = "Mixer: can its layers tell the tokens of two sequences apart?"
    return Verdict(checks, title, notes, verdict, pair, (i, j), joint)


def _equivariance(g: Mixer, count: int, n: int, d: int, steps: list[Any], rng: np.random.Generator) -> Check:
    """g(X P) = g(X) P for the generators, at random; ValueError with the input where it is not."""
    worst = 0.0
    for scale in SCALES:
        X, theta = rng.normal(size=(d, n)), scale * rng.normal(size=count)
        Z, weights = torch.as_tensor(X), torch.as_tensor(theta)
        try:
            value = g(Z, weights)
        except (RuntimeError, TypeError, IndexError, ValueError) as error:
            expected = f"a function of tensors X of shape ({d}, {n}) and theta of shape ({count},)"
            raise refused("g", expected, f"{type(error).__name__}: {error}") from None
        if not isinstance(value, torch.Tensor) or tuple(value.shape) != (d, n):
            shape = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
            raise refused("g", f"values of shape ({d}, {n})", shape, "give the mixing term alone, without X")
        if not bool(torch.isfinite(value).all()):
            raise refused("g", "finite values", "NaN or infinity", f"at X = {X.tolist()}")
        size = 1 + float(value.abs().max())
        for p in steps:
            off = float((g(Z[:, list(p)], weights) - value[:, list(p)]).abs().max()) / size
            if off > 1e-6:
                hint = f'at X = {X.round(3).tolist()}; state the group under which it is, e.g. "trivial"'
                raise refused(
                    "group", "one under which g is equivariant, g(X P) = g(X) P", f"off by {off:.3g} for {p}", hint
                )
            worst = max(worst, off)
    return Check("equivariance: largest |g(X P) - g(X) P|, relative", worst, "<=", 1e-6, None, "sampled", len(SCALES))


def _membership(group: Any, n: int) -> Callable[[tuple[int, ...]], bool]:
    if group == "symmetric":
        return lambda s: True
    members = set(elements(group, n))
    return lambda s: s in members


def _units(net: _Network, both: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Gaps of tokens (pair, X against Y or against itself, i, j), in units of rounding; a token to itself: infinite."""
    flat = both.reshape(-1, *both.shape[2:])
    exact, rough = net(flat, theta), net(flat, theta, torch.float32)
    noise = np.abs(exact - rough).max(axis=(1, 2)).reshape(-1, 2).max(axis=1) * 2.0**-29
    noise = np.maximum(noise, 2.0**-50 * (1 + np.abs(exact).max(axis=(1, 2)).reshape(-1, 2).max(axis=1)))
    F = exact.reshape(both.shape)
    across = np.abs(F[:, 0, :, :, None] - F[:, 1, :, None, :]).max(axis=1)
    within = np.abs(F[:, 0, :, :, None] - F[:, 0, :, None, :]).max(axis=1)
    within[:, np.arange(within.shape[1]), np.arange(within.shape[1])] = math.inf
    with np.errstate(invalid="ignore"):
        found = np.stack([across, within], axis=1) / noise[:, None, None, None]
    return np.where(np.isnan(found), 0.0, found)


def _climb(net: _Network, pair: np.ndarray, which: int, i: int, j: int, rng: np.random.Generator) -> float:
    """The largest gap of the two tokens that gradient ascent finds, in units of rounding."""
    X, Y = (torch.as_tensor(Z) for Z in (pair[0], pair[1 if which == 0 else 0]))
    best = 0.0
    for _ in range(STARTS):
        theta = torch.as_tensor(rng.normal(size=len(net.mixers) * net.count)).requires_grad_()
        optimizer = torch.optim.Adam([theta], lr=0.05)
        for _ in range(STEPS):
            gap = (net.one(X, theta)[:, i] - net.one(Y, theta)[:, j]).square().sum()
            if not gap.requires_grad or not bool(torch.isfinite(gap)):
                break
            optimizer.zero_grad()
            (-gap.clamp_min(1e-300).log()).backward()  # type: ignore[no-untyped-call]
            if theta.grad is None or not bool(torch.isfinite(theta.grad).all()):
                break
            optimizer.step()
        units = _units(net, pair[None], theta.detach().numpy())
        best = max(best, float(units[0, which, i, j]))
        if best > TOLD:
            break
    return best


def _place(gaps: np.ndarray) -> tuple[int, int, int]:
    """Where the least is."""
    which, i, j = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return int(which), int(i), int(j)


def _text(pair: Pair, gaps: np.ndarray) -> str:
    which, i, j = _place(gaps)
    other = "Y" if which == 0 else "X"
    return f"token {i} of X and {j} of {other}: X = {pair.X.round(4).tolist()}, Y = {pair.Y.round(4).tolist()}"
