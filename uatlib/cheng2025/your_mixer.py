"""Can a mixer of tokens, whatever its parameters, tell any two sequences apart? A numerical search. Ours."""

from __future__ import annotations

import math
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
from .automorphisms import automorphism_generators
from .mixer_network import Mixer, Network, Step, of_mixer, parsed, scale_of
from .named_patterns import parse_patterns
from .pairs import FAMILIES, ROUNDED, InGroup, Pair, Permutation, pairs

SCALES = (0.3, 1.0, 3.0)
LOOK, DRAWS = 6, 42
"""Parameters at which all pairs are seen, and at which those that are not told apart by then are seen again."""
TOLD, FOOLED = 1e4, 100.0
"""Gaps in units of rounding: from the first on two tokens are told apart, up to the second they are not."""
ALIKE, EQUIVARIANT = 1e-6, 0.1
"""Where g has few decimals, tokens are alike up to this relative gap, and g is equivariant up to that one."""
SEEN = 16
"""Parameters at which g must be finite in float32 and in float64 on a pair before that pair is a reason for "no"."""
STEPS, STARTS, RATE = 120, 4, 0.05
AGAIN, EXACTLY = 64, 8
"""Other parameters at which a pair that fools is seen again, in float64 and in EXACT."""
MAX_PARAMETERS = 100_000
BATCH = 200_000
"""Numbers d n^2 of all pairs that are held at a time."""
CALLS = 8_000
"""Calls of g after which no ascent is begun; a pair that has had none is no reason for "no"."""
REORDERED = "the same tokens in another order"
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
    gap : of these two tokens, at the best parameters found, in units of rounding; NaN where g was not finite
    ends : the largest gap that is none, and the least that tells two tokens apart: 100 and `TOLD` = 10^4. Where g has
        few digits the first is less, and 0 where it has fewer than float32: there no pair is said to be alike
    family : the family of pairs that this one is of
    gaps : the least such gap of each family
    theta : the parameters with which the least gap of all pairs is largest, jointly for all layers
    kinks : whether a kink or jump was seen along random segments of (X, theta), or what is as steep as one. At a real
        one g is not analytic, and Theorem 2 does not apply. One off the segments is not seen.
    """

    verdict: str = "unsure"
    pair: tuple[np.ndarray, np.ndarray] | None = None
    tokens: tuple[int, int] | None = None
    gap: float = math.nan
    family: str = ""
    gaps: dict[str, float] | None = None
    theta: np.ndarray | None = None
    kinks: bool = False
    ends: tuple[float, float] = (FOOLED, TOLD)

    __hash__ = None  # type: ignore[assignment]


def check_mixer(
    g: Mixer | Layer | Transformer,
    *,
    parameters: Any = None,
    n: object,
    d: object,
    group: object,
    layers: int = 1,
    seed: int = 0,
    zero_tokens: object = False,
) -> Verdict:
    """Whether layers X + g(X, theta) can distinguish the tokens of any two sequences of different orbits.

    By Theorem 2, for g analytic in (X, theta) (assumed), that is all there is to ask: if two sequences can always be
    told apart, then all tokens of any finite set can by the same parameters. The search tries families of pairs that
    fool known mixers, at parameters of several sizes, and climbs before it says "no". So "no" is strong evidence: the
    pair is there to be checked; "yes" means that no such pair was found. Where g is not finite it is not seen; too
    little of it gives "unsure", with a hint.

    Parameters
    ----------
    g : takes X of shape (d, n) and theta of shape (parameters,), tensors in float32 or float64, and gives the mixing
        term of shape (d, n), without X itself. Where vmap and gradients go through g they are used, else not. Casts of
        PyTorch within g, as of a softmax to float32, are to the floats of X instead, so that the question is of the
        formula; what g rounds otherwise is looked for, and too much of it makes the answer "unsure". Or a `Layer` or
        `Transformer`, whose weights are then theta, X added as they do; rational ones are seen again in EXACT.
    parameters : how many numbers theta has; None for layers
    group : under which g is equivariant: a name as in `Target`, or permutations. Of one that is too small "no" says so,
        since tokens in another order are then to be told apart
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
    if isinstance(g, torch.nn.Module):
        hint = "hand it its weights, cut from theta, by torch.func.functional_call(module, weights, X)"
        raise refused("g", "a function of X and theta", g, hint)
    if not ours:
        g = function("g", g)
        if parameters is None:
            hint = "count what g cuts theta into; of a module it is sum(p.numel() for p in module.parameters())"
            raise refused("parameters", "how many numbers theta has", None, hint)
        parameters = whole("parameters", parameters, 1, MAX_PARAMETERS)
    depth, seed = whole("layers", layers, 1, 64), parse_seed(seed)
    turns, zeros = generators(group, n), flag("zero_tokens", zero_tokens)
    members = _elements(group, n)
    steps = parsed(g, parameters, n, d, np.random.default_rng(seed))
    if (total := depth * sum(step.size for step in steps)) > MAX_PARAMETERS:
        raise refused("parameters", f"at most {MAX_PARAMETERS:,} in all layers", f"{total:,}", "take a smaller d")
    if not ours:
        _warn_of_skip(steps[0], d, n)
    return Search(steps * depth, n, d, turns, lambda s: members is None or s in members, seed, zeros).run()


