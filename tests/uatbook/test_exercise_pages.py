"""The page and the grader say the same of an answer, to the letter."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from uatbook.exercises import EXERCISES
from uatbook.exercises.exercise import Exercise
from uatbook.exercises.pages import HERE, task
from uatbook.live.node import Node

NODE = Node(Path(__file__).with_name("page_exercises.js"), HERE / "answers.js", HERE / "judges.js")
DATA = [found for found in EXERCISES.values() if found.is_data]
TEXTS = [
    "7",
    " -3 ",
    "1/2",
    "11 / 32",
    "0.5",
    ".5",
    "5.",
    "-0.25",
    "1e-3",
    "2E2",
    "+4",
    "-0",
    "",
    "abc",
    "1/0",
    "1/-2",
    "--1",
]
TEXTS += [
    "0, 1 3",
    "{0,1}",
    "(1; 2; 3)",
    "[1/2, 0.5]",
    "1,,2",
    "9" * 30,
    "9" * 250,
    "1e299",
    "1e301",
    "nan",
    "inf",
    "1_0",
    "٣",
    "2^10",
    "-10^21",
    "-2^2",
    "2^-1",
    "2^1000",
    "9^999",
    "\u22125",
    "1e\u22123",
]


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
    return {"verdict": said.verdict, "points": said.points, "of": found.points, "sentences": list(said.sentences)}


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
    whole = part.kind in ("whole", "wholes", "subset")
    length = part.rows or rng.randint(1, 5)
    numbers = [
        rng.randint(low, high) if whole else Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(length)
    ]
    return ", ".join(map(str, numbers)) if part.kind in ("wholes", "numbers", "subset") else str(numbers[0])


@pytest.mark.parametrize("label", ["ex-start-diagonal", "ex-quant-count", "ex-theorem-3-close", "ex-theorem-3-shift"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_parsed_alike(label: str, text: str) -> None:
    found = EXERCISES[label]
    right = answers(found, found.at(found.reference))
    assert_same(found, [*right[:-1], text])


def test_each_exercise_that_is_data_has_a_twin() -> None:
    script = (HERE / "judges.js").read_text(encoding="utf-8")
    assert [found.label for found in DATA if not found.compares and f'"{found.label}"' not in script] == []
