"""What a teacher needs, read off the chapters: goals, needs, exercises, syllabi; for instructors answers and an exam.

    {teaching-pages}    every page of the book with its slides, its goal, its minutes, its exercises
    {needs-map}         which page needs which, from teaching/needs.toml
    {syllabus} four     the weeks of teaching/four/course.toml, each with the set of exercises week1.toml and so on
    {answers}           a section for each exercise that judges itself: rubric, right and wrong answers, what they get
    {rubrics}           one for each proof of teaching/proofs.toml: the steps, a point each, and what common slips cost
    {exam}              the exercises of teaching/exam.toml with a seed for each group, and proofs
    {exam-answers}      what is right on each of its papers, and how the proofs are marked

A goal is the sentence of a chapter that begins "After this page you can".
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from uat_editions import SOLUTION
from uat_markdown import plain
from uat_path import chapters, parts
from uat_reading import KEY as READING
from uat_reading import minutes, rounded

from uatbook.exercises import EXERCISES, Exercise
from uatlib.number_text import witness_text

GOAL = re.compile(
    r"\b(?:After (?:this page|this chapter|it)|By the end(?: of this page)?) you (?:can|will be able to) "
    r"(.+?)(?:[.:]$|\.(?= ))",
    re.MULTILINE,
)
BLOCK = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{exercise\} ?(?P<kind>[^\n]*)\n(?P<options>(?::[^\n]*\n)*)(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
LABEL = re.compile(r"^:label: (\S+)$", re.MULTILINE)
OPTIONS = re.compile(r"\A\S.*\n(?::.*\n)*")
KINDS = ("Predict", "Construct", "Break", "Prove", "Explore", "Turn round", "Open-ended")
OTHER = "others"
SEEDS = ("transformers:ada", "transformers:bert", "transformers:cleo")
"""Of the variants that instructors see."""
PLACE = "uat-minutes-place"
SOURCES = ("chapters/*.md", "library/*.md", "teaching/**/*.toml", "explorers.md", "uatbook/exercises/**/*.py")
"""Files on which the pages for teachers hang."""


@dataclass(frozen=True)
class Found:
    """An exercise of a page."""

    page: str
    title: str
    text: str
    solution: str

    @property
    def kind(self) -> str:
        """The first of the words of its title that says what to do, where it is one of those."""
        return next((kind for kind in KINDS if self.title.startswith(kind)), OTHER)


def goal(text: str) -> str:
    """What a chapter says that one can do after it, in Markdown; nothing if it does not say it."""
    found = GOAL.search(text)
    return found[1] if found else ""


def exercises(root: Path) -> dict[str, Found]:
    """The exercises of all chapters and appendices, by their labels."""
    found = {}
    for path in sorted([*root.glob("chapters/*.md"), *root.glob("library/*.md")]):
        text = path.read_text(encoding="utf-8")
        solutions = {block[0].split("\n", 1)[0].split()[-1]: block[0] for block in SOLUTION.finditer(text)}
        for block in BLOCK.finditer(text):
            if label := LABEL.search(block["options"]):
                solution = OPTIONS.sub("", solutions.get(label[1], "")).rstrip("`:\n")
                page = path.relative_to(root).with_suffix("").as_posix()
                found[label[1]] = Found(page, block["kind"], block["text"].strip(), solution)
    return found


def needs(root: Path) -> dict[str, list[str]]:
    """Of each page of the book those that one should have read before it."""
    return _toml(root / "teaching" / "needs.toml")


def course(root: Path, name: str) -> dict[str, Any]:
    """A syllabus: title, about, projects, and its weeks, each with the labels of its set."""
    folder = root / "teaching" / name
    found = _toml(folder / "course.toml")
    for number, week in enumerate(found["weeks"], start=1):
        path = folder / f"week{number}.toml"
        week["set"] = path.relative_to(root).as_posix() if path.exists() else ""
        week["exercises"] = _toml(path)["exercises"] if path.exists() else []
    return found


def questions(root: Path) -> dict[str, str]:
    """What the gallery asks about each explorer, "page/name"."""
    lines = (root / "explorers.md").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if re.match(r"[\w-]+/[\w-]+: ", line))


def rubrics(root: Path) -> dict[str, dict[str, Any]]:
    """Of each proof that is marked by hand its steps, and the slips with the step that each costs, 0 for none."""
    return _toml(root / "teaching" / "proofs.toml")


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def points(labels: list[str]) -> str:
    """How many points a grader gives for these, and how many are marked by hand."""
    judged = [EXERCISES[label].points for label in labels if label in EXERCISES]
    by_hand = len(labels) - len(judged)
    said = [f"{sum(judged)}\N{NO-BREAK SPACE}points"] * bool(judged) + [f"{by_hand} marked by hand"] * bool(by_hand)
    return ", ".join(said)


def listed_labels(labels: list[str]) -> str:
    """Links to exercises by their labels, which last, and not by their numbers."""
    return ", ".join(f"{{ref}}`{label.removeprefix('ex-')} <{label}>`" for label in labels)


class Picture(SphinxRole):
    """``picture``: a link to an explorer, "page/name"."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Lead to it; that it is there is known to the gallery."""
        page, name = self.text.split("/")
        address = f"{'../' * self.env.docname.count('/')}chapters/{page}.html#explorer-{name}"
        return [nodes.reference("", "this picture", refuri=address, internal=True)], []


