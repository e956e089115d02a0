"""The book's own Sphinx extensions."""

import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from sphinx_exercise.nodes import exercise_node, solution_node

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "_ext"))

import myst_nb.core.read  # noqa: E402
import uat_explorers  # noqa: E402
import uat_runs  # noqa: E402
from bs4 import BeautifulSoup  # noqa: E402
from docutils import nodes  # noqa: E402
from docutils.utils import new_document  # noqa: E402
from jupyter_cache import get_cache  # noqa: E402
from myst_nb.core.read import read_myst_markdown_notebook  # noqa: E402
from uat_api import docstring_html, entry_html  # noqa: E402
from uat_figures import Captions, InlineFigures  # noqa: E402
from uat_markdown import plain  # noqa: E402
from uat_maths import TiePunctuation, render  # noqa: E402
from uat_notebooks import notebook  # noqa: E402
from uat_notes import MarginNotes  # noqa: E402
from uat_pages import mend, mend_themes  # noqa: E402
from uat_reading import reading  # noqa: E402
from uat_report import lengths, summary  # noqa: E402
from uat_runs import execute, has_run, keep, note, outdated, read_for, run, runs, solutions, sources  # noqa: E402

from uatbook.exercises import EXERCISES  # noqa: E402


def test_bad_formulas_are_errors():
    assert "katex" in render(r"\frac{1}{2}", False)["html"]
    assert "Undefined control sequence" in render(r"\nomacro", True)["error"]
    assert "expected 2 parts in <msub> of its MathML, got 3" in render(r"r_{\sup}", False)["error"]
    assert "<msub><mi>r</mi><mtext>max</mtext></msub>" in render(r"r_{\max}", False)["html"]


@pytest.mark.parametrize(
    ("latex", "held"),
    [
        ("n = 3", ["n=3"]),
        (r"f(x) + g(y) = 2 h(z) + 3 k", []),
        (r"\tfrac34 + 4\,(\tfrac94 - \tfrac34) = 6 + x + y", ["4(49\u200b\u221243\u200b)="]),
        ("[j, j + 1)^d + x + y + z = a + b", ["[j,j+1)d+"]),
        ("f(abcdefghijklmnopq + (y + z) + rs) = 3", ["(y+z)+"]),
        ("(abcdefghijk + lmnopqrstuvw", []),
    ],
)
def test_no_line_ends_in_a_short_formula_or_bracket(latex, held):
    ties = BeautifulSoup(render(latex, False)["html"], "html.parser").select(".katex-html .uat-tie")
    assert [tie.get_text() for tie in ties] == held
    assert "uat-tie" not in render(latex, True)["html"]


@pytest.mark.parametrize(
    ("before", "latex", "after", "shown"),
    [
        ("in (", "n", "), and", ["in ", ["(", "n", "),"], " and"]),
        ("", "n", "", ["n"]),
        ("a ", "n", " b", ["a ", "n", " b"]),
        ("", "n", "-th", [["", "n", "-th"]]),
        ("as (", "a + b + c + d + e + f + g", ").", ["as ", r"\text{(}a + b + c + d + e + f + g\text{).}"]),
        ("as ", "a + b + c + d + e + f + g", "-th (or", ["as ", "a + b + c + d + e + f + g", "-th (or"]),
    ],
)
def test_what_touches_a_formula_stays_on_its_line(before, latex, after, shown):
    parts = [nodes.Text(before), nodes.math("", latex), nodes.Text(after)]
    paragraph = nodes.paragraph("", "", *[part for part in parts if part.astext()])
    document = new_document("")
    document += paragraph
    TiePunctuation(document).run()
    text = [[c.astext() for c in part] if isinstance(part, nodes.inline) else part.astext() for part in paragraph]
    assert [part for part in text if part] == shown


# ------------------------------------------------------------------------------------------- what has to be run again

