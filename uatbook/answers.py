"""What an exercise asks to be handed in, by kind, and how an answer becomes plain data; not what is right.

    whole("layers")                a whole number                      int
    number("share", tolerance=0)   a number, 11/32 or 0.34375          Fraction
    choice("order", "1/N", "3/N")  one of these texts                  str
    order("steps", "one", "two")   the numbers of these texts, from 1  list of int
    wholes("ids", 3)               a list of 3 whole numbers           list of int; `least`, `most` for each of them
    numbers("slopes", 3)           a list of 3 numbers                 list of Fraction
    subset("cells")                a set of whole numbers              list of int, sorted, each once
    table("scores", 3, 3)          rows of numbers                     list of lists of Fraction
    pattern("pattern", 7)          who hears whom of 7 tokens          list of lists: those whom token i hears, sorted
    array("outputs")               any numbers, from a function        nested lists of finite float
    function("f", "q, k", number("value"))   a function of q and k      for each of the inputs its result, or None
    network("net")                 a `Transformer`                     a `Transformer`

A page hands in texts, a notebook objects, of which `handed` makes plain data: both are parsed here, and alike. The
page's parser is exercises/answers.js, which gets constants, and of each field what it expects, from here.
"""

from __future__ import annotations

import contextlib
import math
import re
import tempfile
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from pathlib import Path
from typing import Any

from uatlib.checks import refused
from uatlib.internal import writing
from uatlib.model import Transformer

from .handed import FLOATS, MOST_TEXT, lists
from .notation import A_NUMBER, LARGEST, TOO_LARGE, Said, tidy
from .notation import number as read

MOST = 4096
"""Entries of a list."""
TO_ROUND = ", rounded where the question asks for that"
EITHER = ", with points and not commas within numbers"
TWO_WAYS, BESIDE = r"\d,\d", r";|[\d)%] +[-+]?[\d.(]"
"""A list that has both: its commas may be points."""
ROUNDED = "{given} looks rounded: you have the right number, give more digits of it, or a fraction."
LISTS = ("wholes", "numbers", "subset", "order")


