"""What a solution prints is accepted: each number of a form stands there, and may be typed as it stands."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from uatbook.answers import A_NUMBER, Field, equal, number, rounded
from uatbook.exercises import EXERCISES
from uatbook.exercises.exercise import Exercise
from uatbook.exercises.pages import task
from uatbook.notation import number as read

HALF = Fraction(1, 2)
ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("chapters/*.md"), *ROOT.glob("library/*.md")]
SOLUTION = re.compile(
    r"^(?::::|```+)\{solution\} (ex-\S+)\n(.*?)^(?::::|```+)$(?=\n\n|\n*\Z)", re.MULTILINE | re.DOTALL
)
SOLUTIONS = {label: text for page in PAGES for label, text in SOLUTION.findall(page.read_text(encoding="utf-8"))}
FRAC = re.compile(r"\\[dt]?frac *(\{-?\d+\}|\d)(\{\d+\}|\d)")
PRINTED = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:/\d+)?(?![\w.]*\d)")
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS = {word: str(k) for k, word in enumerate(DIGITS)} | {"half": "1/2", "third": "1/3", "quarter": "1/4"}
WORDS |= {"ninth": "1/9", "twelve": "12", "fifteen": "15"}
NUMERIC = [
    pytest.param(found, k, id=f"{found.label}-{part.name}")
    for found in EXERCISES.values()
    if found.compares and found.is_data
    for k, part in enumerate(found.hands_in)
    if part.kind in ("number", "numbers")
]


def printed(text: str) -> list[str]:
    """The numbers of a solution, as one would type them."""
    text = FRAC.sub(lambda found: f" {found[1].strip('{}')}/{found[2].strip('{}')} ", text)
    text = re.sub(r"Fraction\((-?\d+), (\d+)\)", r" \1/\2 ", text).replace("\\,", "").replace("{,}", "")
    return [*PRINTED.findall(text), *(WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in WORDS)]


def entries(part: Field, value: Any) -> list[Any]:
    return list(value) if part.kind == "numbers" else [value]


def unit(text: str) -> Fraction:
    """Of the last digit that is printed."""
    return Fraction(0) if "/" in text else Fraction(1, 10 ** len(text.partition(".")[2]))


@pytest.mark.parametrize(("found", "k"), NUMERIC)
def test_what_the_solution_prints_is_accepted(found: Exercise, k: int) -> None:
    """Of what is asked for to some digits, each rounding that is printed; of what is asked for exactly, the number."""
    part = found.hands_in[k]
    answer = found.at(found.reference)
    right = part.parse(answer if len(found.hands_in) == 1 else answer[k])
    one = number(part.name, part.tolerance)
    for value in entries(part, right):
        texts = {text for text in printed(SOLUTIONS[found.label]) if "." in text or not 0 < part.tolerance < HALF}
        near = {text for text in texts if abs(abs(Fraction(text)) - abs(value)) <= unit(text) / 2}
        exact = {text for text in texts if abs(Fraction(text)) == abs(value)}
        assert near if part.tolerance else exact, (found.label, part.name, str(value), float(value))
        for text in near if part.tolerance else exact:
            typed = one.parse(text)
            assert equal(one, abs(typed), abs(value)), (text, float(value))


@pytest.mark.parametrize(("found", "k"), NUMERIC)
def test_a_form_says_how_near_a_number_must_come(found: Exercise, k: int) -> None:
    part, spec = found.hands_in[k], task(found)["fields"][k]
    assert spec["wants"] == (f"to within {float(part.tolerance):g}" if part.tolerance else "exact")


@pytest.mark.parametrize(
    "text", ["46.05", "46", "46.1", "10*ln(100)", "10 ln 100", "10\\ln(100)", "10 log(100)", "ln(100)/0.1", "20 ln(10)"]
)
def test_what_a_hundred_costs_may_be_typed_as_one_likes(text: str) -> None:
    found = EXERCISES["ex-indicator-sharp"]
    for R in ("53", "52.9", "10 * ln(198)"):
        assert found.judged(found.parse([R, text, "2"])).verdict == "right"


@pytest.mark.parametrize(
    ("text", "right", "says"),
    [
        ("0.34", "11/32", True),
        ("0.343", "11/32", True),  # cut
        ("0.35", "11/32", False),
        ("3.4", "4", False),
        ("13", "27/2", True),
        ("0", "1/3", False),
        ("1", "1/2", False),
        ("46.0517", "10 ln 100", True),
        ("46.2", "10 ln 100", False),
    ],
)
def test_too_coarse_is_not_a_wrong_idea(text: str, right: str, says: bool) -> None:
    part = number("x")
    assert rounded(part, part.parse(text), part.parse(right)) is says


@pytest.mark.parametrize(
    "text", ["ln(0)", "ln(-1)", "sqrt(-1)", "ln", "ln 2^3", "lnx", "ln()", "exp", "sqrt*2", "sin(1)"]
)
def test_functions_without_a_value_are_refused(text: str) -> None:
    assert read(text) == A_NUMBER


def test_functions_are_what_they_are_called() -> None:
    """Where fractions know it: e^(ln x) = x, the square of a root, ln of a product."""
    for x in (Fraction(1, 7), Fraction(2), Fraction(198), Fraction(10**6)):
        for text in (f"exp(ln({x}))", f"sqrt({x})^2", f"sqrt(({x})^2)", f"exp(ln({2 * x})-ln(2))", f"1/exp(-ln({x}))"):
            said = read(text)
            assert not isinstance(said, str)
            assert abs(said - x) < x / 10**30, text
    assert (read("ln(1)"), read("exp(0)"), read("sqrt(9/4)")) == (0, 1, Fraction(3, 2))
