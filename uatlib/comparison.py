"""One function, the network of every proof: sizes, bounds and measured errors, side by side."""

from __future__ import annotations

import html
import math
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import checks, cheng2025, kajitsuka2024, liu2025, yun2020
from .arithmetic import BALL, FLOAT64, Overflow, distances
from .certificate import Construction
from .internal.formula_html import formula_html
from .internal.integrals import MAX_POINTS, Distance
from .metrics import lp_distance, sup_distance
from .sizes import ConstructionTooLarge
from .targets import Target

__all__ = ["Row", "compare"]

BITS = 512
"""More than the ids of networks on small grids need."""
SEQUENCES = 1000
"""Of a timed run."""
INSET = 2.0**-20
"""Of a cell, from its faces, where networks have their bands."""
ORDER = 5
"""Of the rule of Gauss and Legendre within a cell."""
Build = Callable[[Target, int, float], Construction]


@dataclass(frozen=True)
class Row:
    """One network for the function, measured.

    Attributes
    ----------
    name : whose network it is
    layers, heads, hidden : layers, most heads and most hidden units of one of them
    weights, nonzero : weights and biases, and how many of these are not 0
    bits : of the numbers in which its layers run: 53 where floats will do
    bound, sup_bound : what is proved of d_p and of the sup norm; None where nothing is
    error, sup : d_p(f, g) and max |f - g| over the box, as measured, with the method
    literal : at most by so much the layers, in balls, differ from the values that were measured; None if not asked
    build_seconds, run_seconds : to build it; for its layers in float64 on a thousand sequences, NaN if these or
        their weights overflow
    refused : why there is no such network; then there are no numbers
    """

    name: str
    layers: int = 0
    heads: int = 0
    hidden: int = 0
    weights: int = 0
    nonzero: int = 0
    bits: int = 0
    bound: float | None = None
    sup_bound: float | None = None
    error: Distance | None = None
    sup: Distance | None = None
    literal: float | None = None
    build_seconds: float = math.nan
    run_seconds: float = math.nan
    refused: str = ""


CONSTRUCTIONS: dict[str, Build] = {
    "Yun et al.": lambda f, N, p: yun2020.build(f, inverse_delta=N, p=p, stage="softmax"),
    "Kajitsuka, Sato": lambda f, N, p: kajitsuka2024.build(f, inverse_delta=N, p=p, duplicates="keep"),
    "Liu et al.": lambda f, N, p: liu2025.build(f, inverse_delta=N, p=p),
    "Cheng et al.": lambda f, N, p: cheng2025.build(f, inverse_delta=N, p=p, duplicates="keep"),
}
"""Each with the options that follow the function best. What is added here has a row in every comparison."""


@dataclass(frozen=True)
class Comparison:
    """What `compare` returns: `rows`, and how they were measured. In a notebook it is a table.

    Columns with <= are what is proved, those without what was measured.
    """

    target: Target
    inverse_delta: int
    p: float
    rows: Sequence[Row] = field(default_factory=tuple)

    def __getitem__(self, name: str) -> Row:
        """The row of this name; KeyError if there is none."""
        rows = {row.name: row for row in self.rows}
        if name not in rows:
            raise KeyError(f"no row {name!r}; there are: {', '.join(rows)}")
        return rows[name]

    def beside(self, *rows: Row) -> Comparison:
        """The same with more rows, of networks that were measured elsewhere."""
        return replace(self, rows=(*self.rows, *checks.items("rows", rows, Row)))

    @property
    def _title(self) -> str:
        return f"{self.target.name.replace('_', ' ')}, {self.inverse_delta} cells a side"

    def _table(self) -> list[list[str]]:
        columns = {
            "layers": "layers", "heads": "heads", "hidden": "hidden", "weights": "weights", "nonzero": "not 0",
            "bits": "bits", "bound": f"d_{self.p:g} <=", "error": f"d_{self.p:g}", "sup_bound": "sup <=", "sup": "sup",
        }  # fmt: skip
        table = [["network", *columns.values()]]
        for row in self.rows:
            shown = ["too large"] + [""] * (len(columns) - 1) if row.refused else [_shown(row, key) for key in columns]
            table.append([row.name, *shown])
        return table

    def __repr__(self) -> str:
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                [line[0].ljust(widths[0]), *(text.rjust(w) for text, w in zip(line[1:], widths[1:], strict=True))]
            )
            for line in table
        ]
        return "\n".join([self._title, *map(str.rstrip, lines)])

    def _repr_html_(self) -> str:
        head, *body = self._table()
        head, body = [formula_html(text) for text in head], [[html.escape(text) for text in line] for line in body]
        said = [re.sub(r"_(\S+)", _lowered, text).replace("<=", "≤") for text in self._table()[0]]
        rows = "".join(
            f'<tr><th scope="row">{line[0]}</th>'
            + "".join(f'<td data-head="{name}">{text}</td>' for name, text in zip(said[1:], line[1:], strict=True))
            + "</tr>"
            for line in body
        )
        columns = "".join(f'<th scope="col">{text}</th>' for text in head)
        return (
            f'<table class="uat-model uat-comparison"><caption>{html.escape(self._title)}</caption>'
            f"<thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"
        )


def _lowered(found: re.Match[str]) -> str:
    """Digits as they stand below a letter, for a place that takes no mark-up."""
    return found[1].translate({ord(str(k)): 0x2080 + k for k in range(10)})