@dataclass(frozen=True)
class Field:
    """One thing to be handed in: its name, its kind, and what the kind needs to know."""

    kind: str
    name: str
    tolerance: Fraction = Fraction(0)
    options: Sequence[str] = ()
    rows: int | None = None
    columns: int | None = None
    least: int | None = None
    most: int | None = None
    arguments: str = ""
    returns: Field | None = None
    tensors: bool = False

    @property
    def label(self) -> str:
        """The name as a title: a word begins with a capital, a letter stays what it is."""
        return self.name[0].upper() + self.name[1:] if re.match("[a-z]{2}", self.name) else self.name

    def spec(self) -> dict[str, Any]:
        """What the page needs to know, as JSON."""
        known: dict[str, Any] = {"kind": self.kind, "name": self.name, "rows": self.rows, "columns": self.columns}
        known |= {"least": self.least, "most": self.most, "options": list(self.options) or None}
        known |= {"expected": self.expected, "whole": self._whole_number(), "label": self.label}
        known["tolerance"] = str(self.tolerance) if self.tolerance else None
        known["wants"] = self.wants
        return {name: value for name, value in known.items() if value is not None}

    def parse(self, value: Any) -> Any:
        """What is handed in, as the plain data of its kind. ValueError if it is nothing of the kind."""
        if self.kind == "network":
            return self._network(value)
        if self.kind == "choice":
            text = str(value) if type(value) is int and 0 <= value < 10 else value
            if isinstance(text, str) and len(text) <= MOST:
                for option in self.options:
                    if _chosen(option) == _chosen(text):
                        return option
            raise refused(self.name, self.expected, value)
        if self.kind == "whole":
            return self._whole(value)
        if self.kind == "number":
            return self._number(value)
        if self.kind == "array":
            return self._array(value)
        if self.kind in LISTS:
            return self._list(value)
        return self._table(value)

    def _network(self, value: Any) -> Transformer:
        if isinstance(value, Mapping) and isinstance(value.get("transformer"), str):
            with tempfile.TemporaryDirectory() as folder, contextlib.suppress(ValueError):
                file = Path(folder, "handed in")
                writing.write(file, value["transformer"])
                value = Transformer.load(file)
        if isinstance(value, Transformer):
            return value
        raise refused(self.name, self.expected, value)

    def _array(self, value: Any) -> Any:
        if isinstance(value, list) and len(value) <= MOST:
            return [self._array(entry) for entry in value]
        if isinstance(value, Mapping) and len(value) == 1 and FLOATS.keys() >= value.keys():
            value = next(iter(value.values()))
        return value if type(value) is float and math.isfinite(value) else float(self._number(value))

    def _whole(self, value: Any) -> int:
        number = self._number(value, self.expected if self.kind == "subset" else self._whole_number())
        low, high = (-math.inf if self.least is None else self.least), (math.inf if self.most is None else self.most)
        if number.denominator != 1 or not low <= number <= high:
            beside = TO_ROUND if low <= number <= high and isinstance(number, Said) and number.unit else ""
            raise refused(self.name, self._whole_number() + beside, value)
        return int(number)

    def _number(self, value: Any, expected: str = A_NUMBER) -> Fraction:
        found: Fraction | str = A_NUMBER
        with contextlib.suppress(Exception):  # of a foreign number
            found = _fraction(lists(value))
        if not isinstance(found, str) and abs(found) > LARGEST:
            found = TOO_LARGE
        if isinstance(found, str):
            raise refused(self.name, expected if found == A_NUMBER else found, value)
        return found

    def _list(self, value: Any) -> list[Any]:
        if isinstance(value, str):
            if len(value) > MOST_TEXT:
                raise refused(self.name, self.expected, value)
            value, either = _parts(tidy(value))
            if either and self.kind == "numbers":
                raise refused(self.name, self.expected + EITHER, " ".join(value))
        if self.kind == "subset" and isinstance(value, list) and value in (["none"], ["None"], ["\u2205"]):
            value = []
        parts = _listed(self.name, value, self.expected)
        found = [self._number(part) if self.kind == "numbers" else self._whole(part) for part in parts]
        if self.kind == "subset":
            return sorted(set(found))
        if self.rows is not None and len(found if self.kind != "order" else set(found)) != self.rows:
            raise refused(self.name, self.expected, value)
        return found

    def _table(self, value: Any) -> list[list[Any]]:
        """Rows of numbers; of a pattern, row i has those whom token i hears."""
        if isinstance(value, str):
            if len(value) > MOST_TEXT:
                raise refused(self.name, self.expected, value)
            value = (
                value.strip().strip("[]").replace("], [", ";").replace("],[", ";").split(";" if ";" in value else "\n")
            )
            value = [re.findall(r"[^\s,\[\](){}]+", row) for row in value]
        elif isinstance(value, Mapping):
            try:
                value = [value[key] for key in sorted(value, key=int)]
            except (TypeError, ValueError):
                raise refused(self.name, self.expected, value) from None
        rows = [_listed(self.name, row, self.expected) for row in _listed(self.name, value, self.expected)]
        if len(rows) != self.rows or (self.kind == "table" and {len(row) for row in rows} != {self.columns}):
            raise refused(self.name, self.expected, value)
        if self.kind == "table":
            return [[self._number(entry) for entry in row] for row in rows]
        return [sorted({self._whole(entry) for entry in row}) for row in rows]

    @property
    def expected(self) -> str:
        """What is to be handed in, in words."""
        what = "numbers" if self.kind == "numbers" else "whole numbers"
        returns = self.returns.expected if self.returns else ""
        said = {
            "whole": self._whole_number(),
            "number": A_NUMBER,
            "choice": " or ".join(f'"{option}"' for option in self.options),
            "subset": f"{what} in a list, each of them named, or none",
            "order": "the numbers, each once, of " + "; ".join(f"{k}. {o}" for k, o in enumerate(self.options, 1)),
            "pattern": f"for each of {self.rows} tokens a list of those whom it hears, from 0 to {self.most}",
            "table": f"{self.rows} rows of {self.columns} numbers",
            "array": "numbers",
            "function": f"a function of {self.arguments}, which returns {returns}",
            "network": "a Transformer of uatlib.model",
        }
        return said.get(self.kind, f"{self.rows or 'some'} {what} in a list")

    @property
    def wants(self) -> str | None:
        """How near a number must come, in words; None where it is no number that is compared."""
        if self.kind not in ("number", "numbers"):
            return None
        return f"to within {float(self.tolerance):g}" if self.tolerance else "exact"

    def _whole_number(self) -> str:
        if self.most is not None:
            return f"a whole number from {self.least} to {self.most}"
        return "a whole number" if self.least is None else f"a whole number, at least {self.least}"


