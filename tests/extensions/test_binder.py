"""Chapters as JupyterLab opens them where the repository itself is the reader's folder: in Binder, on a hub."""

from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [
    path
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("chapters/*.md"), *ROOT.glob("library/*.md")])
    if "\n```{code-cell}" in path.read_text(encoding="utf-8") and path.name != "CONTRIBUTING.md"
]
UNSEEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


def test_notebooks_are_found():
    assert {"index", "start", "statements"} <= {path.stem for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_opening_and_saving_changes_nothing(path):
    """Else a first save changes lines all over the file, and corrections that a student pulls later get lost."""
    text = path.read_text(encoding="utf-8")
    read = jupytext.reads(text, fmt="md:myst")
    assert jupytext.writes(read, fmt="md:myst") == text, f"write it as JupyterLab would: jupytext --to md:myst {path}"
    assert "\n    jupytext_version:" not in text, "the next release of jupytext would change each file"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_code_that_a_page_folds_is_folded_in_a_notebook(path):
    for cell in jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst").cells:
        hidden = bool(UNSEEN & {*cell.metadata.get("tags", ())})
        assert cell.metadata.get("jupyter", {}).get("source_hidden", False) == hidden, cell.source
