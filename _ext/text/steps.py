"""The pages *Step by step*: ``proof-steps`` shows the machine-checked proofs of a source, ``proof-words`` their words.

Of each theorem of the table: what it says, the formal statement, and the proof: an English step first, and folded under
it the lines that do it, after each the goal, with what is new in it alone. Nothing here needs Rocq, or a script.
"""

from __future__ import annotations

import functools
import itertools
import re
import shutil
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.text.asked import asking_html, unbroken
from _ext.text.lines import ended, english, fact_html, known_html, linked, once, steps_html, unnamed
from _ext.text.marks import box_of, mark_html
from _ext.text.meant import meant_html
from _ext.text.proofs import (
    PROOFS,
    SHORT,
    Page,
    Word,
    address,
    bound,
    called,
    defined,
    free,
    heading,
    lemma_anchor,
    lemmas,
    own_lines,
    page_of,
    proof,
    proved,
    record,
    title,
    words,
)
from _ext.text.rocq import stated_term, term_html
from uatbook import machine_checked, saw, statements, thin_sets
from uatbook.headings import statement_name
from uatbook.machine_checked import Theorem
from uatbook.sources import SOURCES
from uatlib.internal.formula_html import formula_html

MADE_BY = [
    Path(__file__).with_name(f"{name}.py")
    for name in ("steps", "meant", "lines", "why", "asked", "proofs", "rocq", "marks")
]
HOW = """<details><summary>How to read the lines</summary><p id="how">A proof assistant keeps two lists: what is known,
each with a name, and what is to be shown. A line of a proof changes them, and it refuses a line that does not follow.
The sentence above a group says what its lines do. Of a line you see:</p>
<ul><li><code>have x := f y.</code> The line itself, a command. Whoever reads for the reason skips it.</li>
<li><strong>Why</strong> What the line calls, a lemma or a fact from above, in English; then its name.</li>
<li><strong>New</strong> What is known now. What is said in English has its formula folded below it.</li>
<li><strong>To show</strong> What is left to be shown, where that has changed.</li></ul>
<p>Formulas are set as in the rest of the book, with a few habits of the machine: <i>f</i> <i>x</i> is
<i>f</i>(<i>x</i>), and <i>Z</i> <i>s</i> <i>k</i> an entry of a matrix; <i>A</i> → <i>B</i> → <i>C</i> says that
<i>C</i> follows from <i>A</i> and <i>B</i>; <i>x</i> : <b>R</b> says that <i>x</i> is a real number; [<i>n</i>] are the
numbers 0, …, <i>n</i> − 1; <i>x</i> ↦ <i>x</i> + 1 is a function; <i>n</i>+1 without spaces is the next number, and a
size <i>d</i>+1 is one that is not 0. A fact that a sentence calls <em>thin enough</em> is
<code>thin_enough</code> in the lines. A name that is underlined is a link to where it is defined or proved; the others
are in <a href="steps-words.html#signs">the list of signs</a>. Back leads to where you were.</p></details>"""
RUBRIC = '<p class="rubric">The proof <a href="#how">How to read it</a></p>'
GUIDED, TOLD = "uat-guided-proofs", "uat-told-signs"
"""In what the reading of a page keeps: theorems that it guides through, and signs that it has explained."""
SAME = "The same proof in the machine’s own lines"
FILES = re.compile(r" \((?:\[\w+\.v\](?:, )?)+\)")
"""In brackets, where more is: the links of lines lead there."""
ON_PAPER = {
    "word-attention-hardmax": "hardmax(<i>s</i>)<sub><i>j</i></sub> = 1/<i>m</i> where <i>s</i><sub><i>j</i></sub> is "
    "the largest score, or one of <i>m</i> that are equally large; 0 elsewhere.",
    "word-transformers-softmax": "softmax(<i>s</i>)<sub><i>j</i></sub> = <i>e</i><sup><i>s<sub>j</sub></i></sup> / "
    "∑<sub><i>i</i></sub> <i>e</i><sup><i>s<sub>i</sub></i></sup>.",
    "word-attention-scoring": "<i>σ</i> : <b>R</b><sup><i>m</i></sup> → <b>R</b><sup><i>m</i></sup>, from <i>m</i> "
    "scores to <i>m</i> weights, for every <i>m</i>. Here scores are numbered by the members of a finite set "
    "<i>J</i>.",
}
"""Definitions of which the machine writes another way than one does on paper."""
NUMBERED = re.compile(r"(?:Theorem|Lemma|Proposition|Corollary|Claim|Equation|Definition) [\w.()]+?(?:, repaired)?[.]?")
"""All that some comments say of a theorem, which its heading says."""
ABOVE = re.compile(r"\b(theorem|lemma|lemmas|shown|computed) above\b")


