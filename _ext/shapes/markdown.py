"""Write the MyST of a page as Markdown that every notebook shows: directives and roles of the book become plain text.

JupyterLab with jupyterlab-myst reads the pages themselves; Colab, Notebook and VS Code show a directive as code, and no
library takes them out. A theorem becomes a quotation with its name, a solution or a fold a `<details>`, an included
source a code block; a reference becomes what it refers to.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pybtex.database import parse_file
from sphinx.directives.code import LiteralIncludeReader

from _ext.head.cite import citation
from _ext.text.atlas import title as door
from _ext.text.words import STEPS
from uatbook.exercises import EXERCISES
from uatbook.exercises.finish import shown

FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})(?:\{(?P<kind>[^}]+)\}[ ]*(?P<argument>.*))?")
OPTION = re.compile(r"^:([\w-]+):[ ]*(.*)$")
ROLE = re.compile(r"\{([a-z:]+)\}`([^`]+)`")
TARGET = re.compile(r"^\(([\w-]+)\)=$")
LABELLED = re.compile(r"\{([a-z:]+)\}[ ]*(.*)\n(?::\w+:.*\n)*?:label:[ ]*(\S+)")
LEVELS = {"level-1": "Five minutes", "level-2": "Half an hour", "level-3": "An hour or more"}
"""Of exercises, as the style sheet has them."""
HEADING = re.compile(r"^\(([\w-]+)\)=\n#+ (.*)$", re.MULTILINE)


def plain(text: str, folder: Path) -> str:
    """Return Markdown without directives, roles and targets; `folder` is where the page lies."""
    return "\n".join(_blocks(iter(text.split("\n")), folder))


def _blocks(lines: Iterator[str], folder: Path) -> Iterator[str]:
    for line in lines:
        text = line.lstrip(" ")
        indent = line[: len(line) - len(text)]  # of a block within a list
        fence = FENCE.match(text)
        if text != "$$" and fence is None:
            if not TARGET.match(line):
                yield ROLE.sub(lambda role: _role(role[1], role[2], folder), line)
            continue
        inside = (line.removeprefix(indent) for line in lines)
        body = list(iter(functools.partial(next, inside), fence["fence"] if fence else "$$"))  # up to what closes it
        if fence is None:
            written = _display(body)
        elif fence["kind"] is None:
            written = [text, *body, fence["fence"]]
        else:
            written = _directive(fence["kind"], fence["argument"], body, folder)
        yield from (f"{indent}{line}".rstrip(" ") for line in written)


def _directive(kind: str, argument: str, body: list[str], folder: Path) -> list[str]:
    options = {}
    while body and (option := OPTION.match(body[0])):
        options[option[1]] = option[2].strip('"')
        body = body[1:]
    if kind == "literalinclude":
        return ["```python", *_included(folder / argument, options), "```"]
    if kind == "guess":
        return [f"- {line[2:].partition(' | ')[0]}" for line in body if line]
    if kind == "rocq":
        return [line for language, said in shown(argument) for line in (f"```{language}", *said.split("\n"), "```")]
    if kind in ("gpu", "solved", "about"):
        return []
    if kind == "bibtex":
        return ["```bibtex", *citation(folder).bibtex("").split("\n"), "```"]
    if kind == "math":
        return _display(body)
    if kind == "atlas-door":
        return [f"> {line}".rstrip() for line in (f"**{door()}**", "", *_blocks(iter(body), folder))]
    inner = list(_blocks(iter(body), folder))
    title = ROLE.sub(lambda role: _role(role[1], role[2], folder), argument)
    folded = kind == "admonition" and "dropdown" in options.get("class", "").split()
    if folded or kind in ("solution", "dropdown"):
        summary = "Solution" if kind == "solution" else title
        return ["<details>", f"<summary>{summary}</summary>", "", *inner, "", "</details>"]
    name = "" if kind == "admonition" else kind.removeprefix("prf:").replace("-", " ").capitalize()
    if kind == "exercise":
        name += f" `{options['label']}`"  # what it is called wherever the book is read
    level = LEVELS.get(options.get("class", "").partition(" ")[0], "")
    heading = ". ".join(part for part in (name, title, level) if part).replace("?.", "?")
    if found := EXERCISES.get(options.get("label", "")):
        line = f'check("{found.label}", {found.name})'
        inner += ["", f"Whether an answer is right says `{line}`, after `from uatbook.exercises import check`."]
    return [f"> {line}".rstrip() for line in (f"**{heading}.**", "", *inner)]


def _display(formula: list[str]) -> list[str]:
    """A displayed formula; on the pages, one of several lines is aligned without saying so."""
    text = "\n".join(formula)
    if "\\\\" in text and "\\begin" not in text:
        formula = [r"\begin{aligned}", *formula, r"\end{aligned}"]
    return ["$$", *formula, "$$"]


def _included(path: Path, options: dict[str, Any]) -> list[str]:
    config: Any = SimpleNamespace(source_encoding="utf-8")
    text, _ = LiteralIncludeReader(str(path), {**options, "dedent": None}, config).read()
    return text.rstrip("\n").split("\n")


def _role(kind: str, content: str, folder: Path) -> str:
    shown = re.fullmatch(r"(.*?)\s*<([^>]+)>", content, re.DOTALL)
    if shown and (kind == "move" or "%" not in shown[1]):
        return shown[1]
    label = shown[2] if shown else content
    if kind == "doc":
        page = (folder / f"{label}.md").resolve()
        return f"*{page_title(page)}*" if page.exists() else label
    if kind.startswith("cite"):
        named = [_citation(folder, key.strip()) for key in label.split(",")]
        return (
            ", ".join(f"{who} ({year})" for who, year in named)
            if kind == "cite:t"
            else ("(" + "; ".join(f"{who}, {year}" for who, year in named) + ")")
        )
    if kind == "math":
        return f"${content}$"
    if kind in STEPS:
        return f"**{content}**"
    return _labels(folder).get(label, label)


def page_title(page: Path) -> str:
    """The heading of a page."""
    heading = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return heading[1] if heading else page.stem


@functools.cache
def _labels(folder: Path) -> dict[str, str]:
    """What each label of the pages in this folder stands for: the title of a statement, an exercise, a section."""
    found = {}
    for page in sorted(folder.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for kind, title, label in LABELLED.findall(text):
            name = kind.removeprefix("prf:").capitalize()
            within = f"in *{page_title(page)}*"
            found[label] = f"the formula {within}" if kind == "math" else title or f"{name} {within}"
            if kind == "exercise" and title:
                found[label] = f"the exercise “{title}” {within}"
        found |= {label: f"“{title}”" for label, title in HEADING.findall(text)}
    return found


@functools.cache
def _bibliography(folder: Path) -> Any:
    (file,) = [file for place in (folder, folder.parent) if (file := place / "references.bib").exists()]
    return parse_file(str(file)).entries


def _citation(folder: Path, key: str) -> tuple[str, str]:
    entry = _bibliography(folder)[key]
    names = [" ".join(person.prelast_names + person.last_names) for person in entry.persons["author"]]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return who, entry.fields["year"]
