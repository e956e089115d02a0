"""How the book is cited, read off CITATION.cff: as BibTeX, in a fold at the foot of each page and by ``{bibtex}``."""

import functools
from dataclasses import dataclass
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from pybtex.database import BibliographyData, Entry, Person
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.head.place import home

FILE, KEY = "CITATION.cff", "uatlib"


@dataclass(frozen=True)
class Citation:
    """What CITATION.cff says; `authors` as BibTeX has them, family name first or in braces."""

    title: str
    authors: tuple[str, ...]
    version: str
    year: str
    doi: str
    licence: str
    keywords: tuple[str, ...]
    abstract: str
    message: str

    @property
    def names(self) -> list[tuple[str, str]]:
        """The authors as one reads them, and what they are: Person, or Organization."""
        people = [name.split(", ", 1) for name in self.authors]
        return [
            (name[0].strip("{}"), "Organization") if len(name) == 1 else (f"{name[1]} {name[0]}", "Person")
            for name in people
        ]

    def bibtex(self, address: str) -> str:
        """An entry of BibTeX; with the address of the book, if it has one."""
        fields = {"title": self.title, "version": self.version, "year": self.year, "doi": self.doi, "url": address}
        people = {"author": [Person(name) for name in self.authors]}
        entry = Entry("software", [(name, value) for name, value in fields.items() if value], people)
        return str(BibliographyData({KEY: entry}).to_string("bibtex")).strip()


@functools.cache
def citation(root: Path) -> Citation:
    """Read CITATION.cff of the book in `root`; a version that is not released is of the year of the copyright."""
    said, book = (yaml.safe_load((root / name).read_text(encoding="utf-8")) for name in (FILE, "_config.yml"))
    return Citation(
        said["title"],
        tuple(_author(author) for author in said["authors"]),
        str(said["version"]),
        str(said.get("date-released", book["copyright"]))[:4],
        said.get("doi", ""),
        said["license"],
        tuple(said["keywords"]),
        said["abstract"],
        said["message"],
    )


def _author(said: dict[str, str]) -> str:
    if "name" in said:
        return f"{{{said['name']}}}"  # a group has no family name
    return f"{said['family-names']}, {said['given-names']}"


def fold(cited: Citation, file: str, address: str) -> str:
    """The fold at the foot of a page: an entry to copy, and the `file` to take along."""
    return (
        f'<details class="uat-cite d-print-none"><summary>Cite this book</summary><p>{escape(cited.message)}</p>'
        f'<div class="highlight"><pre>{escape(cited.bibtex(address), quote=False)}</pre></div>'
        f'<p>The same as a file: <a href="{file}">{FILE}</a>.</p></details>'
    )


class BibtexDirective(SphinxDirective):
    """``bibtex``: how the book is cited."""

    def run(self) -> list[nodes.Node]:
        """A block of code, with the button that copies it."""
        self.env.note_dependency(FILE)
        text = citation(Path(self.env.srcdir)).bibtex(self.config.uat_home)
        return [nodes.literal_block(text, text, language="bibtex")]


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_config_value("uat_home", home(Path(app.srcdir)) or "", "env")  # who cites the book names it
    app.add_directive("bibtex", BibtexDirective)