CHAPTER = """---
kernelspec:
  display_name: Python 3
  name: python3
---
# Words

```{{code-cell}} ipython3
{code}
```
"""
FILES = {
    "requirements.txt": "matplotlib==1",
    "data/record.json": "1",
    "uatlib/__init__.py": "",
    "uatlib/general.py": "",
    "uatlib/first/__init__.py": "def late():\n    from . import lazy\n    return lazy.text()",
    "uatlib/first/lazy.py": "from pathlib import Path\n\n"
    "def text():\n    return (Path(__file__).parent / 'view.js').read_text()",
    "uatlib/first/never.py": "",
    "uatlib/first/view.js": "js",
    "uatlib/second/__init__.py": "from .. import general",
    "chapters/first.md": CHAPTER.format(
        code="from uatlib import first, general\nprint(first.late(), open('../data/record.json').read())\n"
        "open('own.txt', 'w').write('1'); open('own.txt').read()"
    ),
    "chapters/second.md": CHAPTER.format(
        code="import time\nimport uatlib.second\nfor piece in ('first\\n', '\\n  indented \\n', '\\nlast \\n'):\n"
        "    print(piece, end='', flush=True)\n    time.sleep(0.3)\n```\n\n```{code-cell} ipython3"
    ),
    "chapters/wrong.md": CHAPTER.format(code="import uatlib.first\n1 / 0"),
    "chapters/edits.md": CHAPTER.format(code="import pathlib, uatlib\npathlib.Path(uatlib.__file__).touch()"),
}
PAGES = ("chapters/first", "chapters/second")


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    before = time.time() - 60  # as an edit between two builds
    os.utime(path, (before, before))


def cache(root):
    return root / "_build" / ".jupyter_cache"


def kept(root):
    return [page.removeprefix("chapters/") for page in PAGES if has_run(cache(root), root, page)]


