"""Can a mixer of tokens, whatever its parameters, tell any two sequences apart? A numerical search. Ours."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Collection, Sequence
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
from ..layers import Attention, Head, Layer
from ..model import Transformer
from ..patterns import Pattern
from ..progress import progress
from ._mixer_network import Mixer, Network, Step, of_mixer, parsed, scale_of
from .pairs import FAMILIES, ROUNDED, InGroup, Pair, Permutation, pairs
from .sparsity import parse_patterns
from .symmetry import automorphism_generators

SCALES = (0.3, 1.0, 3.0)
LOOK, DRAWS = 6, 42
"""Parameters at which all pairs are seen, and at which those that are not told apart by then are seen again."""
TOLD, FOOLED = 1e4, 100.0
COARSE = 10.0
"""Gaps in units of rounding: from the first on two tokens are told apart, up to the second they are not; `COARSE` in
its place where g has fewer digits than float64, whose unit is measured more closely."""
STEPS, STARTS, RATE = 120, 4, 0.05
AGAIN, EXACTLY = 64, 8
"""Other parameters at which a pair that fools is seen again, in float64 and in EXACT."""
MAX_PARAMETERS = 100_000
BATCH = 200_000
"""Numbers d n^2 of all pairs that are held at a time."""
PATIENCE = 25
"""Seconds after which no ascent is begun; a pair that has had none is no reason for "no"."""
HINT = "g is 0 at nearly all random parameters: shift them to where it is not"
Place = tuple[int, int, int]
TITLE = "Mixer: can its layers tell the tokens of any two sequences apart?"


@dataclass(frozen=True, repr=False)
class Verdict(Certificate):
    """A certificate with its verdict.

    Attributes
    ----------
    verdict : "yes": no pair was found that fools the mixer; "no": one was, which no parameters that were tried tell
        apart; "unsure": a gap that may be rounding
    pair, tokens : the sequences (X, Y) and the places (i, j) that were hardest to tell apart; with "no" they are alike
    gap : of these two tokens, at the best parameters found, in units of rounding; `TOLD` = 10^4 is apart, 100 is not
    family : the family of pairs that this one is of
    gaps : the least such gap of each family
    theta : the parameters with which the least gap of all pairs is largest, jointly for all layers
    analytic : False where a kink or a jump was seen; then Theorem 2 does not apply
    """

    verdict: str = "unsure"
    pair: tuple[np.ndarray, np.ndarray] | None = None
    tokens: tuple[int, int] | None = None
    gap: float = math.nan
    family: str = ""
    gaps: dict[str, float] | None = None
    theta: np.ndarray | None = None
    analytic: bool = True

    __hash__ = None  # type: ignore[assignment]


def check_mixer(
    g: Mixer | Layer | Transformer,
    *,
    parameters: Any = None,
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
        term of shape (d, n), without X itself. Where vmap and gradients go through g they are used, else not; the fewer
        its decimals, the larger the gaps must be. Or a `Layer` or `Transformer`, whose weights are then theta, X added
        as they do; rational ones are seen again in EXACT.
    parameters : how many numbers theta has; None for layers
    group : under which g is equivariant: a name as in `Target`, or permutations
    layers : how many, each with parameters of its own
    zero_tokens : whether tokens may be 0, which fool softmax and others (such pairs are left out unless this is set)

    Raises
    ------
    ValueError
        A g that fails, gives another shape, is nowhere finite, is drawn at random or is not equivariant (with the
        input); sizes that are off. A UserWarning where g(X, 0) = X: a g that already holds the skip.

    Source: cheng2025, Definition 3 and Theorem 2; the families of pairs: ours.
    """
    ours = isinstance(g, (Layer, Transformer))
    n, d = whole("n", n, 1, 64), whole("d", d, 1, 64)
    if not ours:
        g, parameters = function("g", g), whole("parameters", parameters, 1, MAX_PARAMETERS)
    depth, seed = whole("layers", layers, 1, 64), parse_seed(seed)
    turns, zeros = generators(group, n), flag("zero_tokens", zero_tokens)
    members = _elements(group, n)
    steps = parsed(g, parameters, n, d, np.random.default_rng(seed))
    if (total := depth * sum(step.size for step in steps)) > MAX_PARAMETERS:
        raise refused("parameters", f"at most {MAX_PARAMETERS:,} in all layers", f"{total:,}", "take a smaller d")
    if not ours:
        _warn_of_skip(steps[0], d, n)
    return search(steps * depth, n, d, turns, lambda s: members is None or s in members, seed, zeros)


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
    n = whole("n", len(rows[0]), 1, 64)
    if group is None:
        turns = automorphism_generators(list(rows)).generators
        members = lambda s: all({s[j] for j in row} == set(p[s[i]]) for p in rows for i, row in enumerate(p))  # noqa: E731
    else:
        turns, known = generators(group, n), _elements(group, n)
        members = lambda s: known is None or s in known  # noqa: E731
    own = np.eye(d, dtype=int)
    literal = [Attention([Head(own, own, own, own)], kernel=kernel, mask=Pattern(row)) for row in rows]
    steps = [
        of_mixer(attention(kernel, row, d), 3 * d * d)._replace(layer=layer)
        for row, layer in zip(rows, literal, strict=True)
    ]
    return search(steps, n, d, turns, members, parse_seed(seed))


