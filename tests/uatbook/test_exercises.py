"""Each exercise that judges itself: right answers get all points, wrong ones the sentence that is meant for them."""

from __future__ import annotations

import functools
import itertools
import math
import random
import re
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from uatbook import statements
from uatbook.answers import Field, equal
from uatbook.exercises import EXERCISES, check, door, get
from uatbook.exercises.exercise import Exercise
from uatbook.handed import plain
from uatbook.sources import SOURCES

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ["", "course:ada", "course:bert", "other:ada", "x:1"]
VARIANTS = [
    pytest.param(one, id=f"{label}-{'-'.join(map(str, one.variant().values()))}")
    for label, found in EXERCISES.items()
    for one in found.variants()
]
LABELS = {
    label
    for page in [*ROOT.glob("chapters/*.md"), *ROOT.glob("library/*.md")]
    for label in re.findall(r"^:label: (ex-\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("found", VARIANTS)
def test_a_right_answer_gets_all_points(found: Exercise) -> None:
    said = found.judged(found.collect(found.at(found.reference)))
    why = [found.why.format(**found.variant())] if found.why else []
    assert (said.verdict, said.points, said.sentences) == ("right", found.points, why)


@pytest.mark.parametrize("found", VARIANTS)
def test_each_wrong_answer_gets_its_sentence(found: Exercise) -> None:
    """Word for word where it is of its own; from the line of the rubric that it names, where that line fails first."""
    numbers = found.variant()
    assert len(found.wrong) >= 3
    for name, (answer, says) in found.wrong.items():
        given = found.at(answer)
        said = found.judged(found.collect(given))
        failing = [line for line in said.certificate.checks if not line.holds]
        assert failing, f"with {numbers} the wrong answer {name!r}, {given!r}, is right: choose other numbers"
        told = f"with {numbers} the wrong answer {name!r}, {given!r}, is told {said.sentences}: is it another's too?"
        if says in found.rubric:
            assert failing[0].name == says, told
            pieces = re.split(r"\{[^{}]+\}", found.rubric[says])
            labels = [part.label for part in found.hands_in if part.name == says and len(found.hands_in) > 1]
            begins = "".join(f"{re.escape(label)}: " for label in labels)
            assert re.fullmatch(begins + ".*".join(map(re.escape, pieces)), said.sentences[0], re.DOTALL), told
        else:
            assert said.sentences == [says.format(**numbers)], told


BY_HAND: dict[str, tuple[Any, ...]] = {
    "ex-partition-order": (4, [2, 3, 1], [Fraction(-1, 2), 1]),  # -2x up to -1/2, 1 up to 1, then x; -x - 3 never
    "ex-liu-three-tokens": (512, 64),
    "ex-cover-segment": (12, 98, 24),  # balls of radius 1/24 cover 1/12; 6 * 12 + 2 * 12 + 2
    "ex-hardmax-count": (102, 6),  # 1, 2, 5, 6 and 1, 3, 4, 6
    "ex-one-layer-count": (30, 10),
    "ex-one-layer-gap": (1, 10, 16),
    "ex-universality-units": (64, 288, 194),
    "ex-universality-mean": (40, 28, 40),  # sums 2 to 8 for each of four tokens
    "ex-condition-zero": ([2, 4, 6], [3, 5, 7]),
    "ex-theorem-2-halve": (16, 4, 4, 256),
    "ex-conclusion-same": (Fraction(3, 4), Fraction(1, 8), Fraction(7, 8)),  # cells 1 and 7 of 8
    "ex-conclusion-certificate": (600, 360_000),
    "ex-cheng-triple": ("fooled", "not fooled by it", "fooled", "not fooled by it"),
    "ex-start-factor": (5, (0, 6, 7), (1, 2, 7)),
    "ex-theorem-2-rate": (Fraction(3, 2), Fraction(3, 8), 2, Fraction(3, 2)),
    "ex-hardmax-two": (6, Fraction(9, 2), (1, 2, 6, 7), (1, 3, 5, 7)),  # 16 = 16, heard 2 * 1 + 2 * 7 both times
    "ex-one-layer-search": (19, 44, 64, 80),
    "ex-universality-levels": (0, 2, 7, 8, 11),
    "ex-partition-ray": (-1, (8, 4, 2)),
    "ex-liu-apart": ([[3, -1, -1], [-1, 3, -1], [-1, -1, 3]], 21),
    "ex-condition-swap": (-3, (2, 0, -1, 1, 2, -2)),
    "ex-samples-six": ((0, 1, 4, 16), (0, -1, -2, -4)),
    "ex-cheng-circle": ([[-4, 4, 1], [2, 6, -3]], [[-2, 6, -3], [-2, 2, 5]]),
}
"""What is right with the book's numbers, worked out on paper."""


@pytest.mark.parametrize("label", BY_HAND)
def test_what_is_right_is_right_on_paper(label: str) -> None:
    assert check(label, BY_HAND[label]).verdict == "right"


def test_two_tokens_meet_where_softmax_in_loops_says() -> None:
    weights = {t: [math.exp(t * other) for other in row] for t, row in ((2, (1, 2, 5)), (3, (1, 3, 4)))}
    hears = {
        t: sum(w * other for w, other in zip(weights[t], row, strict=True)) / sum(weights[t])
        for t, row in ((2, (1, 2, 5)), (3, (1, 3, 4)))
    }
    w = 1 / (hears[2] - hears[3])
    assert abs((2 + w * hears[2]) - (3 + w * hears[3])) < 1e-12
    assert check("ex-samples-meet", (w, 15)).verdict == "right"


def test_the_diagonal_costs_other_functions_other_powers_of_a_cell() -> None:
    """Integrals over the cells that are lost, by midpoints; how they fall as cells are halved, for p = 2."""

    def lost(f: Callable[..., Any], n: int, d: int, cells: int, points: int) -> float:
        at = (np.arange(cells * points) + 0.5) / (cells * points)
        total = 0.0
        for columns in itertools.product(range(cells), repeat=n * d):
            tokens = [columns[k * d : (k + 1) * d] for k in range(n)]
            if len(set(tokens)) < n:
                axes = [at[c * points : (c + 1) * points] for c in columns]
                total += float((f(*np.meshgrid(*axes, indexing="ij", sparse=True)) ** 2).mean())
        return math.sqrt(total / cells ** (n * d))

    found = [
        np.log2(lost(f, n, d, cells, points) / lost(f, n, d, 2 * cells, points))
        for f, n, d, cells, points in (
            (lambda x, y: x - y, 2, 1, 16, 8),
            (lambda a, b, c, d: np.hypot(a - c, b - d), 2, 2, 3, 6),
            (lambda x, y, z: (x - y) * (y - z) * (z - x), 3, 1, 12, 5),
        )
    ]
    v = (np.arange(2000) + 0.5) / 2000  # of the pole, x - y = delta v^4: in N cells |x - y|^(-1/4), with both signs

    def pole(cells: int) -> float:
        u = v**4 / cells
        return math.sqrt(cells * float((2 * (1 / cells - u) * u**-0.25 * 4 * v**3 / cells).mean()))

    found.insert(1, np.log2(pole(16) / pole(32)))
    right = get("ex-theorem-2-rate").at(get("ex-theorem-2-rate").reference)
    for power, rate, near in zip(found, right, (0.01, 0.01, 0.02, 0.08), strict=True):
        assert abs(power - float(rate)) < near, (found, right)


def dips_by_signs(tokens: tuple[int, ...]) -> list[float]:
    """Where a listener hears the same in two contexts of two: changes of sign of the difference, then bisection."""
    places = []
    for t in tokens:
        for x, y in itertools.combinations([u for u in tokens if u != t], 2):

            def gap(beta: float, t: int = t, x: int = x, y: int = y) -> float:
                return sum(s * (u - t) / (1 + math.exp(beta * t * (t - u))) for s, u in ((1, x), (-1, y)))

            grid = np.geomspace(1e-6, 2, 4000) / t  # beyond that a listener hears nothing but the loudest
            for low, high in itertools.pairwise(grid):
                if gap(low) * gap(high) < 0:
                    for _ in range(60):
                        middle = (low + high) / 2
                        low, high = (low, middle) if gap(low) * gap(middle) <= 0 else (middle, high)
                    places.append(low)
    return sorted(places)


@pytest.mark.parametrize("tokens", [(1, 2, 3, 4), (19, 44, 64, 80), (1, 2, 4, 8), (3, 5, 6, 9)])
def test_dips_are_where_what_is_heard_changes_its_order(tokens: tuple[int, ...]) -> None:
    found = dips_by_signs(tokens)
    different = 1 + sum(b > a * (1 + 1e-9) for a, b in itertools.pairwise(found))
    said = check("ex-one-layer-search", tokens)
    assert (said.verdict == "right") == (different == 3)
    assert said.verdict == "right" or f"have {different} dips" in said.sentences[0]


@pytest.mark.parametrize("least", [1, 3])
def test_two_layers_with_one_threshold_tell_contexts_of_four_apart_up_to_six_tokens(least: int) -> None:
    """The network itself, layer by layer, for one w and v that no whole numbers suit by chance."""

    def ends(b: float, row: tuple[int, ...]) -> dict[int, float]:
        lifted = {x: x + 0.1234567 * (max(row) if x > b else min(row)) for x in row}
        return {x: y + 0.0618034 * sum(lifted.values()) for x, y in lifted.items()}

    def is_fooled(b: float, most: int) -> bool:
        seen: dict[tuple[int, float], tuple[int, ...]] = {}
        rows = itertools.combinations(range(least, most + 1), 4)
        return any(seen.setdefault((x, round(y, 9)), row) != row for row in rows for x, y in ends(b, row).items())

    thresholds = [least + k + 0.5 for k in range(-1, 8)]
    assert [b - least for b in thresholds if not is_fooled(b, least + 5)] == [1.5, 3.5]
    assert all(is_fooled(b, least + 6) for b in thresholds)
    found = get("ex-hardmax-two")
    V, b, first, second = found.reference(least)
    assert (V, b) == (least + 5, least + 1.5)
    assert any(abs(ends(b, first)[x] - ends(b, second)[x]) < 1e-9 for x in {*first} & {*second})


def test_what_hears_by_distance_is_fooled_by_what_is_called_right() -> None:
    found, rng = get("ex-cheng-circle"), np.random.default_rng(0)
    for seed in SEEDS:
        p = np.array(found.variant(seed)["p"])
        X, Y = (np.column_stack([p, np.array(Z)]) for Z in found.at(found.reference, seed))
        for a, b in rng.uniform(0.1, 2, size=(5, 2)):

            def phi(r: Any, a: float = a, b: float = b) -> Any:
                return np.exp(-a * r) + b / (1 + r**2)

            weights = [phi(np.hypot(*(Z - p[:, None]))) for Z in (X, Y)]
            heard = [Z @ w / w.sum() for Z, w in zip((X, Y), weights, strict=True)]
            assert abs(heard[0] - heard[1]).max() < 1e-12


def test_each_page_of_the_path_has_a_challenge_that_judges_itself() -> None:
    """Side trips aside."""
    lacking = []
    for line in (ROOT / "_toc.yml").read_text(encoding="utf-8").partition("caption: Reference")[0].split("\n"):
        if line.startswith("      - file: chapters/"):
            text = (ROOT / f"{line.split('file: ')[1].strip()}.md").read_text(encoding="utf-8")
            heads = re.findall(r"^```\{exercise\}.*\n((?::.*\n)+)", text, re.MULTILINE)
            hard = [label for head in heads if "level-3" in head for label in re.findall(r":label: (\S+)", head)]
            if not any(label in EXERCISES and EXERCISES[label].is_data for label in hard):
                lacking.append(line)
    assert lacking == []


def nonsense(field: Field, rng: random.Random) -> object:
    """Something of the field's kind."""
    low, high = field.least or 0, 9 if field.most is None else field.most
    if field.kind == "choice":
        return rng.choice(list(field.options))
    if field.kind == "order":
        return rng.sample(range(low, high + 1), high)
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


PATH = [
    line.split("chapters/")[1].strip()
    for line in (ROOT / "_toc.yml").read_text(encoding="utf-8").partition("caption: Reference")[0].split("\n")
    if "chapters/" in line
]
"""The pages of the path and their side trips."""


def stands_on() -> dict[str, str]:
    """By label the page, "chapters/start"."""
    return {
        label: page.relative_to(ROOT).with_suffix("").as_posix()
        for page in [*ROOT.glob("chapters/*.md"), *ROOT.glob("library/*.md")]
        for label in re.findall(r"^:label: (ex-\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }


def unasked(exercises: Iterable[Exercise]) -> set[str]:
    """The statements that none of these asks about and judges itself in a page."""
    return {one.id for one in statements.all()} - {id for found in exercises if found.is_data for id in found.about}


def test_each_statement_has_an_exercise_that_judges_itself() -> None:
    """On a page of its source, on a page before all sources, or in the appendices."""
    assert unasked(EXERCISES.values()) == set()
    where = stands_on()
    for found in EXERCISES.values():
        for id in found.about:
            folder, _, page = where[found.label].partition("/")
            (key,) = (key for key, source in SOURCES.items() if id.partition(":")[0] in source.keys)
            of_source = re.sub(r"\d", "", key)
            assert folder == "library" or page.partition("-")[0] in (of_source, "start", "ground"), found.label


def test_a_statement_that_nobody_asks_about_is_named() -> None:
    left = [found for found in EXERCISES.values() if "yun2020:thm-3" not in found.about]
    assert unasked(left) == {"yun2020:thm-3"}


def test_how_many_exercises_judge_themselves() -> None:
    """At least two on each page of the path; neither number may fall."""
    where = stands_on()
    forms = Counter(where[found.label].removeprefix("chapters/") for found in EXERCISES.values() if found.is_data)
    assert {page: forms[page] for page in PATH if forms[page] < 2} == {}
    asked = [label for label, page in where.items() if page.removeprefix("chapters/") in PATH]
    judged = [label for label in asked if label in EXERCISES and EXERCISES[label].is_data]
    print(f"{len(judged)} of {len(asked)} exercises of the path, {forms.total()} in all, judge themselves")
    assert len(judged) >= 116
    assert forms.total() >= 140


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
def test_bad_answers_are_told_what_is_expected(label: str, answer: object, says: str) -> None:
    said = check(label, answer)
    assert said.sentences[0].startswith(says)
    assert (said.points, said.verdict) == (0, "not yet")


@pytest.mark.parametrize(
    ("label", "says"),
    [("ex-start", "expected an exercise that judges itself, such as ex-start-diagonal"), (7, "expected a string")],
)
def test_labels_that_are_none_are_refused(label: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check(label, 1)  # type: ignore[arg-type]


def test_without_an_answer_it_says_what_is_asked() -> None:
    assert check("start-diagonal").sentences == [get("ex-start-diagonal").question()]


def test_a_function_that_does_not_end_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(door, "TIME", 0.1)
    assert "Does your loop end?" in check("ex-context-invert", endless).sentences[0]


def failing(*_: object) -> None:
    raise KeyError


NOTHING = {"whole": 2, "number": 2, "wholes": [0, 0, 0], "numbers": [0, 0, 0], "subset": [], "function": failing}


@pytest.mark.parametrize("label", ["ex-cheng-mirror", "ex-theorem-3-shift", "ex-theorem-2-own"])
def test_no_answer_gets_most_of_the_points(label: str) -> None:
    """What fails, is empty, or is twice the same, is not nearly right because nothing contradicts it."""
    found = get(label)
    answer = [NOTHING.get(field.kind, [[0] * 3] * 2) for field in found.hands_in]
    assert 2 * check(label, answer if len(answer) > 1 else answer[0]).points < found.points


FOREIGN = [None, True, math.nan, -math.inf, 10**5000, 1j, "", "a", "1e999", "9" * 10**6, " " * 10**6, b"1", {"a": 1}]
FOREIGN += [{0: [1], "a": [2]}, {1}, range(10**30), itertools.count(), (k for k in "1"), object(), np.zeros(10**7)]
FOREIGN += [
    np.array([None]),
    torch.zeros(3, device="meta"),
    torch.eye(2).to_sparse(),
    {"transformer": "\ud800"},
    [[[]]],
]


@pytest.mark.parametrize("kind", ["whole", "number", "choice", "subset", "numbers", "table", "pattern", "network"])
def test_foreign_things_are_refused_by_name_and_at_once(kind: str) -> None:
    field, start = Field(kind, "part", options=("yes", "no"), rows=3, columns=3, least=0, most=2), time.monotonic()
    for value in FOREIGN:
        if kind != "subset" or not isinstance(value, (set, str)):
            with pytest.raises(ValueError, match=r"^part: expected .*, got "):
                field.parse(value)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("value", "means"),
    [(4 / 9, "4/9"), (0.7 * 0.1, "7/100"), (np.float64(0.28), "7/25"), (torch.tensor(13.5), "27/2"), (2**0.5, None)],
)
def test_floats_stand_for_the_fractions_that_they_round(value: object, means: str | None) -> None:
    assert Field("number", "part").parse(value) == (Fraction(means) if means else Fraction(2**0.5))


KINDS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, np.float64, np.float32, np.float16]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("through", [lambda x: x, plain], ids=["here", "through JSON"])
def test_a_float_of_any_kind_is_right_as_far_as_it_can_hold_the_answer(kind: Any, through: Any) -> None:
    """All fractions below 1 with up to 24 below the line; and one that is 2 % beside is refused."""
    part = Field("number", "part")
    for right in {Fraction(a, b) for b in range(2, 25) for a in range(1, b)}:
        for by, same in ((1, True), (1.02, False)):
            value = float(right) * by
            typed = torch.tensor(value, dtype=kind) if isinstance(kind, torch.dtype) else kind(value)
            assert equal(part, part.parse(through(typed)), right) is same, (right, typed)


def lazy(field: Field) -> list[object]:
    """What somebody types who only wants to see what happens."""
    if field.kind == "choice":
        return list(field.options)
    if field.kind == "pattern":
        n = field.rows or 1
        return [[[*range(n)]] * n, [[i] for i in range(n)], [[] for _ in range(n)]]
    rows, columns = field.rows or 5, field.columns or 1
    if field.kind == "table":
        count = [[columns * i + j for j in range(1, columns + 1)] for i in range(rows)]
        return [count, [*count[:-1], [*count[-1][:-1], 99]], [[1] * columns] * rows]
    least = field.least or 0
    values = [least, least + 1, least + 2, least + 3]
    if field.kind in ("whole", "number"):
        return list(values)
    typed = [[*range(rows)], [*range(1, rows + 1)], [1] * rows, [0] * rows, [*range(1, rows), 99]]
    return typed if field.most is None else [[min(entry, field.most) for entry in row] for row in typed]


def test_nonsense_is_never_nearly_right() -> None:
    """Not where something is to be constructed: there each line holds of much that has nothing to do with it."""
    seen = 0
    for found in EXERCISES.values():
        if found.is_data and not found.compares and found.points > 2:
            for answer in itertools.product(*map(lazy, found.hands_in)):
                said = found.judged(found.parse(list(answer)))
                assert said.verdict != "nearly", (found.label, answer)
                seen += 1
    assert seen > 100


def test_the_hint_has_the_numbers_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_wrong", Counter())
    for found in EXERCISES.values():
        if found.is_data:
            nothing = [nonsense(field, random.Random(0)) for field in found.hands_in]
            told = [str(check(found.label, nothing if len(nothing) > 1 else nothing[0], seed="a:b")) for _ in range(3)]
            assert "Hint:" not in told[-1] or "{" not in told[-1].partition("Hint:")[2]


def test_a_side_that_lies_a_little_too_far_out_is_seen() -> None:
    assert check("ex-partition-triangle", ([[-1, 0], [0, -1], [1, 1]], [0, 0, "-1.0001"])).points == 1
    assert check("ex-partition-triangle", ([[0.7, 0.7], [-0.1, 0], [0, -3]], [-0.7, 0, 0])).verdict == "right"


@functools.cache
def published(label: str) -> Fraction:
    """An exercise stands in the sets of several courses."""
    return EXERCISES[label].published()


SETS = sorted(ROOT.glob("teaching/*/*-week*.toml"))


@pytest.mark.parametrize("path", SETS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_published_solutions_are_worth_a_third_of_a_set_at_most(path: Path) -> None:
    asked = [EXERCISES[label] for label in tomllib.loads(path.read_text(encoding="utf-8"))["exercises"]]
    worth = {found.label: published(found.label) for found in asked}
    assert all(worth[found.label] <= found.points for found in asked)
    assert 3 * sum(worth.values()) <= sum(found.points for found in asked), worth


def test_other_numbers_for_other_students() -> None:
    """Each student keeps the same numbers, neighbours mostly have other ones, and no seed means the book's."""
    found = get("ex-context-invert")
    variants = [tuple(found.variant(f"course:{k}").values()) for k in range(40)]
    assert variants == [tuple(found.variant(f"course:{k}").values()) for k in range(40)]
    assert len(set(variants)) > 5
    assert found.variant() == {"N": 6, "n": 3, "first": "smallest"}
    for one in EXERCISES.values():
        if any(len(values) > 1 for values in one.varies.values()):
            assert all(one.variant(f"course:{k}") != one.variant() for k in range(60)), one.label


def test_which_hypothesis_fails_is_seen_on_the_functions() -> None:
    """The choices of two exercises, from the functions that they name, in plain loops."""

    def right(label: str) -> Any:
        found = get(label)
        return found.at(found.reference)

    def heard(token: float, row: tuple[int, ...]) -> float:
        weights = [math.exp(token * t) for t in row]
        return sum(w * t for w, t in zip(weights, row, strict=True)) / sum(weights)

    def smooth_hole(t: float) -> float:
        return math.exp(-1 / (1 - t * t)) if abs(t) < 1 else 0.0

    def slopes(f: Callable[[float], float], t: float, h: float = 1e-6) -> float:
        return abs((f(t + h) - f(t)) / h - (f(t) - f(t - h)) / h)

    one, two = (1, 2, 6), (1, 3, 5)
    softmax, mean, corner, _, smooth, _ = right("ex-samples-fails")
    assert (softmax == "none fails") == (abs(heard(1, one) - heard(1, two)) > 1e-3)
    assert (mean == "a pair is not told apart") == (sum(one) == sum(two))
    assert (corner == "g is not analytic") == (slopes(lambda t: max(0.0, 1 - abs(t)), 1.0) > 0.5)
    # It is 0 on an interval and not everywhere, which no analytic function is.
    assert (smooth == "g is not analytic") == (smooth_hole(0) > 0 and not any(smooth_hole(1 + k / 9) for k in range(9)))

    def jumps(f: Callable[[float], float]) -> bool:
        return any(abs(f(k / 9 + 1e-12) - f(k / 9 - 1e-12)) > 0.1 for k in range(-8, 9))

    h = get("ex-liu-covers").variant()["h"]
    root, step, square, *_ = right("ex-liu-covers")
    assert (root == "no: f jumps") == jumps(lambda z: math.sqrt(abs(z)))
    assert (step == "no: f jumps") == jumps(lambda z: h if z > 0 else 0)
    assert (square == "no: f jumps") == jumps(lambda z: z * z)


def thoughtless(found: Exercise) -> list[list[Any]]:
    """All zeros, all ones, each choice for all, the first list for all, and nothing: written anew, field by field."""
    answer = found.at(found.reference)
    right = found.parse([answer] if len(found.hands_in) == 1 else list(answer))
    made, lists = [], [part.kind for part in found.hands_in if part.kind in ("wholes", "table", "pattern")]
    twice = len(lists) > 1 and len({*lists}) == 1
    for k in (0, 1, "list"):
        for option in range(6):
            row: list[Any] = []
            for part, value in zip(found.hands_in, right, strict=True):
                low = max(part.least or 0, k) if k != "list" else part.least or 0
                if part.kind == "choice":
                    row.append(part.options[min(option, len(part.options) - 1)])
                elif part.kind in ("whole", "number"):
                    row.append(low)
                elif part.kind in ("subset", "order"):
                    row.append([] if part.kind == "subset" else [*range(1, part.rows + 1)])
                elif part.kind == "pattern":
                    row.append([[*range(part.rows)] if k == 1 else [i] for i in range(part.rows)])
                elif k == "list" and twice:
                    row.append(next(v for p, v in zip(found.hands_in, right, strict=True) if p.kind == part.kind))
                else:
                    row.append([[low] * part.columns] * part.rows if part.kind == "table" else [low] * len(value))
            made.append(row)
    return made


@pytest.mark.parametrize("found", VARIANTS)
def test_an_answer_without_a_thought_is_worth_nothing(found: Exercise) -> None:
    if not found.is_data or (len(found.hands_in) == found.points == 1 and found.hands_in[0].kind == "choice"):
        return  # a click on one of four may be right
    for answer in thoughtless(found):
        try:
            said = found.judged(found.parse(answer))
        except ValueError:
            continue  # a list of the wrong length
        assert said.verdict in ("not yet", "nearly")
        assert said.score in ("", f" 0 of {found.points - said.idle} points."), (answer, str(said))


def test_points_are_those_that_a_thought_adds() -> None:
    """One of four corners of the answer was free, as each choice is right somewhere; of two zeros one was right."""
    told = check("ex-condition-hypotheses", ("Theorem 1 promises it",) * 6)
    assert (told.points, told.score) == (1, " 0 of 5 points.")
    right = get("ex-condition-hypotheses").reference()
    assert str(check("ex-condition-hypotheses", (*right[:5], right[0]))).startswith("Nearly. 4 of 5 points.")
    assert check("ex-partition-triangle", ([[0, 0]] * 3, [0, 0, 0])).score == ""
    assert str(check("ex-condition-hypotheses", right)).startswith("Right.")


UNFILLED = re.compile(r"\{[^{}]+\} ?[-+] ?\d")


def test_no_sentence_leaves_a_sum_to_the_reader() -> None:
    """With "{n} - 2 tokens" a reader is told "With 4 - 2 tokens"."""
    for found in EXERCISES.values():
        told = [says for _, says in found.wrong.values()]
        for text in (found.asks, found.hint, found.why, *found.rubric.values(), *found.hints.values(), *told):
            assert not UNFILLED.search(text), (found.label, text)
    assert UNFILLED.search("With {n} - 2 tokens")


def test_a_hint_is_about_what_is_still_wrong() -> None:
    count = get("ex-hardmax-count")
    assert "close in" in count.hinted(["counted"])
    assert "two pairs" in count.hinted(["found"])
    assert "close in" not in count.hinted(["found"])
    for found in EXERCISES.values():
        if found.compares and found.points > 1:
            for name in found.rubric:
                assert found.hinted([name]) == found.hints.get(name, "").format(**found.variant()), found.label


def test_a_solved_form_says_what_follows() -> None:
    """One sentence, or two, which nobody finds in the question."""
    for found in EXERCISES.values():
        if found.is_data:
            assert found.why.endswith("."), found.label
            assert found.why not in (found.asks, found.hint, *found.rubric.values())
    assert len({found.why for found in EXERCISES.values() if found.is_data}) >= 128
