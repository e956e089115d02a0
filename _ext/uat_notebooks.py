"""Offer each page with code as a notebook, beside its source in the download menu.

The notebook is the page's own cells, as myst-nb reads them, with ids, kernel and folds that do not depend on the
machine; the theme shows the button once it is told the file's name.
"""

import json
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from sphinx.application import Sphinx
from uat_markdown import plain

KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
FOLDS = {"hide-input": {"source_hidden": True}, "hide-output": {"outputs_hidden": True}}
NEEDS = "*This notebook needs `uatlib`: run `pip install -e .` in a copy of the book's repository.*"


def notebook(page: Path) -> str:
    """Return a page as the JSON of a notebook, without outputs."""
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": NEEDS}]
    cells += read_myst_markdown_notebook(page.read_text(encoding="utf-8")).cells
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


def offer(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the notebook of a page that has code, and tell the theme its name."""
    if pagename not in app.env.found_docs or app.builder.format != "html":
        return
    page = Path(app.env.doc2path(pagename))
    source = page.read_text(encoding="utf-8")
    if "{code-cell}" in source and is_myst_markdown_notebook(source):
        path = Path(app.outdir, "_sources", f"{pagename}.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook(page), encoding="utf-8")
        context["ipynb_source"] = f"{pagename}.ipynb"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx, before the theme makes its menu of downloads."""
    app.connect("html-page-context", offer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