def _shown(row: Row, key: str) -> str:
    value = getattr(row, key)
    if isinstance(value, Distance):
        return f"{value.value:.3f}"
    return "\N{EN DASH}" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def compare(
    target: Target,
    inverse_delta: int,
    *,
    p: float = 2,
    samples: int = 65_536,
    literal: int = 8,
    seed: int = 0,
    executor: Executor | None = None,
) -> Comparison:
    """The networks of all proofs for one function f on one grid: a row for each of `CONSTRUCTIONS`, in a table.

        d_p(f, g) = (integral over the box of |f - g|_p^p)^(1/p),   sup = max over points of the largest |f - g|

    What is measured is `shortcut`, the values of the network in bulk; its literal layers are compared with these at
    `literal` random points of the box. A network that would not fit has a row that says so.

    Parameters
    ----------
    target : a permutation equivariant `Target` on [0, 1]^(d x n) with n >= 2, its Lipschitz constant and bound stated
    inverse_delta : N = 1/delta >= 2, cells a side, the same for all
    p : 1 <= p < inf
    samples : points at most: d_p is a Gauss-Legendre rule on the cells where that takes no more, else Monte Carlo; the
        sup norm is the largest of as many points, a lattice with all corners of cells, or random ones
    literal : 0 leaves the layers out
    executor : evaluates points, as for `lp_distance`

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant, has another box, or lacks a constant that a proof needs.
    """
    target = checks.instance("target", target, Target, "wrap a function with targets.Target")
    N, p = checks.whole("inverse_delta", inverse_delta, 2), checks.exponent("p", p, sup=False)
    samples, literal = checks.whole("samples", samples, 2, MAX_POINTS), checks.whole("literal", literal, 0, 10_000)
    seed, executor = checks.seed(seed), checks.executor(executor)
    if target.n_source is not None:
        raise checks.refused("target", "a function of one sequence", "one of two")
    ruler = _Ruler(target, N, p, samples, literal, seed, executor)
    return Comparison(target, N, p, tuple(ruler.row(name, build) for name, build in CONSTRUCTIONS.items()))


@dataclass(frozen=True)
class _Ruler:
    """How all of them are measured."""

    f: Target
    N: int
    p: float
    samples: int
    literal: int
    seed: int
    executor: Executor | None

    def row(self, name: str, build: Build) -> Row:
        """Build it and measure it."""
        begun = time.perf_counter()
        try:
            g = build(self.f, self.N, self.p)
        except ConstructionTooLarge as why:
            return Row(name, refused=str(why))
        seconds = time.perf_counter() - begun
        return Row(
            name,
            layers=len(g.model.layers),
            heads=g.claim.heads,
            hidden=g.claim.hidden,
            weights=g.model.parameter_count(),
            nonzero=g.model.parameter_count(nonzero=True),
            bits=getattr(g, "bits", 53),
            bound=g.claim.error,
            sup_bound=g.sup_error,
            error=self.error(g.shortcut),
            sup=sup_distance(
                self.f, g.shortcut, self.points(), executor=self.executor, n_out=self.f.n_out, d_out=self.f.d_out
            ),
            literal=self.gap(g) if self.literal else None,
            build_seconds=seconds,
            run_seconds=self.run_seconds(g),
        )

    @property
    def entries(self) -> int:
        return self.f.n * self.f.d

    def error(self, g: Callable[..., Any]) -> Distance:
        """d_p(f, g)."""
        size: dict[str, Any] = {"n": self.f.n, "d": self.f.d, "n_out": self.f.n_out, "d_out": self.f.d_out}
        size |= {"p": self.p, "executor": self.executor}
        if (self.N * (2 * ORDER + 1)) ** self.entries <= self.samples:
            return lp_distance(self.f, g, cells=self.N, order=ORDER, **size)
        return lp_distance(self.f, g, method="monte carlo", samples=self.samples, seed=self.seed, **size)

    def points(self) -> np.ndarray:
        """A lattice with points at all corners of cells, from inside; where that takes too many, random ones."""
        each = math.floor(self.samples ** (1 / self.entries) / self.N + 1e-9)
        if each < 2:
            return self.drawn(self.samples)
        inside = np.linspace(INSET, 1 - INSET, each)
        axis = ((np.arange(self.N)[:, None] + inside) / self.N).ravel()
        return np.stack(np.meshgrid(*[axis] * self.entries, indexing="ij"), -1).reshape(-1, self.f.d, self.f.n)

    def gap(self, g: Construction) -> float:
        """How far the layers, in balls, are from the shortcut at random points: from above."""
        X = self.drawn(self.literal)
        system = BALL.with_bits(max(BITS, 2 * getattr(g, "bits", 53)))
        return float(distances(g(X, system), g.shortcut(X)).max())

    def run_seconds(self, g: Construction) -> float:
        """For the layers in floats; NaN where a number overflows."""
        X = self.drawn(SEQUENCES)
        try:
            model = g.model.lower(FLOAT64)
            begun = time.perf_counter()
            model(X)
        except Overflow:
            return math.nan
        return time.perf_counter() - begun

    def drawn(self, count: int) -> np.ndarray:
        return np.random.default_rng(self.seed).uniform(size=(count, self.f.d, self.f.n))
