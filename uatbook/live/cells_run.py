"""Cells of a max-affine function and what a head makes of them, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from uatlib.arithmetic import FLOAT64

from .attention_run import listed, trimmed
from .picture import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .cells import Cells

INDICATOR = "indicator"
SURE = 0.01
"""Within its core a cell has all but this share of the head's attention, for certain."""
LEAST, NOISE = 1e-300, 1e-9
"""Below these a number may be what floats cannot hold, or rounding."""


def keys(sites: np.ndarray, weights: np.ndarray, precision: float) -> np.ndarray:
    """R [s_i; (w_i - |s_i|^2)/2], shape (3, N): what the reader changes of the head's w_k."""
    return precision * np.vstack([sites, (weights - (sites**2).sum(axis=0)) / 2])


class Run:
    """Cells and head at some values."""

    def __init__(self, shown: Cells, values: Mapping[str, Any]) -> None:
        self.shown, self.N, self.R, self.kind = shown, int(values["N"]), values["R"], values["values"]
        names = [(f"x{i}", f"y{i}", f"w{i}") for i in range(1, self.N + 1)]
        x, y, self.weights = (np.array([values[row[k]] for row in names], float) for k in range(3))
        self.sites, self.probe = np.stack([x, y]), (values["px"], values["py"])
        self._models: dict[str, Any] = {}
        self._place()
        self.shares = self.answers(np.array(self.probe)[:, None], INDICATOR)[:, 0].tolist()
        self.elsewhere = sum(share for i, share in enumerate(self.shares) if i != self.cell)
        self.bound = (self.N - 1) * math.exp(-self.R * self.margin)

    def _place(self) -> None:
        """The cell of the probe, those that tie with it, the next one and the margin, in whole numbers."""
        S, (X, Y) = np.rint(100 * self.sites).astype(int), (round(100 * t) for t in self.probe)
        y = (2 * (S[0] * X + S[1] * Y) - (S**2).sum(axis=0) + 1000 * np.rint(10 * self.weights).astype(int)).tolist()
        self.tied = [i for i in range(self.N) if y[i] == max(y)]
        self.cell = self.tied[0]
        self.rival = max((i for i in range(self.N) if i != self.cell), key=lambda i: y[i])
        self.margin = (y[self.cell] - y[self.rival]) / 20000

    def components(self, points: np.ndarray) -> np.ndarray:
        """All y_i at points of shape (2, count)."""
        found: np.ndarray = keys(self.sites, self.weights, 1).T @ np.vstack([points, np.ones(points.shape[1])])
        return found

    def answers(self, points: np.ndarray, kind: str) -> np.ndarray:
        """What the head gives for points of shape (2, count), as many to a sequence as it takes: (k, count)."""
        if kind not in self._models:
            self._models[kind] = self.shown.model(kind, self.sites, self.weights, self.R)
        model = self._models[kind]
        n, count = model.n_in or 1, points.shape[1]
        tokens = np.zeros((2, -(-count // n) * n))
        tokens[:, :count] = points
        out = model(tokens.reshape(2, -1, n).swapaxes(0, 1), FLOAT64).numpy()
        return np.asarray(out).swapaxes(0, 1).reshape(out.shape[1], -1)[:, :count]

    def on_cells(self, points: np.ndarray) -> np.ndarray:
        """The values of all cells at these points, shape (N, count)."""
        found = told(np.asarray(self.shown.values[self.kind])[:, : self.N, None], points)
        return np.broadcast_to(found, (self.N, points.shape[1]))

    def head(self, points: np.ndarray) -> np.ndarray:
        """The value that the head gives, of shape (count,)."""
        return told(self.answers(points, self.kind), points)

    def text(self) -> str:
        """The read-out."""
        at = f"x = {place(self.probe)}"
        first = f"{at}: cell {self.cell + 1}, ahead of cell {self.rival + 1} by the margin {trimmed(self.margin, 5)}"
        if len(self.tied) > 1:
            owners = listed([str(i + 1) for i in self.tied])
            first = f"{at}: on the border of cells {owners}, counted to {self.cell + 1}; margin 0"
        share, elsewhere = number(self.shares[self.cell]), small(self.elsewhere, LEAST)
        sign = "=" if self.bound >= LEAST else "is"
        most = f"; never more than (N − 1) e^(−R · margin) {sign} {small(self.bound, LEAST)}" if self.bound < 1 else ""
        lines = [
            first,
            f"R = {self.R}: the head puts {share} on cell {self.cell + 1}, {elsewhere} elsewhere{most}",
        ]
        return "\n".join([*lines, *([] if self.kind == INDICATOR else [self._value()])])

    def _value(self) -> str:
        """What the cell has, what the head answers."""
        x = np.array(self.probe)[:, None]
        cells, rows = self.on_cells(x)[:, 0], self.answers(x, self.kind)[:, 0]
        wanted, got = float(cells[self.cell]), float(told(rows[:, None], x)[0])
        bound = float(np.ptp(cells)) * self.bound
        has, gives = number(wanted), number(got)
        if len(rows) > 1:
            has = f"{affine(np.asarray(self.shown.values[self.kind])[:, self.cell])} = {has}"
            gives = f"{affine(rows)} = {gives}"
        off = f"off by {small(abs(got - wanted), NOISE)}, at most {small(max(bound, NOISE), NOISE)}"
        return f"{self.kind}: cell {self.cell + 1} has {has}, the head answers {gives}: {off}"

    def alt(self) -> str:
        """What the picture shows."""
        told = ", ".join(
            f"s{i + 1} {place(site)}{f' with weight {number(w, 1)}' if w else ''}"
            for i, (site, w) in enumerate(zip(self.sites.T.tolist(), self.weights.tolist(), strict=True))
        )
        what = "the head's attention" if self.kind == INDICATOR else f"what the head answers, {self.kind},"
        return (
            f"The plane in {self.N} cells, those of the sites {told}. Colours show {what} at R = {self.R}: they melt "
            f"at the borders. Inside dashed lines at most {SURE} of the attention is elsewhere. Beside it the same "
            f"along x₂ = {number(self.probe[1], 2)}. {self.text()}"
        ).replace("\n", ". ") + "."


def told(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Values as numbers: constants as they are, slope and intercept as those of an affine function at the points."""
    found: np.ndarray = rows[0] if len(rows) == 1 else rows[0] * points[0] + rows[1] * points[1] + rows[2]
    return found


def place(at: Sequence[float]) -> str:
    """A point of the plane."""
    return f"({', '.join(number(t, 2) for t in at)})"


def affine(rows: Sequence[float] | np.ndarray) -> str:
    """An affine function of the plane."""
    a, b, c = map(float, rows)
    b_, c_ = (f"{'−' if t < 0 else '+'} {number(abs(t), 2)}" for t in (b, c))
    return f"{number(a, 2)} x₁ {b_} x₂ {c_}"


def small(value: float, least: float) -> str:
    """A number >= 0; a small one by its size."""
    if value >= 0.01:
        return number(value)
    if value < least:
        return f"less than {least:.0e}".replace("e-0", "e-")
    return f"{value:.1e}".replace("e-0", "e-")
