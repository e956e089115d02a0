"""Constructions with their claims, and certificates: every claim beside what was measured, and whether it holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import torch

from . import checks as parse
from .arithmetic import Arithmetic
from .internal.certificate_html import certificate_html
from .internal.measured import SHOWN, Check, Outcome
from .internal.number_text import short_text
from .model import Transformer
from .targets import Target

__all__ = ["Certificate", "Check", "Claim", "Construction", "Term"]


@dataclass(frozen=True)
class Term:
    """One term of an error bound: its key in the claim, what it stands for, the lemma that proves it, and the bound."""

    key: str
    name: str
    source: str
    bound: float

    def __post_init__(self) -> None:
        parse.text("key", self.key)
        parse.text("name", self.name)
        parse.text("source", self.source)
        object.__setattr__(self, "bound", parse.number("bound", self.bound, 0))


@dataclass(frozen=True)
class Claim:
    """What a construction promises of its network g for the function f.

    d_p(f, g) is at most `error`, the sum of the terms, on the box `domain`; p = inf is the sup norm. The network has
    `layers` layers on tokens of at most `width` entries, with at most `heads` heads of size `head_size`, `hidden`
    hidden units, and `parameters` weights. It takes sequences of `n_in` tokens of `d_in` entries, a second one of
    `n_source` and `d_source` if there is one, and gives `n_out` tokens of `d_out`; None: not stated. `certify` measures
    what is claimed, d_p for this p: a claim that says less than `build` does is certified if that is true.
    """

    terms: Sequence[Term]
    p: float
    domain: tuple[float, float]
    layers: int
    width: int
    heads: int
    head_size: int
    hidden: int
    parameters: int
    _: KW_ONLY
    n_in: int | None = None
    d_in: int | None = None
    n_out: int | None = None
    d_out: int | None = None
    n_source: int | None = None
    d_source: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", parse.items("terms", self.terms, Term))
        if len(keys := [term.key for term in self.terms]) > len(set(keys)):
            raise parse.refused("terms", "a key of its own for each", ", ".join(keys))
        object.__setattr__(self, "p", parse.exponent("p", self.p))
        if not isinstance(self.domain, tuple) or [isinstance(u, Real) for u in self.domain] != [True, True]:
            raise parse.refused("domain", "(low, high), infinite where it has no end", self.domain)
        for name in ("layers", "width", "heads", "head_size", "hidden", "parameters"):
            object.__setattr__(self, name, parse.whole(name, getattr(self, name), 0))
        for name, size in self.sizes().items():
            object.__setattr__(self, name, parse.whole(name, size, 1))

    def sizes(self) -> dict[str, int]:
        """The sizes of input, output and second sequence that are stated, by name."""
        named = [f"{letter}_{side}" for side in ("in", "out", "source") for letter in ("n", "d")]
        return {name: size for name in named if (size := getattr(self, name)) is not None}

    @property
    def error(self) -> float:
        """The sum of the terms."""
        return sum(term.bound for term in self.terms)

    def __getitem__(self, key: str) -> Term:
        """The term of this key; KeyError if there is none, ValueError if it is no string."""
        parse.text("key", key)
        terms = {term.key: term for term in self.terms}
        if key not in terms:
            raise KeyError(f"no term {key!r}; there are: {', '.join(terms)}")
        return terms[key]


@dataclass(frozen=True, eq=False, repr=False)
class Construction(ABC):
    """A network built for a function, with what is claimed of it. Each source has its own, with what it chose.

    Attributes
    ----------
    target : the function f
    model : the network, layer by layer
    claim : the promised error and size
    shortcut : the network's values in bulk, for X of shape (..., d, n), without running the layers; with a second
        sequence shortcut(X, source)
    """

    target: Target
    model: Transformer
    claim: Claim
    shortcut: Callable[..., Any]

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """What it was built with and what was chosen, as it is printed."""

    @abstractmethod
    def certify(
        self, *, literal: int = 36, samples: int = 200_000, seed: int = 0, executor: Executor | None = None
    ) -> Certificate:
        """What is claimed, beside what is measured: as `certify` of its source, which has the parameters."""

    @property
    def sup_error(self) -> float | None:
        """What is proved of the error at the worst point of the box; None where nothing is."""
        return None

    @property
    def encodings(self) -> np.ndarray | None:
        """The matrix E of shape (d, n) that is added to X before the layers, or None."""
        return None

    def __call__(self, X: Any, system: Arithmetic, *, source: Any = None) -> Any:
        """The literal layers on X, plus the encodings if there are any, in `system`; beside `source` if they hear it.

        Raises ValueError, Overflow and Undecided as `Transformer` does.
        """
        if (E := self.encodings) is None:
            return self.model(X, system, source=source)
        numbers = parse.sequences("X", X, *E.shape)
        if isinstance(X, torch.Tensor):
            return self.model(X + torch.tensor(E.astype(np.int64), device=X.device), system, source=source)
        return self.model(numbers.astype(object) + E, system, source=source)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"Construction({shown}: d_{self.claim.p:g} <= {self.claim.error:.4g}, {self.claim.layers:,} layers)"


@dataclass(frozen=True)
class Certificate:
    """Checks of one statement or construction. It holds if every check does, and fails if one does.

    Prints as a list in full; in a notebook it shows as one line that opens to a table.
    """

    checks: Sequence[Check]
    title: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = parse.items("checks", self.checks, Check, "a certificate of nothing would always hold")
        object.__setattr__(self, "checks", found)
        parse.text("title", self.title)
        object.__setattr__(self, "parameters", parse.mapping("parameters", self.parameters))

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def outcome(self) -> Outcome:
        """Whether it holds, fails, or neither follows."""
        return "holds" if self.holds else "fails" if self.failures else "undecided"

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that fail."""
        return tuple(check for check in self.checks if check.outcome == "fails")

    def __getitem__(self, name: str) -> Check:
        """The check whose name starts with `name`; KeyError if there is none."""
        parse.text("name", name)
        for check in self.checks:
            if check.name.startswith(name):
                return check
        raise KeyError(f"no check starts with {name!r}; there are: {', '.join(check.name for check in self.checks)}")

    def _heading(self) -> str:
        parameters = ", ".join(f"{name} = {short_text(value)}" for name, value in self.parameters.items())
        heading = f"{self.title} ({parameters})" if parameters else self.title
        return f"{heading or 'Certificate'}: {SHOWN[self.outcome]}"

    def __str__(self) -> str:
        return "\n".join([self._heading(), *(f"  {line}" for c in self.checks for line in str(c).split("\n"))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return certificate_html(self.title or "Certificate", self.parameters, self.checks)