def distinguishes(kernel: Kernel, patterns: object, *, d: object, group: object = None, seed: int = 0) -> Verdict:
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
    return Search(steps, n, d, turns, members, parse_seed(seed)).run()


def attention(kernel: Kernel, rows: Any, d: int) -> Mixer:
    """The mixing term (12) of X and theta, which holds W_Q, W_K and W_V."""
    heard = torch.as_tensor(Pattern(rows).mask())

    def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        W_Q, W_K, W_V = theta.reshape(3, d, d)
        system = FLOAT32 if X.dtype == torch.float32 else FLOAT64
        powers = kernel.weights(W_K @ X, W_Q @ X, system, heard)[1]
        return W_V @ X @ (powers / powers.sum(dim=-2, keepdim=True))

    return g


class Search:
    """The search by its parts: `families` of pairs, the gap `threshold` that counts, steps of an ascent (0: none).

    early : whether one pair that fools is enough
    """

    def __init__(
        self,
        steps: list[Step],
        n: int,
        d: int,
        turns: list[Permutation],
        in_group: InGroup,
        seed: int,
        zeros: bool = False,
        *,
        families: Collection[str] = tuple(FAMILIES),
        threshold: float = TOLD,
        climbs: int = STEPS,
        early: bool = True,
    ) -> None:
        self.n, self.d, self.threshold, self.climbs, self.early = n, d, threshold, climbs, early
        self.rng, self.net = np.random.default_rng(seed), Network(steps)
        self.net.measure_resolution(d, n, self.rng)
        self.checks = _equivariance(self.net, n, d, turns, self.rng)
        digits = self.net.resolution or math.ulp(1)
        # What rounds by more than `ALIKE` may round a gap away, so there no pair is alike.
        self.fooled = min(FOOLED, ALIKE / digits) if digits < ALIKE else 0.0
        # With few decimals no gap may reach `threshold`: it is at most 2 / resolution units.
        self.enough = threshold if threshold * digits < 2 else min(self.fooled, threshold)
        self.tried = [pair for pair in pairs(n, d, in_group, self.rng, zeros) if pair.family in families]
        self.both = np.array([[pair.X, pair.Y] for pair in self.tried])
        self.best = np.full((len(self.tried), 3, n, n), math.nan)
        self.seen = np.zeros(len(self.tried), dtype=int)
        self.draws = _draws(self.net, d, SCALES, LOOK + DRAWS, self.rng)
        self.least, self.joint = -1.0, None
        self.confirmed: dict[int, list[Check]] = {}
        self.stopped = False

    def run(self) -> Verdict:
        """Draw, climb, judge."""
        self.at_random()
        self.climb()
        return self.judged()

    @property
    def gaps(self) -> np.ndarray:
        """The least of each pair, NaN where g was not finite."""
        return self.best.min(axis=(1, 2, 3))

    def look(self, chosen: np.ndarray, thetas: np.ndarray) -> None:
        """At these pairs, at all of thetas (k, count)."""
        k, m = len(thetas), len(chosen)
        units = _units(self.net, np.tile(self.both[chosen], (k, 1, 1, 1)), np.repeat(thetas, m, 0))
        units = units.reshape(k, m, 3, self.n, self.n)
        for pair, here in zip(chosen, units.swapaxes(0, 1), strict=True):
            self.take(pair, here)
        nearest = np.nan_to_num(units.min(axis=(1, 2, 3, 4)), nan=-1.0)
        if m == len(self.tried) and nearest.max() > self.least:
            self.least, self.joint = float(nearest.max()), thetas[nearest.argmax()]

    def take(self, k: int, units: np.ndarray) -> None:
        """What was seen of pair k."""
        self.best[k] = np.fmax(self.best[k], np.fmax.reduce(units))
        self.seen[k] += np.isfinite(units[:, 0, 0, 0]).sum()

    def at_random(self) -> None:
        """All pairs at a few parameters, then those that are not told apart at more."""
        everything = np.arange(len(self.tried))
        together = int(np.clip(BATCH // (len(self.tried) * self.d * self.n**2), 1, LOOK))
        for k in progress(range(0, len(self.draws), together), "mixer, parameters"):
            apart = self.gaps >= self.threshold
            # All pairs are looked at for a joint theta, in the end too if there is none by then.
            everywhere = k < LOOK or (apart.all() and self.least < self.threshold)
            chosen = everything if everywhere else np.flatnonzero(~apart)
            if not len(chosen):
                break
            self.look(chosen, self.draws[k : k + together])

    def climb(self) -> None:
        """On the pairs that are hardest to tell apart, until one is confirmed to fool."""
        gaps = np.nan_to_num(self.gaps, nan=math.inf)
        # Of pairs that are equally hard, those whose numbers are exact come first.
        key = lambda k: (max(gaps[k], self.fooled), self.tried[k].family in ROUNDED, gaps[k])  # noqa: E731
        order = sorted(np.flatnonzero(self.seen).tolist(), key=key)
        for k in progress(order[:20] if self.climbs else [], "mixer, ascent"):
            if self.net.calls > CALLS:
                self.stopped = True
                break
            for _ in range(3):  # another two tokens may be the hardest after an ascent
                if self.best[k].min() >= self.enough or not self.ascent(k):
                    break
            if self.best[k].min() < self.enough:
                self.again(k)
            if self.fools(k) and self.early:
                break

    def ascent(self, k: int) -> bool:
        """From the best parameters drawn, on the gap of the hardest tokens of pair k; whether others are harder now."""
        place = _place(self.best[k])
        drawn = np.nan_to_num(_units(self.net, self.both[k][None], self.draws)[(slice(None), *place)], nan=-1.0)
        start = self.draws[np.argsort(drawn)[-STARTS:]]
        self.share(k, place, _climb(self.net, self.both[k], place, start, self.rng, self.enough, self.climbs))
        return _place(self.best[k]) != place

    def share(self, k: int, place: Place, thetas: np.ndarray) -> float:
        """Pair k at all of thetas; all pairs at the best of them, which may tell others apart, too. The largest gap."""
        units = _units(self.net, self.both[k][None], thetas)
        self.take(k, units)
        found = np.nan_to_num(units[(slice(None), *place)], nan=-1.0)
        self.look(np.arange(len(self.tried)), thetas[[int(found.argmax())]])
        return float(found.max())

    def again(self, k: int) -> None:
        """Confirm that pair k fools, at parameters not seen before; not where EXACT tells the two tokens apart."""
        place = which, i, j = _place(self.best[k])
        most = self.share(k, place, _draws(self.net, self.d, (0.1, 0.3, 1, 3, 10), AGAIN, self.rng))
        name = "the least of these pairs at other parameters: largest gap, in units of rounding"
        checks = [Check(name, most, ">=", TOLD, None, "sampled", AGAIN)]
        if self.tried[k].family not in ROUNDED:
            differ = self.net.exact(_sequences(self.both[k], which), (i, j), EXACTLY, self.rng)
            name = "the same in EXACT: rational parameters at which the two tokens differ"
            checks += [] if differ is None else [Check(name, differ, ">=", 1, None, "sampled", EXACTLY)]
            if differ:
                return
        self.confirmed[k] = checks

    def fools(self, k: int) -> bool:
        """Whether pair k is a reason for "no"."""
        return k in self.confirmed and self.seen[k] >= SEEN and bool(self.best[k].min() <= self.fooled)

    def judged(self) -> Verdict:
        gaps = self.gaps
        fooling = [k for k in range(len(gaps)) if self.fools(k)]
        worst = fooling[0] if fooling else int(gaps.argmin())
        verdict = "no" if fooling else "yes" if (gaps >= self.threshold).all() else "unsure"
        by_family = {}
        for name in dict.fromkeys(pair.family for pair in self.tried):
            own = [k for k, pair in enumerate(self.tried) if pair.family == name]
            k = own[int(gaps[own].argmin())]
            by_family[name] = float(gaps[k])
            label = f"{name}: least gap of two tokens at the best parameters, in units of rounding"
            text = _text(self.tried[k], self.best[k])
            self.checks.append(Check(label, by_family[name], ">=", self.threshold, text, "sampled", len(own)))
        self.checks += self.confirmed.get(worst, []) if verdict != "yes" else []
        kinks = self.net.has_kinks(self.d, self.n, self.rng)
        which, i, j = _place(self.best[worst])
        pair = _sequences(self.both[worst], which)
        return Verdict(
            self.checks,
            TITLE,
            self.notes(verdict, worst, kinks),
            verdict=verdict,
            pair=(pair[0], pair[1]),
            tokens=(i, j),
            gap=float(gaps[worst]),
            family=self.tried[worst].family,
            gaps=by_family,
            theta=self.joint,
            kinks=kinks,
            ends=(self.fooled, self.threshold),
        )

    def notes(self, verdict: str, worst: int, kinks: bool) -> dict[str, Any]:
        """What stands below the certificate."""
        notes: dict[str, object] = {"n": self.n, "d": self.d, "layers": len(self.net.steps), "verdict": verdict}
        notes |= {"kinks": "one was seen, or something as steep"} if kinks else {}
        low = sorted({name for step in self.net.steps for name in step.low})
        notes |= {"raised": f"what g has in {', '.join(low)} was run with the floats of X"} if low else {}
        notes |= {"relative rounding": f"{self.net.resolution:.0e}"} if self.net.resolution else {}
        notes |= {"ascents": f"stopped after {CALLS:,} calls of g"} if self.stopped else {}
        if verdict == "unsure" and self.seen[worst] < SEEN:
            notes["hint"] = self.where_not_finite(worst)
        elif verdict == "unsure" and not self.fooled:
            notes["hint"] = f"not known at this precision: g rounds by {self.net.resolution:.0e}; write it in float64"
        elif verdict != "yes" and _is_silent(self.net, self.draws, self.d, self.n, self.rng):
            notes["hint"] = HINT
        elif verdict == "no" and self.tried[worst].family == REORDERED and (hint := self.missing_symmetry(worst)):
            notes["hint"] = hint
        return notes

    def missing_symmetry(self, k: int) -> str:
        """That g is equivariant under the permutation that takes X of pair k to Y, so the group is too small, or ""."""
        X, Y = self.both[k]
        p = tuple((np.abs(X[:, :, None] - Y[:, None]).max(axis=0)).argmin(axis=0).tolist())
        bound, rng = min(FOOLED, EQUIVARIANT / (self.net.resolution or math.ulp(1))), np.random.default_rng(0)
        seen = [
            (rng.normal(size=(1, self.d, self.n)), scale * scale_of(self.d) * rng.normal(size=(1, self.net.count)))
            for scale in SCALES
        ]

        def fits(q: Permutation) -> bool:
            return all(_off(self.net, *at, q) <= bound for at in seen)

        if not fits(p):
            return ""
        names = [name for name in ("symmetric", "dihedral", "cyclic") if all(map(fits, generators(name, self.n)))]
        wider = f'group="{names[0]}"' if names else "a group that holds it"
        return f"g is equivariant under {p}, which is not in the group that was given: ask with {wider}"

    def where_not_finite(self, k: int) -> str:
        """The first X of pair k at which g is not finite."""
        for X in self.both[k]:
            exact, noise = self.net.noise(X[None], self.draws)
            if np.isnan(noise).any():
                first = np.isfinite(exact[np.isnan(noise).argmax()]).all()
                what = "overflows or is NaN in float32" if first else "is NaN or infinite"
                return f"g {what} at X = {X.round(3).tolist()} with random parameters: what is not finite is not seen"
        return "g was seen at too few parameters"


def _elements(group: object, n: int) -> set[tuple[int, ...]] | None:
    """All permutations of the group; None for all there are."""
    return None if isinstance(group, str) and group == "symmetric" else set(elements(group, n))


def _equivariance(net: Network, n: int, d: int, turns: list[Permutation], rng: np.random.Generator) -> list[Check]:
    """That the layers commute with the generators at random (X, theta), so g does; ValueError with the X where not.

    Where float32 is never finite the rounding is not known, and there is no check.
    """
    bound = min(FOOLED, EQUIVARIANT / (net.resolution or math.ulp(1)))
    worst, seen, finite = 0.0, 0, False
    for k in range(12):
        X, theta = rng.normal(size=(1, d, n)), SCALES[k % 3] * scale_of(d) * rng.normal(size=(1, net.count))
        value, noise = net.noise(X, theta)
        if not all(np.array_equal(value, net(X, theta), equal_nan=True) for _ in range(2)):
            raise refused("g", "the same values for the same X and theta", "others", "draw nothing at random in g")
        finite = finite or bool(np.isfinite(value).all())
        if np.isnan(noise[0]):
            continue
        for p in turns:
            off = _off(net, X, theta, p)
            if not off <= bound:
                names = ("dihedral", "cyclic", "trivial")
                known = [name for name in names if all(_off(net, X, theta, q) <= bound for q in generators(name, n))]
                hint = f'at X = {X[0].round(3).tolist()}; what fits there is "{known[0]}"'
                wanted = "one under which g is equivariant up to rounding, g(X P) = g(X) P"
                raise refused("group", wanted, f"off by {off:.3g} units of rounding for {p}", hint)
            worst = max(worst, off)
        seen += 1
        if seen == 3:
            break
    if not finite:
        raise refused("g", "finite values", "NaN or infinity", "at each of 12 random X and theta")
    name = "equivariance: largest |g(X P) - g(X) P|, in units of rounding"
    return [Check(name, worst, "<=", bound, None, "sampled", seen)] if seen else []


def _off(net: Network, X: np.ndarray, theta: np.ndarray, p: Permutation) -> float:
    """|g(X P) - g(X) P| in units of rounding."""
    (value, here), (turned, there) = (net.noise(Z, theta) for Z in (X, X[..., list(p)]))
    return float(np.abs(turned - value[..., list(p)]).max() / max(here[0], there[0]))


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

    NaN where an output is not finite, in float64 or float32.
    For pairs of shape (m, 2, d, n) and parameters of shape (m, count), or one of either for all.
    """
    m = max(len(both), len(theta))
    both = np.broadcast_to(both, (m, *both.shape[1:]))
    outputs, noise = net.noise(
        both.reshape(-1, *both.shape[2:]), np.repeat(np.broadcast_to(theta, (m, net.count)), 2, 0)
    )
    noise = noise.reshape(-1, 2).max(axis=1)  # NaN if one is
    F, G = np.moveaxis(outputs.reshape(-1, 2, *outputs.shape[1:]), 1, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = [np.abs(A[..., :, None] - B[..., None, :]).max(axis=1) for A, B in ((F, G), (F, F), (G, G))]
        found = np.stack(gaps, axis=1) / noise[:, None, None, None]
    here = np.arange(found.shape[-1])
    found[:, 1:, here, here] = math.inf
    return found


def _sequences(pair: np.ndarray, which: int) -> np.ndarray:
    """X and Y, or X or Y twice."""
    return pair[[[0, 1], [0, 0], [1, 1]][which]]


def _climb(
    net: Network,
    pair: np.ndarray,
    place: Place,
    start: np.ndarray,
    rng: np.random.Generator,
    threshold: float,
    steps: int,
) -> np.ndarray:
    """Parameters to which an ascent on the gap of the two tokens leads from each start; at random without gradients."""
    which, i, j = place
    X, Y = (torch.as_tensor(Z).expand(len(start), *Z.shape) for Z in _sequences(pair, which))
    theta = torch.as_tensor(start)
    mean, square, plateau = torch.zeros_like(theta), torch.zeros_like(theta), False

    def gap(theta: torch.Tensor) -> torch.Tensor:
        return (net.many(X, theta)[:, :, i] - net.many(Y, theta)[:, :, j]).square().sum(dim=1)

    for k in range(steps):
        if k % 40 == 0 and _units(net, pair[None], theta.numpy(force=True))[(slice(None), *place)].max() >= threshold:
            break
        try:
            theta.requires_grad_()
            (slope,) = torch.autograd.grad(gap(theta).clamp_min(1e-300).log().sum(), theta)
        except (RuntimeError, TypeError, NotImplementedError):
            return _wander(gap, theta.detach(), rng, steps)
        slope = slope.nan_to_num(0, 0, 0)
        if not slope.any():  # on a plateau; once off it there is a slope
            if plateau:
                break
            theta, plateau = torch.as_tensor(_wander(gap, theta.detach(), rng, steps // 2)), True
            continue
        # Adam; torch.optim would import a compiler first.
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        size = RATE * math.sqrt(1 - 0.999 ** (k + 1)) / (1 - 0.9 ** (k + 1))
        theta = theta.detach() + size * mean / (square.sqrt() + 1e-12)
    return theta.detach().numpy(force=True)


def _wander(gap: Any, theta: torch.Tensor, rng: np.random.Generator, steps: int) -> np.ndarray:
    """Random steps, kept where the gap grows."""
    with torch.no_grad():
        best = gap(theta).nan_to_num(0)
        for k in range(steps):
            there = theta + 2.0 ** -(k % 6) * torch.as_tensor(rng.normal(size=tuple(theta.shape)))
            found = gap(there).nan_to_num(0)
            theta = torch.where((found > best)[:, None], there, theta)
            best = torch.maximum(found, best)
    return theta.numpy(force=True)


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
    names = ("XY", "XX", "YY")[which]
    said = f"X = {pair.X.round(4).tolist()}, Y = {pair.Y.round(4).tolist()}"
    return f"token {i} of {names[0]} and {j} of {names[1]}: {said}"
