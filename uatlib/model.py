"""Transformers: layers in order, evaluated by the only forward pass, in any number system."""

from __future__ import annotations

import html
import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Generic, Self, TypeVar

import numpy as np
import torch

from . import mixers
from .arithmetic import Arithmetic
from .arithmetic.base import N
from .checks import MAX_NUMBERS, TRANSPOSE, cut, flag, instance, items, listed, refused, require_shape, whole
from .internal import files
from .internal.shapes import Array, Numbers, Sequences
from .layers import Attention, FeedForward, Layer
from .layers.base import set_fields

__all__ = ["Transformer"]

T = TypeVar("T")
_KNOWN_TO_FILES = mixers
"""A file may name the layers of modules that are imported here."""


@dataclass(frozen=True, eq=False, repr=False)
class Transformer:
    """A composition of layers. ``Transformer(a.layers + b.layers)`` runs `a`, then `b`.

    ``model(X, system)`` evaluates it on X of shape (..., d_in, n_in). Where layers listen to a second sequence,
    ``model(X, system, source=Z)`` gives it to them.

    Parameters
    ----------
    layers : each takes tokens of as many entries, and as many of them, as the one before gives
    n : how many tokens the model was made for, others are refused; None: any that its layers take
    encoder : layers through which the second sequence goes first

    Attributes
    ----------
    d_in, d_out, n_in, n_out : the sizes of X and of the output; None: any, and as many come out
    d_source, n_source : those of the second sequence
    width : the largest number of entries that a token has on its way

    Raises
    ------
    ValueError
        No layers, or one that does not fit the one before; an encoder to which no layer listens.
    """

    layers: Sequence[Layer]
    n: int | None = None
    _: KW_ONLY
    encoder: Sequence[Layer] = ()
    d_in: int | None = field(init=False, default=None)
    d_out: int | None = field(init=False, default=None)
    n_in: int | None = field(init=False, default=None)
    n_out: int | None = field(init=False, default=None)
    d_source: int | None = field(init=False, default=None)
    n_source: int | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        layers = items("Transformer layers", self.layers, Layer)
        encoder = listed("Transformer encoder", self.encoder) and items("Transformer encoder", self.encoder, Layer)
        n = None if self.n is None else whole("Transformer n", self.n, 1, MAX_NUMBERS)
        set_fields(self, layers=layers, encoder=tuple(encoder), n=n)
        if encoder and not self.cross:
            raise ValueError("Transformer: expected a layer with cross=True that listens to the encoder, got none.")
        for letter, start in (("d", None), ("n", n)):
            steps = ((f"layer {i}", x, *_sizes(x, letter)[:2]) for i, x in enumerate(layers))
            within = ((f"layer {i} of the encoder", x, *_sizes(x, letter)[:2]) for i, x in enumerate(encoder))
            heard = ((f"layer {i}", x, _sizes(x, letter)[2], None) for i, x in enumerate(layers) if x.cross)
            first, last = _chain(steps, letter, start)
            source, _ = _chain([*within, *heard], letter, None)
            set_fields(self, **{f"{letter}_in": first, f"{letter}_out": last, f"{letter}_source": source})

    @property
    def cross(self) -> bool:
        """Whether some layer listens to a second sequence."""
        return any(layer.cross for layer in self.layers)

    @property
    def width(self) -> int:
        """The largest number of entries that a token has on its way."""
        return max((d for layer in (*self.encoder, *self.layers) for d in (layer.d_in, layer.d_out) if d), default=1)

    @property
    def depth(self) -> int:
        """Number of layers that act, that is, whose output weights are not all zero."""
        return sum(layer.acts for layer in (*self.encoder, *self.layers))

    def attentions(self) -> tuple[Attention, ...]:
        """The layers of attention, in order."""
        return tuple(layer for layer in self.layers if isinstance(layer, Attention))

    def feed_forwards(self) -> tuple[FeedForward, ...]:
        """The feed-forward layers, in order."""
        return tuple(layer for layer in self.layers if isinstance(layer, FeedForward))

    def parameter_count(self, nonzero: bool = False) -> int:
        """Number of weights and biases of all layers (those that are not 0, if `nonzero`)."""
        nonzero = flag("nonzero", nonzero)
        return sum(layer.parameter_count(nonzero) for layer in (*self.encoder, *self.layers))

    def lower(self, system: Arithmetic[N]) -> Lowered[N]:
        """This model with its weights converted to `system` once, for many evaluations: where they lie, X goes."""
        return Lowered(self, system)

    def __call__(self, X: Numbers, system: Arithmetic[N], *, source: Numbers | None = None) -> N:
        """The output for X of shape (..., d_in, n_in), computed in `system`: of shape (..., d_out, n_out).

        EXACT takes int and Fraction and returns an object array of Fraction; BALL also takes floats and balls and
        returns balls; FLOAT32, FLOAT64 and INT64 return tensors, on the device of X unless the system names one.

        Parameters
        ----------
        source : the second sequence, of shape (..., d_source, n_source), if the model has cross-attention

        Raises
        ------
        ValueError
            X or `source` has the wrong shape, holds NaN, infinity or numbers that the system does not take; no source
            where one is needed, or one that no layer listens to.
        Overflow
            A number inside the model does not fit the system.
        Undecided
            A ball could not decide a comparison, or a softmax.
        """
        return self.lower(_number_system(system).beside(X))(X, source=source)

    def trace(self, X: Numbers, system: Arithmetic[N], *, source: Numbers | None = None) -> Iterator[N]:
        """X, then the output of each layer in turn, as `__call__` would return them.

        Raises ValueError, Overflow and Undecided as that does.
        """
        return self.lower(_number_system(system).beside(X)).trace(X, source=source)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON (rationals as "p/q", all numbers in hexadecimal: nothing is rounded) with a checksum.

        Raises
        ------
        ValueError
            The model is no `Transformer` itself, or a layer, head or setting is of a class that files do not know (see
            `files.Saved`): it would come back as another map.
        """
        files.write(path, self.content())

    def content(self) -> files.Settings:
        """What `save` writes; errors as there."""
        if type(self) is not Transformer:
            raise ValueError(f"save: expected a Transformer itself, got its subclass {type(self).__name__}.")
        parts = {"layers": self.layers} | ({"encoder": self.encoder} if self.encoder else {})
        return {"n": self.n} | {name: [files.encode_layer(x) for x in part] for name, part in parts.items()}

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote; ValueError if the file was damaged, is another format or a newer version.

        OSError if there is none.
        """
        data = files.read(path)
        # Any JSON at all may stand in a damaged file, so these are the errors of reading one as a model.
        try:
            layers, encoder = (list(map(files.decode, part)) for part in (data["layers"], data.get("encoder", ())))
            return cls(layers, data["n"], encoder=encoder)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            got = f"a damaged file ({cut(repr(error))})"
            raise ValueError(f"path {cut(str(path))}: expected a whole model, got {got}.") from None

    def __repr__(self) -> str:
        length = "any n" if self.n is None else f"n={self.n}"
        runs = "; ".join(f"{count} x {text}" for count, text in self._runs())
        return f"Transformer(d={self.width}, {length}, {self.parameter_count():,} parameters: {runs})"

    def _runs(self) -> list[tuple[int, str]]:
        """Consecutive layers of the same kind, counted."""
        texts = [*(f"encoder: {layer!r}" for layer in self.encoder), *map(repr, self.layers)]
        return [(len(list(group)), text) for text, group in itertools.groupby(texts)]

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{count}</td><td>{html.escape(text)}</td></tr>" for count, text in self._runs())
        length = "any" if self.n is None else str(self.n)
        return (
            '<table class="uat-model"><caption>'
            f"Transformer: d = {self.width}, n = {length}, depth {self.depth}, {self.parameter_count():,} parameters "
            f"({self.parameter_count(nonzero=True):,} not zero)</caption>"
            f"<thead><tr><th>layers</th><th>kind</th></tr></thead><tbody>{rows}</tbody></table>"
        )


