"""Transformers: layers in order, evaluated by the only forward pass, in any number system."""

from __future__ import annotations

import hashlib
import html
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .arithmetic import Arithmetic
from .arithmetic.base import is_int
from .layers import RELU, Attention, FeedForward, Head, Layer, ThreePiece, require_all

__all__ = ["ConstructionTooLarge", "Transformer"]

MAX_LAYERS = 100_000
MAX_PARAMETERS = 8_000_000
MAX_BYTES = 4 * 2**30
MAX_BITS = 10_000_000
BYTES_PER_ARRAY = 300
"""What one small read-only array of Python ints or Fractions takes in CPython, header and references included."""

FORMAT = "uatlib.Transformer"
FORMAT_VERSION = 3
"""Version 2 brought masks, 3 a checksum. Files of the first two, and files written by hand as these, have none: they
are read as they stand."""


class ConstructionTooLarge(ValueError):
    """A construction was asked for that would not fit; nothing was allocated."""


def require_size(what: str, *, layers: int, arrays_per_layer: int, parameters: int, longest_bits: int = 64) -> None:
    """Refuse a construction that would not fit, before it is built.

    Limits: 100,000 layers, 8 million parameters, 4 GiB, and 10 million bits for the longest weight.

    Raises
    ------
    ConstructionTooLarge
        Naming layers, parameters and bytes.
    """
    size = layers * arrays_per_layer * BYTES_PER_ARRAY + parameters * 8 + longest_bits // 8
    if layers > MAX_LAYERS or parameters > MAX_PARAMETERS or size > MAX_BYTES or longest_bits > MAX_BITS:
        raise ConstructionTooLarge(
            f"{what} has {_count(layers)} layers, {_count(parameters)} parameters and needs about {_count(size)} "
            f"bytes, its longest weight {_count(longest_bits)} bits; the limit is {MAX_LAYERS:,} layers, "
            f"{MAX_PARAMETERS:,} parameters, {MAX_BYTES:,} bytes, and {MAX_BITS:,} bits a weight. Choose a "
            "coarser grid (smaller inverse_delta), shorter sequences or fewer dimensions."
        )


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"more than 10^{int((number.bit_length() - 1) * math.log10(2))}"


