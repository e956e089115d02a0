"""The page and the grader say the same of an answer, to the letter."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from explorables.live.node import Node
from uatbook.exercises import EXERCISES
from uatbook.exercises.exercise import Exercise
from uatbook.exercises.pages import FILES, HERE, constants, task

SCRIPTS = [HERE / name for name in FILES if name != "form.js"]
NODE = Node(Path(__file__).with_name("page_exercises.js"), constants(), *SCRIPTS)
DATA = [found for found in EXERCISES.values() if found.is_data]
TABLE = """7| -3 |1/2|11 / 32|0.5|.5|5.|-0.25|1e-3|2E2|+4|-0||abc|1/0|1/-2|--1|0, 1 3|{0,1}|(1; 2; 3)|[1/2, 0.5]|1,,2
1e299|1e301|nan|inf|1_0|2^10|-10^21|-2^2|2^-1|2^1000|9^999|0^-1|1e\u22123|0,5|,5|0,5 1,5|0,5; 1,5|1,5+2,5
3,608|1,234.5|1.234,5|1,000,000|3 608|1 1/2|1 \xbd|2.5\xbd|1\xbd|3/4\xbd|\xbd\xbd|3\u204448|10\xb2
10\u207b\xb2|\xb3\u2044\u2088|x\xb2|5\u2082|34 %|34%|1%%|%|2(3)|(2)3|1/2(3)|(1/2)(3)|2^(1/2)|2^3^2|((((1))))
(1|1)|()|1--1|3*-2|0.34|0.344|0.343750000001|47.7|\\frac12|\\frac{1}{2|1\\frac12|\\frac{\\frac12}{3}|\\sqrt2
$1/2$|\\(1/2\\)|1{,}5|= 5|==5|11:32|\u0663|1\u200b2|7\u20628|a=1|1/2/2|0x10|\U0001d7d2|1\u06602|0\xb734
\u216b|1 000 000|12 345 6|0 344|1e1e1|1e|e5|1.2.3|5!|\ufeff3, 4|\ufeff3|3\u3001 4|\u0661\u060c \u0662
\u0660\u066b\u0665|1\u202f000|1 ; 2|1\t2|((0,1),2)|[[1,2,3]]|1, (2
ln(198)|10*ln(198)|10 ln 198|ln2|\\ln(2/3)|exp(-1)|exp(0)|exp(800)|sqrt(2)|\\sqrt{9/4}|sqrt(0)|sqrt(-1)|ln 2^2|ln(0)
C(6,2)|C(6, 2)/4|C (10,3)|3C(6,2)|C(2,6)|C(5,0)
C(999,499)|C(1000,2)|aC(3,1)|C(3)|C(1,2,3)|C(-3,2)|C(6.5,2)|1,C(4,2),3|C(6;2)
\\binom{6}{2}|\\dbinom{6} {2}/2|\\binom62|\u221a2|\u221a(1/54)|\u221a|3\u221a2
C(3,1)^2|C(3,1)%|1 C(3,1)|0,C(3,1)|CC(3,1)
ln(1e-9)|log(7)|lg(7)|2exp(1)|1/2 ln 3|ln(2),ln(3)|ln()"""
TEXTS = [*re.split(r"[|\n]", TABLE), "9" * 30, "9" * 250, "(" * 60, "(" * 15 + "2" + ")" * 15 + "^9" * 20]


def digits(text: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(sign)) if sign.isdigit() else sign for sign in text)


def digits_of(x: Fraction, zero: str) -> str:
    return digits(str(x), zero)


def arabic(text: str) -> str:
    return digits(text, "\u0660").replace(".", "\u066b") + "\u066a" if text else ""


def decimal(x: Fraction) -> str:
    """In full, where it ends."""
    places = next((k for k in range(40) if (x * 10**k).denominator == 1), None)
    if places is None:
        return ""
    before, after = divmod(abs(x), 1)
    tail = f".{int(after * 10**places):0{places}}" if places else ""
    return "-" * (x < 0) + f"{int(before)}{tail}"


ZEROS = "\u0660\u06f0\u0966\u09e6\u0e50\U0001d7d8\u1a90"
PRODUCTS = "\xb7\u0387\u2022\u22c5\u2219\xd7\u2217*\uff0a"
SPELLINGS: dict[str, Callable[[Fraction], str]] = {
    "p/q": str,
    "spaces": lambda x: f" {x.numerator} / {x.denominator} ",
    "brackets": lambda x: f"({x})",
    "parts in brackets": lambda x: f"({x.numerator})/({x.denominator})",
    "frac": lambda x: f"\\frac{{{x.numerator}}}{{{x.denominator}}}",
    "dfrac between dollars": lambda x: f"$\\dfrac{{{x.numerator}}}{{{x.denominator}}}$",
    "left and right": lambda x: f"\\left({x}\\right)",
    "fraction slash": lambda x: f"{x.numerator}\u2044{x.denominator}",
    "division slash": lambda x: f"{x.numerator}\u2215{x.denominator}",
    "obelus": lambda x: f"{x.numerator}\xf7{x.denominator}",
    "colon": lambda x: f"{x.numerator}:{x.denominator}",
    "full width": lambda x: digits(str(x), "\uff10").replace("/", "\uff0f").replace("-", "\uff0d"),
    "minus sign": lambda x: str(x).replace("-", "\u2212"),
    "en dash": lambda x: str(x).replace("-", "\u2013"),
    "marks": lambda x: f"\ufeff{x}\u200b",
    "no-break spaces": lambda x: f"\xa0{x}\u202f",
    "decimal": decimal,
    "percent": lambda x: decimal(100 * x) and f"{decimal(100 * x)}%",
    "percent after a space": lambda x: decimal(100 * x) and f"{decimal(100 * x)} %",
    "percent in Arabic": lambda x: arabic(decimal(100 * x)),
    "scientific": lambda x: decimal(1000 * x) and f"{decimal(1000 * x)}e-3",
    "power": lambda x: f"{x.numerator}*{x.denominator}^-1",
    "stars": lambda x: f"{x.numerator}*{x.denominator}**-1",
    "product": lambda x: f"({x})(1)",
    "sum": lambda x: f"1-(1-({x}))",
    **{f"product by {sign}": lambda x, sign=sign: f"{x.numerator} {sign} {x.denominator}^-1" for sign in PRODUCTS},
    **{f"digits from {zero}": partial(digits_of, zero=zero) for zero in ZEROS},
}  # fmt: skip
ALONE: dict[str, Callable[[Fraction], str]] = {
    "decimal comma": lambda x: (
        decimal(x).replace(".", ",") if not re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3}", decimal(x)) else ""
    ),
    "thousands": lambda x: f"{x.numerator:,}".replace(",", "\u2009") + f"/{x.denominator}" * (x.denominator > 1),
    "sum with spaces": lambda x: f"1 - (1 - {x.numerator} / {x.denominator})" if x > 0 else "",
    "equals": lambda x: f"= {x}",
    "vulgar": lambda x: {Fraction(1, 2): "\xbd", Fraction(3, 8): "\u215c"}.get(x, ""),
}
"""In lists a comma and a space go between numbers."""


def typed(part: Any, value: Any) -> Any:
    """What a reader types for a value."""
    if part.kind == "pattern":
        return [list(row) for row in value]
    if part.kind == "table":
        return [[str(Fraction(entry)) for entry in row] for row in value]
    if isinstance(value, (list, tuple, range)):
        return ", ".join(str(Fraction(entry)) for entry in value)
    return value if isinstance(value, str) else str(Fraction(value))


def in_python(found: Exercise, raw: list[Any]) -> dict[str, Any]:
    try:
        said = found.judged(found.parse(raw))
    except ValueError as error:
        return {"refused": str(error)}
    hint = found.hinted([line.name for line in said.certificate.checks if not line.holds])
    told = {"verdict": said.verdict, "held": said.points, "score": said.score, "hint": hint}
    return told | {"sentences": list(said.sentences)}


def assert_same(found: Exercise, raw: list[Any]) -> dict[str, Any]:
    page, here = NODE.ask({"task": task(found), "raw": raw}), in_python(found, raw)
    if "refused" in here:  # what was got is cut in other places
        page, here = ({"refused": said.get("refused", str(said)).partition(", got")[0]} for said in (page, here))
    assert page == here, raw
    return here


def answers(found: Exercise, answer: Any) -> list[Any]:
    values = [answer] if len(found.hands_in) == 1 else list(answer)
    return [typed(part, value) for part, value in zip(found.hands_in, values, strict=True)]


@pytest.mark.parametrize("found", DATA, ids=lambda found: found.label)
def test_right_and_wrong_answers(found: Exercise) -> None:
    assert assert_same(found, answers(found, found.at(found.reference)))["verdict"] == "right"
    for answer, _ in found.wrong.values():
        assert assert_same(found, answers(found, found.at(answer)))["verdict"] != "right"


@pytest.mark.parametrize("found", DATA, ids=lambda found: found.label)
def test_answers_at_random(found: Exercise) -> None:
    """Some near the right one, some far."""
    rng = random.Random(found.label)
    right = answers(found, found.at(found.reference))
    for k in range(30):
        raw = [some(part, rng) if k % 3 or rng.random() < 0.5 else right[i] for i, part in enumerate(found.hands_in)]
        assert_same(found, raw)


def some(part: Any, rng: random.Random) -> Any:
    low, high = part.least or 0, 12 if part.most is None else part.most
    if part.kind == "choice":
        return rng.choice(list(part.options))
    if part.kind == "pattern":
        return [[j for j in range(high + 1) if rng.random() < 0.5] for _ in range(part.rows)]
    if part.kind == "table":
        return [
            [str(Fraction(rng.randint(-4, 4), rng.randint(1, 3))) for _ in range(part.columns)]
            for _ in range(part.rows)
        ]
    whole = part.kind in ("whole", "wholes", "subset", "order")
    length = part.rows or rng.randint(1, 5)
    numbers = [
        rng.randint(low, high) if whole else Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(length)
    ]
    return ", ".join(map(str, numbers)) if part.kind in ("wholes", "numbers", "subset", "order") else str(numbers[0])


@pytest.mark.parametrize("found", DATA, ids=lambda found: found.label)
def test_texts_are_parsed_alike(found: Exercise) -> None:
    """Each text in each place for a text, beside what is right."""
    right = answers(found, found.at(found.reference))
    for k, part in enumerate(found.hands_in):
        for text in TEXTS if part.kind != "pattern" else []:
            into = [[text, *right[k][0][1:]], *right[k][1:]] if part.kind == "table" else text
            assert_same(found, [*right[:k], into, *right[k + 1 :]])


@pytest.mark.parametrize("found", DATA, ids=lambda found: found.label)
def test_what_is_right_is_right_in_every_notation(found: Exercise) -> None:
    answer = found.at(found.reference)
    values = found.parse([answer] if len(found.hands_in) == 1 else list(answer))
    right = answers(found, answer)
    for name, spelling in {**SPELLINGS, **ALONE}.items():
        written = [
            _written(part.kind, value, spelling, name in ALONE) or usual
            for part, value, usual in zip(found.hands_in, values, right, strict=True)
        ]
        assert assert_same(found, written).get("verdict") == "right", (name, written)


def _written(kind: str, value: Any, spelling: Callable[[Fraction], str], alone: bool) -> Any:
    """A value in this notation, or nothing where it has none."""
    if kind in ("whole", "number"):
        return spelling(Fraction(value))
    if kind == "table":
        rows = [[spelling(Fraction(entry)) for entry in row] for row in value]
        return rows if all(map(all, rows)) else ""
    if alone or kind in ("choice", "pattern"):
        return ""
    parts = [spelling(Fraction(entry)) for entry in value]
    return ", ".join(parts) if all(parts) else ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.34", "0.34 looks rounded"),
        ("0,344", "0,344 looks rounded"),
        ("34.4 %", "34.4 % looks rounded"),
        ("0.343750000001", "0.343750000001 is not the fraction"),
        ("0.35", "0.35 is not the fraction"),
        ("1-(7/8)(5/8)", "1-(7/8)(5/8) is not the fraction"),
    ],
)
def test_a_verdict_says_the_number_as_it_was_written(text: str, says: str) -> None:
    assert assert_same(EXERCISES["ex-start-diagonal"], ["3/N", text])["sentences"][0].startswith(f"Fraction: {says}")


def test_each_exercise_that_is_data_has_a_twin_and_no_other() -> None:
    twins = re.findall(r'^  "(ex-[^"]*)"\(', (HERE / "judges.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(twins) == sorted(found.label for found in DATA if not found.compares)


@pytest.mark.parametrize("typed", ["none", "None", "{}", "\u2205", "( )"])
def test_none_is_an_answer(typed: str) -> None:
    found = EXERCISES["ex-condition-zero"]
    told = assert_same(found, [typed, "3, 5, 7"])
    assert told["sentences"][0].startswith("Corners: Not []. For which N is 0 a corner?"), told


def test_a_word_in_place_of_numbers_is_told_to_name_them() -> None:
    told = assert_same(EXERCISES["ex-condition-zero"], ["even", "3, 5, 7"])
    assert told["refused"] == "corners: expected whole numbers in a list, each of them named, or none"


def test_no_verdict_stands_without_a_reason() -> None:
    """Of what is nearly right and of nonsense; and a number out of range brings no hint about something else."""
    for found in DATA:
        rng = random.Random(found.label)
        for _ in range(6):
            told = in_python(found, [some(part, rng) for part in found.hands_in])
            assert told.get("verdict") == "right" or "refused" in told or told["sentences"], found.label
    far = assert_same(EXERCISES["ex-condition-fool"], ["6, -6, 1, 4, -2, -10", "6, -6, -1, -4, 2, 3"])
    assert far["hint"] == ""
    assert far["sentences"] == ["Six different whole numbers each, from -9 to 9, with 6 in both."]
