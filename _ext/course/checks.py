"""A form below each exercise that judges itself and is answered by data: the page judges it, without Python.

What the page says is made from the registry (`uatbook.exercises`), with the book's numbers. Right answers stand in it,
in a form that is not read at a glance, which protects nothing: a check in a page is no grade. ``{solved}`` lists what
the reader's browser has seen solved. Exercises that ask for a program say how a notebook checks it; in the students'
edition, which withholds right answers, all do.
"""

import base64
import json
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from _ext.course.editions import edition
from uatbook.exercises import EXERCISES, Exercise
from uatbook.exercises.finish import shown
from uatbook.exercises.pages import script, task
from uatlib.internal import writing
from uatlib.internal.formula_html import text_html

SCRIPT = "uat-checks.js"
KEY, GUESSES = "uat_checks", "uat_guesses"
"""Of a page: the labels of exercises that judge themselves; whether it has guesses, or the list of what is solved."""
PLACE = "uat-solved-place"
ASKED = "asked"
"""The class of an exercise whose text is the question of its form, with the same numbers."""
PROVE = "The proof takes its time, and is yours to judge; the numbers are soon checked. "
TRUE = "True, but "
"""How the answer begins to a choice that holds and is not the one that was asked for."""
LONG = 30
"""From this many letters on, choices stand below one another."""
SOURCES = ("uatbook/exercises/**/*.py", "uatbook/answers.py")
"""Files on which a form hangs."""


def form(found: Exercise, asked: bool = False, proof: bool = False) -> str:
    """The place of a form, or the line of a notebook; the question, unless the text above asks the very same.

    Below a proof that is asked for it says that it is about less.
    """
    line = f'check("{found.label}", {found.name})'
    asks = "" if asked else PROVE * proof + text_html(found.question())
    if not found.is_data or edition() == "students":  # a form has the right answer in it
        said = f"{asks} A notebook checks it: <code>{escape(line)}</code>, from <code>uatbook.exercises</code>."
        return f'<p class="uat-check-line">{said}</p>'
    packed = base64.b64encode(json.dumps(task(found)).encode()).decode()
    without = f'<p class="uat-check-asks">{asks}</p>' if asks else ""
    without += f"<p>With JavaScript this page checks an answer; so does a notebook: <code>{escape(line)}</code>.</p>"
    return f'<div class="uat-check" id="check-{found.label}" data-task="{packed}">{without}</div>'


def exercises(doctree: nodes.document) -> list[nodes.Element]:
    """The exercises of a page."""
    kinds = (exercise_node, exercise_enumerable_node)
    return [node for node in doctree.findall(nodes.Element) if isinstance(node, kinds)]


class Forms(SphinxPostTransform):
    """Put a form behind each exercise that has one."""

    default_priority = 4
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """A form, or how a notebook checks it."""
        for node in exercises(self.document):
            if found := EXERCISES.get(node.get("label", "")):
                proof = node.children[0].astext().lstrip("( ").startswith("Prove")
                raw = nodes.raw("", form(found, ASKED in node["classes"], proof), format="html")
                node.parent.insert(node.parent.index(node) + 1, raw)


class GuessDirective(SphinxDirective):
    """``guess``: what a reader may predict, a line each: `- wrong | what is said to it`, `+ right`, or `+ right | why`.

    Radio buttons, which also stand on paper; the script says whether the choice is right, and holds the answer below
    back until there is one, and keeps the first. An argument takes the place of "You predict:".
    """

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """One choice is right, and each other one is told something."""
        number = self.env.new_serialno("guess")
        labels, rights, longest = "", 0, 0
        for line in filter(None, self.content):
            sign, _, rest = line.partition(" ")
            words, _, said = rest.partition(" | ")
            rights += sign == "+"
            longest = max(longest, len(words))
            if sign not in ("+", "-") or not (said or sign == "+"):
                raise self.error(f"guess: expected `+ right` or `- wrong | what is said`, got {line}")
            begins = "" if said.startswith(TRUE) else "Right." if sign == "+" else "Not so."
            told = base64.b64encode(f"{begins} {said}".strip().encode()).decode()
            labels += f'<label><input type="radio" name="guess-{number}" value="{told}"> {escape(words)}</label>'
        if rights != 1:
            raise self.error(f"guess: expected one right choice, got {rights}")
        self.env.metadata[self.env.docname][GUESSES] = True
        asked = escape(self.arguments[0] if self.arguments else "You predict:")
        kind = " uat-lines" if longest > LONG else ""
        html = f'<form class="uat-guess{kind}"><fieldset><legend>{asked}</legend>{labels}</fieldset>'
        return [nodes.raw("", f'{html}<p role="status"></p></form>', format="html")]