@dataclass(frozen=True, eq=False, repr=False)
class Transformer:
    """A composition of layers. ``Transformer(a.layers + b.layers)`` runs `a`, then `b`.

    ``model(X, system)`` evaluates it on X of shape (..., d, n). If `n` is given the model was made for sequences of
    that length, and others are refused.
    """

    layers: Sequence[Layer]
    n: int | None = None

    def __post_init__(self) -> None:
        layers = require_all(self.layers, Layer, "Transformer: expected Attention and FeedForward layers")
        object.__setattr__(self, "layers", layers)
        if not layers:
            raise ValueError("Transformer: expected at least one layer, got none.")
        widths = {layer.width for layer in layers}
        if len(widths) != 1:
            raise ValueError(f"Transformer: expected layers of one width d, got {sorted(widths)}.")
        if self.n is not None and not is_int(self.n, 1):
            raise ValueError(f"Transformer: expected n to be None or an int >= 1, got {self.n!r}.")

    @property
    def width(self) -> int:
        """The embedding dimension d."""
        return self.layers[0].width

    @property
    def depth(self) -> int:
        """Number of layers that act, that is, whose output weights are not all zero."""
        return sum(layer.acts for layer in self.layers)

    def parameter_count(self, nonzero: bool = False) -> int:
        """Number of weights and biases of all layers (those that are not 0, if `nonzero`)."""
        return sum(layer.parameter_count(nonzero) for layer in self.layers)

    def lower(self, system: Arithmetic) -> Lowered:
        """This model with its weights converted to `system` once, for many evaluations."""
        return Lowered(self, system)

    def __call__(self, X: Any, system: Arithmetic) -> Any:
        """The output for X of shape (..., d, n), computed in `system`, of the same shape.

        EXACT takes int and Fraction and returns an object array of Fraction; BALL also takes floats and balls and
        returns balls; FLOAT32, FLOAT64 and INT64 return tensors, on the device of X unless the system names one.

        Raises
        ------
        ValueError
            X has the wrong shape, holds NaN, infinity or numbers that the system does not take.
        Overflow
            A number inside the model does not fit the system.
        Undecided
            A ball could not decide a comparison, or a softmax.
        """
        return self.lower(_number_system(system).beside(X))(X)

    def trace(self, X: Any, system: Arithmetic) -> Iterator[Any]:
        """X, then the output of each layer in turn, as `__call__` would return them."""
        return self.lower(_number_system(system).beside(X)).trace(X)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON (rationals as "p/q", all numbers in hexadecimal: nothing is rounded) with a checksum.

        Raises
        ------
        ValueError
            The model is no `Transformer` itself, or a layer neither `Attention` nor `FeedForward`: a file names no
            class, so that a subclass, or a layer of another kind, would come back as another map.
        """
        if type(self) is not Transformer:
            raise ValueError(f"save: expected a Transformer itself, got its subclass {type(self).__name__}.")
        data = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "n": self.n,
            "layers": [_to_json(x) for x in self.layers],
        }
        Path(path).write_text(json.dumps(data | {"sha256": _checksum(data)}), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Transformer:
        """Read a model that `save` wrote; ValueError if the file was damaged, is another format or a newer version."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: expected a file written by Transformer.save, got no JSON ({error}).") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"{path}: expected a file written by Transformer.save, got another format.")
        if data.get("version") not in range(1, FORMAT_VERSION + 1):
            raise ValueError(
                f"{path}: expected format version 1 to {FORMAT_VERSION}, got {data.get('version')}; update uatlib."
            )
        # Any JSON at all may stand in a damaged file, so these are the errors of reading one as a model.
        try:
            if data["version"] == FORMAT_VERSION or "sha256" in data:
                _require_checksum(data)
            return cls([_from_json(layer) for layer in data["layers"]], data["n"])
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: expected a whole model, got a damaged file ({error!r}).") from None

    def __repr__(self) -> str:
        length = "any n" if self.n is None else f"n={self.n}"
        runs = "; ".join(f"{count} x {text}" for count, text in self._runs())
        return f"Transformer(d={self.width}, {length}, {self.parameter_count():,} parameters: {runs})"

    def _runs(self) -> list[tuple[int, str]]:
        """Consecutive layers of the same kind, counted."""
        return [(len(list(group)), text) for text, group in itertools.groupby(repr(layer) for layer in self.layers)]

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{count}</td><td>{html.escape(text)}</td></tr>" for count, text in self._runs())
        length = "any" if self.n is None else str(self.n)
        return (
            '<table class="uat-model"><caption>'
            f"Transformer: d = {self.width}, n = {length}, depth {self.depth}, {self.parameter_count():,} parameters "
            f"({self.parameter_count(nonzero=True):,} not zero)</caption>"
            f"<thead><tr><th>layers</th><th>kind</th></tr></thead><tbody>{rows}</tbody></table>"
        )


def require_shape(X: Any, width: int, n: int | None) -> None:
    """ValueError unless X has shape (..., width, n), any n if that is None, and is not empty."""
    if X.ndim < 2 or X.shape[-2] != width or X.shape[-1] != (n or X.shape[-1]) or 0 in X.shape:
        raise ValueError(
            f"X: expected shape (..., {width}, {n or 'n'}) with columns as tokens, got {tuple(X.shape)}; "
            "transpose it if its rows are tokens."
        )


def _number_system(system: Any) -> Arithmetic:
    if not isinstance(system, Arithmetic):
        raise ValueError(
            f"expected a number system, got {system!r}; take EXACT, BALL, FLOAT64, FLOAT32 or INT64 of "
            "uatlib.arithmetic."
        )
    return system


