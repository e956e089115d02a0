"""Formulas in x_1 and x_2 as readers type them: tokens, recursive descent, evaluation on arrays; explorer/formula.js.

sum = product {("+" | "-") product}; product = sign {["*" | "/"] sign}; sign = ("-" | "+") sign | power;
power = atom ["^" sign]; atom = number | x_1 | x_2 | pi | e | function "(" sum {"," sum} ")" | "(" sum ")".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

__all__ = ["MOST", "Formula"]

MOST, DEEPEST = 200, 40
TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(x[₁₂]|[a-zA-Z]\w*)|(\S))", re.ASCII)
ALIKE = {
    "\N{MINUS SIGN}": "-",
    "\N{MIDDLE DOT}": "*",
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{DIVISION SIGN}": "/",
    "x\N{SUBSCRIPT ONE}": "x_1",
    "x\N{SUBSCRIPT TWO}": "x_2",
}
CONSTANTS = {"pi": np.pi, "e": np.e}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
}  # fmt: skip
MANY: dict[str, Callable[[Any, Any], Any]] = {"min": np.minimum, "max": np.maximum}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.float_power,
}  # fmt: skip

Node = Callable[[Any], Any]


class _Points:
    """Where a formula is evaluated; `strict`, a value that is not finite is refused with its place."""

    def __init__(self, x: tuple[Any, Any], strict: bool) -> None:
        self.x, self.strict = x, strict

    def require(self, values: Any, what: str, divisor: Any, place: int) -> Any:
        bad = np.flatnonzero(~np.isfinite(values))
        if not self.strict or not len(bad):
            return values
        k = bad[0]
        zero = divisor is not None and divisor[k] == 0
        why = "division by zero" if zero else "overflow"
        if not zero and (what == "log" or np.isnan(values[k])):
            why = f"{what} is undefined"
        x_1, x_2 = (f"{float(x[k]):.2f}" for x in self.x)
        raise ValueError(f"{why} at x\u2081 = {x_1}, x\u2082 = {x_2} (character {place}).")


class Formula:
    """f(x_1, x_2) from a text of at most 200 characters; ValueError with the place if it is none."""

    def __init__(self, text: str) -> None:
        if len(text) > MOST:
            raise ValueError(f"expected at most {MOST} characters, got {len(text)}.")
        end = len(text.rstrip())
        found = [(match[0].strip(), match.end() - len(match[0].strip()) + 1) for match in TOKEN.finditer(text[:end])]
        self._tokens = [(ALIKE.get(token, token), place) for token, place in found] + [("", end + 1)]
        self._next = self._depth = 0
        self._node = self._sum()
        if self._peek():
            self._refuse("an operator")

    def __call__(self, x_1: np.ndarray, x_2: np.ndarray, *, strict: bool = True) -> np.ndarray:
        """f at these points, float64; `strict`, ValueError with the place where it is not a finite number."""
        x = np.asarray(x_1, np.float64), np.asarray(x_2, np.float64)
        with np.errstate(all="ignore"):
            values: np.ndarray = self._node(_Points(x, strict)) + 0 * x[0]
        return values

    # ---------------------------------------------------------------------------------------------------- the grammar

    def _peek(self) -> str:
        return self._tokens[self._next][0]

    def _take(self, *wanted: str) -> tuple[str, int] | None:
        """The next token if it is one of these."""
        if self._peek() not in wanted:
            return None
        self._next += 1
        return self._tokens[self._next - 1]

    def _refuse(self, expected: str) -> NoReturn:
        token, place = self._tokens[self._next]
        raise ValueError(f"expected {expected}, got {token[:20] or 'the end'} (character {place}).")

    def _need(self, token: str) -> None:
        if not self._take(token):
            self._refuse(token)

    def _sum(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"at most {DEEPEST} brackets in each other")
        node = self._product()
        while found := self._take("+", "-"):
            node = _two(*found, node, self._product())
        self._depth -= 1
        return node

    def _product(self) -> Node:
        node = self._sign()
        while True:
            if found := self._take("*", "/"):
                node = _two(*found, node, self._sign())
            elif re.match(r"[a-zA-Z(]", self._peek()):  # 2 x_1
                node = _two("*", self._tokens[self._next][1], node, self._power())
            else:
                return node

    def _sign(self) -> Node:
        if self._take("-"):
            inner = self._sign()
            return lambda points: -inner(points)
        return self._sign() if self._take("+") else self._power()

    def _power(self) -> Node:
        node = self._atom()
        found = self._take("^")
        return _two(*found, node, self._sign()) if found else node

    def _atom(self) -> Node:
        token, place = self._tokens[self._next]
        is_name = bool(re.match("[a-zA-Z]", token))
        if not is_name and re.search("[0-9]", token):
            self._next += 1
            value = float(token)
            return lambda points: points.require(value + 0 * points.x[0], "number", None, place)
        if self._take("("):
            node = self._sum()
            self._need(")")
            return node
        if token in ("x_1", "x1", "x_2", "x2"):
            self._next += 1
            return lambda points: points.x[int(token[-1]) - 1]
        if token in CONSTANTS:
            self._next += 1
            return lambda points: CONSTANTS[token] + 0 * points.x[0]
        if token in FUNCTIONS or token in MANY:
            self._next += 1
            return self._call(token, place)
        if is_name:
            self._refuse(f"a name out of {', '.join(['x_1', 'x_2', *CONSTANTS, *FUNCTIONS, *MANY])}")
        self._refuse("a number, x_1, x_2, a function or (")

    def _call(self, name: str, place: int) -> Node:
        self._need("(")
        given = [self._sum()]
        while name in MANY and self._take(","):
            given.append(self._sum())
        self._need(")")
        if name in FUNCTIONS:
            return lambda points: points.require(FUNCTIONS[name](given[0](points)), name, None, place)
        node = given[0]
        for other in given[1:]:
            node = _two(name, place, node, other)
        return node


def _two(name: str, place: int, left: Node, right: Node) -> Node:
    act = {**OPERATORS, **MANY}[name]

    def node(points: _Points) -> Any:
        a, b = left(points), right(points)
        return points.require(act(a, b), name, {"/": b, "^": a}.get(name), place)

    return node