def build(root, page):
    """What the build does with a page that is to run."""
    keep(cache(root), root, page, *run(root, page, timeout=60))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A library of two sources, and a chapter for each, both run: once for all tests, since kernels start slowly."""
    root = tmp_path_factory.mktemp("project").resolve()
    for name, text in FILES.items():
        write(root, name, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # an edit within one second would go unseen
        patch.setattr(myst_nb.core.read, "read_myst_markdown_notebook", read_for(root))
        assert kept(root) == []
        for page in PAGES:
            build(root, page)
        yield root


def test_a_notebook_runs_again_where_what_it_hangs_on_has_changed(project):
    def after(name, text):
        write(project, name, text)
        left = kept(project)
        write(project, name, FILES.get(name, ""))
        return left

    assert kept(project) == ["first", "second"]
    assert after("uatlib/second/__init__.py", "from .. import general\n#") == ["first"]
    assert after("uatlib/first/__init__.py", FILES["uatlib/first/__init__.py"] + "#") == ["second"]
    assert after("uatlib/first/lazy.py", FILES["uatlib/first/lazy.py"] + "#") == ["second"]  # imported in a function
    assert after("uatlib/first/view.js", "other") == []  # nobody knows who opens a file
    assert after("data/record.json", "2") == []
    assert after("uatlib/general.py", "x = 1") == []
    assert after("uatlib/__init__.py", "x = 1") == []
    assert after("requirements.txt", "matplotlib==2") == []
    assert after("uatlib/first/never.py", "x = 1") == ["first", "second"]
    assert after("chapters/first.md", FILES["chapters/first.md"].replace("Words", "Other")) == ["first", "second"]
    lower = FILES["chapters/first.md"].replace("Words", "Words\n\nMore of them, and the cell\nstands lower.")
    assert after("chapters/first.md", lower) == ["first", "second"]
    assert after("tests/test_first.py", "x = 1") == ["first", "second"]
    assert after("chapters/first.md", FILES["chapters/first.md"].replace("print", "1, print")) == ["second"]
    (project / "data/record.json").unlink()
    assert kept(project) == []
    write(project, "data/record.json", FILES["data/record.json"])
    assert kept(project) == ["first", "second"]


def test_what_a_new_import_brings_counts_from_then_on(project):
    write(project, "uatlib/second/__init__.py", "from . import new")
    write(project, "uatlib/second/new.py", "x = 1")
    assert kept(project) == ["first"]
    build(project, "chapters/second")
    assert kept(project) == ["first", "second"]
    write(project, "uatlib/second/new.py", "x = 2")
    assert kept(project) == ["first"]
    write(project, "uatlib/second/__init__.py", FILES["uatlib/second/__init__.py"])
    (project / "uatlib/second/new.py").unlink()
    build(project, "chapters/second")
    assert kept(project) == ["first", "second"]


def test_a_run_that_fails_or_is_overtaken_by_an_edit_is_not_kept(project):
    for page, error in (("chapters/wrong", "ZeroDivisionError"), ("chapters/edits", "uatlib/__init__.py: edited")):
        with pytest.raises(Exception, match=error):
            run(project, page, timeout=60)
    assert set(runs(project)) == set(PAGES)


def test_what_is_not_kept_runs_and_what_fails_is_forgotten(project, monkeypatch):
    tried = []

    def broken(root, page, timeout):
        tried.append(page)
        raise RuntimeError(page)

    monkeypatch.setattr(uat_runs, "run", broken)
    before = runs(project)
    config = SimpleNamespace(execution_cache_path=str(cache(project)))
    env = SimpleNamespace(mystnb_config=config, doc2path=lambda page: str(project / f"{page}.md"))
    app = SimpleNamespace(srcdir=str(project), config=SimpleNamespace(nb_execution_timeout=60))
    write(project, "uatlib/second/__init__.py", "")
    execute(app, env, [*PAGES, "chapters/wrong"])
    assert sorted(tried) == ["chapters/second", "chapters/second", "chapters/wrong", "chapters/wrong"]
    assert set(runs(project)) == {"chapters/first"}
    write(project, "uatlib/second/__init__.py", FILES["uatlib/second/__init__.py"])
    note(project, "chapters/second", before["chapters/second"])
    assert kept(project) == ["first", "second"]


def test_sphinx_reads_again_what_runs_again(project):
    """A page that failed hangs on everything: should it pass when myst-nb runs it, nobody knows what it has loaded."""
    read = {page: read_for(project)(FILES[f"{page}.md"], path=project / f"{page}.md") for page in PAGES}
    metadata = {page: {"kernelspec": dict(notebook.metadata.kernelspec)} for page, notebook in read.items()}
    env = SimpleNamespace(found_docs={*PAGES, "text"}, metadata={**metadata, "text": {}})

    def again():
        return outdated(SimpleNamespace(srcdir=str(project)), env, set(), set(), set())

    assert again() == []
    write(project, "uatlib/first/lazy.py", "#")
    assert again() == ["chapters/first"]
    write(project, "uatlib/first/lazy.py", FILES["uatlib/first/lazy.py"])
    before = runs(project)["chapters/second"]
    note(project, "chapters/second", None)
    assert again() == ["chapters/second"]
    assert "uatlib/first/never.py" in sources(project, "chapters/second")
    note(project, "chapters/second", before)
    assert again() == []


def outputs(root, page):
    """What the cells of a page have put out, as texts."""
    notebook = myst_nb.core.read.myst_nb_reader_plugin(str(root / f"{page}.md"))
    _, merged = get_cache(cache(root)).merge_match_into_notebook(notebook)
    return [[output.get("text", "") for output in cell.outputs] for cell in merged.cells if cell.cell_type == "code"]


def test_a_run_notes_what_it_cost_and_leaves_no_trace_in_its_outputs(project):
    cost = runs(project)["chapters/first"]
    ((line, seconds),) = cost["cells"]
    assert line == "from uatlib import first, general"
    assert 0 <= seconds < 60
    assert 20 < cost["memory"] < 4000
    assert set(cost["modules"]) == {
        f"uatlib/{name}.py" for name in ("__init__", "general", "first/__init__", "first/lazy")
    }
    assert outputs(project, "chapters/first") == [["js 1\n", ""]]  # "" is the value of the last line


def test_printed_text_does_not_depend_on_when_it_came(project):
    """By itself, myst-nb loses the blank line where the text is cut before it."""
    assert outputs(project, "chapters/second") == [["first\n\n  indented \n\nlast \n"], []]


def test_the_report_names_what_is_slow():
    spent = {
        "a": {"memory": 120, "cells": [(f"cell {k} of a", 0.5 * k) for k in range(20)]},
        "b": {"memory": None, "cells": [("all of b", 200.0)]},
    }
    chapters, cells = summary(spent).split("\n\n")
    assert [line.split() for line in chapters.splitlines()[1:]] == [
        ["b", "200.0", "s"],
        ["a", "95.0", "s", "120", "MiB"],
        ["2", "chapters", "295.0", "s"],
    ]
    slowest = [f"{seconds:7.1f} s  a, cell {k + 1}: cell {k} of a" for k in range(19, 10, -1) for seconds in [0.5 * k]]
    assert cells.splitlines()[1:] == ["  200.0 s  b, cell 1: all of b", *slowest]


def cell(printed, *tags, lines="x = 1\n\ny = 2"):
    whole = nodes.container("", classes=["cell", *(f"tag_{tag}" for tag in tags)])
    whole += nodes.container("", nodes.literal_block(lines, lines), classes=["cell_input"])
    whole += nodes.container("", nodes.paragraph(printed, printed), classes=["cell_output"])
    return whole


def test_the_length_of_a_page_is_that_of_what_stands_open():
    page = nodes.Element("", nodes.paragraph("", "one two three"))
    page += nodes.math_block("a + b", "a + b")
    page += cell("printed words do not count")
    page += nodes.paragraph("", "", nodes.Text("four "), nodes.math("x", "x"), nodes.Text(" - six"))
    page += nodes.admonition("", nodes.paragraph("", "not these"), nodes.literal_block("", "z"), classes=["dropdown"])
    page += cell("", "hide-input")
    kept = {"code_lines": 2, "before_picture": None, "formulas": 1, "explorers": 0, "proof_words": 0, "exercises": {}}
    assert vars(reading(page)) == {"words": 6, **kept}
    page += cell("", "figure", "hide-input")
    page += nodes.paragraph("", "seven")
    page += nodes.literal_block("", "a\nb\nc")
    page += cell("", "explorer")
    page += nodes.admonition("", nodes.paragraph("", "by four short words"), classes=["dropdown", "proof"])
    page += exercise_node("", nodes.paragraph("", "not counted"), classes=["exercise", "level-3"])
    page += exercise_node("", nodes.paragraph("", "not counted"))
    page += solution_node("", nodes.paragraph("", "nor this"))
    found = reading(page)
    kept |= {"code_lines": 7, "before_picture": 6, "explorers": 1, "proof_words": 4, "exercises": {"3": 1, "2": 1}}
    assert vars(found) == {"words": 7, **kept}
    row = lengths({"a-page": vars(found)}).splitlines()[1]
    assert row.split() == ["a-page", "7", "7", "6", "2"]


def test_a_statement_of_one_source_loads_no_other():
    code = (
        "import sys, uatbook.statements as s; s.get('{}'); "
        "print(sorted({{m.split('.')[1] for m in sys.modules if m.startswith('uatlib.') and m[-4:].isdigit()}})); "
        "print([statement.id for statement in s.all()])"
    )
    answers = []
    for id in ("yun2020:lem-8", "so2020slides:sentinel", "kajitsuka2024:def-3"):
        done = subprocess.run([sys.executable, "-c", code.format(id)], capture_output=True, text=True, check=True)
        answers.append(done.stdout.splitlines())
    loaded, ids = zip(*answers, strict=True)
    assert loaded == ("['yun2020']", "['yun2020']", "['kajitsuka2024']")
    assert len(set(ids)) == 1  # whatever came first


# ------------------------------------------------------------------------------------------------------- solutions

SOLVED = """\
```{code-cell}
x = 1
```

