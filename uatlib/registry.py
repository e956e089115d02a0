"""What a registered statement is, and the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arithmetic.base import is_int
from .certificate import Certificate

__all__ = ["Statement", "all", "get", "register"]

PRINTED = {
    "statement": "the statement",
    "hypothesis": "a hypothesis",
    "definition": "the definition",
    "construction": "the construction",
    "proof": "a line of the proof",
    "sentence": "a sentence of the text",
}
"""What an erratum can concern, and how the heading of its printed run names it."""


@dataclass(frozen=True, eq=False)
class Statement:
    """A numbered result of a source, which can be run.

    Attributes
    ----------
    id : "<bib key>:<label>", e.g. "yun2020:lem-8"
    title : what it says, in a few words
    source : where it stands in the source
    chapter : the chapter of the book that builds it
    erratum : where the text we read and the result differ, or None
    concerns : what the erratum concerns, "statement", "hypothesis", "definition", "construction", "proof" (a line of
        it) or "sentence" (of the text around); None without one
    alone : the changes of a repair that takes several, each of which can be made alone
    """

    id: str
    title: str
    source: str
    chapter: str
    erratum: str | None
    concerns: str | None
    alone: tuple[str, ...]
    _verify: Callable[..., Certificate]
    _perturb: Callable[..., Certificate]

    @property
    def variants(self) -> tuple[str, ...]:
        """What `verify` takes as `variant`: "repaired", "printed", and "... alone" for each of `alone`."""
        return ("repaired", "printed", *(f"{change} alone" for change in self.alone))

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
        if variant not in self.variants:
            known = " or ".join(f'"{name}"' for name in self.variants)
            raise ValueError(f"{self.id}: expected variant {known}, got {variant!r}.")
        if not self.erratum or variant == "repaired":
            return self._run(self._verify, {"variant": variant} if self.erratum else {}, parameters, self.title)
        how = " as printed" if variant == "printed" else f" with {variant} repaired"
        return self._run(self._verify, {"variant": variant}, parameters, PRINTED[str(self.concerns)] + how)

    def perturb(self, *, seed: int = 0, **parameters: Any) -> Certificate:
        """Damage the construction, as `seed` chooses, and return its certificate, which must fail."""
        if not is_int(seed, 0):
            raise ValueError(f"{self.id}: expected seed to be an int >= 0, got {seed!r}.")
        return self._run(self._perturb, {"seed": seed}, parameters, f"{self.title}, damaged")

    def parameters(self) -> dict[str, Any]:
        """The parameters of `verify` with their defaults."""
        signature = inspect.signature(self._verify)
        return {name: p.default for name, p in signature.parameters.items() if name != "variant"}

    def _run(
        self, function: Callable[..., Certificate], fixed: dict[str, Any], free: dict[str, Any], what: str
    ) -> Certificate:
        known = [name for name in inspect.signature(function).parameters if name not in ("variant", "seed")]
        if unknown := sorted(set(free) - set(known)):
            raise ValueError(f"{self.id}: expected parameters out of {', '.join(known)}, got {', '.join(unknown)}.")
        certificate = function(**fixed, **free)
        return Certificate(certificate.checks, f"{self.id}, {what}", certificate.parameters)


_REGISTRY: dict[str, Statement] = {}


def register(
    id: str,
    title: str,
    *,
    source: str,
    chapter: str,
    perturb: Callable[..., Certificate],
    erratum: str | None = None,
    concerns: str | None = None,
    alone: tuple[str, ...] = (),
) -> Callable[[Callable[..., Certificate]], Callable[..., Certificate]]:
    """Register the decorated function as the `verify` of a statement; one with an erratum takes `variant`.

    It also says what the erratum `concerns`, so that no statement which is true is said to fail.
    """

    def decorate(verify: Callable[..., Certificate]) -> Callable[..., Certificate]:
        if id in _REGISTRY:
            raise ValueError(f"statement {id} is registered twice.")
        if bool(erratum) != ("variant" in inspect.signature(verify).parameters):
            raise ValueError(f"statement {id}: expected a parameter `variant` just where there is an erratum.")
        if concerns not in (PRINTED if erratum else (None,)):
            expected = f"out of {', '.join(PRINTED)}" if erratum else "None, for there is no erratum"
            raise ValueError(f"statement {id}: expected what its erratum concerns, {expected}, got {concerns!r}.")
        if alone and not erratum:
            raise ValueError(f"statement {id}: expected no changes of a repair where there is no erratum, got {alone}.")
        _REGISTRY[id] = Statement(id, title, source, chapter, erratum, concerns, alone, verify, perturb)
        return verify

    return decorate


def all() -> list[Statement]:
    """All registered statements, in the order of their sources."""
    return list(_REGISTRY.values())


def get(id: str) -> Statement:
    """The statement of that id; KeyError with the known ids if there is none."""
    if id not in _REGISTRY:
        raise KeyError(f"no statement {id!r}; there are: {', '.join(_REGISTRY)}")
    return _REGISTRY[id]
