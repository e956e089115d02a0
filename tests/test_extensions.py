"""The book's own Sphinx extensions."""

import itertools
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "_ext"))

from myst_nb.core.utils import coalesce_streams  # noqa: E402
from uat_api import docstring_html, entry_html  # noqa: E402
from uat_markdown import plain  # noqa: E402
from uat_maths import render  # noqa: E402
from uat_notebooks import notebook  # noqa: E402
from uat_pages import mend_themes  # noqa: E402
from uat_parallel import of_whole_streams  # noqa: E402
from uat_rebuild import fingerprint  # noqa: E402


def test_bad_formulas_are_errors():
    assert "katex" in render(r"\frac{1}{2}", False)["html"]
    assert "Undefined control sequence" in render(r"\nomacro", True)["error"]


def test_fingerprint_sees_names_and_contents(tmp_path):
    (tmp_path / "a.py").write_text("1")
    first = fingerprint(tmp_path, ["*"])
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    second = fingerprint(tmp_path, ["*"])
    (tmp_path / "b.py").write_text("2")
    assert len({first, second, fingerprint(tmp_path, ["*"])}) == 3


# ------------------------------------------------------------------------------------------------ what a cell prints


def test_printed_text_does_not_depend_on_when_it_came():
    text = "first\n\n  indented \n\nlast \n"
    pictures = new_output("display_data", data={"text/plain": "p"})

    def pieces(cuts):
        ends = [0, *sorted(cuts), len(text)]
        return [new_output("stream", name="stdout", text=text[a:b]) for a, b in itertools.pairwise(ends)]

    merge = of_whole_streams(coalesce_streams)
    expected = ["first\n\n  indented \n\nlast\n"]
    for cuts in itertools.combinations(range(1, len(text)), 2):
        first, *others = pieces(cuts)
        merged = merge([first, pictures, *others])
        assert [output["text"] for output in merged if output["output_type"] == "stream"] == expected
        assert pictures in merged
    # The fault that this mends: by itself, myst-nb loses the blank line where the text is cut after it.
    assert "first\n  indented" in coalesce_streams(pieces([7]))[0]["text"]


# --------------------------------------------------------------------------------------------------------- notebooks


def test_every_chapter_is_a_notebook_of_plain_markdown():
    for page in sorted((ROOT / "chapters").glob("*.md")):
        written = notebook(page)
        assert written == notebook(page)
        read = nbformat.reads(written, as_version=4)
        nbformat.validate(read)
        assert read.metadata.kernelspec.name == "python3"
        source = page.read_text(encoding="utf-8")
        code = [cell for cell in read.cells if cell.cell_type == "code"]
        assert len(code) == len(re.findall(r"^```\{code-cell\}", source, re.MULTILINE))
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
    with pytest.raises(FileNotFoundError):
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


def test_a_docstring_becomes_html_with_its_formulas():
    shown = docstring_html(a_function.__doc__.replace("\n    ", "\n"))
    assert "<p>The norm |<i>x</i>|<sub><i>p</i></sub> of a vector.</p>" in shown
    assert '<p class="uat-formula">|<i>x</i>|<sub><i>p</i></sub> = ' in shown
    assert "<dt><code>x</code></dt><dd>a vector, as a list</dd>" in shown
    assert "<dt><code>p</code></dt><dd>1 \u2264 <i>p</i> \u2260 \u221e, as <code>&quot;2&quot;</code></dd>" in shown
    assert "<p>Source: <code>nobody</code>, eq. (1).</p>" in shown


def test_an_entry_shows_how_a_name_is_imported_and_called():
    shown = entry_html("a_function", a_function, "some.package")
    assert "from some.package import a_function\na_function(x, *, p=2)</pre>" in shown
    assert re.search(r"tests/test_extensions\.py:\d+", shown)
    assert "0x" not in shown
