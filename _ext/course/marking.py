"""For the instructors' edition: right and wrong answers to each exercise, rubrics of proofs, an exam.

{answers}         a section for each exercise that judges itself: rubric, right and wrong answers, what they get
{rubrics}         one for each proof of teaching/proofs.toml: the steps, a point each, and what common slips cost
{exam}            the exercises of teaching/exam.toml with a seed for each group, and proofs
{exam-answers}    what is right on each of its papers, and how the proofs are marked
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from _ext.course.materials import exercises, rubrics, toml
from _ext.course.path import parts
from _ext.course.teaching import ForTeachers
from uatbook.exercises import EXERCISES, Exercise
from uatlib.internal.number_text import witness_text

SEEDS = ("transformers:ada", "transformers:bert", "transformers:cleo")
"""Of the variants that instructors see."""


class ForInstructors(ForTeachers):
    """A directive about exercises, in the order of the book."""

    def ordered(self) -> list[str]:
        """The labels of all exercises, as the book has them."""
        known = exercises(Path(self.env.srcdir))
        trips = [trip for part in parts(self.env).values() for trip in part.items()]
        order = [page for chapter, others in trips for page in (chapter, *others)]
        return sorted(known, key=lambda label: order.index(known[label].page))

    def section(self, label: str, content: list[nodes.Node]) -> nodes.section:
        """All about an exercise, under its label, which leads to it."""
        name = label.removeprefix("ex-")
        link = self.parse_text_to_nodes(f"{{ref}}`In the book <{label}>`.")
        return nodes.section("", nodes.title("", name), *link, *content, ids=[f"about-{name}"], names=[f"about-{name}"])

    def rubric(self, steps: list[str], slips: list[tuple[str, int]]) -> list[nodes.Node]:
        """How a proof is marked."""
        marked = [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
        costs = [f"- {slip} *{f'Costs step {step}' if step else 'Costs nothing'}.*" for slip, step in slips]
        lines = [f"**Steps, a point each ({len(steps)})**", "", *marked, "", "**Slips**", "", *costs]
        return self.parse_text_to_nodes("\n".join(lines))


class Rubrics(ForInstructors):
    """``rubrics``: how proofs are marked."""

    def run(self) -> list[nodes.Node]:
        """A section each."""
        marked = rubrics(self.root())
        return [self.section(label, self.rubric(**marked[label])) for label in self.ordered() if label in marked]


class Answers(ForInstructors):
    """``answers``: all that the registry knows of each exercise."""

    def run(self) -> list[nodes.Node]:
        """A section each."""
        self.root()
        return [self.section(label, self.known(EXERCISES[label])) for label in self.ordered() if label in EXERCISES]

    def known(self, one: Exercise) -> list[nodes.Node]:
        """The question, then lists."""
        told = [_told(one, name, answer) for name, (answer, _) in one.wrong.items()]
        varied = [f"{seed}: {_named(one.variant(seed))}; {answer_text(one, seed)}" for seed in SEEDS]
        return [
            _paragraph(f"{one.question()} ({_worth(one.points)})"),
            _list("Rubric, a point a line", [f"{name}: {_open(text)}" for name, text in one.rubric.items()]),
            _list("Right", [answer_text(one, "")]),
            _list("Wrong", told),
            _list("Variants", varied),
            _list("Hint after three tries", [one.hint]),
        ]


class Exam(ForInstructors):
    """``exam``: an examination paper for each group."""

    def run(self) -> list[nodes.Node]:
        """Questions, in sections of their own."""
        paper, marked, asked = self.asked()
        sheets: list[nodes.Node] = []
        worth = sum(one.points for one, _ in asked) + sum(len(marked[label]["steps"]) for label in paper["proofs"])
        for number, group in enumerate(paper["groups"]):
            sheet = nodes.enumerated_list("", enumtype="arabic")
            for one, drawn in asked:
                sheet += nodes.list_item("", _paragraph(f"{one.question(drawn[number])} ({_worth(one.points)})"))
            for label, text in paper["proofs"].items():
                points = _worth(len(marked[label]["steps"]))
                sheet += nodes.list_item("", *self.parse_text_to_nodes(f"{text} ({points})"))
            title = nodes.title("", f"Group {group}: {_worth(worth)}")
            sheets.append(nodes.section("", title, sheet, ids=[f"group-{group.lower()}"], names=[f"group-{group}"]))
        return sheets

    def asked(self) -> tuple[dict[str, Any], dict[str, Any], list[tuple[Exercise, list[str]]]]:
        """The paper, how proofs are marked, and the exercises with a seed for each group."""
        root = self.root()
        paper = toml(root / "teaching" / "exam.toml")
        known = [EXERCISES[label] for label in paper["exercises"]]
        return paper, rubrics(root), [(one, seeds(one, paper["course"], paper["groups"])) for one in known]


class ExamAnswers(Exam):
    """``exam-answers``: what is right on each paper, and how its proofs are marked."""

    def run(self) -> list[nodes.Node]:
        """A list for each group, then rubrics."""
        paper, marked, asked = self.asked()
        found: list[nodes.Node] = []
        for number, group in enumerate(paper["groups"]):
            right = [
                f"{k}. {answer_text(one, drawn[number])}" + ("" if one.compares else " (for instance)")
                for k, (one, drawn) in enumerate(asked, start=1)
            ]
            found += [nodes.rubric("", f"Group {group}"), _bullets(right)]
        for label in paper["proofs"]:
            found += [nodes.rubric("", f"Rubric of {label}"), *self.rubric(**marked[label])]
        return found


def seeds(one: Exercise, word: str, groups: list[str]) -> list[str]:
    """A seed for each group, with numbers that neither the book nor another group has, as long as there are some."""
    found: list[str] = []
    seen = [one.variant()]
    for group in groups:
        tries = [f"{word}:exam-{group}-{k}" for k in range(20)]
        found.append(next((seed for seed in tries if one.variant(seed) not in seen), tries[0]))
        seen.append(one.variant(found[-1]))
    return found


def _worth(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"


def _bullets(lines: list[str]) -> nodes.bullet_list:
    return nodes.bullet_list("", *(nodes.list_item("", _paragraph(line)) for line in lines))


def _paragraph(text: str) -> nodes.paragraph:
    """Words of the registry, which write code between accents."""
    parts = enumerate(text.split("`"))
    return nodes.paragraph("", "", *(nodes.literal("", part) if k % 2 else nodes.Text(part) for k, part in parts))


def _list(title: str, lines: list[str]) -> nodes.Element:
    return nodes.container("", nodes.paragraph("", "", nodes.strong("", title)), _bullets(lines))


def _named(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {witness_text(value)}" for name, value in values.items()) or "the book's"


def _open(template: str) -> str:
    """A line of a rubric with its gaps shown."""
    return re.sub(r"\{(\w+)\}", "\N{HORIZONTAL ELLIPSIS}", template)


def _told(one: Exercise, name: str, answer: Any) -> str:
    """What a wrong answer is, and what it is told."""
    said = one.judged(one.collect(one.at(answer)))
    given = "" if callable(one.at(answer)) else f", {witness_text(one.at(answer))}"
    return f"{name}{given}: {said.points} of {one.points} points. {' '.join(said.sentences)}"


def answer_text(one: Exercise, seed: str) -> str:
    """A right answer for a seed, by field; of functions and networks only that they are some."""
    right = one.at(one.reference, seed)
    values = [right] if len(one.hands_in) == 1 else right
    shown = [
        f"{part.name}: " + (f"a {part.kind}" if part.kind in ("function", "network") else witness_text(value))
        for part, value in zip(one.hands_in, values, strict=True)
    ]
    return ", ".join(shown)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    for name, directive in {"rubrics": Rubrics, "answers": Answers, "exam": Exam, "exam-answers": ExamAnswers}.items():
        app.add_directive(name, directive)
