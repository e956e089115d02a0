"""Pairs of sequences tried on layers, and the verdict: can these, at any parameters, tell any two apart? Ours."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..certificate import Certificate, Check
from ..checks import refused
from ..groups import generators
from ..internal.progress import progress
from .mixer_network import SCALES, Network, Place, sequences
from .mixer_parsing import Asked, scale_of
from .pairs import FAMILIES, ROUNDED, Pair, Permutation, pairs

LOOK, DRAWS = 6, 42
"""Parameters at which all pairs are seen, and at which those that are not told apart by then are seen again."""
TOLD, FOOLED = 1e4, 100.0
"""Gaps in units of rounding: from the first on two tokens are told apart, up to the second they are not."""
ALIKE, EQUIVARIANT = 1e-6, 0.1
"""Where g has few decimals, tokens are alike up to this relative gap, and g is equivariant up to that one."""
SEEN = 16
"""Parameters at which g must be finite in float32 and in float64 on a pair before that pair is a reason for "no"."""
STEPS, STARTS = 120, 4
AGAIN, EXACTLY = 64, 8
AGAIN_SCALES = (0.1, 0.3, 1, 3, 10)
"""Other parameters at which a pair that fools is seen again, in float64 and in EXACT; and their sizes."""
BATCH = 200_000
"""Numbers d n^2 of all pairs that are held at a time."""
CALLS = 8_000
"""Calls of g after which no ascent is begun; a pair that has had none is no reason for "no"."""
REORDERED = "the same tokens in another order"
HINT = "g is 0 at nearly all random parameters: shift them to where it is not"
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


class Search:
    """The search by its parts: `families` of pairs, the gap `threshold` that counts, steps of an ascent (0: none).

    early : whether one pair that fools is enough
    """

    def __init__(
        self,
        asked: Asked,
        *,
        families: Collection[str] = tuple(FAMILIES),
        threshold: float = TOLD,
        climbs: int = STEPS,
        early: bool = True,
    ) -> None:
        self.n, self.d, self.threshold, self.climbs, self.early = asked.n, asked.d, threshold, climbs, early
        self.rng, self.net = np.random.default_rng(asked.seed), Network(asked.steps)
        self.net.measure_resolution(self.d, self.n, self.rng)
        self.checks = _equivariance(self.net, asked, self.rng)
        digits = self.net.resolution or math.ulp(1)
        # What rounds by more than `ALIKE` may round a gap away, so there no pair is alike.
        self.fooled = min(FOOLED, ALIKE / digits) if digits < ALIKE else 0.0
        # With few decimals no gap may reach `threshold`: it is at most 2 / resolution units.
        self.enough = threshold if threshold * digits < 2 else min(self.fooled, threshold)
        every = pairs(self.n, self.d, asked.in_group, self.rng, asked.zeros)
        self.tried = [pair for pair in every if pair.family in families]
        self.both = np.array([[pair.X, pair.Y] for pair in self.tried])
        self.best = np.full((len(self.tried), 3, self.n, self.n), math.nan)
        self.seen = np.zeros(len(self.tried), dtype=int)
        self.draws = self.net.draws(self.d, SCALES, LOOK + DRAWS, self.rng)
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
        units = self.net.units(np.tile(self.both[chosen], (k, 1, 1, 1)), np.repeat(thetas, m, 0))
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
        drawn = np.nan_to_num(self.net.units(self.both[k][None], self.draws)[(slice(None), *place)], nan=-1.0)
        start = self.draws[np.argsort(drawn)[-STARTS:]]
        self.share(k, place, self.net.climb(self.both[k], place, start, self.rng, self.enough, self.climbs))
        return _place(self.best[k]) != place

    def share(self, k: int, place: Place, thetas: np.ndarray) -> float:
        """Pair k at all of thetas; all pairs at the best of them, which may tell others apart, too. The largest gap."""
        units = self.net.units(self.both[k][None], thetas)
        self.take(k, units)
        found = np.nan_to_num(units[(slice(None), *place)], nan=-1.0)
        self.look(np.arange(len(self.tried)), thetas[[int(found.argmax())]])
        return float(found.max())

    def again(self, k: int) -> None:
        """Confirm that pair k fools, at parameters not seen before; not where EXACT tells the two tokens apart."""
        place = which, i, j = _place(self.best[k])
        most = self.share(k, place, self.net.draws(self.d, AGAIN_SCALES, AGAIN, self.rng))
        name = "the least of these pairs at other parameters: largest gap, in units of rounding"
        checks = [Check(name, most, ">=", TOLD, None, "sampled", AGAIN)]
        if self.tried[k].family not in ROUNDED:
            differ = self.net.exact(sequences(self.both[k], which), (i, j), EXACTLY, self.rng)
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
        pair = sequences(self.both[worst], which)
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

    def notes(self, verdict: str, worst: int, kinks: bool) -> dict[str, object]:
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
        elif verdict != "yes" and self.net.is_silent(self.draws, self.d, self.n, self.rng):
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
            return all(self.net.off(*at, q) <= bound for at in seen)

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
                what = "overflows, is NaN or has no digit in float32" if first else "is NaN or infinite"
                return f"g {what} at X = {X.round(3).tolist()} with random parameters: what is not finite is not seen"
        return "g was seen at too few parameters"


def _equivariance(net: Network, asked: Asked, rng: np.random.Generator) -> list[Check]:
    """That the layers commute with the generators at random (X, theta), so g does; ValueError with the X where not.

    Where float32 is never finite the rounding is not known, and there is no check.
    """
    n, d, bound = asked.n, asked.d, min(FOOLED, EQUIVARIANT / (net.resolution or math.ulp(1)))
    worst, seen, finite = 0.0, 0, False
    for k in range(12):
        X, theta = rng.normal(size=(1, d, n)), SCALES[k % 3] * scale_of(d) * rng.normal(size=(1, net.count))
        value, noise = net.noise(X, theta)
        if not all(np.array_equal(value, net(X, theta), equal_nan=True) for _ in range(2)):
            raise refused("g", "the same values for the same X and theta", "others", "draw nothing at random in g")
        finite = finite or bool(np.isfinite(value).all())
        if np.isnan(noise[0]):
            continue
        for p in asked.turns:
            off = net.off(X, theta, p)
            if not off <= bound:
                names = ("dihedral", "cyclic", "trivial")
                known = [name for name in names if all(net.off(X, theta, q) <= bound for q in generators(name, n))]
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


def _place(gaps: np.ndarray) -> Place:
    """Where the least is."""
    which, i, j = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return int(which), int(i), int(j)


def _text(pair: Pair, gaps: np.ndarray) -> str:
    which, i, j = _place(gaps)
    names = ("XY", "XX", "YY")[which]
    said = f"X = {pair.X.round(4).tolist()}, Y = {pair.Y.round(4).tolist()}"
    return f"token {i} of {names[0]} and {j} of {names[1]}: {said}"
