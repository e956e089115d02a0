"""Layers X + g(X, theta) in order: in batches where g allows it, what their floats are worth, and ways uphill."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import torch

from ..arithmetic import EXACT
from ..checks import refused
from ..model import Transformer
from .mixer_parsing import MOST, Step, scale_of
from .pairs import Permutation

SCALES = (0.3, 1.0, 3.0)
RATE = 0.05
NODES, SEGMENTS, HALVINGS = 64, 8, 6
LINES, POINTS, ROUGH, FLAT = 5, 25, 16.0, 3.0
"""Lines along which noise is looked for. Above ROUGH units it is of a part with few decimals, but not if it is FLAT
times as large at steps four times as long, as kinks are, or larger than MOST, relative."""
LOST = 0.5
"""Where float32 is off by this, relative, no digit is left."""
Segment = tuple[np.ndarray, ...]
"""A point (X, theta), or a step."""
Place = tuple[int, int, int]
"""Of the gap of two tokens: of X and Y, X alone or Y alone, and which."""


def line_steps(n: int) -> tuple[tuple[float, float, float], ...]:
    """Between points of a line, with what is too small there to be of few decimals and too large to be rounding.

    The last is so long that even bfloat16 moves from point to point, and so short that few of n tokens meet a kink.
    """
    return (1e-6, 0, MOST), (1e-3, 1e-5, MOST), (0.03 / n, 1e-5, 0.3 * MOST)


def probes(d: int, n: int, count: int, rng: np.random.Generator) -> Segment:
    """X and theta at which it is measured what floats are worth; at the first `LINES` of them a line begins."""
    return rng.normal(size=(16, d, n)), scale_of(d) * rng.normal(size=(16, count))


def directions(X: np.ndarray, theta: np.ndarray) -> Segment:
    """Those of the lines from here."""
    rng = np.random.default_rng(0)  # of its own: what is drawn for the search stays as it was
    return rng.normal(size=X.shape), scale_of(X.shape[1]) * rng.normal(size=theta.shape)


class Network:
    """Steps in order, evaluated on sequences X of shape (m, d, n), each at its own parameters, (m, count)."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps, self.counts = list(steps), [step.size for step in steps]
        self.count = sum(self.counts)
        self.batched: bool | None = None
        self.calls = 0
        self.resolution = 0.0
        """Four steps of the output, relative, where g computes with few decimals; 0: float64."""

    def one(self, X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        for step, part in zip(self.steps, torch.split(theta, self.counts), strict=True):
            X = step.run(X, part)
        return X

    def many(self, X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        """On (m, d, n) and (m, count), by vmap where it gives the same as one after the other."""
        if self.batched is None:
            with torch.no_grad():
                single = self._loop(X[:2], theta[:2])
                try:
                    found = self._vmap(X[:2], theta[:2])
                    self.batched = found.shape == single.shape and torch.allclose(
                        found, single, rtol=1e-4, atol=1e-6, equal_nan=True
                    )
                except Exception:  # whatever vmap finds in code that is not ours
                    self.batched = False
        return (self._vmap if self.batched else self._loop)(X, theta)

    def _vmap(self, X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.func.vmap(self.one)(X, theta)

    def _loop(self, X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return torch.stack([self.one(Z, weights) for Z, weights in zip(X, theta, strict=True)])

    def __call__(self, X: np.ndarray, theta: np.ndarray, kind: torch.dtype = torch.float64) -> np.ndarray:
        """As arrays; one X and one theta may stand for many."""
        m = max(len(X), len(theta))
        Z = torch.tensor(X, dtype=kind).expand(m, *X.shape[1:])
        weights = torch.tensor(theta, dtype=kind).expand(m, self.count)
        try:
            with torch.no_grad():
                return self.many(Z, weights).double().numpy(force=True)
        except ValueError:
            raise
        except Exception as error:
            raise refused("g", "a function that runs at any X and theta", f"{type(error).__name__}: {error}") from error

    def noise(self, X: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The outputs, and for each the rounding that is in it: float32 beside float64, scaled to float64.

        NaN where either is not finite, or float32 has no digit of the output, as behind a division by a sum that is 0
        up to rounding: what is not defined says nothing of tokens.
        """
        exact, rough = self(X, theta), self(X, theta, torch.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(exact - rough).max(axis=(1, 2))
            size = 1 + np.abs(exact).max(axis=(1, 2))
            unit = np.maximum(off * 2.0**-29, max(2.0**-50, self.resolution) * size)
            return exact, np.where(off < LOST * size, unit, math.nan)  # not so where off is NaN or infinite

    def measure_resolution(self, d: int, n: int, rng: np.random.Generator) -> None:
        """Set `resolution`, by the least relative change of theta that the output notices, and by noise along lines."""
        X, theta = probes(d, n, self.count, rng)
        signs, middle = rng.choice([-1, 1], theta.shape), self(X, theta)
        for k in range(50, 3, -2):
            with np.errstate(invalid="ignore", over="ignore"):
                moved = np.abs(self(X, theta * (1 + 2.0**-k * signs)) - middle)
                moved /= 1 + np.abs(middle).max(axis=(1, 2), keepdims=True)
            if np.mean(moved > 0) > 1 / 4:
                step = 4 * float(np.median(moved[moved > 0]))
                self.resolution = step if step > 1e-10 else 0.0
                break
        self._measure_noise(X[:LINES], theta[:LINES])

    def _measure_noise(self, X: np.ndarray, theta: np.ndarray) -> None:
        """Raise `resolution` where a part of g has few decimals that `Raised` does not see, as within NumPy.

        Rounding is there at every point of a line, and as large for steps that are four times as long. What is smooth
        grows with the steps, a kink or jump is at few points, and where jumps are at all they are larger.
        """
        calls, (values, unit) = self.calls, self.noise(X, theta)
        size = 1 + np.abs(values).max(axis=(1, 2))
        for h, least, most in line_steps(X.shape[2]):
            noise = self._roughness(X, theta, h)
            if not np.nanmedian(np.append(noise / unit, 0)) > ROUGH:
                continue
            if np.nanmedian(self._roughness(X, theta, 4 * h) / noise) < FLAT:
                step = 4 * math.sqrt(12) * float(np.nanmedian(noise / size))
                self.resolution = max(self.resolution, step if least < step < most else 0)
        self.calls = calls

    def _roughness(self, X: np.ndarray, theta: np.ndarray, h: float) -> np.ndarray:
        """For each line its noise: of an entry the median sixth difference, of standard deviation 1 for white noise."""
        V, W = directions(X, theta)
        with np.errstate(invalid="ignore", over="ignore"):
            line = np.array([self(X + j * h * V, theta + j * h * W) for j in range(POINTS)])
            sixth = np.median(np.abs(np.diff(line, 6, axis=0)), axis=0).max(axis=(1, 2))
        return np.asarray(sixth / (0.6745 * math.sqrt(math.comb(12, 6))))

    def has_kinks(self, d: int, n: int, rng: np.random.Generator) -> bool:
        """Whether kinks or jumps, or what is as steep, were seen along random segments of (X, theta), at least two."""
        kinks = 0
        for _ in range(SEGMENTS):
            start = (rng.normal(size=(d, n)), scale_of(d) * rng.normal(size=self.count))
            way = (0.5 * rng.normal(size=(d, n)), 0.5 * scale_of(d) * rng.normal(size=self.count))
            kinks += self._kink(start, way, HALVINGS)
            if kinks == 2:  # one may be a pole nearby
                return True
        return False

    def _kink(self, start: Segment, way: Segment, halvings: int) -> bool:
        """Chebyshev coefficients of an analytic function fall geometrically, with a kink like a power of 1/k.

        Where the 64 nodes are too few for a smooth function, they are enough on a small part.
        """
        angles = np.pi * (np.arange(NODES) + 0.5) / NODES
        X, theta = (a + np.cos(angles).reshape(-1, *[1] * a.ndim) * b for a, b in zip(start, way, strict=True))
        values = self(X, theta).reshape(NODES, -1)
        if not np.isfinite(values).all():
            return False
        c = np.abs(np.cos(np.outer(np.arange(NODES), angles)) @ values)
        tail, middle = c[-8:].max(axis=0), c[20:28].max(axis=0)
        floor = max(1e-10, 100 * self.resolution) * c.max()
        if not np.any((tail > floor) & (tail > middle / 300)):
            return False
        halves = [(tuple(a + s * b / 2 for a, b in zip(start, way, strict=True))) for s in (-1, 1)]
        return halvings == 0 or any(self._kink(a, tuple(b / 2 for b in way), halvings - 1) for a in halves)

    def exact(self, pair: np.ndarray, places: tuple[int, int], times: int, rng: np.random.Generator) -> int | None:
        """At how many of `times` rational parameters the two tokens differ in EXACT; None where layers are not ours."""
        layers = [step.layer for step in self.steps]
        outputs = []
        for _ in range(times):
            copies = []
            for layer in layers:
                if layer is None:
                    return None
                weights = {
                    name: np.array([Fraction(int(a), 16) for a in rng.integers(-99, 100, w.size)]).reshape(w.shape)
                    for name, w in layer.weights().items()
                }
                copies.append(layer.with_weights(weights))
            try:
                F = [
                    Transformer(copies)(np.array([[Fraction(float(x)) for x in row] for row in Z]), EXACT) for Z in pair
                ]
            except (ValueError, ArithmeticError):
                return None  # exp, for instance, is not rational
            outputs.append(bool(np.any(F[0][:, places[0]] != F[1][:, places[1]])))
        return sum(outputs)

    def units(self, both: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Gaps of tokens, in units of rounding: (m, X and Y or X alone or Y alone, i, j); a token to itself infinite.

        NaN where an output is not finite, in float64 or float32.
        For pairs of shape (m, 2, d, n) and parameters of shape (m, count), or one of either for all.
        """
        m = max(len(both), len(theta))
        both = np.broadcast_to(both, (m, *both.shape[1:]))
        outputs, noise = self.noise(
            both.reshape(-1, *both.shape[2:]), np.repeat(np.broadcast_to(theta, (m, self.count)), 2, 0)
        )
        noise = noise.reshape(-1, 2).max(axis=1)  # NaN if one is
        F, G = np.moveaxis(outputs.reshape(-1, 2, *outputs.shape[1:]), 1, 0)
        with np.errstate(invalid="ignore", over="ignore"):
            gaps = [np.abs(A[..., :, None] - B[..., None, :]).max(axis=1) for A, B in ((F, G), (F, F), (G, G))]
            found = np.stack(gaps, axis=1) / noise[:, None, None, None]
        here = np.arange(found.shape[-1])
        found[:, 1:, here, here] = math.inf
        return found

    def off(self, X: np.ndarray, theta: np.ndarray, p: Permutation) -> float:
        """|g(X P) - g(X) P| in units of rounding."""
        (value, here), (turned, there) = (self.noise(Z, theta) for Z in (X, X[..., list(p)]))
        return float(np.abs(turned - value[..., list(p)]).max() / max(here[0], there[0]))

    def is_silent(self, draws: np.ndarray, d: int, n: int, rng: np.random.Generator) -> bool:
        X = rng.normal(size=(1, d, n))
        return bool(np.mean(np.abs(self(X, draws) - X).max(axis=(1, 2)) < 2.0**-44) > 0.9)

    def draws(self, d: int, scales: Sequence[float], times: int, rng: np.random.Generator) -> np.ndarray:
        """Parameters of several sizes in turn."""
        sizes = scale_of(d) * np.resize(scales, times)
        return sizes[:, None] * rng.normal(size=(times, self.count))

    def climb(
        self,
        pair: np.ndarray,
        place: Place,
        start: np.ndarray,
        rng: np.random.Generator,
        threshold: float,
        steps: int,
    ) -> np.ndarray:
        """Where an ascent on the gap of the two tokens leads from each start; by random steps without gradients."""
        which, i, j = place
        X, Y = (torch.as_tensor(Z).expand(len(start), *Z.shape) for Z in sequences(pair, which))
        theta = torch.as_tensor(start)
        mean, square, plateau = torch.zeros_like(theta), torch.zeros_like(theta), False

        def gap(theta: torch.Tensor) -> torch.Tensor:
            return (self.many(X, theta)[:, :, i] - self.many(Y, theta)[:, :, j]).square().sum(dim=1)

        for k in range(steps):
            if (
                k % 40 == 0
                and self.units(pair[None], theta.numpy(force=True))[(slice(None), *place)].max() >= threshold
            ):
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


def _wander(
    gap: Callable[[torch.Tensor], torch.Tensor], theta: torch.Tensor, rng: np.random.Generator, steps: int
) -> np.ndarray:
    """Random steps, kept where the gap grows."""
    with torch.no_grad():
        best = gap(theta).nan_to_num(0)
        for k in range(steps):
            there = theta + 2.0 ** -(k % 6) * torch.as_tensor(rng.normal(size=tuple(theta.shape)))
            found = gap(there).nan_to_num(0)
            theta = torch.where((found > best)[:, None], there, theta)
            best = torch.maximum(found, best)
    return theta.numpy(force=True)


def sequences(pair: np.ndarray, which: int) -> np.ndarray:
    """X and Y, or X or Y twice."""
    return pair[[[0, 1], [0, 0], [1, 1]][which]]
