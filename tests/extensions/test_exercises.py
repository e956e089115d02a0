"""Exercises can be named for years, and they and the notebooks can do with what their page shows."""

import ast
import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from uatbook.exercises import EXERCISES

ROOT = Path(__file__).resolve().parents[2]
LABELS = Path(__file__).with_name("exercise_labels.txt")
PAGES = sorted(path for path in ROOT.glob("*/*.md") if "{exercise}" in path.read_text(encoding="utf-8"))
OPTIONS = r"(?P<options>---\n(?:.*\n)*?---\n|(?::.*\n)*)"
FENCE = r"^(?P<fence>`{{3,}})\{{{}\}}(?P<head>.*)\n" + OPTIONS + r"(?P<body>(?:.*\n)*?)(?P=fence)$"
EXERCISE, SOLUTION, CELL, INCLUDED = (
    re.compile(FENCE.format(kind), re.MULTILINE) for kind in ("exercise", "solution", "code-cell", "literalinclude")
)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTEBOOKS = sorted(path for path in [*ROOT.glob("*/*.md"), ROOT / "index.md"] if CELL.search(path.read_text("utf-8")))
LIBRARY = ("uatlib", "uatbook")


def labels(text: str) -> list[str]:
    return [
        label
        for exercise in EXERCISE.finditer(text)
        for label in re.findall(r"^:label: *(\S+)", exercise["options"], re.MULTILINE)
        or ["an exercise without a label"]
    ]


def test_no_label_of_an_exercise_disappears():
    """Sheets, links and answers of students name exercises by their labels: whoever renames one breaks them."""
    listed = LABELS.read_text(encoding="utf-8").splitlines()
    found = sorted(label for path in PAGES for label in labels(path.read_text(encoding="utf-8")))
    assert len(found) == len(set(found)) > 150
    assert listed == sorted(set(listed))
    assert sorted(set(listed) - set(found)) == [], "a label was taken away or renamed: give the exercise its old one"
    assert sorted(set(found) - set(listed)) == [], f"new labels: add them to {LABELS.relative_to(ROOT)}, in order"


