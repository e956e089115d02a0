"""What is asked of a mixer, parsed: a function of anybody's, layers of ours or a kernel, as layers X + g(X, theta)."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from ..arithmetic import FLOAT32, FLOAT64
from ..checks import flag, function, instance, refused, whole
from ..checks import seed as parse_seed
from ..groups import elements, generators
from ..kernels import Kernel
from ..layers import Attention, Head, Layer
from ..model import Transformer
from ..patterns import Pattern
from .automorphisms import automorphism_generators
from .named_patterns import parse_patterns
from .pairs import InGroup, Permutation

Mixer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
MAX_PARAMETERS = 100_000
MOST = 0.1
"""How far, relative, values of raised floats may be from those of g: more is not rounding."""


class Step(NamedTuple):
    """A layer X -> X', with the number of its parameters; of a layer of this library, that layer.

    low : the names of the kinds of floats that g has and that were raised, such as "bfloat16"
    """

    run: Mixer
    size: int
    layer: Layer | None = None
    low: tuple[str, ...] = ()


class Asked(NamedTuple):
    """Layers in order, for n tokens of d entries, and the group in whose orbits sequences are alike.

    turns, in_group : generators of the group, and whether a permutation is in it
    zeros : whether tokens may be 0
    """

    steps: list[Step]
    n: int
    d: int
    turns: list[Permutation]
    in_group: InGroup
    seed: int
    zeros: bool = False


def asked_of_mixer(
    g: object,
    parameters: object,
    n: object,
    d: object,
    *,
    group: object,
    layers: object,
    seed: object,
    zero_tokens: object,
) -> Asked:
    """The question of `check_mixer`, and its errors; so `asked_of_kernel` has that of `distinguishes`."""
    n, d = whole("n", n, 1, 64), whole("d", d, 1, 64)
    if isinstance(g, torch.nn.Module):
        hint = "hand it its weights, cut from theta, by torch.func.functional_call(module, weights, X)"
        raise refused("g", "a function of X and theta", g, hint)
    ours = isinstance(g, (Layer, Transformer))
    if not ours:
        g = function("g", g)
        if parameters is None:
            hint = "count what g cuts theta into; of a module it is sum(p.numel() for p in module.parameters())"
            raise refused("parameters", "how many numbers theta has", None, hint)
        parameters = whole("parameters", parameters, 1, MAX_PARAMETERS)
    depth, seed = whole("layers", layers, 1, 64), parse_seed(seed)
    turns, zeros = generators(group, n), flag("zero_tokens", zero_tokens)
    inside = in_group(group, n)
    steps = parsed(g, parameters, n, d, np.random.default_rng(seed))
    if (total := depth * sum(step.size for step in steps)) > MAX_PARAMETERS:
        raise refused("parameters", f"at most {MAX_PARAMETERS:,} in all layers", f"{total:,}", "take a smaller d")
    if not ours:
        _warn_of_skip(steps[0], d, n)
    return Asked(steps * depth, n, d, turns, inside, seed, zeros)


def asked_of_kernel(kernel: object, patterns: object, d: object, *, group: object, seed: object) -> Asked:
    """One layer of attention with the kernel for each pattern; group None: the common automorphisms of the patterns."""
    kernel = instance("kernel", kernel, Kernel)
    rows, d = parse_patterns("patterns", patterns), whole("d", d, 1, 64)
    n = whole("n", len(rows[0]), 1, 64)
    if group is None:
        turns = automorphism_generators(list(rows)).generators
        inside = lambda s: all({s[j] for j in row} == set(p[s[i]]) for p in rows for i, row in enumerate(p))  # noqa: E731
    else:
        turns, inside = generators(group, n), in_group(group, n)
    own = np.eye(d, dtype=int)
    literal = [Attention([Head(own, own, own, own)], kernel=kernel, mask=Pattern(row)) for row in rows]
    steps = [
        of_mixer(attention(kernel, row, d), 3 * d * d)._replace(layer=layer)
        for row, layer in zip(rows, literal, strict=True)
    ]
    return Asked(steps, n, d, turns, inside, parse_seed(seed))


def in_group(group: object, n: int) -> InGroup:
    """Whether a permutation is in the group."""
    members = None if isinstance(group, str) and group == "symmetric" else set(elements(group, n))
    return lambda s: members is None or s in members


# ------------------------------------------------------------------------------------------------------------ as layers


def attention(kernel: Kernel, rows: Sequence[Sequence[int]], d: int) -> Mixer:
    """The mixing term (12) of X and theta, which holds W_Q, W_K and W_V."""
    heard = torch.as_tensor(Pattern(rows).mask())

    def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        W_Q, W_K, W_V = theta.reshape(3, d, d)
        system = FLOAT32 if X.dtype == torch.float32 else FLOAT64
        powers = kernel.weights(W_K @ X, W_Q @ X, system, heard)[1]
        return W_V @ X @ (powers / powers.sum(dim=-2, keepdim=True))

    return g


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


def _require_two_arguments(g: Mixer) -> None:
    try:
        inspect.signature(g).bind(None, None)
    except TypeError:
        raise refused("g", "a function of X and theta", f"one with the arguments {inspect.signature(g)}") from None
    except ValueError:
        pass  # built in: it has no signature


def _warn_of_skip(step: Step, d: int, n: int) -> None:
    X = torch.as_tensor(np.random.default_rng(0).normal(size=(d, n)))
    try:
        out = step.run(X, torch.zeros(step.size, dtype=X.dtype))
    except Exception:
        return  # it need not be defined there
    if torch.allclose(out, 2 * X, rtol=1e-5):
        what = "g: expected the mixing term alone, got g(X, 0) = X; the layer adds X itself, so leave it out of g."
        warnings.warn(what, UserWarning, stacklevel=4)


# --------------------------------------------------------------------------------------------------------------- raised


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


def scale_of(d: int) -> float:
    """Of random parameters, so that scores of large tokens are no larger."""
    return math.sqrt(2 / max(d, 2))
