"""One inequality of a statement beside what was measured, and whether it holds: what certificates are lists of."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from .. import checks as parse
from ..arithmetic import Ball
from ..arithmetic.objects import ends
from .number_text import short_text, witness_text

Method = Literal["exhaustive", "enclosed", "sampled"]
Outcome = Literal["holds", "fails", "undecided"]
SHOWN: dict[Outcome, str] = {"holds": "holds", "fails": "FAILS", "undecided": "undecided"}
Ends = tuple[Any, Any]
"""Of an enclosure, or a number twice, in numbers that compare."""
RELATIONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq}


@dataclass(frozen=True)
class Check:
    """One inequality of a statement, with what was measured.

    Parameters
    ----------
    name : what is claimed, e.g. "8.3 ids inside [t_l, t_r]: violations"
    measured, bound : int, Fraction, float or Ball
    relation : "<=", "<", ">=", ">" or "==": the claim is ``measured relation bound``
    witness : the case that attains `measured`, or the first that violates the claim, or None; any data, a dict of
        what has a name, `{"X": X, "token": 3}`
    method : "exhaustive" (all cases), "enclosed" (a certified enclosure) or "sampled"
    cases : how many cases were looked at
    """

    name: str
    measured: Any
    relation: str
    bound: Any
    witness: object = None
    method: Method = "exhaustive"
    cases: int = 1

    def __post_init__(self) -> None:
        parse.text("name", self.name)
        parse.choice("relation", self.relation, list(RELATIONS))
        parse.choice("method", self.method, get_args(Method))
        for name in ("measured", "bound"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        object.__setattr__(self, "cases", parse.whole("cases", self.cases, 0))

    @classmethod
    def worst(
        cls,
        name: str,
        values: object,
        relation: str,
        bound: object,
        witness: Callable[..., object] | Sequence[object] | None = None,
        method: Method = "exhaustive",
        cases: int | None = None,
    ) -> Check:
        """The claim about the one of many values that is nearest to violating it, or violates it most.

        Parameters
        ----------
        values : array of any shape, or a list, of numbers or of balls; of a ball the worse end counts
        witness : from the place of that value, one index an axis, to the witness; or the witnesses in a list
        cases : their number, unless that of the values

        ValueError if there are no values; as for a check.
        """
        parse.choice("relation", relation, list(RELATIONS))
        _number("bound", bound)
        numbers = _numbers(values)
        if not (witness is None or callable(witness)):
            expected = f"a function of the place, or a list of {numbers.size:,} witnesses"
            if len(parse.listed("witness", witness, expected)) != numbers.size:
                raise parse.refused("witness", expected, witness)
        if numbers.dtype == object or not isinstance(bound, (int, float)):
            place = max(range(numbers.size), key=lambda k: _excess(numbers.flat[k], relation, bound))
        elif relation == "==":
            place = int(abs(numbers - bound).argmax())
        else:  # NumPy takes NaN for the largest and for the smallest
            place = int(numbers.argmax() if relation[0] == "<" else numbers.argmin())
        where = [int(i) for i in np.unravel_index(place, numbers.shape)]
        case = (
            parse.called("witness", witness, *where)
            if callable(witness)
            else None
            if witness is None
            else [*witness][place]
        )
        measured = numbers.flat[place]
        measured = measured.item() if isinstance(measured, np.generic) else measured
        return cls(name, measured, relation, bound, case, method, numbers.size if cases is None else cases)

    @classmethod
    def none(
        cls,
        name: str,
        bad: object,
        witness: Callable[..., object] | None = None,
        method: Method = "exhaustive",
        cases: int | None = None,
    ) -> Check:
        """The claim that no case is bad.

        Parameters
        ----------
        bad : a boolean array, or a list of the bad cases
        witness : from the place of the first, one index an axis, or from the first of the list, to the witness;
            without it a case of a list is its own
        cases : how many were looked at, unless all of the array
        """
        if witness is not None:
            parse.function("witness", witness)
        if isinstance(bad, np.ndarray) and bad.dtype == bool:
            places = np.argwhere(bad)
            first = parse.called("witness", witness, *places[0].tolist()) if len(places) and witness else None
            return cls(name, len(places), "==", 0, first, method, bad.size if cases is None else cases)
        if not isinstance(bad, (list, tuple)):
            raise parse.refused("bad", "a boolean array, or a list of cases", bad)
        first = parse.called("witness", witness, bad[0]) if bad and witness else next(iter(bad), None)
        return cls(name, len(bad), "==", 0, first, method, 1 if cases is None else cases)

    @property
    def holds(self) -> bool:
        """Whether the claim is true of what was measured; NaN and undecided enclosures do not hold."""
        return is_true(ends(self.measured), self.relation, ends(self.bound))

    @property
    def outcome(self) -> Outcome:
        """Whether it holds, fails, or neither follows: some numbers of an enclosure obey the claim, others do not."""
        if self.holds:
            return "holds"
        return "undecided" if may_be_true(ends(self.measured), self.relation, ends(self.bound)) else "fails"

    @property
    def slack(self) -> Any:
        """How far the claim is from failing; negative where it fails.

        bound - measured for <= and <, the opposite for >= and >, -|difference| for ==. For balls the least value
        that the enclosures allow. A Fraction, exact, unless infinity or NaN was measured.
        """
        (low, high), (bound_low, bound_high) = ends(self.measured), ends(self.bound)
        if self.relation in ("<=", "<"):
            return _minus(bound_low, high)
        if self.relation in (">=", ">"):
            return _minus(low, bound_high)
        return -max(abs(_minus(high, bound_low)), abs(_minus(bound_high, low)))

    def __str__(self) -> str:
        numbers = f"{short_text(self.measured)} {self.relation} {short_text(self.bound)}"
        text = f"{SHOWN[self.outcome]}  {self.name}: {numbers}  [{self.how}]"
        return text if self.holds or self.witness is None else f"{text}\n       witness: {witness_text(self.witness)}"

    # The default writes out numbers of thousands of digits, which Python refuses.
    __repr__ = __str__

    @property
    def how(self) -> str:
        """How many cases were looked at, and by which method."""
        if self.method == "exhaustive":
            return "counted" if self.cases == 1 else f"all {self.cases:,}"
        if self.method == "enclosed" and self.cases == 1:
            return "enclosed"
        return f"{self.method} {self.cases:,}"


def is_true(measured: Ends, relation: str, bound: Ends) -> bool:
    """Whether the claim is true of all numbers within these ends; of NaN it never is."""
    if any(end != end for end in (*measured, *bound)):
        return False
    if relation == "==":
        return bool(measured[0] == measured[1] == bound[0] == bound[1])
    worst, least = (measured[1], bound[0]) if relation[0] == "<" else (measured[0], bound[1])
    return bool(RELATIONS[relation](worst, least))


def may_be_true(measured: Ends, relation: str, bound: Ends) -> bool:
    """Whether the claim is true of some numbers within these ends; of NaN it never is."""
    (low, high), (least, most) = measured, bound
    if relation == "==":
        return bool(low <= most and least <= high)
    return bool(RELATIONS[relation](*((low, most) if relation[0] == "<" else (high, least))))


def _number(name: str, value: object) -> Any:
    """One number, NumPy's as Python's, or ball; ValueError if it is none."""
    if not isinstance(value, (Real, Ball)) or isinstance(value, np.timedelta64):
        raise parse.refused(name, "an int, Fraction, float or Ball", value, "reduce an array to one number first")
    return value.item() if isinstance(value, (np.integer, np.float32, np.float16)) else value


def _numbers(values: object) -> np.ndarray:
    """An array of ints or floats, or of objects that are numbers or balls; ValueError if it is empty."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "if" and values.size:
        return values
    entries = parse.listed("values", values.ravel() if isinstance(values, np.ndarray) else values, "numbers or balls")
    if not entries:
        raise parse.refused("values", "at least one number", values, "a claim about no values always holds")
    numbers = np.empty(len(entries), dtype=object)
    for k, value in enumerate(entries):
        numbers[k] = _number("values", value)
    return numbers.reshape(values.shape) if isinstance(values, np.ndarray) else numbers


def _excess(value: object, relation: str, bound: object) -> tuple[bool, object]:
    """What is larger the nearer a number or ball is to violating the claim, and largest for NaN."""
    low, high = ends(value)
    if relation == "==":
        least, most = ends(bound)
        excess = max(_minus(high, least), _minus(most, low))
    else:
        excess = high if relation[0] == "<" else -low
    return bool(excess != excess), excess


def _minus(a: object, b: object) -> Any:
    """a - b of Fractions, infinities and NaN. The latter are floats, and beside them Fractions do not matter."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a - b
    return (a if isinstance(a, float) else 0) - (b if isinstance(b, float) else 0)