class Minutes(SphinxRole):
    """``minutes``: how long it takes to read some pages, or to work them through; known when all are read."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Leave a place."""
        return [nodes.inline("", "", classes=[PLACE], pages=self.text.split())], []


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the minutes in their places."""
    for place in [node for node in doctree.findall(nodes.inline) if PLACE in node["classes"]]:
        read = [
            minutes(app.env.metadata[page][READING]) for page in place["pages"] if READING in app.env.metadata[page]
        ]
        reading, working = (sum(pair[k] for pair in read) for k in (0, 1))
        hours = f"{max(1, round(working / 30)) / 2:g}\N{NO-BREAK SPACE}h"
        text = f"{rounded(reading)} min to read, {hours} with proofs and exercises"
        place += nodes.Text(text)


class ForTeachers(SphinxDirective):
    """A directive whose outcome hangs on chapters, sets and exercises."""

    def root(self) -> Path:
        """The book's folder; a page is read again when one of these files changes."""
        root = Path(self.env.srcdir)
        for path in [path for pattern in SOURCES for path in root.glob(pattern)]:
            self.env.note_dependency(path.relative_to(root).as_posix())
        return root

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


class Written(ForTeachers):
    """One that writes MyST, which is then read as if it stood in the page."""

    def run(self) -> list[nodes.Node]:
        """Read what it writes."""
        return self.parse_text_to_nodes("\n".join(self.lines(self.root())))

    def lines(self, root: Path) -> Iterator[str]:
        """What it writes."""
        raise NotImplementedError


class Pages(Written):
    """``teaching-pages``: all pages of the book, by part."""

    def lines(self, root: Path) -> Iterator[str]:
        """A list a part."""
        known, numbers = exercises(root), chapters(self.env)
        for caption, part in parts(self.env).items():
            pages = [page for chapter, trips in part.items() if chapter in numbers for page in (chapter, *trips)]
            if pages:
                yield from ("", f"**{caption}**", "")
            for page in pages:
                own = {label: found for label, found in known.items() if found.page == page}
                kinds = Counter(found.kind for found in own.values())
                counted = ", ".join(f"{kind} {kinds[kind]}" for kind in (*KINDS, OTHER) if kinds[kind])
                can = plain(goal((root / f"{page}.md").read_text(encoding="utf-8")), (root / page).parent)
                said = [f"{{doc}}`/{page}` ({{slides}}`{page}`)", *[f"You can {can}."] * bool(can)]
                said.append(f"{{minutes}}`{page}`; *exercises:* {counted}; {points([*own])}.")
                yield "- " + "\\\n  ".join(said)


class Map(Written):
    """``needs-map``: each page below the last of those that it needs, with the others beside it."""

    def lines(self, root: Path) -> Iterator[str]:
        """A tree."""
        needed = needs(root)
        order = [*needed]

        def below(name: str, depth: int) -> Iterator[str]:
            others = [other for other in needed[name] if other != last[name]]
            beside = ", ".join(f"{{doc}}`/chapters/{other}`" for other in others)
            yield f"{'  ' * depth}- {{doc}}`/chapters/{name}`" + f" (and {beside})" * bool(others)
            for page in order:
                if last[page] == name:
                    yield from below(page, depth + 1)

        last = {name: max(names, key=order.index, default="") for name, names in needed.items()}
        for name in order:
            if not needed[name]:
                yield from below(name, 0)


class Syllabus(Written):
    """``syllabus``: the weeks of a course."""

    required_arguments = 1

    def lines(self, root: Path) -> Iterator[str]:
        """An item a week."""
        found, asked = course(root, self.arguments[0]), questions(root)
        yield from (found["about"], "")
        for number, week in enumerate(found["weeks"], start=1):
            pages = [f"chapters/{page}" for page in week["pages"]]
            listed = ", ".join(f"{{doc}}`/{page}`" for page in pages)
            said = [f"**{week['title']}.** {listed}: {{minutes}}`{' '.join(pages)}`."]
            said.append(f"*Show* {{picture}}`{week['show']}` and ask: {asked[week['show']]}")
            if week["exercises"]:
                said.append(
                    f"*Set* {{download}}`week{number}.toml </{week['set']}>`, {points(week['exercises'])}: "
                    f"{listed_labels(week['exercises'])}."
                )
            if "proof" in week:
                worth = len(rubrics(root)[week["proof"]]["steps"])
                said.append(f"*A proof, marked by hand:* {listed_labels([week['proof']])}, {worth} points.")
            yield f"{number}. " + "\\\n   ".join(said)
        if projects := found.get("projects"):
            yield from ("", f"*Projects:* {listed_labels(projects)}.")


class Rubrics(ForTeachers):
    """``rubrics``: how proofs are marked."""

    def run(self) -> list[nodes.Node]:
        """A section each."""
        marked = rubrics(self.root())
        return [self.section(label, self.rubric(**marked[label])) for label in self.ordered() if label in marked]


class Answers(ForTeachers):
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


class Exam(ForTeachers):
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
        paper = _toml(root / "teaching" / "exam.toml")
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


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_role("minutes", Minutes())
    app.add_role("picture", Picture())
    for name, directive in {
        "teaching-pages": Pages,
        "needs-map": Map,
        "syllabus": Syllabus,
        "rubrics": Rubrics,
        "answers": Answers,
        "exam": Exam,
        "exam-answers": ExamAnswers,
    }.items():
        app.add_directive(name, directive)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