def library_names(code: str) -> dict[str, str]:
    """What each name that a piece of code imports from the library is called there."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in LIBRARY
        for alias in node.names
    }


def tools(code: str, around: dict[str, str]) -> set[str]:
    """Names of the library that a solution uses: imports, attributes of its modules, arguments by keyword."""
    own = {node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)}
    known = {name: there for name, there in (around | library_names(code)).items() if name not in own}
    used = set(library_names(code).values())
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and node.id in known:
            used.add(known[node.id])
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in LIBRARY:
            used |= {part for part in node.module.split(".") if part.startswith("_")}
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in known:
            used.add(node.attr)
        if isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            if getattr(called, "id", "") in known:
                used |= {keyword.arg for keyword in node.keywords if keyword.arg}
    return used


def hidden_tools(text: str, folder: Path) -> dict[str, list[str]]:
    """By exercise, the names that its solution uses and the page does not show: in code, in text, in the exercise."""
    page = SOLUTION.sub("", text)
    around = {name: there for cell in CELL.finditer(page) for name, there in library_names(cell["body"]).items()}
    shown = CELL.sub(lambda cell: "" if "remove-" in cell["options"] else cell[0], page)
    words = {*re.findall(r"\w+", shown)}
    for included in INCLUDED.finditer(page):
        source = (folder / included["head"].strip()).read_text(encoding="utf-8")
        wanted = re.search(r":pyobject: (?:\w+\.)?(\w+)", included["options"])
        parts = [node for node in ast.walk(ast.parse(source)) if getattr(node, "name", "") == (wanted or "  ")[1]]
        words |= {word for part in parts for word in re.findall(r"\w+", ast.get_source_segment(source, part) or "")}
    found: dict[str, list[str]] = {}
    for solution in SOLUTION.finditer(text):
        codes = PYTHON.findall(solution["body"])
        private = {name for code in codes for name in tools(code, around) if name.startswith("_")}
        if missing := sorted({name for code in codes for name in tools(code, around)} - words | private):
            found[solution["head"].strip()] = missing
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_an_exercise_names_the_tools_of_its_solution(path):
    """One cannot think of what one has never seen: say in the exercise which functions may be used."""
    assert hidden_tools(path.read_text(encoding="utf-8"), path.parent) == {}


def bound(code: str) -> set[str]:
    """Names that a piece of code gives a value."""
    nodes = [*ast.walk(ast.parse(code))]
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    imported = {(node.asname or node.name).split(".")[0] for node in nodes if isinstance(node, ast.alias)}
    return stored | defined | arguments | imported


def unshown(text: str) -> set[str]:
    """Names that cells and solutions of a page use, and that nothing but a removed cell gives a value."""
    cells = [*CELL.finditer(SOLUTION.sub("", text))]
    shown = [cell["body"] for cell in cells if "remove-cell" not in cell["options"]]
    removed = {name for cell in cells if "remove-cell" in cell["options"] for name in bound(cell["body"])}
    known = {name for code in shown for name in bound(code)}
    solutions = [code for solution in SOLUTION.finditer(text) for code in PYTHON.findall(solution["body"])]
    found = {name for code in [*shown, *solutions] for name in used(code) - bound(code)}
    return found & removed - known


def used(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_runs_without_the_cells_that_it_does_not_show(path):
    """Its notebook has none of them."""
    assert unshown(path.read_text(encoding="utf-8")) == set()


def test_unshown_names_are_found():
    cell = "```{{code-cell}} ipython3\n---\ntags: [{}]\n---\n{}\n```\n"
    page = cell.format("remove-cell", "a = b = 1") + cell.format("figure", "b = 2\nprint(a, b)")
    assert unshown(page) == {"a"}
    solution = "````{solution} ex-a\n```python\nc + a\n```\n````\n"
    assert unshown(cell.format("remove-cell", "c = 1") + cell.format("figure", "a = 1") + solution) == {"c"}


def test_hidden_tools_are_found():
    text = """\
```{code-cell} ipython3
from uatlib import yun2020
yun2020.build(f, p=2)
```

```{code-cell} ipython3
---
tags: [remove-cell]
---
from uatlib.grids import Grid
```

```{exercise} Construct
:label: ex-a
Use `Head`.
```

````{solution} ex-a
:class: dropdown

```python
from uatlib.layers import Attention, Head
from uatlib._inner import secret
def own(): return Grid(own=own())
yun2020.build(f, p=2, stage="soft"), yun2020.cost, np.mean(axis=1)
```
````
"""
    assert labels(text) == ["ex-a"]
    expected = ["Attention", "Grid", "_inner", "cost", "own", "secret", "stage"]
    assert hidden_tools(text, Path()) == {"ex-a": expected}
    told = text.replace("Use `Head`.", f"Use `Head`, {', '.join(expected)}.")
    assert hidden_tools(told, Path()) == {"ex-a": ["_inner"]}, "nobody is to use what is private"


def test_a_form_does_not_ask_once_more_what_the_text_above_it_asks():
    """Word for word, or nearly; then the exercise has the class `asked`, and the form has fields alone."""
    asked, alike = set(), set()
    for page in PAGES:
        for exercise in EXERCISE.finditer(page.read_text(encoding="utf-8")):
            (label,) = labels(exercise[0])
            asked |= {label} if re.search(r"^:class:.* asked$", exercise["options"], re.MULTILINE) else set()
            if label in EXERCISES:
                text, question = (
                    re.findall(r"\w+", re.sub(r"\\[a-z]+", "", said.lower()))
                    for said in (exercise["body"], EXERCISES[label].question())
                )
                matcher = SequenceMatcher(None, text, question, autojunk=False)
                again = sum(block.size for block in matcher.get_matching_blocks() if block.size > 2) / len(question)
                alike |= {label} if matcher.ratio() > 0.8 or again > 0.77 else set()
    assert asked == alike != set()
