"""What a mixer of the atlas is, and the decorator that adds one."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch

from uatlib.checks import choice, flag, function, instance, items, refused, text, whole
from uatlib.cheng2025.mixer_parsing import Mixer
from uatlib.groups import Permutation

from .papers import PAPERS

Covers = Callable[[int, int, int], bool]
Pair = tuple[torch.Tensor, torch.Tensor, tuple[int, int]]
"""X, Y, and which token of X is alike to which of Y."""
Group = str | Callable[[int, int], Any]
"""A name as in `check_mixer`, or of n and d."""
BIASED = ", with biases"
"""What the name of a mixer with a bias in each projection ends with."""
GROUPS = ("symmetric", "dihedral", "cyclic", "trivial")


VERDICTS = ("yes", "no")


class Claim(NamedTuple):
    """What is known without a search, of layers of one mixer.

    Attributes
    ----------
    verdict : "yes" or "no"
    why : the proof in two lines, or what is published
    covers : for which (n, d, layers)
    source : a bib key; "": ours
    last : whether it is about the last token alone, in causal mixers
    pair : of (n, d), two sequences and a token of each that are alike for all parameters, where the search has none
    """

    verdict: str
    why: str
    covers: Covers = lambda n, d, layers: True
    source: str = ""
    last: bool = False
    pair: Callable[[int, int], Pair] | None = None


@dataclass(frozen=True)
class Entry:
    """A mixer: X of shape (d, n), columns are tokens, and weights to the mixing term, without the skip.

    Attributes
    ----------
    name, source : as papers call it, and the bib key of the one that has it
    family : the module that it stands in
    mix : g(X, *weights)
    weights : their shapes, a word each, a letter or digit a side: "d", "n", "m" for 2d, "o" for 2n - 1, and
        "1" alone for a number. "t" is d, too, where X enters by products with such weights alone, last side to tokens
    group : under which g is equivariant
    causal : whether token i hears tokens j <= i alone
    analytic : whether g is, for all X and weights; if not it has kinks, jumps or places where it is not defined
    claims : what is known
    """

    name: str
    source: str
    family: str
    mix: Callable[..., torch.Tensor]
    weights: str
    group: Group
    causal: bool
    analytic: bool
    claims: tuple[Claim, ...]

    def parameters(self, n: int, d: int) -> int:
        """How many numbers theta has."""
        return sum(map(math.prod, shapes(self.weights, whole("n", n, 1), whole("d", d, 1))))

    def g(self, n: int, d: int) -> Mixer:
        """The mixing term of X and theta, for n tokens of d entries; it refuses tensors of other shapes."""
        run, wanted = of_theta(self.mix, self.weights, n, d), {"X": (d, n), "theta": (self.parameters(n, d),)}

        def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
            for name, tensor in (("X", X), ("theta", theta)):
                if instance(name, tensor, torch.Tensor).shape != wanted[name]:
                    raise refused(name, f"a tensor of shape {wanted[name]}", tuple(tensor.shape))
            return run(X, theta)

        return g

    def with_biases(self) -> Entry | None:
        """The same with a bias in each product W X: an entry 1 below X, a column more in W; None where unmarked."""
        if "t" not in self.weights:
            return None
        mix = functools.partial(_lifted, self.mix)
        return replace(self, name=self.name + BIASED, mix=mix, weights=self.weights.replace("t", "p"), claims=())

    def known(self, verdict: str, n: int, d: int, layers: int, last: bool = False) -> list[Claim]:
        """The claims of this verdict that cover these layers."""
        choice("verdict", verdict, VERDICTS)
        found = [claim for claim in self.claims if claim.verdict == verdict and claim.last == last]
        return [claim for claim in found if claim.covers(n, d, layers)]


def _lifted(mix: Callable[..., torch.Tensor], X: torch.Tensor, *weights: torch.Tensor) -> torch.Tensor:
    return mix(torch.cat([X, torch.ones_like(X[:1])]), *weights)


def shapes(weights: str, n: int, d: int) -> list[tuple[int, ...]]:
    """Of "dd n2 1": (d, d), (n, 2) and ()."""
    sides = {"d": d, "t": d, "p": d + 1, "n": n, "m": 2 * d, "o": 2 * n - 1}
    words = ["" if word == "1" else word for word in weights.split()]
    return [tuple(sides[side] if side in sides else int(side) for side in word) for word in words]


def of_theta(mix: Callable[..., torch.Tensor], weights: str, n: int, d: int) -> Mixer:
    """g(X, theta) of g(X, *weights)."""
    found = shapes(weights, n, d)

    def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        parts = torch.split(theta, [math.prod(shape) for shape in found])
        return mix(X, *(part.reshape(shape) for part, shape in zip(parts, found, strict=True)))

    return g


def group_of(group: Group, n: int, d: int) -> Any:
    """As `check_mixer` takes it."""
    return group if isinstance(group, str) else group(n, d)


def added(parts: Iterable[torch.Tensor]) -> torch.Tensor:
    """Their sum."""
    return functools.reduce(operator.add, parts)


def drawn(d: int, n: int) -> torch.Tensor:
    """Tokens for a pair, the same each time."""
    return torch.randn(d, n, generator=torch.Generator().manual_seed(n), dtype=torch.float64)


def reversal(n: int, d: int) -> list[Permutation]:
    """The order of tokens turned round."""
    return [tuple(range(n))[::-1]]


def blocks(n: int, size: int) -> list[list[int]]:
    """0, ..., n - 1 in stretches of this size; the last may be shorter."""
    return [list(range(start, min(n, start + size))) for start in range(0, n, size)]


class Mixers(dict[str, Entry]):
    """By name; a KeyError says which are like it."""

    def __missing__(self, name: object) -> Entry:
        like = difflib.get_close_matches(str(name), self, cutoff=0.4) or list(self)[:3]
        raise KeyError(f"no mixer {name!r}; there are {', '.join(map(repr, like))} and others, list(MIXERS)")


MIXERS = Mixers()
CAUSAL = Claim(
    "no",
    "The first token hears itself alone: change another one, and it stays what it was, in every layer.",
    lambda n, d, layers: n > 1,
)


def mixer(
    name: str,
    source: str,
    weights: str,
    group: Group = "trivial",
    *claims: Claim,
    causal: bool = False,
    analytic: bool = True,
) -> Callable[[Callable[..., torch.Tensor]], Callable[..., torch.Tensor]]:
    """Add the function below to the atlas. It stays what it is; its docstring has the formula and what was chosen.

    Raises
    ------
    ValueError
        A name that is taken, a source that `PAPERS` lacks, weights that are no shapes or not those of the function,
        another name of a group, a claim that is none, a reason or docstring with formulas in TeX.
    """
    if text("name", name) in MIXERS:
        raise refused("name", "one that the atlas does not have yet", name)
    if text("source", source) not in PAPERS:
        raise refused("source", "a key of PAPERS", source, "add the paper to papers.py and references.bib")
    if not re.fullmatch(r"[dtnmo1-9]+( [dtnmo1-9]+)*", text("weights", weights)):
        raise refused("weights", "words of the letters d, t, n, m, o and digits, one space between them", weights)
    if not callable(group):
        choice("group", group, GROUPS, "or give a function of n and d")
    for claim in items("claims", claims, Claim, least=0):
        choice("claim.verdict", claim.verdict, VERDICTS)
        _plain("claim.why", claim.why)
    known = (CAUSAL, *claims) if flag("causal", causal) else claims
    flag("analytic", analytic)

    def add(mix: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        try:
            inspect.signature(function("mix", mix)).bind(None, *weights.split())
        except TypeError:
            raise refused(
                "weights", f"one word for each weight of {mix.__name__}{inspect.signature(mix)}", weights
            ) from None
        _plain("docstring", inspect.getdoc(mix) or "")
        family = mix.__module__.rpartition(".")[2]
        MIXERS[name] = Entry(name, source, family, mix, weights, group, causal, analytic, known)
        return mix

    return add


def _plain(name: str, said: str) -> None:
    """Of what the table shows: it sets formulas as docstrings have them, and TeX would stand there as it was typed."""
    if found := re.search(r"\$[^$]*\$?|\\[A-Za-z]+", text(name, said)):
        raise refused(name, "formulas in plain text, as in W_Q x_i", found[0], "write them without $ and \\")
