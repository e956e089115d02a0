"""What a contextual mapping makes of tokens, and how the film says it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.model import Transformer

from .picture import fixed, number

NOISE, SEEN = 1e-6, 0.05
"""What rounding may do to a number; the least jump that is told."""


@dataclass(frozen=True)
class Case:
    """A network of some grid, and what is known of it; numbers in units of delta."""

    N: int
    n: int
    quantizer: Transformer
    shifts: Transformer
    interval: tuple[float, float]
    proved: float
    """A scale that keeps ids right; 0: the film is of hardmax."""

    def run(self, network: Transformer, X: Any) -> list[list[float]]:
        """X and the states after each layer."""
        return [(np.asarray(state)[0] * self.N).tolist() for state in network.trace(X, FLOAT64)]

    @cached_property
    def reach(self) -> float:
        """The largest number up or down: that of one token outside the box and the others high up in it."""
        X = np.array([[-1, *(max(self.N - k, 0) / self.N for k in range(1, self.n))]])
        return max(map(abs, self.run(self.shifts, self.quantizer(X, FLOAT64))[-1]))

    @cached_property
    def proper(self) -> list[tuple[float, int, tuple[int, ...]]]:
        """All proper ids, each with its level and the levels of its context."""
        found = []
        for levels in combinations(range(self.N), self.n):
            ids = self.run(self.shifts, np.array([levels]) / self.N)[-1]
            found += [(t, level, levels) for t, level in zip(ids, levels, strict=True)]
        return found


class Run:
    """What the network of a case makes of tokens, in units of delta."""

    def __init__(self, case: Case, tokens: Sequence[float], *, cut: bool = True, scale: float | None = None) -> None:
        self.case, self.N, self.n, self.interval = case, case.N, case.n, case.interval
        self.tokens, self.cut, self.scale = tokens, cut, scale
        X = np.array([tokens])
        self.X = case.quantizer(X, FLOAT64) if cut else X
        self.hard = self._states(case.shifts)
        self.shown = self.hard if scale is None else self._states(self._softened(scale))
        self.exact, self.ids = self.hard[-1], self.shown[-1]

    def _softened(self, scale: float) -> Transformer:
        return Transformer([layer.with_softmax(scale) for layer in self.case.shifts.attentions()], n=self.n)

    def _states(self, shifts: Transformer) -> list[list[float]]:
        """The tokens, what they are cut to, and the states after each layer of attention."""
        return [[t * self.N for t in self.tokens], *self.case.run(shifts, self.X)]

    def jumps(self) -> str:
        """Whom each shift moved, and where to."""
        told = []
        for k in range(self.N):
            pairs = zip(self.shown[k + 1], self.shown[k + 2], strict=True)
            if moved := [f"{landing(a)} → {landing(b)}" for a, b in pairs if abs(b - a) >= SEEN]:
                told.append(f"shift {k}: {', '.join(moved)}")
        return "; ".join(told) or "no shift moves anything"

    def place(self) -> str:
        """Where the ids lie: "all in", "1 below, 2 above", to be followed by the interval of proper ones."""
        low, high = self.interval
        counts = {
            "below": sum(t < low for t in self.ids),
            "in": sum(low <= t <= high for t in self.ids),
            "above": sum(t > high for t in self.ids),
        }
        some = [(where, count) for where, count in counts.items() if count]
        return f"all {some[0][0]}" if len(some) == 1 else ", ".join(f"{count} {where}" for where, count in some)

    def caught(self, level: int) -> bool:
        """Whether a token lies in the window of this shift."""
        return any(abs(t - level) < 0.5 for t in self.shown[level + 1])

    def verdict(self) -> tuple[str, str]:
        """What becomes of the ids, in a word and in more."""
        if self.scale is not None:
            return self._reading()
        equal = "two are equal" if _alike(self.ids) else "all different"
        found = f"{equal}, {self.place()} {interval_text(self.interval)}"
        if self.place() != "all in":
            return "given up", found
        whole = all(map(_is_whole, self.ids))
        return ("proper", found) if whole else ("off the grid", f"{found}, but no whole numbers")

    def _reading(self) -> tuple[str, str]:
        """Whose id each of them is nearest to."""
        low, high = self.interval
        if _alike(self.exact) or not all(low <= t <= high for t in self.exact):
            inside = sum(low <= t <= high for t in self.ids)
            return "given up", (f"but {inside} INSIDE " if inside else "outside ") + interval_text(self.interval)
        for t, own in zip(self.ids, self.exact, strict=True):
            near, level, levels = min(self.case.proper, key=lambda name: abs(name[0] - t))
            if abs(near - own) > NOISE:
                return "WRONG", f"{say(t)} is read as {say(near)}, the {level} of {{{', '.join(map(str, levels))}}}"
        if self.error(self.ids) < 0.5:
            return "right", "all within half a step"
        return "too far", "nearest to their own, but beyond half a step"

    def error(self, ids: Sequence[float]) -> float:
        """The largest distance to the ids with hardmax."""
        return max(abs(a - b) for a, b in zip(ids, self.exact, strict=True))

    def errors(self, scales: Sequence[float]) -> list[float]:
        """The largest error of an id at each of these scales."""
        return [self.error(self._states(self._softened(scale))[-1]) for scale in scales]


# -------------------------------------------------------------------------------------------------------------- words


def say(value: float) -> str:
    """A number of the film, its thousands apart: whole where it is but for rounding."""
    if not math.isfinite(value):
        return number(value)
    whole, _, decimals = fixed(abs(value), 0 if _is_whole(value) else 2).partition(".")
    text = f"{int(whole):,}" + (f".{decimals}" if decimals else "")
    return ("\N{MINUS SIGN}" if value < 0 and text.strip("0.") else "") + text


def landing(value: float) -> str:
    """The same in fewer digits."""
    return say(round(value) if math.isfinite(value) and abs(value - round(value)) < 0.005 else value)


def listed(state: Sequence[float]) -> str:
    """Numbers with spaces between them, since there are commas in them."""
    return " ".join(map(say, state))


def interval_text(ends: Sequence[float]) -> str:
    """[low, high]."""
    return f"[{say(ends[0])}, {say(ends[1])}]"


def tiny(error: float) -> str:
    """An error, a small one in one digit; what may be rounding is not told."""
    if not math.isfinite(error) or error >= 0.01:
        return say(math.floor(error + 0.5) if 100 <= error < math.inf else error)
    if error < NOISE:
        return f"less than {ten(-6)}"
    digit, power = f"{error:.0e}".split("e")
    return f"{digit}·{ten(int(power))}"


def ten(power: int) -> str:
    """A power of ten."""
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _is_whole(value: float) -> bool:
    return math.isfinite(value) and abs(value - round(value)) < NOISE


def _alike(ids: Sequence[float]) -> bool:
    return any(abs(a - b) < NOISE for a, b in combinations(ids, 2))