def _sizes(layer: Layer, letter: str) -> tuple[int | None, int | None, int | None]:
    """What a layer takes, gives and hears: entries of a token (d) or tokens (n)."""
    return tuple(getattr(layer, f"{letter}_{side}") for side in ("in", "out", "source"))


def _chain(
    steps: Iterable[tuple[str, Layer, int | None, int | None]], letter: str, start: int | None
) -> tuple[int | None, int | None]:
    """The size that the first step takes and the one that the last gives; ValueError where two do not fit."""
    first = now = start
    for place, layer, takes, gives in steps:
        if now is None:
            first = now = takes
        elif takes not in (None, now):
            got = f"{takes} in {place}, {layer}"
            raise ValueError(f"Transformer: expected {letter}_in = {now}, which comes before, got {got}.")
        now = now if gives is None else gives
    return first, now


def require_input(model: Transformer, X: Array, source: Array | None) -> None:
    """ValueError unless X and the second sequence have shapes that the model takes."""
    require_shape(X, model.d_in, model.n_in, hint=_length_hint(model, tuple(X.shape)) or TRANSPOSE)
    if (source is None) == model.cross:
        expected = (
            "a second sequence, to which the model listens" if model.cross else "None, since no layer has cross=True"
        )
        raise refused("source", expected, source)
    if source is not None:
        require_shape(source, model.d_source, model.n_source, "source")
        try:
            np.broadcast_shapes(X.shape[:-2], source.shape[:-2])
        except ValueError:
            got = f"{tuple(source.shape[:-2])} beside {tuple(X.shape[:-2])}"
            raise ValueError(f"source: expected leading axes that go with those of X, got {got}.") from None