def theorem_html(page: Page, row: Theorem) -> Iterator[str]:
    """All that is shown of a theorem."""
    s, one, about = statements.get(row.statement), proof(row), record(row.file)["about"]
    yield (
        f"<p>{mark_html(row.state)}, with {machine_checked.AXIOMS[row.axioms]}: <code>{broken(row.name)}</code> in "
        f"{file_html(row.file)}.</p>"
    )
    name, entry = statement_name(s.id) or "The statement", f"statements.html#{s.id.replace(':', '-')}"
    yield (
        f'<p><a href="../{box_of(s) or f"chapters/{s.chapter}.html"}">{name}</a>: {formula_html(s.title)} '
        f'(<a href="{entry}">its run at sizes</a>).</p>'
    )
    first = next(other for other in page.rows if other.file == row.file)
    if first is row:
        about = FILES.sub("", about.partition("Differs from")[0])  # which the table says
        yield "".join(f"<p>{english(part)}</p>" for part in about.split("\n\n") if part)
    if one["said"] and not NUMBERED.fullmatch(one["said"]):
        yield f"<p>{english(ended(re.sub(r'^[0-9]+[.] ', '', one['said'])))}</p>"  # numbers are for who reads the file
    if row.differs:
        yield f"<p><strong>What differs.</strong> {formula_html(row.differs)}</p>"
    yield formal_html(page, row.file, one)
    yield meant_html(page, row.file, one)
    if row.picture:
        yield thin_sets.picture(row.picture)
    yield RUBRIC
    # The lemmas of the file stand on a page of their own.
    told = [{**step, "said": ABOVE.sub(r"\1", step["said"])} for step in one["steps"]]
    yield steps_html(page, row.file, {**one, "steps": told}, row.anchor)
    if row.way:
        yield way_html(row.way)
    last = [other for other in page.rows if other.file == row.file][-1]
    if last is row and (known := [one["name"] for one in lemmas(row.file)]):
        links = (linked(fact_html(name), address(row.file, name)) for name in known)
        yield f"<p>What the file shows on the way: {', '.join(links)}.</p>"


def way_html(way: str) -> str:
    """How a proof goes beside that of the book, in a sentence; folded below it the rest.

    There are lists, of lines that begin with "- ", and [words](page#label).
    """
    head, _, rest = way.partition(". ")
    words = iter(re.split(r"\[([^\[\]]+)\]\(([\w/-]+)#([\w-]+)\)", rest))
    told = formula_html(next(words))
    for shown, page, label, more in zip(words, words, words, words, strict=True):
        told += f'<a href="../{page}.html#{label}">{formula_html(shown)}</a>{formula_html(more)}'
    told = re.sub(r"\n- (.*)", r"<li>\1</li>", told)
    told = re.sub(r"((?:<li>.*</li>)+)\n?", r"</p><ul>\1</ul><p>", f"<p>{told}</p>").replace("<p></p>", "")
    head = f"<strong>Beside the book.</strong> {formula_html(head.strip())}."
    return f'<details class="way"><summary>{head}</summary>{told}</details>'


def list_html(rows: Iterable[Theorem]) -> str:
    """Links to proofs, those of a statement together, each with the sign of its state."""
    told = []
    for _, group in itertools.groupby(rows, key=lambda row: row.statement):
        several, links = [*group], list[str]()
        for row in several:
            number, more = statement_name(row.statement), row.heading.removeprefix(":").strip()
            shown = title(row) if len(several) == 1 else more or number
            head = f"{number}: " if number and more and len(several) > 1 and not links else ""
            state = f'<span title="{machine_checked.STATES[row.state]}">{machine_checked.SIGNS[row.state]}</span>'
            links.append(f'{head}<a href="#{row.anchor}">{formula_html(shown)}</a>\u00a0{state}')
        told.append(f"<li>{'; '.join(links)}</li>")
    return f'<nav class="uat-proofs" aria-label="The proofs of this page"><ul>{"".join(told)}</ul></nav>'


