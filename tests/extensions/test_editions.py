"""The students' edition shows no solution anywhere, and what it leaves out runs all the same."""

import re
import shutil
from pathlib import Path

import pytest
from jupyter_cache import get_cache
from test_warm_build import OWN, ROOT, built, files, run

HEAD = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3}
---
"""
BOOK = {
    "_toc.yml": """\
format: jb-book
root: index
parts:
  - caption: Part
    chapters:
      - file: chapters/yun-one
  - caption: Reference
    chapters:
      - file: library/glossary
      - file: references
""",
    "index.md": "# A small book\n\n```{path}\n```\n",
    "references.md": "# References\n\n```{bibliography}\n```\n",
    "chapters/yun-one.md": HEAD
    + """\
# The first chapter

How many are there {cite:p}`yun2020`? Ask ex-one.

```{code-cell} ipython3
number = 41
print("number:", number)
```

**Predict:** which is wider?

```{code-cell} ipython3
:tags: [explorer]
from matplotlib.figure import Figure
from explorables import explore

@explore(width=[1, 2])
def stripe(width):
    "A stripe."
    return Figure(), f"It is {width} wide."
```

```{admonition} What you should have seen
:class: dropdown answer
{move}`This one <stripe?width=2>` is, see {doc}`the first <yun-one>`.
```

```{prf:definition}
:label: def-one
A *stripe* is a stripe.
```

```{prf:theorem}
:label: thm-one
Each stripe has a width.
```

```{exercise} Count
:label: ex-one
:class: level-1
How many more?
```

```{exercise} Break
:label: ex-three
How many fewer?
```

````{solution} ex-one
:class: dropdown
By the *giraffe* argument.

```python
wombat = number + 1
print("the wombat says", wombat, flush=True) or wombat == 42
```
````

An okapi stands behind it.

```{exercise} Predict
:label: ex-start-diagonal
Which fraction?
```
""",
    "library/glossary.md": """\
# Glossary

```{glossary}
band
  A narrow thing.
```

```{exercise} Prove
:label: ex-two
Why?
```

:::{solution} ex-two
:class: dropdown
Because of the kangaroo.
:::
""",
    "teaching/answers.md": "# Answers\n\nFor instructors.\n",
    "teaching/exam.md": "# An exam\n\nFor instructors, too.\n",
    "teaching/exam-answers.md": "# Answers to the exam\n\nFor instructors alone.\n",
}
SECRET = re.compile(rb"giraffe|wombat|kangaroo", re.IGNORECASE)


def edition(root: Path, name: str) -> dict[str, bytes]:
    """Every file of an edition, by its name."""
    code = f"from pathlib import Path; from _ext.course.editions import build; sys.exit(build(Path.cwd(), {name!r}))"
    status, said = run(root, code, "someone/book")
    assert status == 0, said
    return files(root / "_build" / name)


def telling(files: dict[str, bytes]) -> set[str]:
    """The files in which something of a solution stands."""
    return {name for name, content in files.items() if SECRET.search(content)}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("editions") / "book"
    root.mkdir()
    for name in OWN:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    for name, text in BOOK.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_no_file_of_the_students_edition_tells_a_solution(root):
    readers = built(root, "someone/book")
    page, other = "chapters/yun-one", "library/glossary"
    sources = {f"_sources/{page}.md", f"_sources/{page}.ipynb", f"_sources/{other}.md"}
    everywhere = {f"{page}.html", f"{other}.html", *sources, "searchindex.js", "_static/uat-search-texts.js"}
    assert everywhere <= telling(readers)

    kept = (root / "_build" / "runs.json").read_bytes()
    students = edition(root, "students")
    # A host that writes pages with Jekyll leaves out `_static`, unless this lies there.
    assert readers[".nojekyll"] == students[".nojekyll"] == b""
    assert telling(students) == set()
    for name in (f"{page}.html", f"_sources/{page}.md", f"_sources/{page}.ipynb"):
        assert b"okapi" in students[name]
        assert b"How many more?" in students[name]
    assert b"data-task=" in readers[f"{page}.html"]  # a form, with the right answer in it
    assert b"data-task=" not in students[f"{page}.html"]
    assert b"github.com/someone" in readers[f"{page}.html"]
    assert b"github.com/someone" not in students[f"{page}.html"]
    assert b"someone.github.io" in readers[f"{page}.html"]
    assert not [name for name, said in students.items() if b"someone.github.io" in said]
    assert b"built from f00d" in students[f"{page}.html"]
    # It has run, once for both.
    assert (root / "_build" / "runs.json").read_bytes() == kept
    assert b"number: 41" in students[f"{page}.html"]
    (record,) = (cache := get_cache(root / "_build" / ".jupyter_cache")).list_cache_records()
    said = cache.get_cache_bundle(record.pk).nb.cells[-1].outputs
    assert said[0]["text"] == "the wombat says 42\n"


def test_the_instructors_edition_has_all_and_a_part_of_its_own(root):
    instructors = edition(root, "instructors")
    assert "chapters/yun-one.html" in telling(instructors)
    assert ".nojekyll" in instructors
    assert b"For instructors, too." in instructors["teaching/exam.html"]


def test_other_editions_are_refused(root):
    with pytest.raises(AssertionError, match=r"EDITION: expected students or instructors, .* got student\b"):
        edition(root, "student")


def test_a_deck_has_what_the_chapter_has(root):
    """Question, picture with its prediction and its note, claim, what breaks, an exercise; and never a solution."""
    deck = built(root)["slides/yun-one.html"].decode()
    slides = re.findall(r"<section tabindex.*?(?=<section tabindex|</main>)", deck, re.DOTALL)
    said = ["How many are there", "which is wider", "Each stripe has a width", "How many fewer?", "How many more?"]
    assert [text in slide for slide in slides for text in said] == [k % 6 == 0 for k in range(25)]
    assert re.findall(r"<h[12]>(.*?)</h", deck) == [
        "The first chapter",
        "What do you see?",
        "The claim",
        "Break it",
        "Your turn",
    ]
    assert 'id="explorer-stripe"' in slides[1]
    note = slides[1].partition("<details")[2]
    assert re.findall(r'<a [^>]*href="([^"]*)"', note) == ["#explorer-stripe?width=2", "../chapters/yun-one.html"]
    assert not SECRET.search(deck.encode())
