"""Run the code of solutions with their chapter: after its cells, in its kernel, in cells that no page shows.

A reader who has run the chapter runs them there, too. One that raises fails the build as any cell does; that each ends
in True is read off the run by tests/pages/test_pages.py.
"""

import functools
import re
from collections.abc import Callable
from typing import Any

import myst_nb.core.read
import nbformat
from nbformat import NotebookNode
from sphinx.application import Sphinx

SOLUTION = re.compile(r"^(?P<fence>`{3,})\{solution\}.*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TAGS = ["remove-cell", "solution"]


def solutions(text: str) -> list[str]:
    """The Python code of a chapter's solutions."""
    return [code.rstrip() for block in SOLUTION.finditer(text) for code in CODE.findall(block[0])]


def with_solutions(read: Callable[..., NotebookNode]) -> Callable[..., NotebookNode]:
    """Let `read`, which makes a notebook of a page, add the solutions at its end."""

    @functools.wraps(read)
    def reading(text: str, *arguments: Any, **options: Any) -> NotebookNode:
        notebook = read(text, *arguments, **options)
        for code in solutions(text):
            cell = nbformat.v4.new_code_cell(code, metadata={"tags": TAGS})  # type: ignore[no-untyped-call]
            notebook.cells.append(cell)
            if "source_map" in notebook.metadata:
                notebook.metadata["source_map"].append(notebook.metadata["source_map"][-1])
        return notebook

    vars(reading)["with_solutions"] = True
    return reading


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx: both myst-nb and its cache read pages by this function."""
    read = myst_nb.core.read.read_myst_markdown_notebook
    if not hasattr(read, "with_solutions"):  # a second app in one process
        myst_nb.core.read.read_myst_markdown_notebook = with_solutions(read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