def formal_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """What is given, and the formal statement."""
    set_place = once(functools.partial(page.says, file, one["name"]))
    given = "".join(f"<li>{unbroken(known_html(line, set_place))}</li>" for line in one["given"])
    listed = f"<ul>{given}</ul>" if given else ""
    term = stated_term(one["statement"])
    claim = unbroken(asking_html(term, set_place, whole=True) or term_html(term, set_place))
    claim = claim.replace("<ol>", "</p><ol>", 1) if "<ol>" in claim else f"{claim}</p>"
    return f'<div class="uat-formal">{listed}<p>{claim}</div>'


def file_html(file: str) -> str:
    """A file of proofs, a link to the lines themselves: whoever doubts how they are set reads them as Rocq does."""
    return f'<a href="../proofs/{file}.txt"><code>proofs/{broken(file)}</code></a>'


def lay_beside(app: Sphinx, error: Exception | None) -> None:
    """The files of proofs among the pages, as text, which a browser shows."""
    if error is None and app.builder.format == "html":
        for path in PROOFS.rglob("*.v"):
            there = Path(app.outdir, "proofs", f"{path.relative_to(PROOFS)}.txt")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, there)


def broken(name: str) -> str:
    """A long name, with places where a line may end."""
    return re.sub(r"(?<=[_/])(?=\w{3})", "<wbr>", escape(name))


def lemma_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """A lemma: what it says in English, the formal statement, its proof in English, or step by step."""
    said = f"<p>{english(ended(one['said']))}</p>" if one["said"] else ""
    anchor, outline = lemma_anchor(file, one["name"]), [step["said"] for step in one["steps"] if step["said"]]
    shown = ""
    if outline and file in {row.file for row in machine_checked.theorems()} and own_lines(file) <= SHORT:
        shown = RUBRIC + steps_html(page, file, one, anchor)
    elif outline:
        told = "".join(f"<p>{english(unnamed(said), bound(one))}</p>" for said in outline)
        shown = f"<details><summary>Its proof in English</summary>{told}</details>"
    return (
        f'<dt id="{anchor}"><code>{broken(one["name"])}</code></dt><dd>{said}{formal_html(page, file, one)}{shown}</dd>'
    )


def word_html(page: Page, one: Word) -> str:
    """A definition."""
    set_place = functools.partial(page.says, one.file, one.name)
    said = f"<p>{english(ended(one.said))}</p>" if one.said else ""
    bound, _, body = one.body.partition(":=")
    shown = f"{term_html(bound.strip(), set_place)} := {term_html(body.strip(), set_place)}"
    given = "; ".join(known_html(fact, set_place) for fact in free(one))
    term = f'<p class="term">{shown}</p>' + f"<p>Given {given}.</p>" * bool(given)
    term += f"<p>On paper: {ON_PAPER[one.anchor]}</p>" if one.anchor in ON_PAPER else ""
    return f'<dt id="{one.anchor}"><code>{escape(one.name)}</code></dt><dd>{said}{term}</dd>'


class StepsDirective(SphinxDirective):
    """``proof-steps``: the theorems of the source that is its argument, or of a part of them, a section each."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A section for each theorem, in the order of the table; one that has been guided through has its own."""
        name = f"steps-{'-'.join(self.arguments)}"
        page = Page(self.arguments[0])
        page.signs = self.env.temp_data.setdefault(TOLD, set())
        page.rows = [row for row in page.rows if row.place == name]
        note(self, *(row.file for row in page.rows), *(file for file, _ in called()))
        guided = self.env.temp_data.get(GUIDED, set())
        sections = [self._section(page, row) for row in page.rows if row.name not in guided]
        return [raw(HOW), *sections]

    def _section(self, page: Page, row: Theorem) -> nodes.section:
        section = section_of(self, row, title(row))
        section += raw("".join(theorem_html(page, row)))
        return section


