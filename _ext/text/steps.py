"""The pages *Step by step*: ``proof-steps`` shows the machine-checked proofs of a source, ``proof-words`` their words.

Of each theorem of the table: what it says, the formal statement, and the proof: an English step first, and folded under
it the lines that do it, after each the goal, with what is new in it alone. Nothing here needs Rocq, or a script.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.head.place import place
from _ext.text.marks import box_of, mark_html
from _ext.text.proofs import NAME, PROOFS, Page, Word, defined, lemma_anchor, lemmas, proof, record, words
from _ext.text.rocq import Place, statement_html, term_html
from uatbook import machine_checked, statements
from uatbook.headings import statement_name
from uatbook.machine_checked import Theorem
from uatbook.sources import SOURCES
from uatlib.internal.formula_html import formula_html, text_html

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {
    "realType": "the real numbers",
    "realFieldType": "any ordered field",
    "rcfType": "any real closed field",
    "fieldType": "any field",
}
SHORT = 2
"""Lines of a theorem's proof up to which its lemmas are shown with theirs: a page weighs at most 40 kB packed."""
MADE_BY = [Path(__file__).with_name(f"{name}.py") for name in ("steps", "proofs", "rocq", "marks")]
FEW = 1
"""Lemmas of a file up to which they are shown whole."""
COMMENTED = re.compile(r"\[((?!-?\w+, )[^\[\]]+)\]")
"""A term in a comment; [0, 1] is an interval."""
COUNTS = ("no", "one", "two", "three", "four", "five", "six")
BINDER = re.compile(r"(?:(?:\b(?:forall|exists2?|fun|let)\b|_\()\s*\(?|\()((?:[\w']+[ ,]*)+)")
"""What gives names that may be any others."""
RELATION = re.compile(r"(?<![-=<>:])(?:=|<|>)|\\in\b|\b(?:forall|exists2?)\b|\[/\\|~")
HOW = """<details><summary>How to read the lines</summary><p>A proof assistant keeps two lists: what is known, each
with a name, and what is to be shown. A line of a proof changes them, and it refuses a line that does not follow. Below
each line stands what is new in the first list, and, where it has changed, what is to be shown. The lines themselves are
commands; the sentence above a group says what they do.</p>
<p>Formulas are set as in the rest of the book, with a few habits of the machine: <i>f</i> <i>x</i> is
<i>f</i>(<i>x</i>), and <i>Z</i> <i>s</i> <i>k</i> an entry of a matrix; <i>A</i> → <i>B</i> → <i>C</i> says that
<i>C</i> follows from <i>A</i> and <i>B</i>; <i>x</i> : <b>R</b> says that <i>x</i> is a real number; [<i>n</i>] are the
numbers 0, …, <i>n</i> − 1; <i>x</i> ↦ <i>x</i> + 1 is a function; <i>n</i>+1 without spaces is the next number, and a
size <i>d</i>+1 is one that is not 0. A name that is underlined is a link to where it is defined or proved; the others
are in <a href="steps-words.html#signs">the list of signs</a>.</p></details>"""
ABOVE = re.compile(r"\b(theorem|lemma|lemmas|shown|computed) above\b")


def english(said: str, facts: Set[str] = frozenset()) -> str:
    """A comment of a proof as HTML: what stands in brackets is a term, or the name of a fact."""
    parts = COMMENTED.split(re.sub(r"(?<![^\W_])oo\b", "∞", said.replace("|->", "↦")))
    return "".join(
        (fact_html(part) if part in facts else term_html(part))
        if k % 2
        else text_html(part).replace("_∞", "<sub>∞</sub>")
        for k, part in enumerate(parts)
    )