```python
x = "shown, and not a solution"
```

````{solution} ex-one
:class: dropdown

```python
y = x + 1
all(y > z
    for z in (0, 1))
```

Or shorter:

```python
x == 1
```
````

```{solution} ex-two
Nothing to run.
```
"""


def test_solutions_run_after_the_cells_of_their_page():
    codes = ["y = x + 1\nall(y > z\n    for z in (0, 1))", "x == 1"]
    assert solutions(SOLVED) == codes
    text = CHAPTER.format(code="x = 1") + SOLVED
    bare = read_myst_markdown_notebook(text, add_source_map=True)
    whole = read_for(ROOT)(text, add_source_map=True, path=ROOT / "page.md")
    added = whole.cells[len(bare.cells) :]
    assert [(cell.source, cell.metadata.tags) for cell in added] == [
        (code, ["remove-cell", "solution"]) for code in codes
    ]
    assert [cell.source for cell in whole.cells[: -len(codes)]] == [cell.source for cell in bare.cells]
    assert len(whole.metadata.source_map) == len(whole.cells)


def test_every_solution_with_code_is_found():
    for path in (ROOT / "chapters").glob("*.md"):
        inside, written = False, 0
        for line in path.read_text(encoding="utf-8").splitlines():
            inside = line.startswith("````{solution}") or (inside and line != "````")
            written += inside and line == "```python"
        assert len(solutions(path.read_text(encoding="utf-8"))) == written, path.stem


# --------------------------------------------------------------------------------------------------------- notebooks


def test_every_chapter_is_a_notebook_of_plain_markdown():
    for page in sorted((ROOT / "chapters").glob("*.md")):
        written = notebook(page, ROOT)
        assert written == notebook(page, ROOT)
        read = nbformat.reads(written, as_version=4)
        nbformat.validate(read)
        assert read.metadata.kernelspec.name == "python3"
        # A fence of code whose tags say remove-cell is an assertion, which no reader sees.
        removed = r"^```\{code-cell\}[^\n]*\n---\n(?:(?!---)[^\n]*\n)*tags: \[[^\]\n]*remove-cell.*?^```$"
        source = re.sub(removed, "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        install, *code = [cell for cell in read.cells if cell.cell_type == "code"]
        assert install == read.cells[0]
        answers = [cell for cell in code if cell.source.startswith("from uatbook.exercises import check")]
        code = [cell for cell in code if cell not in answers]
        assert len(code) == len(re.findall(r"^```\{code-cell\}", source, re.MULTILINE))
        labels = [label for label in re.findall(r"^:label: (ex-\S+)$", source, re.MULTILINE) if label in EXERCISES]
        assert re.findall(r'check\("(.*?)"', "".join(cell.source for cell in answers)) == labels
        tagged = [tag for cell in code for tag in cell.metadata.get("tags", [])]
        assert len(tagged) == sum(
            len(line.split(",")) for line in re.findall(r"^:?tags: \[(.*)\]$", source, re.MULTILINE)
        )
        assert all(
            cell.metadata.jupyter.source_hidden for cell in code if "hide-input" in cell.metadata.get("tags", [])
        )
        text = "\n".join(cell.source for cell in read.cells if cell.cell_type == "markdown")
        assert re.findall(r"\{[a-z:-]+\}`|^[`:]{3,}\{.*|^:[\w-]+:.*|^\([\w-]+\)=$", text, re.MULTILINE) == []
        assert text.count("<details>") == text.count("</details>") >= source.count("{solution}")
        assert str(ROOT) not in written


MYST = """(sec-a)=
## A heading