def attention(kernel: Kernel, rows: Any, d: int) -> Mixer:
    """The mixing term (12) of X and theta, which holds W_Q, W_K and W_V."""
    heard = torch.as_tensor(Pattern(rows).mask())

    def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        W_Q, W_K, W_V = theta.reshape(3, d, d)
        system = FLOAT32 if X.dtype == torch.float32 else FLOAT64
        powers = kernel.weights(W_K @ X, W_Q @ X, system, heard)[1]
        return W_V @ X @ (powers / powers.sum(dim=-2, keepdim=True))

    return g


def search(
    steps: list[Step],
    n: int,
    d: int,
    turns: list[Permutation],
    in_group: InGroup,
    seed: int,
    zeros: bool = False,
    *,
    families: Collection[str] = tuple(FAMILIES),
    told: float = TOLD,
    climbs: int = STEPS,
    early: bool = True,
) -> Verdict:
    """The search by its parts: `families` of pairs, the gap `told` that counts, steps of an ascent (0: none).

    early : whether one pair that fools is enough
    """
    rng = np.random.default_rng(seed)
    net = Network(steps)
    checks = [_equivariance(net, n, d, turns, rng)]
    net.measure_resolution(d, n, rng)
    fooled = COARSE if net.resolution else FOOLED
    tried = [pair for pair in pairs(n, d, in_group, rng, zeros) if pair.family in families]
    both = np.array([[pair.X, pair.Y] for pair in tried])
    best = np.zeros((len(tried), 3, n, n))
    draws = _draws(net, d, SCALES, LOOK + DRAWS, rng)
    least, joint = -1.0, None
    confirmed: dict[int, list[Check]] = {}

    def low(which: Any = slice(None)) -> np.ndarray:
        return best[which].min(axis=(1, 2, 3))

    def look(chosen: np.ndarray, thetas: np.ndarray) -> None:
        """At all of thetas, (k, count)."""
        nonlocal least, joint
        k, m = len(thetas), len(chosen)
        units = _units(net, np.tile(both[chosen], (k, 1, 1, 1)), np.repeat(thetas, m, 0)).reshape(k, m, 3, n, n)
        best[chosen] = np.fmax(best[chosen], units.max(axis=0))
        nearest = units.min(axis=(1, 2, 3, 4))
        if m == len(tried) and nearest.max() > least:
            least, joint = float(nearest.max()), thetas[nearest.argmax()]

    everything = np.arange(len(tried))
    together = int(np.clip(BATCH // (len(tried) * d * n * n), 1, LOOK))
    for k in progress(range(0, len(draws), together), "mixer, parameters"):
        apart = low() >= told
        # All pairs are looked at for a joint theta, in the end too if there is none by then.
        chosen = everything if k < LOOK or (apart.all() and least < told) else np.flatnonzero(~apart)
        if not len(chosen):
            break
        look(chosen, draws[k : k + together])
    # Of pairs that are equally hard, those whose numbers are exact come first.
    order = sorted(
        everything.tolist(), key=lambda k: (max(low([k])[0], fooled), tried[k].family in ROUNDED, low([k])[0])
    )
    # With few decimals no gap may reach `told`: it is at most 2 / resolution units.
    enough = told if told * net.resolution < 2 else min(fooled, told)
    until, stopped = time.monotonic() + PATIENCE, False
    for k in progress(order[:20] if climbs else [], "mixer, ascent"):
        if stopped := time.monotonic() > until:
            break
        for _ in range(3):  # another two tokens may be the hardest after an ascent
            if best[k].min() >= enough:
                break
            place = _place(best[k])
            start = draws[np.argsort(_units(net, both[k][None], draws)[(slice(None), *place)])[-STARTS:]]
            found = _climb(net, both[k], place, start, rng, enough, climbs)
            units = _units(net, both[k][None], found)
            best[k] = np.fmax(best[k], units.max(axis=0))
            # Where one pair was told apart, others may be, too.
            look(everything, found[[int(units[(slice(None), *place)].argmax())]])
            if _place(best[k]) == place:
                break
        if best[k].min() < enough:
            confirmed[k] = _again(net, both[k], best[k], d, rng, tried[k].family in ROUNDED)
        if best[k].min() <= fooled and early:
            break
    gaps = low()
    worst = next((k for k in confirmed if gaps[k] <= fooled), int(gaps.argmin()))
    which, i, j = _place(best[worst])
    verdict = "yes" if gaps[worst] >= told else "no" if gaps[worst] <= fooled else "unsure"
    verdict = "unsure" if stopped and verdict == "no" and worst not in confirmed else verdict
    by_family = {name: float(gaps[[p.family == name for p in tried]].min()) for name in _named(tried)}
    for name, gap in by_family.items():
        k = next(k for k, p in enumerate(tried) if p.family == name and gaps[k] == gap)
        cases = sum(p.family == name for p in tried)
        label = f"{name}: least gap of two tokens at the best parameters, in units of rounding"
        checks.append(Check(label, gap, ">=", told, _text(tried[k], best[k]), "sampled", cases))
    checks += confirmed.get(worst, []) if verdict != "yes" else []
    analytic = net.is_smooth(d, n, rng)
    notes = {"n": n, "d": d, "layers": len(steps), "verdict": verdict}
    notes |= {} if analytic else {"analytic": "no, so Theorem 2 does not apply"}
    notes |= {"relative rounding": f"{net.resolution:.0e}"} if net.resolution else {}
    notes |= {"ascents": f"stopped after {PATIENCE} s"} if stopped else {}
    notes |= {"hint": HINT} if verdict == "no" and _is_silent(net, draws, d, n, rng) else {}
    pair = _sequences(both[worst], which)
    return Verdict(
        checks,
        TITLE,
        notes,
        verdict=verdict,
        pair=(pair[0], pair[1]),
        tokens=(i, j),
        gap=float(gaps[worst]),
        family=tried[worst].family,
        gaps=by_family,
        theta=joint,
        analytic=analytic,
    )


def _elements(group: Any, n: int) -> set[tuple[int, ...]] | None:
    """All permutations of the group; None for all there are."""
    return None if isinstance(group, str) and group == "symmetric" else set(elements(group, n))


def _named(tried: list[Pair]) -> list[str]:
    return list(dict.fromkeys(pair.family for pair in tried))


def _equivariance(net: Network, n: int, d: int, turns: list[Permutation], rng: np.random.Generator) -> Check:
    """That the layers commute with the generators at random (X, theta), so g does; ValueError with the X where not."""
    worst, found = 0.0, 0
    for k in range(12):
        X, theta = rng.normal(size=(1, d, n)), SCALES[k % 3] * scale_of(d) * rng.normal(size=(1, net.count))
        value = net(X, theta)
        if not np.array_equal(value, net(X, theta), equal_nan=True):
            raise refused("g", "the same values for the same X and theta", "others", "draw nothing at random in g")
        if not np.isfinite(value).all():
            continue
        size = 1 + np.abs(value).max()
        for p in turns:
            off = float(np.abs(net(X[..., list(p)], theta) - value[..., list(p)]).max()) / size
            if off > 1e-4:
                known = [name for name in ("dihedral", "cyclic", "trivial") if _commutes(net, X, theta, value, name)]
                hint = f'at X = {X[0].round(3).tolist()}; what fits there is "{known[0]}"'
                wanted = "one under which g is equivariant, g(X P) = g(X) P"
                raise refused("group", wanted, f"off by {off:.3g} for {p}", hint)
            worst = max(worst, off)
        found += 1
        if found == 3:
            break
    if not found:
        raise refused("g", "finite values", "NaN or infinity", "at each of 12 random X and theta")
    return Check("equivariance: largest |g(X P) - g(X) P|, relative", worst, "<=", 1e-4, None, "sampled", found)


def _commutes(net: Network, X: np.ndarray, theta: np.ndarray, value: np.ndarray, name: str) -> bool:
    shifted = [(net(X[..., list(p)], theta), value[..., list(p)]) for p in generators(name, X.shape[-1])]
    return all(np.allclose(*two, rtol=1e-4, atol=1e-4) for two in shifted)


def _warn_of_skip(step: Step, d: int, n: int) -> None:
    X = torch.as_tensor(np.random.default_rng(0).normal(size=(d, n)))
    try:
        out = step.run(X, torch.zeros(step.size, dtype=X.dtype))
    except Exception:
        return  # it need not be defined there
    if torch.allclose(out, 2 * X, rtol=1e-5):
        what = "g: expected the mixing term alone, got g(X, 0) = X; the layer adds X itself, so leave it out of g."
        warnings.warn(what, UserWarning, stacklevel=3)


def _is_silent(net: Network, draws: np.ndarray, d: int, n: int, rng: np.random.Generator) -> bool:
    X = rng.normal(size=(1, d, n))
    return bool(np.mean(np.abs(net(X, draws) - X).max(axis=(1, 2)) < 2.0**-44) > 0.9)


def _units(net: Network, both: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Gaps of tokens, in units of rounding: (m, X and Y or X alone or Y alone, i, j); a token to itself infinite.

    For pairs of shape (m, 2, d, n) and parameters of shape (m, count), or one of either for all.
    """
    m = max(len(both), len(theta))
    both = np.broadcast_to(both, (m, *both.shape[1:]))
    outputs, noise = net.noise(
        both.reshape(-1, *both.shape[2:]), np.repeat(np.broadcast_to(theta, (m, net.count)), 2, 0)
    )
    noise = noise.reshape(-1, 2).max(axis=1)
    F, G = np.moveaxis(outputs.reshape(-1, 2, *outputs.shape[1:]), 1, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = [np.abs(A[..., :, None] - B[..., None, :]).max(axis=1) for A, B in ((F, G), (F, F), (G, G))]
        found = np.stack(gaps, axis=1) / noise[:, None, None, None]
    found = np.where(np.isnan(found), 0.0, found)
    here = np.arange(found.shape[-1])
    found[:, 1:, here, here] = math.inf
    return found


def _sequences(pair: np.ndarray, which: int) -> np.ndarray:
    """X and Y, or X or Y twice."""
    return pair[[[0, 1], [0, 0], [1, 1]][which]]


def _climb(
    net: Network, pair: np.ndarray, place: Place, start: np.ndarray, rng: np.random.Generator, told: float, steps: int
) -> np.ndarray:
    """Parameters to which an ascent on the gap of the two tokens leads from each start; at random without gradients."""
    which, i, j = place
    X, Y = (torch.as_tensor(Z).expand(len(start), *Z.shape) for Z in _sequences(pair, which))
    theta = torch.as_tensor(start)
    mean, square = torch.zeros_like(theta), torch.zeros_like(theta)

    def gap(theta: torch.Tensor) -> torch.Tensor:
        return (net.many(X, theta)[:, :, i] - net.many(Y, theta)[:, :, j]).square().sum(dim=1)

    for k in range(steps):
        if k % 40 == 0 and _units(net, pair[None], theta.numpy())[(slice(None), *place)].max() >= told:
            break
        try:
            theta.requires_grad_()
            (slope,) = torch.autograd.grad(gap(theta).clamp_min(1e-300).log().sum(), theta)
        except (RuntimeError, TypeError, NotImplementedError):
            return _wander(gap, theta.detach(), rng, steps)
        slope = slope.nan_to_num(0, 0, 0)
        if not slope.any():
            break
        # Adam; torch.optim would import a compiler first.
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        size = RATE * math.sqrt(1 - 0.999 ** (k + 1)) / (1 - 0.9 ** (k + 1))
        theta = theta.detach() + size * mean / (square.sqrt() + 1e-12)
    return theta.detach().numpy()


def _wander(gap: Any, theta: torch.Tensor, rng: np.random.Generator, steps: int) -> np.ndarray:
    """Random steps, kept where the gap grows."""
    with torch.no_grad():
        best = gap(theta).nan_to_num(0)
        for k in range(steps):
            there = theta + 2.0 ** -(k % 6) * torch.as_tensor(rng.normal(size=tuple(theta.shape)))
            found = gap(there).nan_to_num(0)
            theta = torch.where((found > best)[:, None], there, theta)
            best = torch.maximum(found, best)
    return theta.numpy()


def _again(
    net: Network, pair: np.ndarray, best: np.ndarray, d: int, rng: np.random.Generator, rounded: bool
) -> list[Check]:
    """The hardest two tokens at parameters not seen before; `best` is raised by what is found."""
    place = which, i, j = _place(best)
    units = _units(net, pair[None], _draws(net, d, (0.1, 0.3, 1, 3, 10), AGAIN, rng))
    np.fmax(best, units.max(axis=0), out=best)
    most = float(units[(slice(None), *place)].max())
    name = "the least of these pairs at other parameters: largest gap, in units of rounding"
    checks = [Check(name, most, ">=", TOLD, None, "sampled", AGAIN)]
    differ = None if rounded else net.exact(_sequences(pair, which), (i, j), EXACTLY, rng)
    if differ is not None:
        name = "the same in EXACT: rational parameters at which the two tokens differ"
        checks.append(Check(name, differ, ">=", 1, None, "sampled", EXACTLY))
    return checks


def _draws(net: Network, d: int, scales: Sequence[float], times: int, rng: np.random.Generator) -> np.ndarray:
    """Parameters of several sizes in turn."""
    sizes = scale_of(d) * np.resize(scales, times)
    return sizes[:, None] * rng.normal(size=(times, net.count))


def _place(gaps: np.ndarray) -> Place:
    """Where the least is."""
    which, i, j = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return int(which), int(i), int(j)


def _text(pair: Pair, gaps: np.ndarray) -> str:
    which, i, j = _place(gaps)
    names = ("X", "Y") if which == 0 else ("X", "X") if which == 1 else ("Y", "Y")
    said = f"X = {pair.X.round(4).tolist()}, Y = {pair.Y.round(4).tolist()}"
    return f"token {i} of {names[0]} and {j} of {names[1]}: {said}"
