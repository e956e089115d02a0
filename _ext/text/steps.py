"""The pages *Step by step*: ``proof-steps`` shows the machine-checked proofs of a source, ``proof-words`` their words.

Of each theorem of the table: what it says, the formal statement, and the proof: an English step first, and folded under
it the lines that do it, after each the goal, with what is new in it alone. Nothing here needs Rocq, or a script.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.head.place import place
from _ext.text.marks import mark_html
from _ext.text.rocq import statement_html, term_html
from uatbook import machine_checked, statements
from uatbook.headings import statement_name
from uatbook.machine_checked import Theorem
from uatbook.sources import SOURCES
from uatlib.internal.formula_html import formula_html, text_html

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "proofs"
DEFINED = re.compile(
    r"(?:\(\*\*\s*((?:(?!\*\)).)*?)\s*\*\)\s*)?^(Definition|Fixpoint|Record|Inductive|CoInductive)\s+([\w']+)(.*?)\.$",
    re.DOTALL | re.MULTILINE,
)
IMPORTS = re.compile(r"From UAT(?:\.(\w+))? Require (?:Import|Export) ([\w\s]+?)\.$", re.MULTILINE)
NAME = re.compile(r"[A-Za-z][\w']{2,}")
"""What may be a link: what is shorter is a variable, too."""
FIELDS = {
    "realType": "the real numbers",
    "realFieldType": "any ordered field",
    "rcfType": "any real closed field",
    "fieldType": "any field",
}
SHORT = 4
"""Lines of a theorem's proof up to which its lemmas are shown with theirs: a page weighs at most 40 kB packed."""
COMMENTED = re.compile(r"\[((?!-?\w+, )[^\[\]]+)\]")
"""A term in a comment; [0, 1] is an interval."""
SIGNS = """<details><summary>How to read the lines</summary><p>A proof assistant keeps two lists: what is known, each
with a name, and what is to be shown. A line of a proof changes them, and it refuses a line that does not follow. Below
each line stands what is new in the first list, and, where it has changed, what is to be shown. The lines themselves are
commands; the sentence above a group says what they do.</p>
<p>Formulas are set as in the rest of the book, with a few habits of the machine: <i>f</i> <i>x</i> is
<i>f</i>(<i>x</i>); <i>Z</i> <i>s</i> <i>k</i> is an entry of a matrix; <i>A</i> → <i>B</i> → <i>C</i> says that
<i>C</i> follows from <i>A</i> and <i>B</i>; <i>x</i> : <b>R</b> says that <i>x</i> is a real number; [<i>n</i>] are the
numbers 0, …, <i>n</i> − 1; <i>x</i> ↦ <i>x</i> + 1 is a function; <i>n</i>+1 without spaces is the next number. A name
that is underlined is a link to where it is defined or proved.</p></details>"""


@dataclass(frozen=True)
class Word:
    """A definition of the proofs."""

    file: str
    name: str
    kind: str
    said: str
    body: str

    @property
    def anchor(self) -> str:
        """Where it stands on a page."""
        return f"word-{Path(self.file).stem}-{self.name}".replace("_", "-").replace("'", "-")


def lemma_anchor(file: str, name: str) -> str:
    """Where a lemma stands on the page of its file."""
    return f"lemma-{Path(file).stem}-{name}".replace("_", "-").replace("'", "-")


@functools.cache
def record(file: str) -> dict[str, Any]:
    """What is recorded of a file of proofs."""
    kept = (PROOFS / file).with_suffix(".json")
    if not kept.exists():  # a new file, in a book that is built before it is recorded; a test tells
        return {"about": "", "proofs": []}
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


@functools.cache
def words(file: str) -> dict[str, Word]:
    """The definitions of a file, by name."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    return {
        name: Word(file, name, kind, " ".join(said.split()), body.strip())
        for said, kind, name, body in DEFINED.findall(text)
    }


@functools.cache
def seen(file: str) -> tuple[str, ...]:
    """The files whose names it may use: itself, then what it imports, the last first."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    found = [
        f"{folder}/{name}.v" if folder else f"{name}.v"
        for folder, names in IMPORTS.findall(text)
        for name in names.split()
    ]
    return (file, *(other for other in reversed(found) if (PROOFS / other).exists()))


