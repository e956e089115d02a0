"""A build that goes on from an earlier one writes what a build from nothing does, to the byte."""

import atexit
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = ("_ext", "assets", "_config.yml", "references.bib", "requirements.txt", "LICENSE", "LICENSE-text", "CITATION.cff")

# A page of each kind, and all that one says of another: terms, statements, numbers, titles, their order.
BOOK = {
    "_toc.yml": """\
format: jb-book
root: index
parts:
  - caption: Part
    chapters:
      - file: chapters/yun-one
      - file: chapters/yun-two
        sections:
          - file: chapters/yun-three
  - caption: Reference
    chapters:
      - file: library/glossary
      - file: references
""",
    "index.md": "# A small book\n\nA band, in {doc}`chapters/yun-one`, and {prf:ref}`lem-one`.\n\n```{path}\n```\n",
    "chapters/yun-one.md": """\
# The first (chapter)

A band is narrow, says {cite:t}`yun2020`. Here is {move}`a wide one, $w = 2$ <yun-two#band?width=2>`.

$$ x^2 = y $$ (eq-one)

```{prf:lemma} Yun et al., Lemma 8
:label: lem-one
All bands are narrow.
```

```{exercise} Count
:label: ex-one
How many?
```
""",
    "chapters/yun-two.md": """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
# The second chapter

A sieve and a giraffe, by Lemma 8: {prf:ref}`lem-one`, {eq}`eq-one`, {ref}`ex-one`, {doc}`yun-one`.

```{code-cell} ipython3
:tags: [explorer]
from matplotlib.figure import Figure
from explorables import explore

@explore(width=[1, 2], sign=["+", "- 1"])
def band(width, sign):
    "A band."
    return Figure(), f"It is {width} wide."
```

Make it {move}`wider <band?width=2&sign=- 1>`.
""",
    "chapters/yun-three.md": "# The third\n\n```{side-trip}\nGo if you like jumping.\n```\n\nA kangaroo and a sieve.\n",
    "library/glossary.md": """\
# Glossary

```{glossary}
:sorted:

band
  A narrow thing.

sieve
  A thing with holes.
```
""",
    "references.md": "# References\n\n```{bibliography}\n```\n",
}
ONE = "chapters/yun-one.md"
NARROW = [("chapters/yun-two.md", "giraffe", "horse")]
WIDE = [
    (
        "_toc.yml",
        "yun-one\n      - file: chapters/yun-two\n        sections:\n          - file: chapters/yun-three",
        "yun-two\n      - file: chapters/yun-one",
    ),
    (ONE, "# The first (chapter)", "# Another title"),
    (ONE, "$$ x^2", "$$ z $$ (eq-new)\n\n$$ x^2"),
    (ONE, "Lemma 8", "Lemma 7"),
    (ONE, "```{prf:lemma}", "```{prf:lemma} Mine\n:label: lem-new\nNone.\n```\n\n```{prf:lemma}"),
    (ONE, "Count", "Reckon"),
    ("library/glossary.md", "A thing with holes.", "A thing full of holes.\n\nhorse\n  A term, now."),
]


def edit(root: Path, changes: list[tuple[str, str, str]]) -> None:
    for name, old, new in changes:
        text = (root / name).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (root / name).write_text(text.replace(old, new), encoding="utf-8")


SERVER = """
import json, os, sys
sys.path.remove("")  # of -c: the folder where this begins
import jupyter_book.sphinx, myst_nb.sphinx_, nbclient, sphinx_book_theme, sphinxcontrib.bibtex
import uatbook.exercises, uatbook.live, uatbook.overview
for line in sys.stdin:
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    given = json.loads(line)
    os.chdir(given["root"])
    os.environ.clear()
    os.environ.update(given["environment"])
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    said = os.open(given["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    exec(given["code"])
    sys.exit()
"""
"""Half of the time of a small build goes by before it begins, with imports: here they are made once for all of them."""


@functools.cache
def server() -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", SERVER], env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes)

    def end() -> None:
        with process:  # closes what it reads
            pass

    atexit.register(end)
    return process


