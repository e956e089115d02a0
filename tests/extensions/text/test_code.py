"""The line that stands for code on a phone says what the code does."""

import pytest
from docutils import nodes

from _ext.text.code import title

LABEL = '<details class="uat-certificate"><summary><b>holds</b> <span class="label">· {}, <i>N</i>&nbsp;=&nbsp;3</span>'


@pytest.mark.parametrize(
    ("code", "outputs", "line"),
    [
        ("lemma_8.verify()", [LABEL.format("Lemma 8")], "Code: Lemma 8 checked, 1 line"),
        (
            "for variant in both:\n    display(corollary.verify(variant))",
            [LABEL.format("Corollary 1"), LABEL.format("Corollary 2"), LABEL.format("Corollary 1")],
            "Code: Corollary 1 and Corollary 2 checked, 2 lines",
        ),
        ("draw()", ['<svg class="uat-figure"></svg>'], "Code: this picture, 1 line"),
        ("print(1)\n\nprint(2)\n", ["<pre>1 2</pre>"], "Code: what prints this, 3 lines"),
        ("def mirror(x):\n    c = x", [], "Code: definition of mirror, 2 lines"),
        ("def f():\n    1\nprint(f())", ["1"], "Code: definition of f, and what it prints, 3 lines"),
        ("from x import y\na = 1\nb, c = y(a)", [], "Code: definition of c, 3 lines"),
        ("for k in range(3):\n    print(k)", ["0 1 2"], "Code: what prints this, 2 lines"),
        ("%time f()", ["1 ms"], "Code: what prints this, 1 line"),
        ("import numpy as np", [], "Code: a preparation, 1 line"),
    ],
)
def test_what_code_does_is_said(code, outputs, line):
    cell = nodes.container("", nb_element="cell_code")
    for html in outputs:
        cell += nodes.container("", nodes.raw("", html, format="html"), nb_element="cell_code_output")
    assert title(code, cell) == line