Say {prf:ref}`Lemma 1 <lem-1>`, or {prf:ref}`lem-1`, {doc}`b`, {eq}`eq-1`, {ref}`ex-1`,
{cite:t}`yun2020` and {cite:p}`yun2020`.

```{prf:lemma} Of somebody, Lemma 1
:label: lem-1
:nonumber:
Then

$$
a &= b \\\\
  &= c .
$$
```

````{solution} ex-1
:class: dropdown
Yes:

```python
x = {"a": 1}
```
````

```{admonition} Proof of Lemma 1
:class: dropdown proof
1. Clear.
```

```{literalinclude} ../lib.py
:language: python
:pyobject: A.f
```
"""

PLAIN = """## A heading

Say Lemma 1, or Of somebody, Lemma 1, *Page B*, the formula in *Page B*, the exercise “Count” in *Page B*,
Yun et al. (2020) and (Yun et al., 2020).

> **Lemma. Of somebody, Lemma 1.**
>
> Then
>
> $$
> \\begin{aligned}
> a &= b \\\\
>   &= c .
> \\end{aligned}
> $$

<details>
<summary>Solution</summary>

Yes:

```python
x = {"a": 1}
```

</details>

<details>
<summary>Proof of Lemma 1</summary>

1. Clear.

</details>