def run(root: Path, code: str, repository: str = "") -> tuple[int, str]:
    """Run some code in the folder of a book, in a process of its own: exit status, and what it said."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "GITHUB_REPOSITORY": repository,
        "GITHUB_SHA": "f00d",
        "GITHUB_REF_TYPE": "",
    }
    said = root / "_build.log"
    line = json.dumps({"root": str(root), "environment": environment, "code": code, "said": str(said)})
    print(line, file=server().stdin, flush=True)
    status = int(server().stdout.readline())
    text = said.read_text(encoding="utf-8")
    said.unlink()
    return status, text


def files(book: Path) -> dict[str, bytes]:
    return {path.relative_to(book).as_posix(): path.read_bytes() for path in book.rglob("*") if path.is_file()}


def built(root: Path, repository: str = "", *, alone: bool = False) -> dict[str, bytes]:
    """Every file of the book, by its name; its pages may be written by one process `alone`."""
    arguments = ["build", ".", "--quiet", "--nitpick", "--keep-going"]
    code = f"from jupyter_book.cli.main import main; main({arguments}, standalone_mode=True)"
    if alone:
        code = f"from _ext.running import kernels; kernels.FORKS = False; {code}"
    status, said = run(root, code, repository)
    assert status == 0, said
    assert "parallel" not in said  # which Sphinx would say where an extension does not allow it
    return files(root / "_build" / "html")


def from_nothing(root: Path, place: Path) -> dict[str, bytes]:
    """What a build of the same sources writes that knows of no earlier one but the outputs of cells, in one process."""
    shutil.copytree(root, place / root.name, ignore=shutil.ignore_patterns("_build"))
    (place / root.name / "_build").mkdir()
    for kept in ("runs.json", ".jupyter_cache"):
        copy = shutil.copytree if (root / "_build" / kept).is_dir() else shutil.copyfile
        copy(root / "_build" / kept, place / root.name / "_build" / kept)
    return built(place / root.name, alone=True)


def different(a: dict[str, bytes], b: dict[str, bytes]) -> list[str]:
    return sorted(name for name in {*a, *b} if a.get(name) != b.get(name))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A book with what a first build of it wrote; the book may be edited then."""
    root = laid_out(tmp_path_factory.mktemp("first") / "book")
    return root, built(root)


def laid_out(root: Path) -> Path:
    """The small book in a folder."""
    root.mkdir()
    for name in OWN:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    for name, text in BOOK.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.full
def test_a_build_that_goes_on_is_equal_to_one_from_nothing(first, tmp_path):
    book, first = first
    assert b"term-sieve" in first["searchindex.js"]
    path = first["index.html"].decode().partition("uat-path")[2]
    assert re.findall(r"<a [^>]*>(The [^<]*)</a>([^<]*(?:<span[^>]*>[^<]*)?)", path)[:3] == [
        ("The first (chapter)", ' <span class="uat-minutes">5 min'),
        ("The second chapter", ' <span class="uat-minutes">5 min'),
        ("The third", ", 5 min. Go if you like jumping."),
    ]
    moved = [
        re.findall(r'uat-move[^>]* href="([^"]*)"', first[f"chapters/yun-{k}.html"].decode()) for k in ("one", "two")
    ]
    assert moved == [["yun-two.html#explorer-band?width=2"], ["#explorer-band?width=2&amp;sign=-%201"]]
    assert different(first, built(book)) == []  # nothing to do
    edit(book, NARROW)
    after = built(book)
    assert "chapters/yun-two.html" in different(first, after)
    assert different(after, from_nothing(book, tmp_path / "narrow")) == []

    edit(book, WIDE)
    (book / "chapters/yun-three.md").unlink()
    after_more = built(book)
    assert "references.html" in different(after, after_more)  # whose menu has the titles of all pages
    assert different(after_more, from_nothing(book, tmp_path / "wide")) == []


def test_exercises_are_numbered_in_their_chapter(first):
    _, found = first
    page = found["chapters/yun-one.html"].decode()
    (title,) = re.findall(r'id="ex-one">\s*<p class="admonition-title">(.*?)</p>', page)
    assert re.sub("<[^>]+>", "", title) == "Exercise 1.1 (Count)"
    assert '<a class="reference internal" href="#ex-one" title="#ex-one">(Count)</a>' in title
    (named,) = re.findall(r'href="yun-one.html#ex-one">(.*?)</a>', found["chapters/yun-two.html"].decode())
    assert re.sub("<[^>]+>", "", named) == "Exercise 1.1"


def test_a_book_with_an_address_links_to_its_repository_and_runs_in_binder_and_colab(tmp_path):
    found = built(laid_out(tmp_path / "book"), "someone/book")
    page = found["chapters/yun-two.html"].decode()
    there = "https://github.com/someone/book"
    assert re.findall(r'href="(https://(?:github|mybinder|colab)[^"]*)"', page) == [
        "https://mybinder.org/v2/gh/someone/book/f00d?urlpath=lab/tree/chapters/yun-two.md",
        "https://colab.research.google.com/github/someone/book/blob/notebooks/f00d/chapters/yun-two.ipynb",
        there,
        f"{there}/blob/main/chapters/yun-two.md?plain=1",
        f"{there}/edit/main/chapters/yun-two.md",
        f"{there}/issues/new?title=Issue%20on%20page%20%2Fchapters/yun-two.html&body=Your%20issue%20content%20here.",
        f"{there}/tree/f00d",
    ]
    # The theme copies what has run where it launches; a reader gets what a notebook shows.
    cells = json.loads(found["_sources/chapters/yun-two.ipynb"])["cells"]
    install, origin, text, code, last = cells
    assert '"uatlib @ git+https://github.com/someone/book@f00d"' in install["source"]
    assert f"[*The second chapter*]({there}/blob/f00d/chapters/yun-two.md)" in origin["source"]
    assert "by Lemma 8: Yun et al., Lemma 8," in text["source"]
    assert code["outputs"] == []
    assert last["source"] == "Make it wider."
