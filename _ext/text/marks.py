"""Marks in the boxes of theorems: proved for all parameters, refuted as printed, or checked at sizes.

A proof assistant has checked the former, and their marks lead to the proof; sizes were checked by a run of the book,
and that mark leads to its certificate. All of it comes from the table of `uatbook.machine_checked`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from uatbook import machine_checked, statements
from uatbook.headings import KINDS
from uatbook.machine_checked import SIGNS, SIZES, Theorem
from uatbook.registry import Statement
from uatbook.sources import SOURCES

WORDS = machine_checked.STATES | {SIZES: SIZES}

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(machine_checked.__file__).with_name("data") / "machine-checked.toml"
BOX = re.compile(r"^[`:]{3,}\{prf:(\w+)\} (.*)\n:label: ([\w-]+)$", re.MULTILINE)
BOXES = {"theorem", "lemma", "corollary", "proposition", "definition"}
NAMED = {
    "cor-cheng-directed": "cheng2025:directed",
    "prop-average": "yun2020:sec-h-average",
    "prop-bilinear": "yun2020:sec-h-bproj",
    "prop-boltz-thresholds": "kajitsuka2024:least-spacing",
    "prop-cheng-fooled": "cheng2025:kernels-that-fail",
    "prop-cheng-powers": "cheng2025:bias-powers",
    "prop-convolution": "yun2020:sec-h-sepconv",
    "prop-least-spacing": "kajitsuka2024:least-spacing",
    "prop-liu-product": "liu2025:thm-4-1",
    "prop-three-blocks-repaired": "kajitsuka2024:prop-1",
    "thm-masked-layer": "kajitsuka2024:app-c-layer",
}
"""Boxes whose titles do not number the statement that they are."""
THEOREMS = {"prop-liu-product": {"grid_and_sharpness_book", "coarse_grids_fail"}}
"""Boxes that are a part of a statement, by the names of its theorems."""
NUMBER = re.compile(rf"({'|'.join(KINDS.values())})s? ([A-Z]?\.?\d+(?:\.\d+)*)")


def mark_html(state: str) -> str:
    """A mark in words."""
    kind = state.split()[0]
    return f'<span class="uat-mark {kind}"><span aria-hidden="true">{SIGNS[state]}</span> {escape(WORDS[state])}</span>'


def statement_of(page: str, label: str, title: str) -> str | None:
    """The statement that a box is, by its label or by what its title numbers; None where it is a result of our own."""
    if label in NAMED:
        return NAMED[label]
    number = NUMBER.search(title)
    if number is None:
        return None
    kind = next(short for short, word in KINDS.items() if word == number[1])
    end = f"{kind}-{number[2].lower().replace('.', '-')}"
    text = f"{page} {title}".lower()
    for key in SOURCES:
        if re.search(rf"\b{key.rstrip('0123456789')}", text):
            return next((s.id for s in statements.all() if s.id == f"{key}:{end}"), None)
    return None


@functools.cache
def boxes() -> dict[str, str]:
    """Where each statement stands, by its id: page and box."""
    found: dict[str, str] = {}
    for page in (*sorted((ROOT / "chapters").glob("*.md")), *sorted((ROOT / "library").glob("more-*.md"))):
        place = f"{page.parent.name}/{page.stem}"
        for kind, title, label in BOX.findall(page.read_text(encoding="utf-8")):
            id = statement_of(place, label, title) if kind in BOXES else None
            if id is not None and (id not in found or statements.get(id).chapter == page.stem):
                found[id] = f"{place}.html#{label}"
    return found


def box_of(statement: Statement) -> str | None:
    """The address of a statement's box; None where it has none."""
    return boxes().get(statement.id)


def marks_of(label: str, id: str, title: str) -> Iterator[tuple[str, str, str, str]]:
    """The marks of a box: state, page, anchor, what differs. First what is proved, else that sizes were checked."""
    only = THEOREMS.get(label)
    rows = [row for row in machine_checked.of(id) if only is None or row.name in only]
    if title.endswith("as printed"):
        rows = [row for row in rows if "refuted" in row.state]
    found: dict[str, list[Theorem]] = {}
    for row in rows:
        found.setdefault(row.state, []).append(row)
    if "proved" in found:
        found.pop("proved in part", None)
    if not any("proved" in state for state in found) and not title.endswith("as printed"):
        yield SIZES, "library/statements", id.replace(":", "-"), ""
    for state, those in sorted(found.items(), key=lambda one: "refuted" in one[0]):
        first, differs = those[0], " ".join(row.differs for row in those if row.differs)
        yield state, f"library/{first.place}", first.anchor, differs


class Marks(SphinxPostTransform):
    """Set the marks, at the end of each box."""

    default_priority = 950
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """In all boxes of a page that are statements; a definition is marked where something of it is proved."""
        page = self.env.docname
        for box in [
            node for node in self.document.findall() if str(getattr(node, "attributes", {}).get("realtype")) in BOXES
        ]:
            title = next((child.astext() for child in box if isinstance(child, nodes.title)), "")
            id = statement_of(page, box["label"], title)
            if id is None or (box["realtype"] == "definition" and not machine_checked.of(id)):
                continue
            line = nodes.paragraph("", "", classes=["uat-marks"])
            for state, target, anchor, differs in marks_of(box["label"], id, title):
                uri = f"{self.app.builder.get_relative_uri(page, target)}#{anchor}"
                link = nodes.reference(
                    "", "", nodes.raw("", mark_html(state), format="html"), refuri=uri, internal=True
                )
                if differs:
                    link["reftitle"] = differs
                line += [link, nodes.Text(" ")]
            box += line


def note(app: Sphinx, document: nodes.document) -> None:
    """A page is made again when the table changes."""
    app.env.note_dependency(str(TABLE))


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(Marks)
    app.connect("doctree-read", note)
