"""Chapters as JupyterLab opens them where the repository itself is the reader's folder, and where links lead to."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell

import uatlib
from _ext.head.place import Place, place
from _ext.running.measured import FIGURES, RECORD
from _ext.shapes.notebooks import install

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


# -------------------------------------------------------------------------------------------- where the book lies


@pytest.fixture
def unknown(monkeypatch):
    """A machine that says nothing of where the book lies."""
    for name in ("GITHUB_REPOSITORY", "GITHUB_SHA", "GITHUB_REF_TYPE", "GITHUB_REF_NAME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


def test_a_place_is_an_address_and_a_tag_or_a_commit(unknown, tmp_path):
    def git(*command):
        done = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert place(tmp_path) is None
    unknown("GITHUB_REPOSITORY", "someone/book")
    assert place(tmp_path) is None, "a branch would be a guess"
    unknown("GITHUB_SHA", "f00d")
    assert place(tmp_path) == Place("someone/book", "f00d")
    for tag in ("", "v0.0.0", f"v{uatlib.__version__}"):
        folder = tmp_path / f"of {tag}"
        folder.mkdir()
        git("init", "-q")
        git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "m")
        if tag:
            git("tag", tag)
        # What is checked out counts, and a tag only if it is that of the library's version.
        version = tag if tag == f"v{uatlib.__version__}" else git("rev-parse", "HEAD")
        assert place(folder) == Place("someone/book", version)
    unknown("GITHUB_REF_TYPE", "tag")
    unknown("GITHUB_REF_NAME", "course-2027")
    assert place(tmp_path) == Place("someone/book", "course-2027")


@pytest.fixture
def without(monkeypatch):
    """A kernel in which the book is not installed, and what it asks pip for."""
    asked = []
    shell = InteractiveShell()
    shell.register_magic_function(lambda line: asked.append(line), "line", "pip")
    monkeypatch.setitem(sys.modules, "uatbook", None)
    yield lambda code: (shell.run_cell(code), asked)
    shell.history_manager.end_session()


def test_a_notebook_installs_what_is_missing_or_says_how(without):
    done, asked = without(install(Place("someone/book", "v1")))
    assert done.success
    there = "git+https://github.com/someone/book@v1"
    assert asked == [f'install -q "explorables @ {there}#subdirectory=explorables" "uatlib @ {there}"']
    done, asked = without(install(None))
    assert "run `pip install -e ./explorables -e .` in a copy" in str(done.error_in_exec)
    assert len(asked) == 1


def test_publishing_keeps_the_notebooks_of_releases_and_of_the_book_online(tmp_path):
    """The step of the workflow, on a repository here: its branch has what the links to Colab name."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8"))
    (step,) = [step for step in workflow["jobs"]["notebooks"]["steps"] if step.get("name") == "Keep the notebooks"]

    def git(*command, folder=tmp_path):
        identity = ["-c", "user.name=n", "-c", "user.email=e"]
        done = subprocess.run(["git", *identity, *command], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.split()

    git("init", "-q", "--bare", "there")
    git("clone", "-q", "there", "book")
    (tmp_path / "book" / "book.md").write_text("A page.", encoding="utf-8")
    git("add", ".", folder=tmp_path / "book")
    git("commit", "-q", "-m", "m", folder=tmp_path / "book")
    git("push", "-q", "origin", "HEAD:main", folder=tmp_path / "book")
    for k, version in enumerate(["a" * 40, "v1.0.0", "b" * 40, "c" * 40]):
        made = tmp_path / f"made-{k}"
        (made / version / "chapters").mkdir(parents=True)
        (made / version / "chapters" / "start.ipynb").write_text(f"notebook {k}", encoding="utf-8")
        git("clone", "-q", "--branch", "main", "there", f"run-{k}")
        environment = {**os.environ, "VERSION": version, "MADE": str(made)}
        command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
        subprocess.run(command, cwd=tmp_path / f"run-{k}", env=environment, capture_output=True, check=True)
    there = tmp_path / "there"
    kept = git("ls-tree", "-r", "--name-only", "notebooks", folder=there)
    assert kept == [f"{'c' * 40}/chapters/start.ipynb", "v1.0.0/chapters/start.ipynb"]
    assert all(Place("someone/book", name.split("/")[0]).colab("chapters/start").endswith(name) for name in kept)
    assert git("show", "notebooks:v1.0.0/chapters/start.ipynb", folder=there) == ["notebook", "1"]
    assert git("rev-list", "--count", "notebooks", folder=there) == ["1"]
    assert git("ls-tree", "--name-only", "main", folder=there) == ["book.md"]


# ------------------------------------------------------------------------------------------ what was measured there


def test_the_record_of_binder_is_of_chapters_that_ran_and_moved():
    """`make binder` writes it anew: what it says stands on the page on ways to run the book."""
    record = json.loads((ROOT / RECORD).read_text(encoding="utf-8"))
    chapters = record["chapters"]
    assert set(chapters) == {path.stem for path in (ROOT / "chapters").glob("*.md")}
    assert {name: chapter for name, chapter in chapters.items() if chapter["wrong"]} == {}
    assert {chapter["explorer_moves"] for chapter in chapters.values()} <= {True, None}
    assert chapters["cheng-your-mixer"]["form_answers"].endswith(" for n = 4")
    assert record["environment"]["bytes"] < 1.3e9


def test_figures_of_the_page_are_those_of_the_record():
    sizes = [(2e8, 1e8), (5e8, 2e8)]
    seconds = {"seconds_to_picture": 2.4, "seconds_to_end": 3.6}
    chapters = [{"kernel_bytes": kernel, "server_bytes": server, **seconds} for kernel, server in sizes]
    record = {"environment": {"bytes": 1.26e9}, "chapters": dict(enumerate(chapters))}
    assert {name: figure(record) for name, figure in FIGURES.items()} == {
        "environment": "1.3 GB",
        "picture": "2 seconds",
        "end": "4 seconds",
        "kernel": "200 to 500 MB",
        "server": "200 MB",
        "student": "0.7 GB",
        "open": "3 to 9 chapters",  # (2 - 0.2) / 0.5 and / 0.2
        "student with two": "1.2 GB",
        "three hundred with two": "360 GB",
    }
    pages = "".join((ROOT / "library" / f"{name}.md").read_text(encoding="utf-8") for name in ("ways", "teaching"))
    assert set(re.findall(r"\{measured\}`([\w ]+)`", pages)) == set(FIGURES)