def visit_admonition(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write what answers a prediction as a fold that needs no script; all other boxes as they are."""
    if "answer" not in node["classes"]:
        HTML5Translator.visit_admonition(translator, node)
        return
    title, *said = node.children
    translator.body.append(f'<details class="uat-answer"><summary>{escape(title.astext())}</summary><div>')
    for block in said:
        block.walkabout(translator)
    translator.body.append("</div></details>\n")
    raise nodes.SkipNode


def depart_admonition(translator: HTML5Translator, node: nodes.Element) -> None:
    """End a box."""
    HTML5Translator.depart_admonition(translator, node)


class RocqDirective(SphinxDirective):
    """``rocq``: above an exercise about a proof of `proofs/`, what the file has, and what Rocq asks for."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Blocks of code."""
        made = [nodes.literal_block(text, text, language=language) for language, text in shown(self.arguments[0])]
        self.env.note_dependency("uatbook/data/finish-a-proof.json")
        return [*made]


class SolvedDirective(SphinxDirective):
    """``solved``: what the reader's browser has seen solved."""

    def run(self) -> list[nodes.Node]:
        """Leave a place for the list."""
        self.env.metadata[self.env.docname][GUESSES] = True
        return [nodes.container("", classes=[PLACE])]


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep where each exercise stands."""
    labels = [node["label"] for node in exercises(doctree) if node.get("label") in EXERCISES]
    if labels:
        app.env.metadata[app.env.docname][KEY] = labels
        root = Path(app.srcdir)
        for path in (path for pattern in SOURCES for path in root.glob(pattern)):
            app.env.note_dependency(path.relative_to(root).as_posix())


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the list in its place: its names and links are those of the pages."""
    for node in [node for node in doctree.findall(nodes.container) if PLACE in node["classes"]]:
        names = {}
        for page, said in app.env.metadata.items():
            for label in [label for label in said.get(KEY, ()) if EXERCISES[label].is_data]:
                address = f"{app.builder.get_relative_uri(docname, page)}#{label}"
                words = label.removeprefix("ex-").replace("-", " ")
                names[label] = [f"{app.env.titles[page].astext()}: {words}", address]
        data = escape(json.dumps(names))
        without = "<p>On screen a script lists here what you have solved.</p>"
        node.replace_self(
            nodes.raw("", f'<div class="uat-solved-list" data-names="{data}">{without}</div>', format="html")
        )


def load(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the script on pages with a form or the list."""
    said = app.env.metadata.get(pagename, {})
    if said.get(KEY) or said.get(GUESSES):
        app.add_js_file(SCRIPT, loading_method="defer")


def write(app: Sphinx, builder: Builder) -> None:
    """Write the script before the pages, which carry its checksum."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static")
        folder.mkdir(parents=True, exist_ok=True)
        writing.write(folder / SCRIPT, script())


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("solved", SolvedDirective)
    app.add_directive("guess", GuessDirective)
    app.add_directive("rocq", RocqDirective)
    app.add_node(nodes.admonition, override=True, html=(visit_admonition, depart_admonition))
    app.add_post_transform(Forms)
    app.connect("write-started", write)
    app.connect("doctree-read", note)
    app.connect("doctree-resolved", fill)
    app.connect("html-page-context", load)
    return {"env_version": 1}