```python
@property
def f(self):
    return 1
```
"""


def test_directives_and_roles_become_plain_text(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.md").write_text(f"# Page A\n\n{MYST}")
    (pages / "b.md").write_text(
        "# Page B\n```{math}\n:label: eq-1\nx\n```\n```{exercise} Count\n:label: ex-1\n?\n```\n"
    )
    (tmp_path / "lib.py").write_text("class A:\n    @property\n    def f(self):\n        return 1\n\n    g = 2\n")
    (tmp_path / "references.bib").write_text((ROOT / "references.bib").read_text(encoding="utf-8"), encoding="utf-8")
    assert plain(MYST, pages) == PLAIN
    with pytest.raises(OSError, match=r"none\.py"):
        plain("```{literalinclude} ../none.py\n```", pages)


SHEET = """@charset "UTF-8";
/* both; light, and dark */
p{color:red}
html[data-theme=dark] a:not(.x,.y),html[data-theme="light"] b , i { color: blue }
@media (min-width: 9px){html[data-theme=dark]{--ink:white}}
"""
THEMED = """@charset "UTF-8";
/* both; light, and dark */
p{color:red}
i{ color: blue }
html[data-theme="light"] b{ color: blue }
@media (prefers-color-scheme: light) {html[data-theme="auto"] b{ color: blue }}
@media print {html[data-theme] b{ color: blue }}
@media screen {html[data-theme=dark] a:not(.x,.y){ color: blue }}
@media screen and (prefers-color-scheme: dark) {html[data-theme="auto"] a:not(.x,.y){ color: blue }}
@media (min-width: 9px){
@media screen {html[data-theme=dark]{--ink:white}}
@media screen and (prefers-color-scheme: dark) {html[data-theme="auto"]{--ink:white}}}
"""


def test_rules_of_a_theme_also_follow_the_system_and_the_paper():
    mended = mend_themes(SHEET)
    assert [line for line in mended.splitlines() if line][:-1] == THEMED.splitlines()
    assert mend_themes(mended) == mended


# ---------------------------------------------------------------------------------------------- the reference pages


def a_function(x, *, p: float = 2) -> float:
    """The norm |x|_p of a vector.

        |x|_p = (sum_i |x_i|^p)^(1/p)

    Parameters
    ----------
    x : a vector, as
        a list
    p : 1 <= p != inf, as "2"

    Source: `nobody`, eq. (1).
    """


def test_a_map_of_modules_is_a_list_and_other_text_is_none():
    lines = ["theorem_3, ids   the layers (Theorem 3), and", " " * 17 + "their ids; `x`", "cost             weights"]
    text = "\n".join(["A package.", "", *lines])
    shown = docstring_html(text)
    assert "<dl><dt><code>theorem_3</code>, <code>ids</code></dt><dd>the layers" in shown
    assert "their ids; <code>x</code></dd><dt><code>cost</code></dt><dd>weights</dd></dl>" in shown
    assert "<dl>" not in docstring_html("A sentence.  And one more\nthat goes on.")


def test_a_docstring_becomes_html_with_its_formulas():
    shown = docstring_html(a_function.__doc__.replace("\n    ", "\n"))
    assert "<p>The norm |<i>x</i>|<sub><i>p</i></sub> of a vector.</p>" in shown
    assert '<p class="uat-formula">|<i>x</i>|<sub><i>p</i></sub> = ' in shown
    assert "<dt><code>x</code></dt><dd>a vector, as a list</dd>" in shown
    assert "<dt><code>p</code></dt><dd>1 \u2264 <i>p</i> \u2260 \u221e, as <code>&quot;2&quot;</code></dd>" in shown
    assert "<p>Source: <code>nobody</code>, eq. (1).</p>" in shown


def test_returns_and_examples_are_set_apart():
    sections = ["Returns\n-------\nShape (n,), as\nf : x.", "Raises\n------\nValueError\n    No n."]
    shown = docstring_html("\n\n".join(["A.", ">>> f(\n...     <1)", *sections]))
    assert "<pre>&gt;&gt;&gt; f(\n...     &lt;1)</pre>" in shown
    assert '<p class="rubric">Returns</p><p>Shape (<i>n</i>,), as <i>f</i> : <i>x</i>.</p><p class="rubric">' in shown


def columns_html(*lines):
    return docstring_html("\n".join(["A.", "", *("    " + line for line in lines)])).removeprefix("<p>A.</p>")


def test_columns_become_a_list_or_a_table():
    assert columns_html("one    x", "two    y,  z", "  and more") == (
        "<dl><dt>one</dt><dd><i>x</i></dd><dt>two</dt><dd><i>y</i>,  <i>z</i> and more</dd></dl>"
    )
    assert columns_html("one  x  first", "two  y", "six  z  last") == (
        '<table><tr><th scope="row">one</th><td><i>x</i></td><td>first</td></tr>'
        '<tr><th scope="row">two</th><td colspan="2"><i>y</i></td></tr>'
        '<tr><th scope="row">six</th><td><i>z</i></td><td>last</td></tr></table>'
    )


def test_formulas_stay_whole():
    """Where they are aligned, go on in a second line, or stand side by side."""
    assert columns_html("r    = 2,  k = 1", "long = 3", "       exp(1)") == (
        f'<p class="uat-formula"><i>r</i>    = 2,\u00a0\u00a0 <i>k</i> = 1<br>long = 3<br>{7 * chr(0xA0)}exp(1)</p>'
    )


def test_names_are_code_and_indices_are_not():
    assert "<code>inverse_delta</code> is no int" in docstring_html("inverse_delta is no int.")
    assert "<code>" not in docstring_html("softmax_j(r_max), a.some_name")


def test_an_entry_shows_how_a_name_is_imported_and_called():
    shown = entry_html("a_function", a_function, "some.package")
    assert "from some.package import a_function\na_function(x, *, p=2)</pre>" in shown
    assert re.search(r"tests/extensions/test_extensions\.py:\d+", shown)
    assert "0x" not in shown


def test_the_gallery_wants_one_question_for_each_explorer(tmp_path, caplog):
    """It names an explorer that it knows no question for, and a question whose explorer is gone."""
    picture = '<svg width="72pt" height="36pt" class="uat-figure" aria-label="Dots."><g fill="currentColor"/></svg>'
    entries = [
        {"id": f"explorer-{name}", "title": f"<{name}>", "image": picture, "listed": True} for name in ("one", "two")
    ]
    toc = SimpleNamespace(root=SimpleNamespace(subtrees=[]))
    found = {"chapters/a": entries[:1], "chapters/b": entries[1:]}
    titles = {page: nodes.title("", page) for page in found}
    metadata = {page: {uat_explorers.KEY: held} for page, held in found.items()}
    env = SimpleNamespace(metadata=metadata, external_site_map=toc, titles=titles)
    builder = SimpleNamespace(get_relative_uri=lambda before, page: f"{page}.html")
    app = SimpleNamespace(env=env, outdir=str(tmp_path), builder=builder)

    def gallery(questions: dict[str, str]) -> str:
        caplog.clear()
        place = nodes.container("", classes=[uat_explorers.PLACE], questions=questions)
        page = nodes.section("", place)
        with caplog.at_level(logging.WARNING), pytest.MonkeyPatch.context() as patch:
            patch.setattr(uat_explorers, "reading_order", lambda env: list(found))
            uat_explorers.fill(app, page, "explorers")
        return page[0].astext()

    html = gallery({"a/one": "Is it & one?", "b/two": "Two?"})
    assert caplog.messages == []
    assert re.findall(r">([^<]*)</a></li>", html) == ["Is it &amp; one?", "Two?"]
    assert re.findall(r'width="(\d+)" height="(\d+)"', html) == [("96", "48")] * 4
    gallery({"a/one": "One?"})
    assert caplog.messages == ["the gallery has no question for b/two"]
    gallery({"a/one": "One?", "b/two": "Two?", "b/three": "Three?"})
    assert caplog.messages == ["the gallery asks about b/three, which no page shows"]


@pytest.mark.parametrize(("alt", "said"), [("A square.", 0), ("", 1), (" ", 1), (None, 1)])
def test_a_figure_without_alt_text_is_a_warning(tmp_path, caplog, alt, said):
    folder = tmp_path / "_build" / "jupyter_execute"
    folder.mkdir(parents=True)
    folder.joinpath("a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    given = {} if alt is None else {"alt": alt}
    page = new_document("page")
    page += nodes.image(uri="_build/jupyter_execute/a.svg", **given)
    page.settings.env = SimpleNamespace(srcdir=tmp_path)
    with caplog.at_level(logging.WARNING):
        InlineFigures(page).run()
    assert caplog.text.count("a figure without alt text") == said
    (drawn,) = page.findall(nodes.raw)
    assert "<svg" in drawn.astext()


@pytest.mark.parametrize(
    ("page", "numbers"),
    [("third", ["Figure 3.1.", "Figure 3.2.", "Figure 3.3."]), ("more", ["Figure 1.", "Figure 2.", "Figure 3."])],
)
def test_pictures_are_numbered_and_say_what_they_show(monkeypatch, caplog, page, numbers):
    drawn = '<svg class="uat-figure"></svg>'
    spec = '<script type="application/json" class="uat-spec">{"alt": "What it shows."}</script>'

    def cell(html):
        return nodes.container("", nodes.raw("", html, format="html"), nb_element="cell_code")

    document = new_document("page")
    document += [cell("a table"), nodes.paragraph("", "", nodes.emphasis("", "No picture."))]
    document += [cell(drawn), nodes.comment(), nodes.paragraph("", "", nodes.emphasis("", "Below.")), nodes.paragraph()]
    document += [cell(drawn + spec), nodes.paragraph("", "", nodes.emphasis("", "In"), nodes.Text(" part."))]
    document += [cell(drawn)]
    document.settings.env = SimpleNamespace(docname=page, config=SimpleNamespace(root_doc="index"))
    monkeypatch.setattr("uat_figures.chapters", lambda env: {"third": 3})
    monkeypatch.setattr(Captions, "env", document.settings.env)
    monkeypatch.setattr(Captions, "config", document.settings.env.config)
    with caplog.at_level(logging.WARNING):
        Captions(document).run()
    said = [figure[1].astext() for figure in document.findall(nodes.figure)]
    assert said == [f"{numbers[0]} Below.", f"{numbers[1]} What it shows.", f"{numbers[2]} "]
    assert [figure["ids"] for figure in document.findall(nodes.figure)] == [[f"figure-{k}"] for k in (1, 2, 3)]
    assert [text.astext() for text in document.findall(nodes.paragraph)] == ["No picture.", "", "In part."]
    assert caplog.text.count("a figure without a caption") == 1


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("One. (An aside.) Two.", ["An aside."]),
        ("(First.) One (not this) two, three (nor this.). Four? (Last!)", ["First.", "Last!"]),
        ("One. (Never closed. Two.", []),
        ("One. (A *b* [c].) Two.", ["A b [c]."]),
        ("Is it (so)? (It is (and was).)", ["It is (and was)."]),
    ],
)
def test_a_sentence_in_brackets_becomes_a_note(text, notes):
    document = new_document("page")
    parts = [
        nodes.emphasis("", part[1:-1]) if part.startswith("*") else nodes.Text(part)
        for part in re.split(r"(\*\w+\*)", text)
    ]
    box = nodes.admonition("", nodes.section("", nodes.paragraph("", "", *(part.deepcopy() for part in parts))))
    document += nodes.section("", nodes.paragraph("", "", *parts), box)
    MarginNotes(document).run()
    found = [note for note in document.findall(nodes.inline) if "uat-note" in note["classes"]]
    assert [note.astext() for note in found] == notes
    assert document[0][0].astext() == re.sub(
        "|".join(map(re.escape, (f"({n})" for n in notes))) or "$^", lambda note: note[0][1:-1], text.replace("*", "")
    )


def test_a_mending_that_has_nothing_to_mend_is_said(tmp_path, caplog):
    faulty = """<script src="a/fontawesome/b"></script>
    <script type="application/vnd.jupyter.widget-state+json">{}</script>
    <link rel="preload" as="font" href="f"/><div id="proof"></div><p class="admonition-title" id="x"></p>
    <div role="doc-biblioentry"></div><summary aria-label="Toggle hidden content"></summary>
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <button class="btn search-button-field x" aria-label="Search"></button>
    <div class="bd-sidebar-primary bd-sidebar"></div>
    <script>document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";</script>
    <link href="_static/proof.css?v=1a"/><span class="pre">uatlib.checks.whole</span><span class="pre">a.whole</span>"""
    (tmp_path / "_static").mkdir()
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        outdir=tmp_path,
    )

    def said(page, sheet=SHEET, button='aria-label="Toggle hidden content"'):
        (tmp_path / "a.html").write_text(page)
        (tmp_path / "_static" / "a.css").write_text(sheet)
        (tmp_path / "_static" / "togglebutton.js").write_text(button)
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="sphinx"):
            mend(app, None)
        return [record.getMessage() for record in caplog.records]

    assert said(faulty) == []
    mended = (tmp_path / "a.html").read_text()
    assert "fontawesome" not in mended
    assert mended.count("viewport") == 1
    assert "uatlib<wbr />.checks<wbr />.whole</span>" in mended
    assert ">a.whole</span>" in mended
    (lost,) = said(faulty.replace(' role="doc-biblioentry"', ""))
    assert "doc-biblioentry" in lost
    assert len(said("<p></p>")) == 13
    assert "names a theme" in said(faulty, sheet="p {}")[0]
    assert "Toggle" in said(faulty, button="")[0]
