"""Layers X + g(X, theta) of anybody's g, evaluated in batches where g allows it, and what their floats are worth."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from ..arithmetic import EXACT, FLOAT32, FLOAT64
from ..checks import refused, whole
from ..layers import Layer
from ..model import Transformer

Mixer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
NODES, SEGMENTS, HALVINGS = 64, 8, 6
LINES, POINTS, ROUGH, FLAT, MOST = 5, 25, 16.0, 3.0, 0.1
"""Lines along which noise is looked for. Above ROUGH units it is of a part with few decimals, but not if it is FLAT
times as large at steps four times as long, as kinks are, or larger than MOST, relative."""


def line_steps(n: int) -> tuple[tuple[float, float, float], ...]:
    """Between points of a line, with what is too small there to be of few decimals and too large to be rounding.

    The last is so long that even bfloat16 moves from point to point, and so short that few of n tokens meet a kink.
    """
    return (1e-6, 0, MOST), (1e-3, 1e-5, MOST), (0.03 / n, 1e-5, 0.3 * MOST)


class Step(NamedTuple):
    """A layer X -> X', with the number of its parameters; of a layer of this library, that layer.

    low : the names of the kinds of floats that g has and that were raised, such as "bfloat16"
    """

    run: Mixer
    size: int
    layer: Layer | None = None
    low: tuple[str, ...] = ()


class Raised(TorchFunctionMode):
    """Within it all floats with fewer bits than `kind` are of that kind: what PyTorch is handed, asked for and gives.

    So a softmax in float32 is one in float64, and what was rounded is not. NumPy's arrays and compiled code are beyond
    it.
    """

    CASTS: ClassVar = {
        torch.Tensor.half: torch.float16,
        torch.Tensor.bfloat16: torch.bfloat16,
        torch.Tensor.float: torch.float32,
    }

    def __init__(self, kind: torch.dtype) -> None:
        super().__init__()
        self.kind, self.low = kind, set[str]()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in self.CASTS:
            func, args = torch.Tensor.to, (args[0], self.CASTS[func])
        return self.up(func(*self.up(args), **self.up(kwargs or {})))

    def up(self, value: Any) -> Any:
        """`value`, or what holds it, raised."""
        kind = value.dtype if isinstance(value, torch.Tensor) else value
        if isinstance(kind, torch.dtype):
            if not kind.is_floating_point or torch.finfo(kind).bits >= torch.finfo(self.kind).bits:
                return value
            self.low.add(str(kind).removeprefix("torch."))
            return value.to(self.kind) if isinstance(value, torch.Tensor) else self.kind
        if isinstance(value, dict):
            return {name: self.up(each) for name, each in value.items()}
        return type(value)(map(self.up, value)) if type(value) in (tuple, list) else value


def of_mixer(g: Mixer, count: int) -> Step:
    """X + g(X, theta). What g does in place stays its own."""

    def run(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return X + g(X.clone(), theta.clone()).to(X.dtype)

    return Step(run, count)


def of_layer(layer: Layer) -> Step:
    """A layer of this library, all its weights free."""
    shapes = {name: array.shape for name, array in layer.weights().items()}
    sizes = [math.prod(shape) for shape in shapes.values()]

    def run(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        parts = zip(shapes.items(), torch.split(theta, sizes), strict=True)
        system = FLOAT32 if X.dtype == torch.float32 else FLOAT64
        return layer.forward(X, {name: part.reshape(shape) for (name, shape), part in parts}, system)

    return Step(run, sum(sizes), layer)


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

        NaN where either is not finite.
        """
        exact, rough = self(X, theta), self(X, theta, torch.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            noise = np.abs(exact - rough).max(axis=(1, 2)) * 2.0**-29
            size = 1 + np.abs(exact).max(axis=(1, 2))
            unit = np.maximum(noise, max(2.0**-50, self.resolution) * size)
        return exact, np.where(np.isfinite(noise), unit, math.nan)

    def measure_resolution(self, d: int, n: int, rng: np.random.Generator) -> None:
        """Set `resolution`, by the least relative change of theta that the output notices, and by noise along lines."""
        X, theta = rng.normal(size=(16, d, n)), scale_of(d) * rng.normal(size=(16, self.count))
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
        rng = np.random.default_rng(0)  # of its own: what is drawn for the search stays as it was
        V, W = rng.normal(size=X.shape), scale_of(X.shape[1]) * rng.normal(size=theta.shape)
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

    def _kink(self, start: Any, way: Any, halvings: int) -> bool:
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


def scale_of(d: int) -> float:
    """Of random parameters, so that scores of large tokens are no larger."""
    return math.sqrt(2 / max(d, 2))


def parsed(g: Any, count: Any, n: int, d: int, rng: np.random.Generator) -> list[Step]:
    """One layer of g, or those of a Transformer; ValueError with what g does, unless it maps (d, n) to (d, n)."""
    if isinstance(g, (Layer, Transformer)):
        layers = g.layers if isinstance(g, Transformer) else (g,)
        if any(layer.cross for layer in layers) or (g.d_in or d, g.n_in or n) != (d, n):
            raise refused("g", f"layers that take {n} tokens of {d} entries, without a second sequence", g)
        steps = [of_layer(layer) for layer in layers]
        if count is not None and whole("parameters", count, 1) != sum(step.size for step in steps):
            raise refused("parameters", "None for layers, whose weights are the parameters", count)
        return steps
    _require_two_arguments(g)
    Z, weights = torch.as_tensor(rng.normal(size=(d, n))), torch.as_tensor(scale_of(d) * rng.normal(size=count))
    # Its constants may be of one kind only.
    kinds: list[Mixer] = [
        g,
        lambda X, theta: g(X.float(), theta.float()),
        lambda X, theta: g(X.double(), theta.double()),
    ]
    value, errors = None, []
    for mixer in kinds:
        try:
            mixer(Z.float(), weights.float())
            value = mixer(Z.clone(), weights.clone())
            break
        except Exception as error:
            errors.append(error)
    else:
        expected = f"a function of tensors X of shape ({d}, {n}) and theta of shape ({count},)"
        raise refused("g", expected, f"{type(errors[0]).__name__}: {errors[0]}")
    if not isinstance(value, torch.Tensor) or tuple(value.shape) != (d, n) or value.is_complex():
        kind = "complex ones" if isinstance(value, torch.Tensor) and value.is_complex() else type(value).__name__
        shape = tuple(value.shape) if isinstance(value, torch.Tensor) and tuple(value.shape) != (d, n) else kind
        raise refused("g", f"values of shape ({d}, {n})", shape, "give the mixing term alone, real, without X")
    raised, low = _raised(mixer, d, n, count)
    return [of_mixer(raised, count)._replace(low=low)]


def _raised(g: Mixer, d: int, n: int, count: int) -> tuple[Mixer, tuple[str, ...]]:
    """g with all its floats raised to those of X, and which there were; g as it is where none were, or that fails.

    What it gives must be near what g gives, as far as the digits of g go.
    """
    seen: set[str] = set()

    def raised(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        with Raised(X.dtype) as mode:
            value = g(X, theta)
        seen.update(mode.low)
        return value

    rng, apart = np.random.default_rng(0), []  # of its own: what is drawn for the search stays as it was
    with torch.no_grad():
        for _ in range(16):
            X, theta = torch.as_tensor(rng.normal(size=(d, n))), torch.as_tensor(scale_of(d) * rng.normal(size=count))
            try:
                value = raised(X.clone(), theta.clone())
                raised(X.float(), theta.float())
            except Exception:  # whatever code that is not ours says to other floats
                return g, ()
            if not seen:
                return g, ()
            other = g(X, theta).double()
            apart.append(float((value - other).abs().max() / (1 + other.abs().max())))
    return (raised, tuple(sorted(seen))) if np.nanmedian([*apart, math.inf]) < MOST else (g, ())


def _require_two_arguments(g: Any) -> None:
    try:
        inspect.signature(g).bind(None, None)
    except TypeError:
        raise refused("g", "a function of X and theta", f"one with the arguments {inspect.signature(g)}") from None
    except ValueError:
        pass  # built in: it has no signature
