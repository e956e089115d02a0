"""Reference pages for the library, from its docstrings: ``api`` lists what a module or package offers, with its terms.

Docstrings are plain text: paragraphs, formulas in indented lines, examples after >>>, and the sections *Parameters*,
*Attributes*, *Returns* and *Raises*. Formulas, there and in the text, are set by `uatlib.internal.formula_html`;
`name` in backticks is code.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import stringify_signature

from uatlib.internal.formula_html import formula_html, text_html

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises)\n-+\n", re.MULTILINE)
MAP = re.compile(r"([\w.]+(?:, [\w.]+)*) {2,}(\S.*(?:\n {6,}.*)*)")
"""A line of a package's map: modules, and what is in them, maybe over several lines."""
GAP = re.compile(r"(?<=[^\s,]) {2,}(?=[^\s=])")
"""Between columns. After a comma a formula goes on, and before = spaces align."""


def columns(lines: list[str]) -> str:
    """Indented lines as HTML: two columns, apart by spaces, as a list, more as a table, others as formulas."""
    whole = re.sub(r"\n {2,}", " ", "\n".join(lines)).split("\n")
    rows = [[text_html(cell) for cell in GAP.split(line)] for line in whole]
    widths = {len(row) for row in rows}
    if 1 in widths:
        return f'<p class="uat-formula">{"<br>".join(map(formula_line, lines))}</p>'
    if widths == {2}:
        return f"<dl>{''.join(f'<dt>{name}</dt><dd>{said}</dd>' for name, said in rows)}</dl>"
    return f"<table>{''.join(table_row(row, max(widths)) for row in rows)}</table>"


def formula_line(line: str) -> str:
    """A line of a formula, with its indent and with what parts it from the next formula."""
    indent = len(line) - len(line.lstrip())
    return "\u00a0" * indent + text_html(line[indent:].replace(",  ", ",\u00a0\u00a0 "))


def table_row(cells: list[str], width: int) -> str:
    """A row of a table that has so many columns; the last cell takes what is left."""
    head, *others, last = cells
    span = f' colspan="{width - len(cells) + 1}"' if len(cells) < width else ""
    shown = "".join(f"<td>{cell}</td>" for cell in others)
    return f'<tr><th scope="row">{head}</th>{shown}<td{span}>{last}</td></tr>'


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, examples as code, and blocks of indented lines as formulas."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if not block.strip():
            continue
        if block.startswith(">>> "):
            yield f"<pre>{escape(block)}</pre>"
        elif all(line.startswith("    ") for line in lines):
            yield columns(textwrap.dedent(block).split("\n"))
        else:
            yield module_map(block) or f"<p>{text_html(' '.join(line.strip() for line in lines))}</p>"


def module_map(block: str) -> str:
    """The map of a package, as a list; "" where the block is none."""
    if not re.fullmatch(f"(?:{MAP.pattern}\n?)+", block):
        return ""
    rows = []
    for names, said in MAP.findall(block):
        modules = ", ".join(f"<code>{name}</code>" for name in names.split(", "))
        rows.append(f"<dt>{modules}</dt><dd>{text_html(' '.join(said.split()))}</dd>")
    return f"<dl>{''.join(rows)}</dl>"


def terms(text: str) -> str:
    """The lines of a section as a list: a name, or an error, and what is said of it."""
    found: list[list[str]] = []
    for line in text.strip("\n").split("\n"):
        if line and not line.startswith(" "):
            found.append([line])
        elif line.strip() and found:
            found[-1].append(line.strip())
    rows = []
    for first, *rest in found:
        name, colon, said = first.partition(" : ")
        said = " ".join([said] * bool(colon) + rest)
        rows.append(f"<dt><code>{escape(name)}</code></dt><dd>{text_html(said)}</dd>")
    return f"<dl>{''.join(rows)}</dl>"


def docstring_html(text: str) -> str:
    """A docstring as HTML."""
    first, *rest = SECTION.split(text)
    done = list(blocks(first))
    for name, content in zip(rest[::2], rest[1::2], strict=True):
        # What stands after a section at the margin, such as the source, is a paragraph again.
        listed, _, after = content.partition("\n\n")
        said = blocks(listed) if name == "Returns" else [terms(listed)]
        done += [f'<p class="rubric">{name}</p>', *said, *blocks(after)]
    return "".join(done)


def call(thing: Any) -> str:
    """The parameters of a function or class as they are called, without annotations."""
    try:
        text = stringify_signature(inspect.signature(thing), show_annotation=False, show_return_annotation=False)
    except (TypeError, ValueError):
        return ""
    return re.sub(r"^\((?:self|cls)(?:, )?", "(", text)


def place(thing: Any) -> str:
    """File and line, e.g. uatlib/grids.py:27."""
    thing = inspect.unwrap(thing)
    file, line = inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1]
    return f"{Path(str(file)).relative_to(ROOT).as_posix()}:{line}"


def members(kind: type) -> Iterator[tuple[str, str, str]]:
    """The public methods and properties of a class that it defines itself: name, call, first line of the docstring."""
    for name, thing in vars(kind).items():
        inner = getattr(thing, "__func__", thing)
        is_property = isinstance(thing, property)
        if name.startswith("_") or not (is_property or inspect.isfunction(inner)) or not inspect.getdoc(thing):
            continue
        said = str(inspect.getdoc(thing)).split("\n\n")[0]
        yield name, "" if is_property else call(inner), said


def entry_html(name: str, thing: Any, package: str) -> str:
    """What there is to know of one public name."""
    is_code = inspect.isclass(thing) or inspect.isfunction(thing)
    head = f"from {package} import {name}"
    what = place(thing) if is_code else ""
    signature = call(thing) if is_code else ""
    done = [f"<pre>{escape(head)}{chr(10) * bool(signature)}{escape(name + signature) if signature else ''}</pre>"]
    if what:
        done.append(f'<p class="uat-place">{escape(what)}</p>')
    if is_code and inspect.getdoc(thing):
        done.append(docstring_html(str(inspect.getdoc(thing))))
    if inspect.isclass(thing) and (own := list(members(thing))):
        rows = [f"<dt><code>{escape(n + c)}</code></dt><dd>{text_html(said)}</dd>" for n, c, said in own]
        done.append(f'<p class="rubric">Methods and properties</p><dl>{"".join(rows)}</dl>')
    return "".join(done)


class ApiDirective(SphinxDirective):
    """``api``: the public names of the module or package that is its argument, as sections."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """One section for the module, and one in it for each name."""
        package = self.arguments[0]
        module = importlib.import_module(package)
        for read in (module, formula_html):
            self.env.note_dependency(str(inspect.getsourcefile(read)))
        outer = nodes.section(ids=[nodes.make_id(package)], names=[package])
        outer += nodes.title("", "", nodes.literal("", package))
        outer += self._raw("".join(blocks(str(module.__doc__))))
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.env.note_dependency(str(inspect.getsourcefile(thing)))
            # Names such as BALL and Ball differ by their case alone, so the ids keep it.
            inner = nodes.section(ids=[f"{nodes.make_id(package)}-{name}"], names=[f"{package}.{name}"])
            inner += [nodes.title("", "", nodes.literal("", name)), self._raw(entry_html(name, thing, package))]
            outer += inner
        return [outer]

    def _raw(self, html: str) -> nodes.raw:
        return nodes.raw("", f'<div class="uat-api">{html}</div>', format="html")


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_directive("api", ApiDirective)
