"""Each exercise that judges itself: right answers get all points, wrong ones the sentence that is meant for them."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from uatbook.answers import Field
from uatbook.exercises import EXERCISES, check, get
from uatbook.exercises.exercise import Exercise

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ["", "course:ada", "course:bert", "other:ada", "x:1"]
CASES = [pytest.param(found, seed, id=f"{label}-{seed}") for label, found in EXERCISES.items() for seed in SEEDS]
LABELS = {
    label
    for page in [*ROOT.glob("chapters/*.md"), *ROOT.glob("library/*.md")]
    for label in re.findall(r"^:label: (ex-\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize(("found", "seed"), CASES)
def test_a_right_answer_gets_all_points(found: Exercise, seed: str) -> None:
    said = found.judged(found.collect(found.at(found.reference, seed), seed), seed)
    assert (said.verdict, said.points, said.sentences) == ("right", found.points, [])


@pytest.mark.parametrize(("found", "seed"), CASES)
def test_each_wrong_answer_gets_its_sentence(found: Exercise, seed: str) -> None:
    """Word for word where it is of its own; from the line of the rubric that it names, where that line fails first."""
    assert len(found.wrong) >= 3
    for name, (answer, says) in found.wrong.items():
        said = found.judged(found.collect(found.at(answer, seed), seed), seed)
        failing = [line for line in said.certificate.checks if not line.holds]
        assert failing, name
        if says in found.rubric:
            assert failing[0].name == says, name
            pieces = re.split(r"\{\w+\}", found.rubric[says])
            assert re.fullmatch(".*".join(map(re.escape, pieces)), said.sentences[0], re.DOTALL), name
        else:
            assert said.sentences == [says.format(**found.variant(seed))], name


def nonsense(field: Field, rng: random.Random) -> object:
    """Something of the field's kind."""
    low, high = field.least or 0, 9 if field.most is None else field.most
    if field.kind == "choice":
        return rng.choice(list(field.options))
    if field.kind in ("whole", "number"):
        return rng.randint(low, high)
    if field.kind == "table":
        return [[rng.randint(low, high) for _ in range(field.columns or 1)] for _ in range(field.rows or 1)]
    if field.kind == "pattern":
        return [[k for k in range(high + 1) if rng.random() < 0.4] for _ in range(high + 1)]
    return [rng.randint(low, high) for _ in range(field.rows or rng.randint(0, 5))]


@pytest.mark.parametrize(
    "found", [found for found in EXERCISES.values() if found.is_data], ids=lambda found: found.label
)
def test_nonsense_is_judged_and_mostly_wrong(found: Exercise) -> None:
    rng = random.Random(found.label)
    verdicts = []
    for seed in SEEDS * 12:
        answer = [nonsense(field, rng) for field in found.hands_in]
        verdicts.append(found.judged(found.collect(answer if len(answer) > 1 else answer[0], seed), seed).verdict)
    assert verdicts.count("right") < 30


@pytest.mark.parametrize("found", EXERCISES.values(), ids=EXERCISES)
def test_each_stands_in_the_book(found: Exercise) -> None:
    assert found.label in LABELS
    assert found.points == len(found.rubric) > 0
    assert "{" not in found.question("course:ada")


def test_the_hint_comes_after_three_tries_and_never_the_solution() -> None:
    told = [str(check("ex-start-diagonal", ("2/N", 0.5))) for _ in range(3)]
    assert ["Hint:" in text for text in told] == [False, False, True]
    assert not any("11/32" in text for text in told)
    assert check("ex-start-diagonal", ["3/N", "11/32"]).verdict == "right"
    assert "Hint:" not in str(check("ex-start-diagonal", ("2/N", 0.5)))


def test_a_function_that_fails_on_some_inputs_is_told_on_which() -> None:
    def tokens_of(number: int, N: int, n: int) -> list[int]:
        raise KeyError(number)

    said = check("ex-context-invert", tokens_of)
    assert said.points == 0
    assert re.match(r"tokens_of\(\d+, 6, 3\) gives no answer that counts: KeyError: \d+", said.sentences[0])


@pytest.mark.parametrize(
    ("label", "answer", "says"),
    [
        ("ex-start", 1, "label: expected an exercise that judges itself, such as ex-start-diagonal"),
        (7, 1, "label: expected a string"),
        ("ex-start-diagonal", "3/N", "answer: expected 2 things: order, fraction, got"),
        ("ex-start-diagonal", ("1/8", 1), 'order: expected "1/N" or "2/N" or "3/N"'),
        ("ex-start-diagonal", ("3/N", float("nan")), "fraction: expected a number such as"),
        ("ex-start-diagonal", ("3/N", "1/0"), "fraction: expected a number such as"),
        ("ex-start-diagonal", ("3/N", "9" * 10**6), "fraction: expected a number such as"),
        ("ex-start-break", ((0, 1), (0, 1, 3), 0), "first: expected 3 whole numbers in a list"),
        ("ex-start-break", ((0, 1, 2.5), (0, 1, 3), 0), "first: expected a whole number"),
        ("ex-context-invert", 5, "tokens_of: expected a function"),
    ],
)
def test_bad_answers_are_refused(label: object, answer: object, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        check(label, answer)  # type: ignore[arg-type]


def test_other_numbers_for_other_students() -> None:
    """Each student keeps the same numbers, neighbours mostly have other ones, and no seed means the book's."""
    found = get("ex-context-invert")
    variants = [tuple(found.variant(f"course:{k}").values()) for k in range(40)]
    assert variants == [tuple(found.variant(f"course:{k}").values()) for k in range(40)]
    assert len(set(variants)) > 5
    assert found.variant() == {"N": 6, "n": 3}