def theorem_html(page: Page, row: Theorem) -> Iterator[str]:
    """All that is shown of a theorem."""
    s, one, about = statements.get(row.statement), proof(row), record(row.file)["about"]
    yield (
        f"<p>{mark_html(row.state)}, with {machine_checked.AXIOMS[row.axioms]}: <code>{broken(row.name)}</code> in "
        f"{file_html(row.file)}.</p>"
    )
    name, entry = statement_name(s.id) or "The statement", f"statements.html#{s.id.replace(':', '-')}"
    differs = f" What differs: {formula_html(row.differs)}" if row.differs else ""
    yield (
        f'<p><a href="../{box_of(s) or f"chapters/{s.chapter}.html"}">{name}</a>: {formula_html(s.title)} '
        f'(<a href="{entry}">its run at sizes</a>).{differs}</p>'
    )
    first = next(other for other in page.rows if other.file == row.file)
    if first is row:
        about = about.partition("Differs from")[0]  # which the table says
        yield "".join(f"<p>{english(part)}</p>" for part in about.split("\n\n") if part)
    if one["said"]:
        yield f"<p>{english(re.sub(r'^[0-9]+[.] ', '', one['said']))}</p>"  # numbers are for who reads the file
    yield formal_html(page, row.file, one)
    if one["steps"]:
        told = [{**step, "said": ABOVE.sub(r"\1 below", step["said"])} for step in one["steps"]]  # lemmas come after it
        if whole := stronger(page, row):
            count, told = (
                sum(len(step["lines"]) for step in told),
                [{**step, "lines": []} for step in told if step["said"]],
            )
        yield f'<p class="rubric">The proof</p>{steps_html(page, row.file, {**one, "steps": told})}'
        if whole:  # which is what most come for: a page weighs at most 40 kB packed
            yield f'<p>The file has its {count} lines; <a href="#{whole.anchor}">the whole statement</a> has them.</p>'
    last = [other for other in page.rows if other.file == row.file][-1]
    if last is row:
        yield "".join(lemma_html(page, row.file, lemma) for lemma in lemmas(row.file))
        yield others_html(row.file)


WHOLE = {"proved in part": "proved", "refuted in part": "refuted as printed"}


def stronger(page: Page, row: Theorem) -> Theorem | None:
    """Of a theorem that is a part of a statement: the one that is all of it."""
    wanted = (row.statement, WHOLE.get(row.state))
    return next((other for other in page.rows if (other.statement, other.state) == wanted), None)


def formal_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """What is given, and the formal statement."""
    set_place = once(functools.partial(page.where, file))
    given = "".join(f"<li>{known_html(line, set_place)}</li>" for line in one["given"])
    listed = f"<ul>{given}</ul>" if given else ""
    return f'<div class="uat-formal">{listed}<p>{statement_html(one["statement"], set_place)}</p></div>'


def known_html(line: str, set_place: Place = lambda _: None) -> str:
    """A line of what is known: names, and what they are."""
    names, body, value = line.partition(" := ")
    if body and " : " not in names:
        return f"{name_html(names)} := {term_html(value, set_place)}"
    names, _, kind = line.partition(" : ")
    if kind in FIELDS:
        return f"<b>R</b> : {FIELDS[kind]}"
    return f"{', '.join(name_html(name, kind) for name in names.split(', '))} : {term_html(kind, set_place)}"


def name_html(name: str, kind: str = "") -> str:
    """A variable as in formulas; the name of a fact as in the lines of the proof."""
    shown = term_html(name)
    variable = not RELATION.search(kind) and (shown.startswith("<i>") or shown == "<b>R</b>")
    return shown if variable else fact_html(name)


def fact_html(name: str) -> str:
    return f"<code>{escape(name, quote=False)}</code>"


def steps_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """The steps of a proof, each a fold."""
    lines = [line for step in one["steps"] for line in step["lines"]]
    known = [*one["given"], *(fact for _, new, _, _ in lines for fact in new)]
    facts = {name for name, _, kind in (fact.partition(" : ") for fact in known) if RELATION.search(kind)}
    done, told = [], Told()
    for step in one["steps"]:
        set_place = once(functools.partial(page.where, file))
        shown = "".join(line_html(line, set_place, told) for line in step["lines"])
        said = english(step["said"], facts) if step["said"] else title_of(one, step)
        kind = "" if step["said"] else ' class="lines"'  # what says nothing on paper
        done.append(f"<details{kind}><summary>{said}</summary>{shown}</details>" if shown else f"<p>{said}</p>")
    return "".join(done)


def title_of(one: dict[str, Any], step: dict[str, Any]) -> str:
    """What is said of lines without a step of their own: the first, which name things, or a proof that has no steps."""
    if len(one["steps"]) > 1:
        return "Name what is given."
    count = len(step["lines"])
    return "The line of the proof." if count == 1 else f"The {count} lines of the proof."


def once(set_place: Place) -> Place:
    """The first time that a name stands in a fold it is a link: more of them are in the way."""
    found = set[str]()

    def first(name: str) -> str | None:
        where = None if name in found else set_place(name)
        found.add(name)
        return where

    return first


@dataclass
class Told:
    """What a reader of a proof has been told: facts by their names, what was to be shown, how much of it is left."""

    facts: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    left: int = 1


