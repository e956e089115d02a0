"""The page for teachers, made of the chapters and of the folder `teaching`.

{teaching-pages}    every page of the book with its slides, its goal, its minutes, its exercises
{needs-map}         which page needs which, from teaching/needs.toml
{syllabus} four     the weeks of teaching/four/course.toml, each with its set of exercises, four-week1.toml and so on
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole

import uatbook
from _ext.course.materials import KINDS, OTHER, course, exercises, goal, needs, questions, rubrics
from _ext.course.path import chapters, parts
from _ext.course.reading import KEY as READING
from _ext.course.reading import minutes, rounded
from _ext.shapes.markdown import plain
from uatbook.exercises import EXERCISES
from uatbook.fingerprints import library_digest, text_digest

PLACE = "uat-minutes-place"
SOURCES = ("chapters/*.md", "library/*.md", "teaching/**/*.toml", "explorers.md", "uatbook/exercises/**/*.py")
"""Files on which the pages for teachers hang."""


def points(labels: list[str]) -> str:
    """How many points a grader gives for these, and how many are marked by hand."""
    judged = [EXERCISES[label].points for label in labels if label in EXERCISES]
    by_hand = len(labels) - len(judged)
    said = [f"{sum(judged)}\N{NO-BREAK SPACE}points"] * bool(judged) + [f"{by_hand} marked by hand"] * bool(by_hand)
    return ", ".join(said)


def copied(labels: list[str], env: BuildEnvironment) -> str:
    """How many of these points the published solutions are worth to a student with numbers of their own.

    This page is read again after each edit of a chapter, so that is kept from build to build, as long as the code is.
    """
    kept = vars(env).setdefault("uat_published", {})
    code = library_digest() + text_digest(Path(uatbook.__file__).parent)
    if kept.get("code") != code:
        kept.clear()
        kept["code"] = code
    judged = [label for label in labels if label in EXERCISES]
    kept.update({label: EXERCISES[label].published() for label in judged if label not in kept})
    worth = sum((kept[label] for label in judged), Fraction(0))
    return f"of which the published solutions are worth {float(worth):.1f}"


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
                    f"*Set* {{download}}`{Path(week['set']).name} </{week['set']}>`, {points(week['exercises'])}, "
                    f"{copied(week['exercises'], self.env)}: "
                    f"{listed_labels(week['exercises'])}."
                )
            if "proof" in week:
                worth = len(rubrics(root)[week["proof"]]["steps"])
                said.append(f"*A proof, marked by hand:* {listed_labels([week['proof']])}, {worth} points.")
            yield f"{number}. " + "\\\n   ".join(said)
        if projects := found.get("projects"):
            yield from ("", f"*Projects:* {listed_labels(projects)}.")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_role("minutes", Minutes())
    app.add_role("picture", Picture())
    for name, directive in {"teaching-pages": Pages, "needs-map": Map, "syllabus": Syllabus}.items():
        app.add_directive(name, directive)
    app.connect("doctree-resolved", fill)
    return {"env_version": 1}
