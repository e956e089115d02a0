"""What a registered statement is, and the registry."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch

from uatlib import checks
from uatlib.certificate import Certificate

from .damages import Damage
from .headings import StatementCertificate

PACKAGE = Path(__file__).parent

PRINTED = {
    "statement": "the statement",
    "hypothesis": "a hypothesis",
    "definition": "the definition",
    "construction": "the construction",
    "proof": "a line of the proof",
    "sentence": "a sentence of the text",
    "reading": "our reading of a sentence",
}
"""What an erratum can concern, and how the heading of its printed run names it."""


P = ParamSpec("P")
T = TypeVar("T")


def _on_the_processor(method: Callable[P, T]) -> Callable[P, T]:
    """The figures of the book are those of NumPy, wherever a program has told torch to make its tensors."""

    @functools.wraps(method)
    def there(*args: P.args, **kwargs: P.kwargs) -> T:
        if torch.get_default_device().type == "cpu":  # the context would slow each call of torch
            return method(*args, **kwargs)
        with torch.device("cpu"):
            return method(*args, **kwargs)

    return there


@dataclass(frozen=True, eq=False, repr=False)
class Statement:
    """A numbered result of a source, which can be run.

    Attributes
    ----------
    id : "<bib key>:<label>", e.g. "yun2020:lem-8"
    title : what it says, in a few words
    build : from the statement's parameters to what `certify` measures
    certify : what was built, to its certificate; or to checks, which become one with the parameters of `build`
    source : where it stands in the source
    chapter : the chapter of the book that builds it
    construction : the function of the library that it is about
    cases : parameters at which it is tested, besides the defaults
    damages : by name, ways to build it wrong; each is seen to fail
    printed : another run of the text, where `build` with variant "printed" is not it; from the parameters it needs
    erratum : where the text we read and the result differ, or None; on one line, however it is written
    concerns : what the erratum concerns, "statement", "hypothesis", "definition", "construction", "proof" (a line of
        it), "sentence" (of the text around) or "reading" (what we take one to say); None without one
    alone : the changes of a repair that takes several, each of which can be made alone

    Raises
    ------
    ValueError
        There are no cases or no damages; erratum, variant and concerns do not go together.
    """

    id: str
    title: str
    build: Callable[..., Any]
    certify: Callable[[Any], Any]
    source: str
    chapter: str
    construction: Callable[..., Any]
    cases: Sequence[Mapping[str, Any]] = ()
    damages: Mapping[str, Damage] = field(default_factory=dict)
    printed: Callable[..., Any] | None = None
    erratum: str | None = None
    concerns: str | None = None
    alone: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "erratum", self.erratum and " ".join(self.erratum.split()))
        object.__setattr__(self, "certify", partial(_certificate, self.certify))

        def refuse(expected: str, got: object) -> None:
            raise ValueError(f"statement {self.id}: expected {expected}, got {got}.")

        if not self.cases or not self.damages:
            refuse("cases and damages", f"{len(self.cases)} and {len(self.damages)}")
        if unknown := sorted({name for case in self.cases for name in case} - set(self.parameters())):
            refuse("cases of its parameters", ", ".join(unknown))
        if bool(self.erratum) != (self._has_variant or self.printed is not None):
            refuse("`variant` or `printed` just where there is an erratum", self.erratum)
        if self.concerns not in (PRINTED if self.erratum else (None,)):
            known = f"out of {', '.join(PRINTED)}" if self.erratum else "None, for there is no erratum"
            refuse(f"what its erratum concerns, {known}", repr(self.concerns))
        if self.alone and not self.erratum:
            refuse("no changes of a repair where there is no erratum", self.alone)

    @property
    def variants(self) -> tuple[str, ...]:
        """What `verify` takes as `variant`: "repaired", "printed", and "... alone" for each of `alone`."""
        return ("repaired", "printed", *(f"{change} alone" for change in self.alone))

    @property
    def place(self) -> str:
        """File and line of its construction, e.g. "uatlib/yun2020/shift_layers.py:110"."""
        file = Path(str(inspect.getsourcefile(self.construction)))
        return f"{file.relative_to(PACKAGE.parent).as_posix()}:{inspect.getsourcelines(self.construction)[1]}"

    @_on_the_processor
    def verify(self, *, variant: str = "repaired", **parameters: Any) -> Certificate:
        """Run the construction and check the statement.

        `variant` "printed" takes the text at its word: where that is false, the certificate fails, its heading says
        what was tested (`concerns`), and the failing check's witness is the counterexample. Where text and result
        agree, both variants are the same. A repair of several changes can be run with one of them alone (`variants`).

        Raises
        ------
        ValueError
            Another variant, a parameter that the statement does not have, or one outside its hypotheses.
        """
        checks.choice("variant", variant, self.variants)
        values = self._values(parameters)
        what = self.title
        if self.erratum and variant != "repaired":
            how = f" with {variant} repaired" if variant != "printed" else " as printed" * (self.concerns != "reading")
            what = f"{PRINTED[str(self.concerns)]}{how}"
        if variant == "printed" and self.printed is not None:
            values = {name: values[name] for name in inspect.signature(self.printed).parameters}
            return self._titled(_certificate(self.printed, **values), what, values)
        named = {"variant": variant} if self._has_variant else {}
        return self._titled(self.certify(self.build(**named, **values)), what, values)

    @_on_the_processor
    def perturb(self, damage: str | None = None, *, seed: int = 0, **parameters: Any) -> Certificate:
        """Damage the construction and return its certificate, which must fail.

        `damage` is one of `damages`; unless it is given, `seed` takes one of those that the parameters allow in turn.
        `seed` also chooses the place and size of a damage that has several.

        Raises
        ------
        ValueError
            Another damage, or one that the construction at these parameters has no place for; as `verify`.
        """
        if damage is not None:
            checks.choice("damage", damage, list(self.damages))
        seed = checks.seed(seed, f"{self.id}: seed")
        values = self._values(parameters)
        built = self.build(**values)
        start = seed % len(self.damages)
        names = [damage] if damage else [*self.damages, *self.damages][start : start + len(self.damages)]
        for name in names:
            damaged = self.damages[name](built, np.random.default_rng(seed))
            if damaged is not None:
                return self._titled(self.certify(damaged), f"{self.title}, damaged", values, damage=name)
        raise ValueError(f"{self.id}: expected parameters at which {names[0]!r} damages something, got {parameters}.")

    def parameters(self) -> dict[str, Any]:
        """The parameters of `verify` with their defaults."""
        signature = inspect.signature(self.build)
        return {name: p.default for name, p in signature.parameters.items() if name != "variant"}

    def __repr__(self) -> str:
        return f"{self.id} ({self.source}): {self.title}. Built in {self.place}."

    @property
    def _has_variant(self) -> bool:
        return "variant" in inspect.signature(self.build).parameters

    def _values(self, parameters: dict[str, object]) -> dict[str, Any]:
        """These, NumPy's numbers as Python's, and the defaults of the others; ValueError if one is unknown."""
        known = self.parameters()
        if unknown := sorted(set(parameters) - set(known)):
            raise ValueError(f"{self.id}: expected parameters out of {', '.join(known)}, got {', '.join(unknown)}.")
        scalars = (np.integer, np.floating)
        return known | {k: v.item() if isinstance(v, scalars) else v for k, v in parameters.items()}

    def _titled(self, made: Certificate, what: str, values: dict[str, object], **more: object) -> Certificate:
        """With its title, and unless it has parameters with those of the statement; None says nothing."""
        named = made.parameters or {name: value for name, value in values.items() if value is not None}
        return StatementCertificate(made.checks, f"{self.id}, {what}", {**named, **more})


def _certificate(measure: Callable[..., Any], *built: Any, **parameters: Any) -> Certificate:
    """What `measure` gives; a certificate of the checks where it gives these alone."""
    made = measure(*built, **parameters)
    return made if isinstance(made, Certificate) else Certificate(made)


_REGISTRY: dict[str, Statement] = {}


def register(id: str, title: str, **about: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a statement; the function decorated is its `build`, and `about` the rest of `Statement`.

    One with an erratum either takes `variant`, or has another run of the text, `printed`. It also says what the erratum
    `concerns`, so that no statement which is true is said to fail.

    Raises
    ------
    ValueError
        The id is taken; as `Statement`.
    """

    def decorate(build: Callable[..., Any]) -> Callable[..., Any]:
        if id in _REGISTRY:
            raise ValueError(f"statement {id} is registered twice.")
        _REGISTRY[id] = Statement(id, title, build, **about)
        return build

    return decorate


def all() -> list[Statement]:
    """All statements registered so far."""
    return list(_REGISTRY.values())