def line_html(line: list[Any], set_place: Place, told: Told) -> str:
    """A line of the proof, what is new after it, and what is to be shown, where that has changed."""
    sentence, new, show, count = line
    code = NAME.sub(lambda at: linked(at[0], set_place(at[0])), escape(sentence, quote=False))
    parts = [f"<pre>{code}</pre>"]
    fresh = [fact for fact in new if told.facts.get(fact.partition(" : ")[0]) != fact]
    told.facts |= {fact.partition(" : ")[0]: fact for fact in fresh}
    if fresh:
        parts.append(f"<ul>{''.join(f'<li>{known_html(fact, set_place)}</li>' for fact in fresh)}</ul>")
    if count == 0:
        parts.append('<p class="goal"><strong>Done.</strong></p>')
    elif show is not None and not (told.before and count == told.left and same_but_for_names(show, told.before[-1])):
        again = ", as before" if show in told.before else ""
        parts.append(
            f'<p class="goal">{turn(told.left, count)}<strong>To show{again}</strong> {term_html(show, set_place)}</p>'
        )
        told.before.append(show)
    told.left = count
    return "".join(parts)


def turn(before: int, now: int) -> str:
    """What a line does to the number of things that are to be shown."""
    if now > before:
        many = now - before + 1
        many_things = f"{COUNTS[many].capitalize() if many < len(COUNTS) else many} things to show now, one by one."
        return f"<strong>{many_things}</strong><br>"
    return "<strong>That is shown. Now the next.</strong><br>" if now < before else ""


def same_but_for_names(one: str, other: str) -> bool:
    """Whether two terms differ in nothing but the names of what they bind."""
    here, there = (re.findall(r"'[A-Za-z]+_|[A-Za-z_][\w']*|\S", term) for term in (one, other))
    if len(here) != len(there):
        return False
    bound = [{name for names in BINDER.findall(term) for name in re.split("[ ,]+", names)} for term in (one, other)]
    to, back = dict[str, str](), dict[str, str]()
    return all(
        to.setdefault(a, b) == b and back.setdefault(b, a) == a and (a == b or (a in bound[0] and b in bound[1]))
        for a, b in zip(here, there, strict=True)
    )


def linked(name: str, where: str | None) -> str:
    return f'<a href="{where}">{name}</a>' if where else name


def own_lines(file: str) -> int:
    """The lines of the proofs of a file's theorems, without those of its lemmas."""
    rows = [row for row in machine_checked.theorems() if row.file == file]
    return sum(len(step["lines"]) for row in rows for step in proof(row)["steps"])


def lemma_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """A lemma of a theorem's file, folded; of many, or of parts of statements, names and words, for the weight."""
    said = f": {english(one['said'])}" if one["said"] else ""
    if len(lemmas(file)) > FEW or all(stronger(page, row) for row in page.rows if row.file == file):
        return f'<p id="{lemma_anchor(file, one["name"])}">Lemma <code>{broken(one["name"])}</code>{said}</p>'
    count = sum(len(step["lines"]) for step in one["steps"])
    # Lines of which nobody says in English what they do are for who reads the file; and those of a long proof's lemma.
    lines = "one line" if count == 1 else f"{count} lines"
    told = [f"<p>{english(step['said'])}</p>" for step in one["steps"] if step["said"]]
    if told and own_lines(file) <= SHORT:
        proved = steps_html(page, file, one)
    else:
        proved = f"{''.join(told)}<p>Its proof of {lines} stands in the file.</p>"
    return (
        f'<details id="{lemma_anchor(file, one["name"])}"><summary>Lemma <code>{broken(one["name"])}</code>'
        f"{said}</summary>{formal_html(page, file, one)}{proved}</details>"
    )


def others_html(file: str) -> str:
    """How many lemmas of a file are not shown, and where they are."""
    main = {row.name for row in machine_checked.theorems() if row.file == file}
    rest = max(0, len(record(file)["proofs"]) - len(lemmas(file)) - len(main))
    return f"<p>And {rest} smaller {'lemma' if rest == 1 else 'lemmas'} in {file_html(file)}.</p>" if rest else ""


def file_html(file: str) -> str:
    """A file of proofs, a link where the repository is known."""
    there, name = place(ROOT), f"<code>proofs/{broken(file)}</code>"
    return f'<a href="{there.url}/blob/{there.version}/proofs/{file}">{name}</a>' if there else name


def broken(name: str) -> str:
    """A long name, with places where a line may end."""
    return re.sub(r"(?<=[_/])(?=\w{3})", "<wbr>", escape(name))


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
        for read in (machine_checked.__file__, *MADE_BY, *(PROOFS / row.file for row in page.rows)):
            self.env.note_dependency(str(read))
        for row in page.rows:
            self.env.note_dependency(str((PROOFS / row.file).with_suffix(".json")))
        sections = [self._section(page, row) for row in page.rows]
        return [raw(HOW), *sections]

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
        for read in (machine_checked.__file__, *MADE_BY, *(PROOFS / file for file in files)):
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
