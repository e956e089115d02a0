"""What every layer is: frozen data with named weights, which are parsed here, and a map."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from ..arithmetic import Arithmetic
from ..arithmetic.base import N
from ..arithmetic.numbers import finite_numbers
from ..checks import flag, mapping, refused
from ..internal.files import Saved, Settings
from ..internal.shapes import Matrix, Numbers, Sequences, Vector

T = TypeVar("T", bound="Layer")


def weight(values: Numbers, name: str, ndim: int) -> np.ndarray:
    """A read-only array, of float64 if `values` hold floats and of int and Fraction otherwise."""
    result = finite_numbers(name, values)
    is_float = result.dtype.kind == "f" or any(isinstance(entry, float) for entry in result.flat)
    try:
        result = result.astype(np.float64) if is_float else np.asarray(_without_denominators(result), dtype=object)
    except OverflowError:
        raise ValueError(
            f"{name}: expected numbers that fit a float beside floats, got a larger one; give all as int and Fraction."
        ) from None
    if result.ndim != ndim or 0 in result.shape:
        raise ValueError(f"{name}: expected a non-empty array with {ndim} axes, got shape {result.shape}.")
    result.flags.writeable = False
    return result


_without_denominators = np.frompyfunc(
    lambda t: t.numerator if isinstance(t, Fraction) and t.denominator == 1 else t, 1, 1
)
"""Whole numbers as int."""


def freeze_weights(part: Any) -> None:
    """Make every weight of `part` a read-only array; None may be biases, and weights whose default is None."""
    for name in part.NAMES:
        value, is_matrix = getattr(part, name), name[0] == "w"
        if value is not None or (is_matrix and not hasattr(type(part), name)):
            object.__setattr__(part, name, weight(value, f"{type(part).__name__} {name}", 2 if is_matrix else 1))


def set_fields(part: object, **values: object) -> None:
    """Set what frozen data computes of itself."""
    for name, value in values.items():
        object.__setattr__(part, name, value)


def require_shapes(part: object, **shapes: tuple[int | None, ...]) -> None:
    """ValueError unless these weights of `part`, if they are there, have these shapes."""
    for name, shape in shapes.items():
        array = getattr(part, name)
        if array is not None and array.shape != shape:
            raise ValueError(f"{type(part).__name__} {name}: expected shape {shape}, got {array.shape}.")


def only(found: set[Any], what: str, expected: str) -> Any:
    """The one element; ValueError if there are several."""
    if len(found) > 1:
        raise ValueError(f"{what}: expected {expected}, got {sorted(found)}.")
    return next(iter(found))


class Layer(Saved):
    """A map of sequences given by named weights. `weights()` is what a number system lowers and a file holds.

    A subclass with a `kind` of its own is known to files. It sets these attributes.

    Attributes
    ----------
    d_in, d_out : entries of a token, as it takes and gives them; None: any, and as many come out
    n_in, n_out : tokens of a sequence, likewise
    skip : whether X is added to what the layer makes of it
    cross : whether `forward` takes a second sequence
    d_source, n_source : rows and tokens of the second sequence
    """

    NAMES: ClassVar[tuple[str, ...]] = ()
    SETTINGS: ClassVar[tuple[str, ...]] = ()
    d_in: int | None = None
    d_out: int | None = None
    n_in: int | None = None
    n_out: int | None = None
    skip: bool = True
    cross: bool = False
    d_source: int | None = None
    n_source: int | None = None

    def weights(self) -> dict[str, Matrix | Vector]:
        """Name to read-only array, without those that are None; after the last ``.`` a bias is named ``b_...``."""
        return {name: array for name in self.NAMES if (array := getattr(self, name)) is not None}

    def settings(self) -> Settings:
        """What the layer is made of beside its weights, by name."""
        return {name: getattr(self, name) for name in self.SETTINGS}

    def with_weights(self, weights: Mapping[str, object]) -> Self:
        """The same kind of layer with other weights, named as in `weights()`."""
        own = self.weights()
        if set(mapping("weights", weights)) != set(own):
            raise refused("weights", f"the names {', '.join(own)}", list(weights))
        return self.from_settings(weights, self.settings())

    def forward(self, X: Sequences[N], weights: Mapping[str, N], system: Arithmetic[N]) -> Sequences[N]:
        """The layer applied to X, with its weights and X in the native form of `system`.

        A layer with `cross` takes a fourth argument: the second sequence.
        """
        raise NotImplementedError

    @property
    def acts(self) -> bool:
        """Whether the layer can change its input: whether its output weights or output bias are not all zero."""
        written = [array for name, array in self.weights().items() if name.endswith(("_o", "_2"))]
        return not self.skip or any(np.any(array != 0) for array in written)

    def parameter_count(self, nonzero: bool = False) -> int:
        """Number of weights and biases (those that are not 0, if `nonzero`). Activations have no parameters."""
        return sum(int(np.count_nonzero(a)) if nonzero else a.size for a in self.weights().values())

    def lower(self, system: Arithmetic[N], place: str) -> dict[str, N]:
        """The weights in the native form of `system`; `place` names the layer in errors."""
        return {
            name: system.weight(array, f"{place}, {name}", has_unit=name.split(".")[-1][0] == "b")
            for name, array in self.weights().items()
        }

    def _parse_skip(self) -> None:
        """ValueError unless it is a truth value, and what is added to X, with `skip`, has the size of X."""
        name = f"{type(self).__name__} skip"
        set_fields(self, skip=flag(name, self.skip))
        if self.skip and self.d_in != self.d_out:
            expected = f"d_out = d_in = {self.d_in} for the skip connection"
            raise refused(name, expected, self.d_out, "give skip=False")


def copies(layer: T, **stacks: Numbers) -> list[T]:
    """Layers that differ from this one in some weights, of which they have one row of each stack: parsed at once."""
    parsed = {name: weight(stack, name, getattr(layer, name).ndim + 1) for name, stack in stacks.items()}
    made = []
    for rows in zip(*parsed.values(), strict=True):
        made.append(object.__new__(type(layer)))
        made[-1].__dict__.update(vars(layer), **dict(zip(parsed, rows, strict=True)))
    return made


def affine(system: Arithmetic[N], w: N, X: Sequences[N], b: N | None) -> N:
    """W X + b 1^T."""
    product = system.matmul(w, X)
    return product if b is None else system.add(product, b[..., None])


def widths(layer: Layer) -> str:
    """d, in the text of a layer."""
    return f"d={layer.d_in}" + ("" if layer.d_in == layer.d_out else f" to {layer.d_out}")
