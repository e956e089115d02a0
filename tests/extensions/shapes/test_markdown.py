"""Chapters as notebooks of plain Markdown."""

import re
from pathlib import Path

import nbformat
import pytest
from conftest import toc_pages
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from _ext.shapes.markdown import plain
from _ext.shapes.notebooks import has_notebook, notebook
from _ext.text.maths import render
from uatbook.exercises import EXERCISES

ROOT = Path(__file__).resolve().parents[3]


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


def test_every_formula_of_every_notebook_can_be_rendered():
    """As a notebook's reader finds them, who knows Markdown and dollars and nothing of MyST."""
    reader, found = MarkdownIt().use(dollarmath_plugin, allow_space=False), {}
    for page in [ROOT / f"{name}.md" for name in toc_pages()]:
        cells = nbformat.reads(notebook(page, ROOT), as_version=4).cells if has_notebook(page) else []
        for block in [block for cell in cells if cell.cell_type == "markdown" for block in reader.parse(cell.source)]:
            for part in (block, *(block.children or ())):
                assert part.type != "text" or "$" not in part.content, (page.stem, part.content)
                if part.type.startswith("math"):
                    found[part.content.strip(), part.type != "math_inline"] = page.stem
    assert len(found) > 4000
    errors = {page: error for formula, page in found.items() if (error := render(*formula).get("error"))}
    assert errors == {}


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
1. Clear, see

   :::{math}
   a &= b \\\\

     &= c
   :::

   ```text
   {doc}`b`
   ```
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

1. Clear, see

   $$
   \\begin{aligned}
   a &= b \\\\

     &= c
   \\end{aligned}
   $$

   ```text
   {doc}`b`
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
    with pytest.raises(OSError, match=r"none\.py"):
        plain("```{literalinclude} ../none.py\n```", pages)