def _length_hint(model: Transformer, shape: tuple[int, ...]) -> str:
    """What to do where tokens have the right size, but a layer, or the model, is made for another number of them."""
    if len(shape) < 2 or not shape[-1] or model.n_in in (None, shape[-1]) or model.d_in not in (None, shape[-2]):
        return ""
    fixes = next((layer for layer in model.layers if layer.n_in), "the model")
    return f"{fixes} fixes the length: give it {model.n_in} tokens, not {shape[-1]}, or build one for {shape[-1]}"


def states(
    layers: Sequence[Layer],
    lowered: Sequence[Mapping[str, N]],
    X: Sequences[N],
    system: Arithmetic[N],
    source: Sequences[N] | None = None,
) -> Iterator[Sequences[N]]:
    """The forward pass: X, then the output of each layer in turn, in native numbers."""
    yield X
    for layer, weights in zip(layers, lowered, strict=True):
        X = layer.forward(X, weights, system, *([source] if layer.cross else []))
        yield X


def last(values: Iterable[T]) -> T:
    """The last of at least one."""
    return deque(values, maxlen=1)[0]


def _number_system(system: Arithmetic[N]) -> Arithmetic[N]:
    return instance("system", system, Arithmetic, "take EXACT, BALL, FLOAT64, FLOAT32 or INT64 of uatlib.arithmetic")


class Lowered(Generic[N]):
    """A model whose weights are in one number system; called like the model, without naming the system again."""

    def __init__(self, model: Transformer, system: Arithmetic[N]) -> None:
        self.model = model
        self.system: Arithmetic[N] = _number_system(system).beside(torch.empty(0))  # where torch puts what it is given
        with system.context():
            self._layers: list[dict[str, N]] = [
                layer.lower(system, f"layer {i}") for i, layer in enumerate(model.layers)
            ]
            self._encoder: list[dict[str, N]] = [
                layer.lower(system, f"encoder layer {i}") for i, layer in enumerate(model.encoder)
            ]

    def __call__(self, X: Numbers, *, source: Numbers | None = None) -> N:
        """The model's output for X of shape (..., d, n)."""
        with self.system.context():
            return self.system.output(last(self._states(X, source)))

    def trace(self, X: Numbers, *, source: Numbers | None = None) -> Iterator[N]:
        """X, then the output of each layer in turn."""
        running = self._states(X, source)
        while True:
            # The precision of balls is one for the process, so it is not held while the caller has control.
            with self.system.context():
                state = next(running, None)
            if state is None:
                return
            yield self.system.output(state)

    def _states(self, X: Numbers, source: Numbers | None) -> Iterator[N]:
        native = self.system.array(X)
        Z = None if source is None else self.system.array(source, "source")
        require_input(self.model, native, Z)
        if Z is not None:
            Z = last(states(self.model.encoder, self._encoder, Z, self.system))
        return states(self.model.layers, self._layers, native, self.system, Z)
