"""Offer each page with code as a notebook, beside its source in the download menu.

The theme would offer what myst-nb has run: with outputs of some megabytes, solutions twice, and MyST that few notebooks
read. This is the page's own cells, but those that it does not show, with ids, kernel and folds that do not depend on
the machine, below a cell that installs what is missing, as in Colab, and a line on where the page is from. Below an
exercise that judges itself stands a cell for the answer.
"""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from sphinx.application import Sphinx

from _ext.course.editions import edition, shown
from _ext.course.materials import BLOCK, LABEL
from _ext.head.place import Place, place
from _ext.shapes.markdown import page_title, plain
from uatbook.exercises import EXERCISES
from uatlib.internal import writing

read = inspect.unwrap(read_myst_markdown_notebook)  # without what `runs` adds for a run
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
FOLDS = {"hide-input": {"source_hidden": True}, "hide-output": {"outputs_hidden": True}}
INSTALL = """try:
    import uatbook
except ImportError:
    {}"""
BY_HAND = """raise ImportError(
        "this notebook needs uatlib: run `pip install -e ./explorables -e .` in a copy of the book's repository, "
        "restart the kernel, and run the notebook again"
    ) from None"""
BOOK, RIGHTS = "Transformers as Universal Approximators", "https://creativecommons.org/licenses/by/4.0/"


def install(there: Place | None) -> str:
    """The code that installs what a notebook imports, or says how to."""
    wanted = " ".join(f'"{requirement}"' for requirement in there.requirements) if there else ""
    return INSTALL.format(f"%pip install -q {wanted}" if there else BY_HAND)


def origin(page: str, heading: str, there: Place | None) -> str:
    """The line that says where a notebook is from, and what others may do with it."""
    name = f"[*{heading}*]({there.source(page)})" if there else f"*{heading}*"
    ways = f" [Ways to run it]({there.source('library/ways')})." if there else ""
    rights = f"[CC BY 4.0]({RIGHTS})"
    return f"{name}, of the book *{BOOK}* by the uatlib contributors. Text and pictures: {rights}.{ways}"


def answerable(source: str) -> Iterator[dict[str, Any]]:
    """A cell of text, cut behind each exercise that judges itself, with a cell for the answer there."""
    start = 0
    for block in BLOCK.finditer(source):
        label = LABEL.search(block["options"])
        if label and (one := EXERCISES.get(label[1])):
            yield {"cell_type": "markdown", "metadata": {}, "source": source[start : block.end()]}
            code = f'from uatbook.exercises import check\n\n{one.blank}\n\ncheck("{one.label}", {one.name})'
            yield {"cell_type": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": None}
            start = block.end()
    yield {"cell_type": "markdown", "metadata": {}, "source": source[start:].lstrip("\n")}


def notebook(page: Path, root: Path, there: Place | None = None) -> str:
    """Return a page of the book in `root`, which lies `there` online, as the JSON of a notebook, without outputs."""
    name = page.relative_to(root).with_suffix("").as_posix()
    linked = None if edition() == "students" else there  # where solutions stand
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "metadata": {}, "source": install(there), "outputs": [], "execution_count": None},
        {"cell_type": "markdown", "metadata": {}, "source": origin(name, page_title(page), linked)},
    ]
    found = read(shown(page.read_text(encoding="utf-8"))).cells
    for cell in [cell for cell in found if "remove-cell" not in cell["metadata"].get("tags", [])]:
        several = answerable(cell["source"]) if cell["cell_type"] == "markdown" else [cell]
        cells += [one for one in several if one["source"].strip()]
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "markdown":
            cell["source"] = plain(cell["source"], page.parent)
        cell["id"] = f"cell-{number}"  # of its own accord nbformat draws lots
        folds = [FOLDS[tag] for tag in cell["metadata"].get("tags", []) if tag in FOLDS]
        if folds:
            cell["metadata"]["jupyter"] = {key: value for fold in folds for key, value in fold.items()}
    document = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    nbformat.validate(document)
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def has_notebook(page: Path) -> bool:
    """Whether a page has code."""
    source = page.read_text(encoding="utf-8")
    return "{code-cell}" in source and is_myst_markdown_notebook(source)


def offer(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the notebook of a page, and tell the theme its name."""
    if pagename in app.env.found_docs and has_notebook(page := Path(app.env.doc2path(pagename))):
        root = Path(app.srcdir)
        path = Path(app.outdir, "_sources", f"{pagename}.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        writing.write(path, notebook(page, root, place(root)))
        context["ipynb_source"] = f"{pagename}.ipynb"


def setup(app: Sphinx) -> None:
    """Register with Sphinx, before the theme makes its menu of downloads."""
    app.connect("html-page-context", offer)
