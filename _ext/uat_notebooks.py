"""Offer each page with code as a notebook, beside its source in the download menu.

The theme would offer what myst-nb has run: with outputs of some megabytes, solutions twice, and MyST that few notebooks
read. This is the page's own cells, but those that it does not show, with ids, kernel and folds that do not depend on
the machine.
"""

import inspect
import json
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from sphinx.application import Sphinx
from uat_editions import shown
from uat_markdown import plain

read = inspect.unwrap(read_myst_markdown_notebook)  # without what uat_runs adds for a run
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
FOLDS = {"hide-input": {"source_hidden": True}, "hide-output": {"outputs_hidden": True}}
NEEDS = "*This notebook needs `uatlib`: run `pip install -e .` in a copy of the book's repository.*"


def notebook(page: Path) -> str:
    """Return a page as the JSON of a notebook, without outputs."""
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": NEEDS}]
    found = read(shown(page.read_text(encoding="utf-8"))).cells
    cells += [cell for cell in found if "remove-cell" not in cell["metadata"].get("tags", [])]
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
    """Tell the theme the name of a page's notebook."""
    if pagename in app.env.found_docs and has_notebook(Path(app.env.doc2path(pagename))):
        context["ipynb_source"] = f"{pagename}.ipynb"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the notebooks, in place of those that the theme copies where it has a launch button."""
    if exception is None and app.builder.format == "html":
        for name in sorted(app.env.found_docs):
            page = Path(app.env.doc2path(name))
            if has_notebook(page):
                path = Path(app.outdir, "_sources", f"{name}.ipynb")
                path.write_text(notebook(page), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx, before the theme makes its menu of downloads."""
    app.connect("html-page-context", offer)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
