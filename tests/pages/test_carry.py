"""What is carried away: numbers of pages in the PDF are right, solutions stay away if asked, the zip works unpacked.

The oracle reads the text of each printed page, and knows nothing of how the numbers came there.
"""

import io
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pypdf import PdfReader
from pypdf.generic import Destination
from test_editions import HEAD, SECRET
from test_warm_build import OWN, built

from _ext.shapes.offline import pack
from _ext.shapes.pdf import printed

ROOT = Path(__file__).resolve().parents[2]

LONG = "\n\n".join(f"Stripe {k} is as wide as the {k} before it, and no wider than the next." for k in range(400))
ONLINE = "https://someone.github.io/book/"
BOOK = {
    "_toc.yml": """\
format: jb-book
root: index
parts:
  - caption: "Part: one"
    chapters:
      - file: chapters/yun-one
        sections:
          - file: chapters/yun-two
  - caption: Reference
    chapters:
      - file: library/glossary
      - file: references
""",
    "index.md": "# A small book\n\nIt has {prf:ref}`lem-one`, "
    "and {move}`a wide stripe <chapters/yun-one#stripe?width=2>`.\n",
    "references.md": "# References\n\n```{bibliography}\n```\n",
    "library/glossary.md": "# Glossary\n\n```{glossary}\nband\n  A narrow thing.\n```\n",
    "chapters/yun-one.md": HEAD
    + f"""\
# The first chapter

A band: see {{prf:ref}}`lem-one`, {{doc}}`yun-two`, and {{prf:ref}}`lem-two`; {{cite:t}}`yun2020` have none.

{LONG}

```{{prf:lemma}}
:label: lem-one
All okapis are striped.
```

```{{code-cell}} ipython3
:tags: [explorer]
from matplotlib.figure import Figure
from explorables import explore

@explore(width=[1, 2], height=[3, 4, 5], look=["plain", "dotted", "wavy"], bent=[False, True])
def stripe(width, height, look, bent):
    "A stripe."
    return Figure(), f"It is {{width}} wide."
```

```{{exercise}} Count
:label: ex-one
How many more?
```

```{{admonition}} Hint
:class: dropdown hint
Zebras.
```

````{{solution}} ex-one
:class: dropdown
By the *giraffe* argument.

```python
wombat = 42
wombat == 42
```
````

Here {{move}}`it is wide <stripe?width=2>`.
""",
    "chapters/yun-two.md": f"# The second chapter\n\nAs {{ref}}`ex-one` asks.\n\n{LONG}\n\n"
    "```{prf:lemma}\n:label: lem-two\nAll tapirs are piebald.\n```\n",
}
MARKS = {"lem-one": "All okapis are striped.", "lem-two": "All tapirs are piebald.", "ex-one": "How many more?"}


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A small book, built."""
    root = tmp_path_factory.mktemp("carry") / "book"
    root.mkdir()
    for name in OWN:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    for name, text in BOOK.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    built(root, "someone/book")
    return root / "_build" / "html"


@pytest.fixture(scope="module")
def whole(browser, small) -> PdfReader:
    return read(browser, small, solutions=True)


def read(browser, book: Path, solutions: bool) -> PdfReader:
    tab = browser.new_page()
    pdf = printed(tab, book, solutions)
    tab.close()
    return PdfReader(io.BytesIO(pdf))


def flat(outline: list) -> Iterator[Destination]:
    for entry in outline:
        yield from flat(entry) if isinstance(entry, list) else [entry]


def texts(pdf: PdfReader) -> list[str]:
    """What each page says, on one line."""
    return [re.sub(r"\s+", " ", page.extract_text()) for page in pdf.pages]


def the(pages: list[str], mark: str) -> int:
    """The one page, from 1, that has these words."""
    (found,) = [number for number, text in enumerate(pages, 1) if mark in text]
    return found


def test_references_say_the_page_on_which_one_finds_it(whole):
    pages = texts(whole)
    at = {label: the(pages, mark) for label, mark in MARKS.items()}
    assert 10 < at["lem-one"] < at["lem-two"]  # numbers of two digits, which nobody guesses
    first = pages[the(pages, "A band: see") - 1]
    second = the(pages, "As Exercise")
    said = re.search(
        r"A band: see \S+ 1 p\. (\d+), The second chapter p\. (\d+), and \S+ 2 p\. (\d+); .*? have none", first
    )
    assert [int(number) for number in said.groups()] == [at["lem-one"], second, at["lem-two"]]
    assert "p." not in said[0].partition(";")[2]  # works are found by their names
    asked = re.search(r"As Exercise \S+? p\. (\d+) asks", pages[second - 1])
    assert int(asked[1]) == at["ex-one"]


def test_contents_and_bookmarks_name_the_page_of_each_chapter(whole):
    pages = texts(whole)
    (part,) = [number for number, text in enumerate(pages, 1) if text.strip() == "Part: one"]
    starts = {
        "Part: one": part,
        "The first chapter": the(pages, "A band: see"),
        "The second chapter": the(pages, "As Exercise"),
        "Glossary": the(pages, "A narrow thing."),
        "Solutions": len(pages) - 1,
    }
    contents = pages[the(pages, "Contents") - 1]
    assert {title: int(re.search(rf"{title} (\d+)", contents)[1]) for title in starts} == starts
    bookmarks = [*flat(whole.outline)][::-1]  # the first of a name: chapters come again among the solutions
    marked = {entry.title: whole.get_destination_page_number(entry) + 1 for entry in bookmarks}
    assert {title: marked[title] for title in starts} == starts
    parts = [entry.title for entry in whole.outline if not isinstance(entry, list)]
    assert parts[-3:] == ["Part: one", "Reference", "Solutions"]


def test_pages_say_their_number_and_chapter(whole):
    pages = texts(whole)
    for number in range(the(pages, "A band: see"), the(pages, MARKS["ex-one"]) + 1):
        assert pages[number - 1].startswith(f"1 The first chapter {number} ")


def test_pictures_say_where_they_move(whole):
    pages = texts(whole)
    address = f"{ONLINE}chapters/yun-one.html#explorer-stripe"
    page = whole.pages[the(pages, address) - 1]
    links = [link.get_object().get("/A", {}).get("/URI") for link in page.get("/Annots", [])]
    assert address in links
    assert f"a wide stripe p. {the(pages, 'It is 1 wide')}." in " ".join(pages)  # as words of another page move it
    assert "Here it is wide." in " ".join(pages)
    assert "width: 1; height: 3; look: plain; bent: no" in pages[the(pages, address) - 1]


def test_solutions_stand_at_the_end_or_nowhere(whole, browser, small, tmp_path):
    pages = texts(whole)
    exercise, solution = the(pages, MARKS["ex-one"]), the(pages, "giraffe")
    assert "Zebras." in pages[exercise - 1]
    assert solution == len(pages)
    assert f"Solution p. {solution}" in pages[exercise - 1]
    assert re.search(rf"Exercise \S+ \(?Count\)? p\. {exercise}\b", pages[solution - 1])

    nowhere = shutil.copytree(small, tmp_path / "nowhere")
    front = (nowhere / "index.html").read_text(encoding="utf-8")
    (nowhere / "index.html").write_text(front.replace('rel="canonical"', ""), encoding="utf-8")
    without = texts(read(browser, nowhere, solutions=False))
    assert not SECRET.search(" ".join(without).encode())
    assert "Solution" not in " ".join(without)
    assert "Zebras." in without[the(without, MARKS["ex-one"]) - 1]
    assert any(
        "moves on the page \N{LEFT DOUBLE QUOTATION MARK}The first chapter\N{RIGHT DOUBLE QUOTATION MARK} of" in text
        for text in without
    )


def test_the_zip_is_the_same_twice_and_finds_things_from_a_folder(small, tmp_path, folder):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        pack(small, tmp_path / name / "book.zip")
        for path in small.rglob("*.html"):
            path.touch()
    archive = tmp_path / "one" / "book.zip"
    assert archive.read_bytes() == (tmp_path / "two" / "book.zip").read_bytes()
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    files = [path for path in (tmp_path / "book").rglob("*") if path.is_file()]
    unpacked = {path.relative_to(tmp_path / "book"): path.read_bytes() for path in files}
    assert len(unpacked) > 100
    assert {name: (small / name).read_bytes() for name in unpacked} == unpacked
    assert [name for name in unpacked if name.name.startswith(".")] == [Path(".nojekyll")]
    tab = folder.open(f"{(tmp_path / 'book').as_uri()}/search.html?q=okapis")
    (found,) = tab.locator("ul.search > li a").all()
    assert found.get_attribute("href").partition("#")[0] == "chapters/yun-one.html"
    found.click()
    assert tab.locator("h1").first.inner_text().startswith("The first chapter")
    assert folder.complaints == []