class Lowered:
    """A model whose weights are in one number system; called like the model, without naming the system again."""

    def __init__(self, model: Transformer, system: Arithmetic) -> None:
        self.model = model
        self.system = _number_system(system)
        with system.context():
            self._weights = [layer.lower(system, f"layer {i}") for i, layer in enumerate(model.layers)]

    def __call__(self, X: Any) -> Any:
        """The model's output for X of shape (..., d, n)."""
        with self.system.context():
            state = self._input(X)
            for layer, weights in zip(self.model.layers, self._weights, strict=True):
                state = layer.forward(state, weights, self.system)
            return self.system.output(state)

    def trace(self, X: Any) -> Iterator[Any]:
        """X, then the output of each layer in turn."""
        with self.system.context():
            state = self._input(X)
        yield self.system.output(state)
        for layer, weights in zip(self.model.layers, self._weights, strict=True):
            # The precision of balls is one for the process, so it is not held while the caller has control.
            with self.system.context():
                state = layer.forward(state, weights, self.system)
            yield self.system.output(state)

    def _input(self, X: Any) -> Any:
        native = self.system.array(X)
        require_shape(native, self.model.width, self.model.n)
        return native


# --------------------------------------------------------------------------------------------------------------- file


def _checksum(data: dict[str, Any]) -> str:
    """SHA-256 of the content, however the file lays it out."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _require_checksum(data: dict[str, Any]) -> None:
    if data.get("sha256") != _checksum({name: value for name, value in data.items() if name != "sha256"}):
        raise ValueError("its checksum is not that of its content")


def _pack(array: np.ndarray) -> dict[str, Any]:
    is_exact = array.dtype.kind == "O"
    data = [_hexadecimal(entry) if is_exact else float(entry).hex() for entry in array.flat]
    return {"dtype": "exact" if is_exact else "float64", "shape": list(array.shape), "data": data}


def _as_array(numbers: tuple[Any, ...]) -> np.ndarray:
    return np.array(numbers, dtype=np.float64 if isinstance(numbers[0], float) else object)


def _hexadecimal(value: int | Fraction) -> str:
    # Python reads and writes no decimal number of more than 4300 digits.
    return hex(value) if isinstance(value, int) else f"{value.numerator:#x}/{value.denominator:#x}"


def _unpack(packed: Mapping[str, Any]) -> np.ndarray:
    if packed["dtype"] not in ("exact", "float64"):
        raise ValueError(f"expected dtype exact or float64, got {packed['dtype']!r}")
    is_exact = packed["dtype"] == "exact"
    result = np.empty(len(packed["data"]), dtype=object if is_exact else np.float64)
    result[:] = [
        Fraction(*(int(part, 0) for part in entry.split("/"))) if is_exact else float.fromhex(entry)
        for entry in packed["data"]
    ]
    return result.reshape(packed["shape"])


def _to_json(layer: Layer) -> dict[str, Any]:
    parts = [layer, *getattr(layer, "heads", ()), getattr(layer, "activation", RELU)]
    for part in parts:
        if type(part) not in (Attention, FeedForward, Head, ThreePiece, str):
            raise ValueError(
                f"save: expected Attention and FeedForward layers, which files can hold, got {type(part).__name__}; "
                "keep the code that builds it."
            )
    data: dict[str, Any] = {"weights": {name: _pack(array) for name, array in layer.weights().items()}}
    if isinstance(layer, Attention):
        mask = {} if layer.mask is None else {"mask": layer.mask.tolist()}
        return {"kind": "attention", "normalization": layer.normalization} | mask | data
    assert isinstance(layer, FeedForward)
    activation: Any = layer.activation
    if isinstance(activation, ThreePiece):
        activation = {name: _pack(_as_array(getattr(activation, name))) for name in ThreePiece.NAMES}
    return {"kind": "feed-forward", "activation": activation} | data


def _from_json(data: Mapping[str, Any]) -> Layer:
    weights = {name: _unpack(packed) for name, packed in data["weights"].items()}
    if data["kind"] == "attention":
        return Attention.from_weights(weights, data["normalization"], data.get("mask"))
    if data["kind"] != "feed-forward":
        raise ValueError(f"expected the kind attention or feed-forward, got {data['kind']!r}")
    activation = data["activation"]
    if isinstance(activation, dict):
        activation = ThreePiece(*(_unpack(activation[name]).tolist() for name in ThreePiece.NAMES))
    return FeedForward.from_weights(weights, activation)
