"""Link the first use of a term on a page to its entry in the glossary, with the entry as a tip.

The glossary is the page library/glossary. A comment in it, `.. forms: a, b`, lists the words that name the entry above
it, where the term and its plural will not do; a form may end in a formula, or be one. `.. except: a, b` lists chapters
in which the word means something else.
"""

import re
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from _ext.text.prose import join_texts, pieces

GLOSSARY = "library/glossary"
FIELD = re.compile(r"^\.\. (forms|except): (.*)$")
FORMULA = re.compile(r"^(.*?)\s*\$([^$]+)\$$")
SIGNS = {
    r"\delta": "δ", r"\lambda": "λ", r"\beta": "β", r"\phi": "φ", r"\cdot": "·", r"\sum": "Σ", r"\max": "max",
    r"\frac": "", "{": "", "}": "",
}  # fmt: skip
"""What formulas of the glossary are made of, as the letters of a tip."""


@dataclass(frozen=True)
class Term:
    """A term: its name, what links to it, and the chapters where it means something else."""

    name: str
    forms: tuple[str, ...]
    but: tuple[str, ...] = ()


class uat_term(nodes.inline):  # type: ignore[misc]
    """A use of a term: a link to its entry, with a tip."""


def plural(name: str) -> str:
    """As English has it, for the words of a glossary."""
    if re.search(r"[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    return name + ("es" if re.search(r"(s|x|ch|sh)$", name) else "s")


@cache
def terms(text: str) -> tuple[Term, ...]:
    """The terms of a glossary, from its source."""
    found: list[Term] = []
    body = text.partition("{glossary}")[2].partition("\n```")[0]
    for line in body.split("\n"):
        if field := FIELD.match(line):
            last, listed = found.pop(), tuple(part.strip() for part in field[2].split(","))
            forms, but = (listed, last.but) if field[1] == "forms" else (last.forms, listed)
            found.append(Term(last.name, forms, but))
        elif line and not line.startswith((" ", ":", "`")):
            found.append(Term(line, (line, plural(line))))
    return tuple(found)


def tip(entry: nodes.Node) -> str:
    """What an entry says, as plain text."""
    if isinstance(entry, nodes.math):
        text = re.sub(r"\\frac\{?(\w)\}?\{?(\w)\}?", r"\1/\2", entry.astext())
        for sign, letter in SIGNS.items():
            text = text.replace(sign, letter)
        return re.sub(r"\s+", " ", text)
    if isinstance(entry, nodes.Text):
        return str(entry)
    return "".join(tip(child) for child in entry.children)


def entries(app: Sphinx) -> dict[str, tuple[str, str]]:
    """Where each term's entry is, and what it says."""
    if not hasattr(app, "uat_entries"):
        found = {}
        for item in app.env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
            said = next(item.findall(nodes.definition))
            for term in item.findall(nodes.term):
                name = re.sub(r"\s+", " ", named(term))
                found[name] = (term["ids"][0], tip(said.children[0]).replace("\n", " "))
        vars(app)["uat_entries"] = found
    done: dict[str, tuple[str, str]] = vars(app)["uat_entries"]
    return done


def named(term: nodes.Node) -> str:
    """The name of a term as the source has it, formulas between dollars."""
    if isinstance(term, nodes.math):
        return f"${term.astext()}$"
    return str(term) if isinstance(term, nodes.Text) else "".join(named(child) for child in term.children)


class Uses:
    """The words that may link on one page, and those that have."""

    def __init__(self, known: tuple[Term, ...], page: str) -> None:
        self.words: dict[str, str] = {}
        self.formulas: dict[tuple[str, str], str] = {}  # (words before it, formula)
        for term in known:
            for form in () if Path(page).name in term.but else term.forms:
                if formula := FORMULA.match(form):
                    self.formulas[formula[1], formula[2]] = term.name
                else:
                    self.words[form.lower()] = term.name
        options = "|".join(
            r"\s+".join(map(re.escape, form.split())) for form in sorted(self.words, key=len, reverse=True)
        )
        self.pattern = re.compile(rf"(?<![\w-])(?:{options})(?![\w-])", re.IGNORECASE)
        self.linked: set[str] = set()

    def first(self, name: str) -> bool:
        """Whether a term is used for the first time; from then on it is not."""
        new = name not in self.linked
        self.linked.add(name)
        return new

    def found(self, text: str) -> list[tuple[int, int, str]]:
        """First uses in a text: from, to, term."""
        uses = []
        for match in self.pattern.finditer(text):
            name = self.words[re.sub(r"\s+", " ", match[0]).lower()]
            if match[0] == match[0].upper() and not name.isupper() and len(match[0]) > 4:
                continue  # a heading within the text
            if self.first(name):
                uses.append((match.start(), match.end(), name))
        return uses

    def formula(self, before: str, latex: str) -> tuple[str, int] | None:
        """The term that a formula names with the words before it, and how many letters of these belong to it."""
        for (words, formula), name in self.formulas.items():
            at = re.search(rf"(?<!\w){re.escape(words)}\s*$", before, re.IGNORECASE) if words else None
            if formula == latex.strip() and (at or not words) and self.first(name):
                return name, len(before) - at.start() if at else 0
        return None


class LinkTerms(SphinxPostTransform):
    """Link first uses of terms in the chapters."""

    default_priority = 880  # after references are resolved, and before formulas are tied to what follows them
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Cut the texts of the page at its first uses."""
        if GLOSSARY not in self.env.found_docs or not self.env.docname.startswith("chapters/"):
            return
        text = Path(self.env.doc2path(GLOSSARY)).read_text(encoding="utf-8")
        join_texts(self.document)
        uses = Uses(terms(text), self.env.docname)
        address = self.app.builder.get_relative_uri(self.env.docname, GLOSSARY)
        for piece in list(pieces(self.document, folds=False)):
            parent: nodes.Element = piece.parent
            at = next(k for k, child in enumerate(parent.children) if child is piece)  # texts may be equal
            if isinstance(piece, nodes.math):
                self._formula(uses, address, parent, at)
            else:
                parts: list[nodes.Node] = []
                done, said = 0, str(piece)
                for start, end, name in uses.found(said):
                    link = self._link(address, name, nodes.Text(said[start:end]))
                    parts += [nodes.Text(said[done:start]), link]
                    done = end
                if parts:
                    parent[at : at + 1] = [part for part in (*parts, nodes.Text(said[done:])) if part.astext()]

    def _formula(self, uses: Uses, address: str, parent: nodes.Element, at: int) -> None:
        before = parent[at - 1] if at else None
        text = str(before) if isinstance(before, nodes.Text) else ""
        if named := uses.formula(text, parent[at].astext()):
            name, letters = named
            cut = len(text) - letters
            link = self._link(address, name, nodes.Text(text[cut:]), parent[at].deepcopy())
            parent[at - bool(text) : at + 1] = [*([nodes.Text(text[:cut])] if cut else []), link]

    def _link(self, address: str, name: str, *said: nodes.Node) -> nodes.Node:
        place, tip = entries(self.app)[name]
        return uat_term("", "", *said, refuri=f"{address}#{place}", tip=tip, named=name.replace("$", ""))


def _has_words(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Text) and not isinstance(node.parent, nodes.math) and bool(node.strip())


def visit_term(translator: HTML5Translator, node: nodes.Element) -> None:
    """Open the link."""
    tip = escape(node["tip"])
    # A formula alone says nothing to who looks for the name of a link.
    label = f' aria-label="{escape(node["named"])}"' if not any(node.findall(_has_words)) else ""
    translator.body.append(
        f'<a class="uat-term" href="{escape(node["refuri"])}" data-tip="{tip}" aria-description="{tip}"{label}>'
    )


def depart_term(translator: HTML5Translator, node: nodes.Element) -> None:
    """Close it."""
    translator.body.append("</a>")


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_node(uat_term, html=(visit_term, depart_term))
    app.add_post_transform(LinkTerms)
    app.add_js_file("tips.js", loading_method="defer")