class ListDirective(SphinxDirective):
    """``proof-list``: links to the proofs of a page, with the arguments of its ``proof-steps``."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """In the order of the table."""
        note(self)
        rows, name = machine_checked.theorems(), "-".join(["steps", *self.arguments])
        return [raw(list_html(row for row in rows if row.place == name))]


class GuidedDirective(SphinxDirective):
    """``proof-guided``: a theorem whose proof its content tells; all else that is shown of it is in one fold below."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"title": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """In place of its section."""
        row = next(row for row in machine_checked.theorems() if row.name == self.arguments[0])
        self.env.temp_data.setdefault(GUIDED, set()).add(row.name)
        note(self, row.file)
        section = section_of(self, row, self.options["title"])
        self.state.nested_parse(self.content, self.content_offset, section)
        page = Page(row.source)
        page.signs = self.env.temp_data.setdefault(TOLD, set())
        section += raw(f"<details><summary>{SAME}</summary>{''.join(theorem_html(page, row))}</details>")
        return [section]


class PictureDirective(SphinxDirective):
    """``proof-picture``: a picture of a proof by its name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """As it is drawn."""
        self.env.note_dependency(str(saw.__file__))
        return [nodes.raw("", {"saw": saw.picture}[self.arguments[0]](), format="html")]


def section_of(directive: SphinxDirective, row: Theorem, head: str) -> nodes.section:
    """The section of a theorem, to which pages and boxes lead."""
    first, _, rest = row.anchor.partition("-")  # two sources may share a name
    section = nodes.section("", title_node(head), ids=[row.anchor], names=[f"{first}-{row.source}-{rest}"])
    directive.state.document.note_explicit_target(section, section)
    return section


class LemmasDirective(SphinxDirective):
    """``proof-lemmas``: what the lines of the proofs call, of the files of the source that is its argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A section for each file."""
        page, done = Page(self.arguments[0]), []
        files = sorted({file for file, _ in called() if page_of(file) == page.source})
        note(self, *files, *(row.file for row in machine_checked.theorems()))
        for file in files:
            anchor = f"file-{Path(file).stem}".replace("_", "-")
            section = nodes.section("", title_node(heading(file)), ids=[anchor])
            known = (one for name, one in proved(file).items() if (file, name) in called())
            shown = "".join(lemma_html(page, file, one) for one in known)
            section += raw(f"<p>In {file_html(file)}.</p><dl>{shown}</dl>")
            done.append(section)
        return [raw(HOW), *done] if any(RUBRIC in section.astext() for section in done) else done


def note(directive: SphinxDirective, *files: str) -> None:
    """A page is made again when what it is made of changes."""
    for file in {*files}:
        directive.env.note_dependency(str(PROOFS / file))
        directive.env.note_dependency(str((PROOFS / file).with_suffix(".json")))
    for read in (machine_checked.__file__, thin_sets.__file__, *MADE_BY):
        directive.env.note_dependency(str(read))


class WordsDirective(SphinxDirective):
    """``proof-words``: the definitions that the theorems of all sources use, a section a file."""

    def run(self) -> list[nodes.Node]:
        """The shared file first, then source by source."""
        files = dict.fromkeys(sorted((one.file for one in defined().values()), key=lambda file: ("/" in file, file)))
        note(self, *files)
        page = Page(next(iter(SOURCES)))
        done = []
        for file in files:
            name = file.removesuffix(".v")
            section = nodes.section("", nodes.title("", name), ids=[f"words-{re.sub('[/_]', '-', name)}"])
            shown = "".join(word_html(page, one) for one in words(file).values() if one.anchor in defined())
            section += raw(f"<dl>{shown}</dl>")
            done.append(section)
        return done


def title_node(text: str) -> nodes.title:
    """A heading, in which d_p is a letter with an index."""
    found, made = re.split(r"\b([a-z])_([a-z])\b", text), nodes.title(text, "")
    for k, part in enumerate(found):
        made += (nodes.Text, nodes.emphasis, nodes.subscript)[k % 3](*(("", part) if k % 3 else (part,)))
    return made


def raw(html: str) -> nodes.raw:
    """As it is."""
    return nodes.raw("", f'<div class="uat-steps">{html}</div>', format="html")


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_directive("proof-list", ListDirective)
    app.add_directive("proof-steps", StepsDirective)
    app.add_directive("proof-guided", GuidedDirective)
    app.add_directive("proof-picture", PictureDirective)
    app.add_directive("proof-lemmas", LemmasDirective)
    app.add_directive("proof-words", WordsDirective)
    app.connect("build-finished", lay_beside)