def word(file: str, name: str) -> Word | None:
    """The definition that a name has in a file."""
    return next((words(other)[name] for other in seen(file) if name in words(other)), None)


@dataclass
class Page:
    """One source: its theorems, and what stands on its page."""

    source: str
    rows: list[Theorem] = field(init=False)
    shown: dict[str, set[str]] = field(init=False)
    defined: dict[str, Word] = field(init=False)

    def __post_init__(self) -> None:
        """Gather them."""
        self.rows = [row for row in machine_checked.theorems() if row.source == self.source]
        self.shown = {row.file: {one["name"] for one in lemmas(row.file)} for row in self.rows}
        self.defined = {}
        for row in self.rows:
            for one in (proof(row), *lemmas(row.file)):
                self._define(row.file, " ".join([*one["given"], one["statement"]]))

    def _define(self, file: str, term: str) -> None:
        """Add the definitions of a term's names, and those of theirs."""
        for name in NAME.findall(term):
            found = word(file, name)
            if found is not None and found.anchor not in self.defined:
                self.defined[found.anchor] = found
                self._define(found.file, found.body)

    def where(self, file: str, name: str) -> str | None:
        """The address of a name on this page or another one of the four."""
        if not NAME.fullmatch(name):
            return None
        if (found := word(file, name)) and found.anchor in defined():
            return f"steps-words.html#{found.anchor}"
        for other in seen(file):
            at = place_of(other, name)
            if at is not None:
                page, anchor = at
                return f"#{anchor}" if page == self.source else f"steps-{page}.html#{anchor}"
        return None


@functools.cache
def defined() -> dict[str, Word]:
    """The definitions of all pages, by their places."""
    return {anchor: one for source in SOURCES for anchor, one in Page(source).defined.items()}


@functools.cache
def place_of(file: str, name: str) -> tuple[str, str] | None:
    """Source and anchor of a theorem, or of a lemma that is shown."""
    for row in machine_checked.theorems():
        if row.file == file:
            page = row.source
            if row.name == name:
                return page, row.anchor
            if any(one["name"] == name for one in lemmas(file)):
                return page, lemma_anchor(file, name)
    return None


def proof(row: Theorem) -> dict[str, Any]:
    """The recorded proof of a theorem; where none is, its statement from the file."""
    for one in record(row.file)["proofs"]:
        if one["name"] == row.name:
            found: dict[str, Any] = one
            return found
    text = (PROOFS / row.file).read_text(encoding="utf-8")
    stated = re.search(rf"^(?:Theorem|Lemma|Corollary) {row.name}\b(.*?)\.\s+Proof", text, re.DOTALL | re.MULTILINE)
    return {"name": row.name, "said": "", "given": [], "statement": stated[1].strip() if stated else "", "steps": []}


@functools.cache
def lemmas(file: str) -> tuple[dict[str, Any], ...]:
    """Those of a file that are shown: what somebody said something about in English."""
    main = {row.name for row in machine_checked.theorems() if row.file == file}
    return tuple(
        one
        for one in record(file)["proofs"]
        if one["name"] not in main and (one["said"] or any(step["said"] for step in one["steps"]))
    )


def english(said: str) -> str:
    """A comment of a proof as HTML: what stands in brackets is a term."""
    parts = COMMENTED.split(said.replace("|->", "↦"))
    return "".join(term_html(part) if k % 2 else text_html(part) for k, part in enumerate(parts))


def theorem_html(page: Page, row: Theorem) -> Iterator[str]:
    """All that is shown of a theorem."""
    s, one, about = statements.get(row.statement), proof(row), record(row.file)["about"]
    yield (
        f"<p>{mark_html(row.state)}, with {machine_checked.AXIOMS[row.axioms]}: <code>{escape(row.name)}</code> in "
        f"{file_html(row.file)}.</p>"
    )
    name, entry = statement_name(s.id) or "The statement", f"statements.html#{s.id.replace(':', '-')}"
    differs = f" What differs: {formula_html(row.differs)}" if row.differs else ""
    yield (
        f'<p><a href="../chapters/{s.chapter}.html">{name}</a>: {formula_html(s.title)} '
        f'(<a href="{entry}">its run at sizes</a>).{differs}</p>'
    )
    first = next(other for other in page.rows if other.file == row.file)
    if first is row:
        about = about.partition("Differs from")[0]  # which the table says
        yield "".join(f"<p>{english(part)}</p>" for part in about.split("\n\n") if part)
    if one["said"]:
        yield f"<p>{english(one['said'])}</p>"
    yield formal_html(page, row.file, one)
    if one["steps"]:
        yield f'<p class="rubric">The proof</p>{steps_html(page, row.file, one)}'
    last = [other for other in page.rows if other.file == row.file][-1]
    if last is row:
        yield "".join(lemma_html(page, row.file, lemma) for lemma in lemmas(row.file))
        yield others_html(row.file)