def _fraction(value: Any) -> Fraction | str:
    """A number, exactly, or what is expected; a float as the fraction of few digits that it rounds, if any."""
    kind = "float64"
    if isinstance(value, Mapping) and len(value) == 1:
        [(kind, value)] = value.items()
        value = float(value) if kind in FLOATS else None
    if isinstance(value, str):
        return read(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        return A_NUMBER
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if not math.isfinite(value):
        return A_NUMBER
    found, off = Fraction(float(value)), FLOATS[kind]
    near = found.limit_denominator(min(10_000, math.isqrt(int(1 / off)) // 2))
    written = read(repr(float(value)))
    if isinstance(written, str):
        return written
    is_near = abs(near - found) <= abs(found) * Fraction(off)
    return Said(near if is_near else found, written.text, written.unit, 0 if is_near else off)


def _parts(text: str) -> tuple[list[str], bool]:
    """A list at the signs between its entries; and whether its commas may be points: 0,5 1,5."""
    text = re.sub(" ?([/*^]) ?", r"\1", text).replace(" %", "%")
    either = bool(re.search(TWO_WAYS, text) and re.search(BESIDE, text))
    while _outer(text):
        text = text[1:-1].strip()
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if not depth and sign in " ,;":
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part], either


def _outer(text: str) -> bool:
    """Whether its first bracket ends with its last sign."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth <= 0:
            return depth == 0 and 0 < place == len(text) - 1
    return False


def _chosen(text: str) -> str:
    """As texts are compared: code may stand between backticks or not."""
    return tidy(text.replace("``", "")).replace(" ", "").lower()


def _listed(name: str, value: Any, expected: str) -> list[Any]:
    found = lists(value)
    with contextlib.suppress(Exception):  # of a foreign class, or a range that is longer than len() says
        if isinstance(found, (Sequence, Set)) and not isinstance(found, (str, bytes)) and len(found) <= MOST:
            return list(found)
    raise refused(name, expected, value)


def whole(name: str, least: int | None = None, most: int | None = None) -> Field:
    """A whole number."""
    return Field("whole", name, least=least, most=most)


def number(name: str, tolerance: str | int | Fraction = 0) -> Field:
    """A number, compared up to the tolerance."""
    return Field("number", name, Fraction(tolerance))


def choice(name: str, *options: str) -> Field:
    """One of some texts."""
    return Field("choice", name, options=options)


def order(name: str, *options: str) -> Field:
    """Some texts in an order: their numbers, from 1, as they are listed."""
    return Field("order", name, options=options, rows=len(options), least=1, most=len(options))


def wholes(name: str, length: int | None = None, least: int | None = None, most: int | None = None) -> Field:
    """A list of whole numbers."""
    return Field("wholes", name, rows=length, least=least, most=most)


def numbers(name: str, length: int | None = None, tolerance: str | int | Fraction = 0) -> Field:
    """A list of numbers, compared up to the tolerance."""
    return Field("numbers", name, Fraction(tolerance), rows=length)


def subset(name: str, least: int | None = None, most: int | None = None) -> Field:
    """A set of whole numbers."""
    return Field("subset", name, least=least, most=most)


def table(name: str, rows: int, columns: int, *of: str) -> Field:
    """Rows of numbers; `of` says what a row is, and what a column: "component", "token"."""
    return Field("table", name, rows=rows, columns=columns, options=of)


def array(name: str) -> Field:
    """Numbers in any arrangement, as floats."""
    return Field("array", name)


def pattern(name: str, n: int) -> Field:
    """Who hears whom among n tokens."""
    return Field("pattern", name, rows=n, least=0, most=n - 1)


def function(name: str, arguments: str, returns: Field, tensors: bool = False) -> Field:
    """A function, which is called on the exercise's inputs, and what it returns; lists arrive as tensors if asked."""
    return Field("function", name, arguments=arguments, returns=returns, tensors=tensors)


def network(name: str) -> Field:
    """A transformer of the library."""
    return Field("network", name)


def equal(field: Field, value: Any, right: Any) -> bool:
    """Whether two parsed values are the same, up to the field's tolerance and what a float cannot hold."""
    if field.kind == "number":
        return bool(abs(value - right) <= field.tolerance + getattr(value, "slack", 0))
    if field.kind == "numbers":
        one = number(field.name, field.tolerance)
        return len(value) == len(right) and all(equal(one, a, b) for a, b in zip(value, right, strict=True))
    return bool(value == right)


def rounded(field: Field, value: Any, right: Any) -> bool:
    """Whether what was written is what is right, in fewer digits than are asked for."""
    pairs = [(value, right)] if field.kind == "number" else []
    if field.kind == "numbers" and len(value) == len(right):
        pairs = [*zip(value, right, strict=True)]
    one = number(field.name, field.tolerance)
    far = [(x, y) for x, y in pairs if not equal(one, x, y)]
    return bool(far) and all(_rounds(x, y, getattr(x, "unit", Fraction(0))) for x, y in far)


def _rounds(x: Any, y: Any, unit: Fraction) -> bool:
    """Rounded, or cut: its last digit is then that of the right number."""
    return 2 * abs(x - y) <= unit or (x * y > 0 and abs(x) < abs(y) and abs(x - y) < unit)


def spelled(value: Any) -> Any:
    """The same, with numbers as they were written by whoever wrote them."""
    if isinstance(value, Said) and value.text:
        return value.text
    return type(value)(map(spelled, value)) if type(value) in (list, tuple) else value
