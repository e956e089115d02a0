"""Code of a page, folded: a line says what it does and how long it is. What a page shows in full has that on a phone.

That fold is in the page from the start, and `assets/style.css` holds it open on larger screens and on paper, so that
nothing moves while a page loads, and no script is needed.
"""

import ast
import re
from typing import Any, TypeGuard

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

CLASS = "uat-shown"
CERTIFICATE = re.compile(r'<details class="uat-certificate">.*?<span class="label">\W*(.*?)</span>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


class Folds(SphinxPostTransform):
    """Put the code of each cell that shows it into a fold, and say on all folds what is in them."""

    default_priority = 200  # after that of explorers has moved below them, and what is tagged so has its fold
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Leave alone the code of explorers, which is named after them, and what stands in a box, as in a solution."""
        for cell in [node for node in self.document.findall(nodes.container) if node.get("nb_element") == "cell_code"]:
            code = cell.children[0] if cell.children else None
            if isinstance(code, HideCodeCellNode) and "above-input" in code["classes"]:
                code["prompt_show"] = code["prompt_hide"] = title(code.astext(), cell)
            elif _shown(code) and isinstance(cell.parent, nodes.section):
                bar = title(code.astext(), cell)
                fold = HideCodeCellNode(prompt_show=bar, prompt_hide=bar, classes=[CLASS])
                cell.replace(code, fold)
                fold.append(code)


def _shown(node: nodes.Node | None) -> TypeGuard[nodes.container]:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code_source"


def title(code: str, cell: nodes.Element) -> str:
    """The line that stands for the code of a cell."""
    lines = len(code.strip().splitlines())
    return f"Code: {does(code, cell)}, {lines} line{'s' * (lines > 1)}"


def does(code: str, cell: nodes.Element) -> str:
    """What comes of a cell: statements checked, a picture, what it defines, and what it prints."""
    checked = CERTIFICATE.findall("".join(raw.astext() for raw in cell.findall(nodes.raw)))
    if checked:
        said = dict.fromkeys(TAG.sub("", label).partition(",")[0] for label in checked)
        return f"{' and '.join(said)} checked"
    outputs = [node for node in cell.children if node.get("nb_element") == "cell_code_output"]
    if any("<svg" in part.astext() for output in outputs for part in output.findall(nodes.raw)):
        return "this picture"
    try:
        body = ast.parse(code).body
    except SyntaxError:  # a line for IPython alone
        body = []
    names = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if not outputs:
        names = names or [name for node in body if isinstance(node, ast.Assign) for name in _names(node)][-1:]
        return f"definition of {' and '.join(names[:2])}" if names else "a preparation"
    return f"definition of {' and '.join(names[:2])}, and what it prints" if names else "what prints this"


def _names(node: ast.Assign) -> list[str]:
    return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(Folds)