def formal_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """What is given, and the formal statement."""
    set_place = functools.partial(page.where, file)
    given = "".join(f"<li>{known_html(line, set_place)}</li>" for line in one["given"])
    listed = f"<ul>{given}</ul>" if given else ""
    return f'<div class="uat-formal">{listed}<p>{statement_html(one["statement"], set_place)}</p></div>'


def known_html(line: str, set_place: Any = lambda _: None) -> str:
    """A line of what is known: names, and what they are."""
    names, body, value = line.partition(" := ")
    if body and " : " not in names:
        return f"{name_html(names)} := {term_html(value, set_place)}"
    names, _, kind = line.partition(" : ")
    if kind in FIELDS:
        return f"<b>R</b> : {FIELDS[kind]}"
    return f"{', '.join(map(name_html, names.split(', ')))} : {term_html(kind, set_place)}"


def name_html(name: str) -> str:
    """A variable as in formulas; the name of a fact as in the lines of the proof."""
    shown = term_html(name)
    return shown if shown.startswith("<i>") or shown == "<b>R</b>" else f"<code>{escape(name, quote=False)}</code>"


def steps_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """The steps of a proof, each a fold."""
    done, before = [], set[str]()
    for step in one["steps"]:
        lines = "".join(line_html(page, file, line, before) for line in step["lines"])
        said = english(step["said"]) if step["said"] else title_of(one, step)
        done.append(f"<details><summary>{said}</summary>{lines}</details>" if lines else f"<p>{said}</p>")
    return "".join(done)


def title_of(one: dict[str, Any], step: dict[str, Any]) -> str:
    """What is said of lines without a step of their own: the first, which name things, or a proof that has no steps."""
    if len(one["steps"]) > 1:
        return "Name what is given."
    count = len(step["lines"])
    return "The line of the proof." if count == 1 else f"The {count} lines of the proof."


def line_html(page: Page, file: str, line: list[Any], before: set[str]) -> str:
    """A line of the proof, what is new after it, and what is to be shown, where that has changed."""
    sentence, new, show, count = line
    set_place = functools.partial(page.where, file)
    code = NAME.sub(lambda at: linked(at[0], set_place(at[0])), escape(sentence, quote=False))
    facts = "".join(f"<li>{known_html(fact, set_place)}</li>" for fact in new)
    parts = [f"<pre>{code}</pre>", f"<ul>{facts}</ul>" if facts else ""]
    if show is not None and show in before:
        parts.append('<p class="goal">Back to what was to be shown before.</p>')
    elif show is not None:
        parts.append(f'<p class="goal"><b>To show</b> {term_html(show, set_place)}</p>')
        before.add(show)
    if count == 0:
        parts.append('<p class="goal"><b>Done.</b></p>')
    elif count > 1 and show is not None:
        parts.append(f'<p class="goal more">{further(count - 1)}</p>')
    return "".join(parts)


def further(count: int) -> str:
    """How many goals wait behind the one that is shown."""
    return "And then one thing more." if count == 1 else f"And then {count} things more."


def linked(name: str, where: str | None) -> str:
    return f'<a href="{where}">{name}</a>' if where else name


def own_lines(file: str) -> int:
    """The lines of the proofs of a file's theorems, without those of its lemmas."""
    rows = [row for row in machine_checked.theorems() if row.file == file]
    return sum(len(step["lines"]) for row in rows for step in proof(row)["steps"])


def lemma_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """A lemma of a theorem's file, folded."""
    said = f": {english(one['said'])}" if one["said"] else ""
    count = sum(len(step["lines"]) for step in one["steps"])
    # Lines of which nobody says in English what they do are for who reads the file; and those of a long proof's lemma.
    lines = "one line" if count == 1 else f"{count} lines"
    told = [f"<p>{english(step['said'])}</p>" for step in one["steps"] if step["said"]]
    if told and own_lines(file) <= SHORT:
        proved = steps_html(page, file, one)
    else:
        proved = f"{''.join(told)}<p>Its proof of {lines} stands in the file.</p>"
    return (
        f'<details id="{lemma_anchor(file, one["name"])}"><summary>Lemma <code>{escape(one["name"])}</code>'
        f"{said}</summary>{formal_html(page, file, one)}{proved}</details>"
    )


def others_html(file: str) -> str:
    """How many lemmas of a file are not shown, and where they are."""
    main = {row.name for row in machine_checked.theorems() if row.file == file}
    rest = max(0, len(record(file)["proofs"]) - len(lemmas(file)) - len(main))
    return f"<p>And {rest} smaller {'lemma' if rest == 1 else 'lemmas'} in {file_html(file)}.</p>" if rest else ""


def file_html(file: str) -> str:
    """A file of proofs, a link where the repository is known."""
    there, name = place(ROOT), f"<code>proofs/{escape(file)}</code>"
    return f'<a href="{there.url}/blob/{there.version}/proofs/{file}">{name}</a>' if there else name


def title(row: Theorem) -> str:
    """Its number, and what of its name says more: Theorem 4.1, Corollary 4.1.1: as printed is false."""
    number = statement_name(row.statement)
    letters = re.findall(r"[a-z0-9]", number.lower())
    rest = re.sub(rf"^{'_?'.join(letters)}(?=_|$)", "", row.name).strip("_").replace("_", " ")
    return ": ".join(filter(None, [number, rest])) if number else rest[:1].upper() + rest[1:]


def word_html(page: Page, one: Word) -> str:
    """A definition."""
    set_place = functools.partial(page.where, one.file)
    said = f"<p>{english(one.said)}</p>" if one.said else ""
    bound, _, body = one.body.partition(":=")
    shown = f"{term_html(bound.strip(), set_place)} := {term_html(body.strip(), set_place)}"
    return f'<dt id="{one.anchor}"><code>{escape(one.name)}</code></dt><dd>{said}<p class="term">{shown}</p></dd>'


class StepsDirective(SphinxDirective):
    """``proof-steps``: the theorems of the source that is its argument, a section each."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A section for each theorem, in the order of the table."""
        page = Page(self.arguments[0])
        for read in (machine_checked.__file__, *(PROOFS / row.file for row in page.rows)):
            self.env.note_dependency(str(read))
        for row in page.rows:
            self.env.note_dependency(str((PROOFS / row.file).with_suffix(".json")))
        sections = [self._section(page, row) for row in page.rows]
        return [raw(SIGNS), *sections]

    def _section(self, page: Page, row: Theorem) -> nodes.section:
        anchor = row.anchor
        label = f"{anchor.partition('-')[0]}-{page.source}-{anchor.partition('-')[2]}"  # two sources may share a name
        section = nodes.section("", nodes.title("", title(row)), ids=[anchor], names=[label])
        self.state.document.note_explicit_target(section, section)
        section += raw("".join(theorem_html(page, row)))
        return section


class WordsDirective(SphinxDirective):
    """``proof-words``: the definitions that the theorems of all sources use, a section a file."""

    def run(self) -> list[nodes.Node]:
        """The shared file first, then source by source."""
        files = dict.fromkeys(sorted((one.file for one in defined().values()), key=lambda file: ("/" in file, file)))
        for read in (machine_checked.__file__, *(PROOFS / file for file in files)):
            self.env.note_dependency(str(read))
        page = Page(next(iter(SOURCES)))
        done = []
        for file in files:
            name = file.removesuffix(".v")
            section = nodes.section("", nodes.title("", name), ids=[f"words-{re.sub('[/_]', '-', name)}"])
            shown = "".join(word_html(page, one) for one in words(file).values() if one.anchor in defined())
            section += raw(f"<dl>{shown}</dl>")
            done.append(section)
        return done


def raw(html: str) -> nodes.raw:
    """As it is."""
    return nodes.raw("", f'<div class="uat-steps">{html}</div>', format="html")


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_directive("proof-steps", StepsDirective)
    app.add_directive("proof-words", WordsDirective)
